/* Asks a process to write the names of the code that it made into its perf map, over the socket of its runtime: a JVM
 * as jcmd does, .NET as its diagnostics client does. */
#ifndef ATTACH_ASK_H
#define ATTACH_ASK_H

#include <cyctop/runtime.h>

struct attach_question {
	uint32_t number; /* of the question; its answer has it, too */
	int32_t pid;
	uint32_t runtime;     /* enum runtime_kind, of which the user was told */
	bool may_signal;      /* a SIGQUIT may be sent to open the socket */
	uint64_t start_ticks; /* of /proc/PID/stat: whom this pid belonged to when the user was told */
};
struct attach_answer {
	uint32_t number;
	int32_t code;	/* 0: the map was written; or -errno */
	char text[256]; /* why not, as the end of a sentence, without control characters */
};
struct attach_place {
	const char *tmp;    /* /tmp: where the process has its map, a path in its own file system */
	uint64_t open_ms;   /* how long to wait for the socket to appear, */
	uint64_t answer_ms; /* and for the whole answer after that */
};
/* Asks, and waits for the answer.
 *
 * The caller is a process that exists for this question: it becomes the owner of the other, and has no way back. */
void attach_ask(const struct attach_question *q, const struct attach_place *place, struct attach_answer *ret);

/* The start time of a process; false: there is none of that pid. */
bool attach_start_ticks(int32_t pid, uint64_t *ret);

/* How long the helper lets a question take, in a process that may be killed. */
enum {
	ATTACH_OPEN_SECONDS = 10,   /* for a socket to appear, */
	ATTACH_ANSWER_SECONDS = 20, /* and for the whole answer */
	ATTACH_HARD_SECONDS = 35,   /* after which there is no answer any more */
};

#endif
