/* Asks a process to write the names of the code that it made into its perf map, over the socket of its runtime: a JVM
 * as jcmd does, .NET as its diagnostics client does. */
#ifndef ATTACH_ASK_H
#define ATTACH_ASK_H

#include <cyctop/runtime.h>

struct attach_question {
	uint32_t number; /* number of the question, which its answer has, too */
	int32_t pid;
	uint32_t runtime;     /* enum runtime_kind that the user was told about */
	bool may_signal;      /* SIGQUIT may be sent to open the socket */
	uint64_t start_ticks; /* start time in /proc/PID/stat of the process that the user was told about */
};
struct attach_answer {
	uint32_t number;
	int32_t code;	/* 0: the process wrote its map; or -errno */
	char text[256]; /* the reason, as the end of a sentence, without control characters */
};
struct attach_place {
	const char *tmp;    /* the folder of the process's map, /tmp, as a path in its own file system */
	uint64_t open_ms;   /* longest wait for the socket to appear, in ms, */
	uint64_t answer_ms; /* and for the whole answer after that */
};
/* Asks the process, and waits for the answer.
 *
 * The caller is a process that exists for this question: it becomes the owner of the other process, and has no way
 * back. */
void attach_ask(const struct attach_question *q, const struct attach_place *place, struct attach_answer *ret);

/* Finds the start time of a process.  Returns false if there is no process of that pid. */
bool attach_start_ticks(int32_t pid, uint64_t *ret);

/* The time limits of the helper for a question, in a process that may be killed. */
enum {
	ATTACH_OPEN_SECONDS = 10,   /* until the socket appears, */
	ATTACH_ANSWER_SECONDS = 20, /* and for the whole answer after that */
	ATTACH_HARD_SECONDS = 35,   /* until the process is killed */
};

#endif
