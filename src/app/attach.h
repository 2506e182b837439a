/* Asks a JVM to write the names of the code that it made, over its attach socket, as jcmd does. */
#ifndef APP_ATTACH_H
#define APP_ATTACH_H

#include <cyctop/base.h>

struct attach_question {
	int32_t pid;
	bool may_signal;      /* a SIGQUIT may be sent to open the socket */
	uint64_t start_ticks; /* of /proc/PID/stat: whom this pid belonged to when the user was told */
};
struct attach_answer {
	int32_t code;	/* 0: the map was written; or -errno */
	char text[256]; /* why not, as the end of a sentence, without control characters */
};
struct attach_place {
	const char *tmp;    /* where the JVM has its socket: a path in its own file system */
	uint64_t open_ms;   /* how long to wait for the socket to appear, */
	uint64_t answer_ms; /* and for the whole answer after that */
};
/* Asks, and waits for the answer.
 *
 * The caller is a process that exists for this question: it becomes the owner of the JVM, and has no way back. */
void attach_ask(const struct attach_question *q, const struct attach_place *place, struct attach_answer *ret);

/* The start time of a process; false: there is none of that pid. */
bool attach_start_ticks(int32_t pid, uint64_t *ret);

#endif
