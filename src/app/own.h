/* What cyctop itself costs: cycles and instructions of its threads. */
#ifndef APP_OWN_H
#define APP_OWN_H

#include "selfcount/selfcount.h"

#include <cyctop/view.h>

enum { OWN_EVENTS = 2, OWN_THREADS_MAX = 16 };

struct own_thread {
	pid_t tid; /* 0: the screen's thread, which reads its own counters */
	bool ended;
	struct selfcount counters; /* without events if counting is not permitted, or the thread has ended */
	struct selfcount_reading before;
};

struct own {
	struct perf_event_attr attrs[OWN_EVENTS];
	struct own_thread threads[OWN_THREADS_MAX];
	size_t n;	      /* 0: there is no PMU */
	struct view_own said; /* since the last own_tick() */
};

/* Call own_open() and own_tick() in the screen's thread. */
void own_open(struct own *own, const struct source_info *info);
void own_close(struct own *own);
void own_tick(struct own *own);

#endif
