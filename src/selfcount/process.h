/* Counts cycles and instructions of all threads of the calling process. */
#ifndef SELFCOUNT_PROCESS_H
#define SELFCOUNT_PROCESS_H

#include "selfcount/selfcount.h"

enum { PROCESS_EVENTS = 2, PROCESS_THREADS_MAX = 16 };

/* Counts per second, of all threads together. */
struct process_counts {
	bool valid;	    /* false: no PMU, no permission, or the counters were needed elsewhere */
	bool user_only;	    /* what the kernel does for these threads is not counted */
	bool in_user_space; /* the calling thread reads its counters without a system call */
	size_t threads;
	double cycles, instructions;
};

struct process_thread {
	pid_t tid; /* 0: the calling thread, which reads its own counters */
	bool ended;
	struct selfcount counters; /* without events if counting is not permitted, or the thread has ended */
	struct selfcount_reading before;
};

struct selfcount_process {
	struct perf_event_attr attrs[PROCESS_EVENTS];
	struct process_thread threads[PROCESS_THREADS_MAX];
	size_t n;		   /* 0: nothing is counted */
	struct process_counts now; /* rates between the last two reads */
};

/* All three functions must be called by the same thread.  *p owns the counters until it is closed. */
void selfcount_process_open(struct selfcount_process *p);
/* Updates p->now, and opens counters of threads that are new. */
void selfcount_process_read(struct selfcount_process *p);
void selfcount_process_close(struct selfcount_process *p);

#endif
