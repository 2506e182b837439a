/* Room selfcount: the calling thread's own counters and time, read without a system call where the machine allows it.
 * Needs nothing but the C library, takes no memory from malloc() and no lock, so that a preloaded library can have it.
 * doc/exact.md says how counters are read from user space, what that costs, and what nobody can know. */
#ifndef SELFCOUNT_SELFCOUNT_H
#define SELFCOUNT_SELFCOUNT_H

#include <linux/perf_event.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

enum { SELFCOUNT_EVENTS_MAX = 8 };

struct selfcount_reading {
	uint64_t time;		   /* ns, CLOCK_MONOTONIC_RAW-like: differences within a thread mean something */
	uint64_t enabled, running; /* ns of the group; 0 without events */
	uint64_t values[SELFCOUNT_EVENTS_MAX]; /* those of the events, since selfcount_open(), unscaled */
	/* The values hold, and the group counts now.  False for a group that had to make room on the PMU: the totals
	 * are right, but what goes on now is not counted.  False, with all but the time 0, where there is nothing to
	 * read. */
	bool counted;
};

/* How values are read: by instructions (and by read(2) while the group does not count), or by read(2). */
enum selfcount_counters { SELFCOUNT_PAGE, SELFCOUNT_SYSCALL };

/* How time is read: from the hardware's counter (TSC, cntvct_el0, rdtime), or by clock_gettime(). */
enum selfcount_clock { SELFCOUNT_TSC, SELFCOUNT_CLOCK };

/* From the hardware's counter to ns, as in struct perf_event_mmap_page. */
struct selfcount_scale {
	uint64_t zero;	       /* ns at cycle 0 */
	uint64_t cycles, mask; /* a cycle that was, and the counter's bits: for a counter that wraps */
	uint32_t mult;
	uint16_t shift;
};

/* Owned by the caller (thread-local); written by open and close alone. */
struct selfcount {
	int fds[SELFCOUNT_EVENTS_MAX];						 /* the first one leads the group */
	const volatile struct perf_event_mmap_page *pages[SELFCOUNT_EVENTS_MAX]; /* SELFCOUNT_PAGE: of all */
	size_t events_n;
	enum selfcount_counters counters;
	enum selfcount_clock clock;
	struct selfcount_scale scale;	     /* of SELFCOUNT_TSC */
	const volatile unsigned char *alive; /* SELFCOUNT_PAGE: 1; 0 in a child of fork(), which has no pages */
	uint64_t id;			     /* the leader's, by which its descriptor is known again */
	pid_t pid;			     /* the process that has the pages */
	pid_t thread;			     /* 0: that of who opened them */
};

/* Opens events for the calling thread, as one group, running from now.  attrs: n <= SELFCOUNT_EVENTS_MAX prepared
 * attrs: type, config, and the bits that exclude; what opening, reading and grouping needs is set here.  n 0: time
 * alone, never fails.  0 or -errno; then *sc reads time alone. */
int selfcount_open(struct selfcount *sc, const struct perf_event_attr *attrs, size_t n);

/* The same for another thread of this process, by read(2): its pages are of use to that thread alone.  The counts stay
 * when the thread ends. */
int selfcount_open_thread(struct selfcount *sc, pid_t tid, const struct perf_event_attr *attrs, size_t n);

/* Also for a child of fork(), whose copy of *sc reads time alone (SELFCOUNT_PAGE) or what the parent's thread counts
 * (SELFCOUNT_SYSCALL): it closes the copy and opens its own events.  *sc reads time alone then. */
void selfcount_close(struct selfcount *sc);

/* Async-signal-safe, no lock; errno stays as it was.  For the thread that opened *sc, whichever thread it is
 * that is counted.  A program that closes
 * descriptors that are not its own loses what needs read(2): nothing is counted then, and nothing else is read. */
void selfcount_read(const struct selfcount *sc, struct selfcount_reading *ret);

uint64_t selfcount_time(const struct selfcount *sc); /* ns, the time of selfcount_read() alone */

/* The hardware's counter of time, in ticks whose length who reads it and a clock can measure.  Of use where
 * selfcount_has_ticks(): there it goes on steadily, the same on all CPUs. */
uint64_t selfcount_ticks(void);
bool selfcount_has_ticks(void);

/* What event i would have counted between two readings, had its group counted all the time.  False: it was not counted
 * in between, which is not 0. */
bool selfcount_between(const struct selfcount_reading *from, const struct selfcount_reading *to, size_t i, double *ret);

#endif
