/* Runs a reader of debug information in a child process, because the file may be malicious: libdw 0.188 reads beyond
 * the end of malformed strings. The child writes its result to shared memory, and the parent must check it. */
#ifndef CODE_APART_H
#define CODE_APART_H

#include <stdbool.h>
#include <stddef.h>

/* The beginning of the shared memory; the result follows. */
struct apart {
	bool done;     /* set by the child when work() has returned */
	char why[160]; /* why there is no result, a sentence without its full stop; "": there is one */
};
/* Returns zeroed shared memory, to be freed with apart_free(); NULL: there is none. */
void *apart_memory(size_t bytes);
void apart_free(void *shared, size_t bytes);
/* Runs work() in a child process and waits for its end.  work() returns why it has no result, or NULL.  Returns this
 * reason, or why the child died; NULL: all is done.  The text is valid as long as the memory.  `cpu_seconds`: limit of
 * CPU time. */
const char *apart_run(struct apart *shared, int cpu_seconds, const char *(*work)(void *ctx), void *ctx);

#endif
