/* Measures the CPU time that a sample costs: how much longer the same work takes while it is sampled. */
#include "source/live/live.h"

#include "os/clock.h"

#include <unistd.h>

enum {
	WORK_NS = 2000000,  /* about how long the work takes without samples */
	PERIOD_NS = 50000,  /* time in ns between two samples */
	ROUNDS = 5,	    /* number of runs, of which the fastest counts: others were disturbed */
	RING_PAGES = 16,    /* pages of data in the ring: more than all samples need */
	STEPS_FIRST = 10000 /* steps of work by which its speed is measured */
};

static uint64_t time_of(unsigned long steps)
{
	uint64_t start_ns = clock_ns(CLOCK_MONOTONIC);
	for (volatile unsigned long i = 0; i < steps; i++)
		;
	return clock_ns(CLOCK_MONOTONIC) - start_ns;
}

static uint64_t fastest(unsigned long steps)
{
	uint64_t least_ns = UINT64_MAX;
	for (int i = 0; i < ROUNDS; i++) {
		uint64_t ns = time_of(steps);
		least_ns = ns < least_ns ? ns : least_ns;
	}
	return least_ns;
}

double live_sample_cost_ns(void)
{
	const struct attr_policy policy = {.default_period = PERIOD_NS};
	struct event_spec clock;
	struct perf_attr attr;
	struct opener opener;
	struct ring ring = {0};
	double cost_ns = 0;
	event_clock(&clock);
	event_attr(&clock, &policy, &attr);
	attr.flags &= ~ATTR_DISABLED;
	opener_init(&opener);
	unsigned long steps = STEPS_FIRST * (unsigned long)WORK_NS / (fastest(STEPS_FIRST) + 1) + 1;
	uint64_t without_ns = fastest(steps);
	int fd = opener_open(&opener, &attr, 0, -1);
	if (fd >= 0 && ring_map(&ring, fd, RING_PAGES * (size_t)sysconf(_SC_PAGESIZE)) == 0) {
		uint64_t with_ns = fastest(steps);
		double samples = (double)with_ns / PERIOD_NS;
		cost_ns = with_ns > without_ns ? (double)(with_ns - without_ns) / samples : 0;
	}
	ring_unmap(&ring);
	fd_close(&fd);
	return cost_ns;
}
