/* A simulated CPU with a PMU that the kernel samples: functions take turns (turns.h), events are counted, and
 * their counters overflow.  The rules are those of kernel/events/core.c:
 *
 *  - An event with a frequency begins with period 1.  At each overflow, and at each tick if it has counted, the
 *    period moves by an eighth towards the one that would give the frequency.  If what is left of the running
 *    period is more than eight new ones, it begins anew with the new one.
 *  - With more events than counters, the groups take turns: as many as fit from the front of a queue, whose first
 *    group moves to the end when the rotation timer fires.
 *  - A clock is a timer: always running, its period fixed; it does not sample idle time.
 *
 * Pure.  Times are nanoseconds since the start of the simulation, with fractions. */
#ifndef TESTS_SIMULATE_PMU_H
#define TESTS_SIMULATE_PMU_H

#include "turns.h"

#include <cyctop/event.h>

struct pmu_event {
	bool clock;    /* the event is a timer, which needs no counter */
	uint64_t freq; /* samples per second; 0: `period` is fixed */
	uint64_t period;
	size_t group; /* index of the first event of its group; its own index: it is the first, or alone */
	bool opened;  /* false: not opened on this CPU */
};

struct pmu_config {
	struct turns_config turns;
	/* rates[mix][row * EVENTS_MAX + event]: how often a row of a mix counts the event, per nanosecond */
	const double *const *rates;
	const bool *const *idle; /* [mix][row]: the row is idle time */
	struct pmu_event events[EVENTS_MAX];
	size_t events_n;
	size_t counters; /* number of counters; 0: enough for all events */
	uint64_t tick_ns, rotation_ns;
	uint64_t skid_ns;  /* time from an overflow to its sample */
	uint64_t throttle; /* an event with that many samples between two ticks stops until the next one; 0: never */
	bool next_period;  /* a sample has the period that begins, not the one that ended, as in older x86 kernels */
};

/* A sample, or that the kernel stopped an event, or started it again; in order of time. */
struct pmu_sample {
	enum { PMU_SAMPLE, PMU_THROTTLE, PMU_UNTHROTTLE } kind;
	double time_ns;
	uint64_t period;
	size_t event, mix, row;
};
typedef void pmu_sample_fn(void *ctx, const struct pmu_sample *sample);

/* Counts and times since the start. */
struct pmu_counter {
	double value, enabled_ns, running_ns;
};

struct pmu;
/* Makes a CPU.  `config` is borrowed, with everything in it. */
struct pmu *pmu_create(const struct pmu_config *config, uint64_t seed);
void pmu_destroy(struct pmu *p);
/* Runs the CPU until that time, and calls fn() for each sample. */
void pmu_run(struct pmu *p, double until_ns, pmu_sample_fn *fn, void *ctx);
const struct pmu_counter *pmu_counter(const struct pmu *p, size_t event);
double pmu_idle_ns(const struct pmu *p);
/* Returns the real counts of a row, also while the event had no counter. */
double pmu_truth(const struct pmu *p, size_t mix, size_t row, size_t event);

#endif
