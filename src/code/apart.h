/* A process of its own that reads debug information, which may be made to do harm: libdw 0.188 reads beyond the end of
 * strings then.  What it hands over, in shared memory, must be checked. */
#ifndef CODE_APART_H
#define CODE_APART_H

#include <stdbool.h>
#include <stddef.h>

/* The beginning of the shared memory. */
struct apart {
	bool done;     /* the process has finished its work */
	char why[160]; /* why there is nothing, a sentence without its full stop; "": there is */
};
/* Returns zeroed shared memory; NULL: there is none. */
void *apart_memory(size_t bytes);
void apart_free(void *shared, size_t bytes);
/* Runs work(), which returns why there is nothing, or NULL, in a process, and waits for its end.  Returns why it did
 * not come to the end, or what work() returned, which is valid as long as the memory; NULL: all is done. */
const char *apart_run(struct apart *shared, int cpu_seconds, const char *(*work)(void *ctx), void *ctx);

#endif
