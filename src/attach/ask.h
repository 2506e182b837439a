/* Asks a process to write the names of its JIT code into its perf map (/tmp/perf-PID.map), over the socket of its
 * runtime: a JVM as jcmd does, .NET as its diagnostics client does. */
#ifndef ATTACH_ASK_H
#define ATTACH_ASK_H

#include <cyctop/runtime.h>

struct attach_question {
	uint32_t number; /* number of the question, repeated in its answer */
	int32_t pid;
	uint32_t runtime;     /* enum runtime_kind that the user confirmed */
	bool may_signal;      /* SIGQUIT may be sent to open the socket */
	uint64_t start_ticks; /* start time (/proc/PID/stat) of the process that the user confirmed */
};
struct attach_answer {
	uint32_t number;
	int32_t code;	/* 0: the process wrote its map; or -errno */
	char text[256]; /* the reason for `code`, as the end of a sentence, without control characters */
};
struct attach_place {
	const char *tmp;    /* path of the folder of perf maps, "/tmp", in the process's file system */
	uint64_t open_ms;   /* longest wait for the socket to appear */
	uint64_t answer_ms; /* longest wait from then on for the whole answer */
};
/* Asks the process, waits for its answer, and writes that to *ret.
 *
 * To be called in a process that was forked for this question: the caller's user becomes the owner of the other
 * process, which cannot be undone. */
void attach_ask(const struct attach_question *q, const struct attach_place *place, struct attach_answer *ret);

/* Finds the start time of a process.  Returns false if there is no process of that pid. */
bool attach_start_ticks(int32_t pid, uint64_t *ret);

/* Time limits of one question.  The helper's child that asks it is killed after ATTACH_HARD_SECONDS. */
enum {
	ATTACH_OPEN_SECONDS = 10,   /* until the socket appears */
	ATTACH_ANSWER_SECONDS = 20, /* for the whole answer after that */
	ATTACH_HARD_SECONDS = 35,   /* for all together; ends a child that hangs, for instance in a file system */
};

#endif
