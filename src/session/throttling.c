#include "session/throttling.h"

#include "base/alloc.h"

#include <stdlib.h>
#include <string.h>

void throttling_init(struct throttling *t, size_t events_n, unsigned cpus_n)
{
	*t = (struct throttling){
		.cpus_n = cpus_n,
		.since_ns = mem_calloc(events_n * cpus_n, sizeof(*t->since_ns)),
		.sum_ns = mem_calloc(events_n * cpus_n, sizeof(*t->sum_ns)),
	};
}

void throttling_deinit(struct throttling *t)
{
	free(t->since_ns);
	free(t->sum_ns);
}

void throttling_reset(struct throttling *t, size_t events_n)
{
	memset(t->since_ns, 0, events_n * t->cpus_n * sizeof(*t->since_ns));
	memset(t->sum_ns, 0, events_n * t->cpus_n * sizeof(*t->sum_ns));
}

void throttling_note(struct throttling *t, uint32_t event, uint32_t cpu, uint64_t time_ns, bool begins)
{
	size_t at = event * (size_t)t->cpus_n + cpu;
	uint64_t since = t->since_ns[at];
	if (!begins && since && time_ns > since)
		t->sum_ns[at] = u64_add_sat(t->sum_ns[at], time_ns - since);
	/* If an UNTHROTTLE record was lost, counting restarts with the next THROTTLE record. */
	t->since_ns[at] = begins ? time_ns : 0;
}

void throttling_take(struct throttling *t, uint64_t start_ns, uint64_t end_ns, struct counter_delta *deltas, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		uint64_t since = t->since_ns[i], ns = t->sum_ns[i];
		/* A throttled event does not count.  If an event counted in an interval although it was throttled since
		 * before it, its UNTHROTTLE record was lost. */
		if (since && since <= start_ns && deltas[i].value)
			since = 0;
		if (since && end_ns > since)
			ns = u64_add_sat(ns, end_ns - since);
		t->since_ns[i] = since ? end_ns : 0;
		t->sum_ns[i] = 0;
		if (deltas[i].enabled_ns && ns > deltas[i].enabled_ns)
			ns = deltas[i].enabled_ns;
		deltas[i].throttled_ns = ns;
	}
}
