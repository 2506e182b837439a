/* Runs work on files that may be malicious in a child process, which may crash or hang: libdw 0.188 reads beyond the
 * end of malformed strings.  The child writes its result to shared memory, and the parent must check it. */
#ifndef OS_CHILD_H
#define OS_CHILD_H

#include "os/privileges.h"

#include <stdbool.h>
#include <stddef.h>

/* The beginning of the shared memory; the result follows. */
struct child_result {
	bool done;     /* set by the child when work() has returned */
	char why[160]; /* why there is no result, a sentence without its full stop; "": there is a result */
};
struct child_job {
	const char *reads; /* what the child reads, for errors: "its debug information" */
	enum privileges keep;
	int cpu_seconds;		/* limit of CPU time; the limit of elapsed time is ten times as long */
	const char *(*work)(void *ctx); /* returns why there is no result, or NULL */
	void *ctx;
};
/* Returns zeroed shared memory, to be freed with child_free(); NULL if there is no memory. */
void *child_memory(size_t bytes);
void child_free(void *shared, size_t bytes);
/* Runs job->work() in a child process and waits for its end.  Returns why there is no result, as work() or the end of
 * the child tells; NULL if there is a result.  The text is valid as long as the memory. */
const char *child_run(struct child_result *shared, const struct child_job *job);

#endif
