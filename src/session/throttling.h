/* Measures for how long the kernel stopped events because they fired too often: from a THROTTLE record to the
 * UNTHROTTLE record of the same event and CPU. */
#ifndef SESSION_THROTTLING_H
#define SESSION_THROTTLING_H

#include <cyctop/model.h>

struct throttling {
	unsigned cpus_n;
	uint64_t *since_ns; /* [event * cpus_n + cpu]: time in ns of the THROTTLE record; 0: not throttled now */
	uint64_t *sum_ns;   /* [event * cpus_n + cpu]: sum in ns of the throttled times that ended in this interval */
};
void throttling_init(struct throttling *t, size_t events_n, unsigned cpus_n);
void throttling_deinit(struct throttling *t);
/* Forgets all THROTTLE records and throttled times of the first `events_n` events. */
void throttling_reset(struct throttling *t, size_t events_n);
void throttling_note(struct throttling *t, uint32_t event, uint32_t cpu, uint64_t time_ns, bool begins);
/* Closes the interval [start_ns, end_ns): sets throttled_ns of each delta, at most its enabled time. */
void throttling_take(struct throttling *t, uint64_t start_ns, uint64_t end_ns, struct counter_delta *deltas, size_t n);

#endif
