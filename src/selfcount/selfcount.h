/* The calling thread's own counters and time, read without a system call where the machine allows it.  Needs only the C
 * library, no malloc() and no lock, so that a preloaded library can use it.  doc/exact.md says how counters are read
 * from user space, what that costs, and what nobody can know. */
#ifndef SELFCOUNT_SELFCOUNT_H
#define SELFCOUNT_SELFCOUNT_H

#include <linux/perf_event.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

enum { SELFCOUNT_EVENTS_MAX = 8 };

struct selfcount_reading {
	uint64_t time;		   /* ns, like CLOCK_MONOTONIC_RAW; only differences within a thread mean something */
	uint64_t enabled, running; /* ns for which the group was enabled, and on the PMU; 0 without events */
	uint64_t values[SELFCOUNT_EVENTS_MAX]; /* counts since selfcount_open(), unscaled */
	/* true: the values are valid, and the group counts now.  false: the group is off the PMU, which other events
	 * need, and the values are valid but do not grow; or nothing could be read, and all but `time` is 0. */
	bool counted;
};

/* How values are read: by instructions (by read(2) only while the group does not count), or always by read(2). */
enum selfcount_counters { SELFCOUNT_PAGE, SELFCOUNT_SYSCALL };

/* How time is read: from the hardware's counter (TSC, cntvct_el0, rdtime), or by clock_gettime(). */
enum selfcount_clock { SELFCOUNT_TSC, SELFCOUNT_CLOCK };

/* Converts the hardware's clock to ns, as struct perf_event_mmap_page says. */
struct selfcount_scale {
	uint64_t zero;	       /* ns at cycle 0 */
	uint64_t cycles, mask; /* for a clock that wraps: an earlier value, and a mask of its bits */
	uint32_t mult;
	uint16_t shift;
};

/* Owned by the caller (thread-local); only selfcount_open() and selfcount_close() change it. */
struct selfcount {
	int fds[SELFCOUNT_EVENTS_MAX];						 /* the first one leads the group */
	const volatile struct perf_event_mmap_page *pages[SELFCOUNT_EVENTS_MAX]; /* SELFCOUNT_PAGE: of each event */
	size_t events_n;
	enum selfcount_counters counters;
	enum selfcount_clock clock;
	struct selfcount_scale scale; /* for SELFCOUNT_TSC */
	const volatile unsigned char
		*alive; /* SELFCOUNT_PAGE: *alive is 1, or 0 in a child of fork(), which has no pages */
	uint64_t id;	/* event id of the leader, to recognise its descriptor */
	pid_t pid;	/* the process that mapped the pages */
	pid_t thread;	/* the counted thread; 0: the one that opened the events */
};

/* Opens events for the calling thread, as one group that counts from now on.  attrs: [n], at most SELFCOUNT_EVENTS_MAX,
 * with type, config and exclude_*; what opening, reading and grouping needs is set here.  n 0: opens nothing, which
 * cannot fail.  Returns 0 or -errno; after an error, and with n 0, *sc reads only the time. */
int selfcount_open(struct selfcount *sc, const struct perf_event_attr *attrs, size_t n);

/* Like selfcount_open(), but for another thread of this process.  Values come from read(2), as only that thread can use
 * the pages.  The counts stay readable after the thread has ended. */
int selfcount_open_thread(struct selfcount *sc, pid_t tid, const struct perf_event_attr *attrs, size_t n);

/* Closes the events; afterwards *sc reads only the time.  A child of fork() closes its copy of *sc before it opens its
 * own events: until then the copy reads only the time (SELFCOUNT_PAGE), or the counts of the parent's thread
 * (SELFCOUNT_SYSCALL). */
void selfcount_close(struct selfcount *sc);

/* Reads the values and the time.  Async-signal-safe, without a lock; errno stays as it was.  Only the thread that
 * opened *sc may call this, even if another thread is counted.  If the program closes descriptors that are not its own,
 * values that need read(2) are missing from then on, and no other file is read. */
void selfcount_read(const struct selfcount *sc, struct selfcount_reading *ret);

uint64_t selfcount_time(const struct selfcount *sc); /* ns, like `time` of selfcount_read() */

/* The hardware's clock in ticks, whose length can be measured with another clock.  selfcount_has_ticks() returns true
 * if ticks have a constant length, and are the same on all CPUs; if not, do not use them. */
uint64_t selfcount_ticks(void);
bool selfcount_has_ticks(void);

/* Computes what event i would have counted between two readings if its group had counted all the time.  Returns false
 * if it was not counted in between, so that its number is unknown. */
bool selfcount_between(const struct selfcount_reading *from, const struct selfcount_reading *to, size_t i, double *ret);

#endif
