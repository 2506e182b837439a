/* Which events and which CPUs a metric is computed from.
 *
 * A ratio is of the CPUs on which both of its parts were counted.  Where an event was counted on other
 * CPUs as well, rows have a further sum of it, over the CPUs of that ratio alone: only then do they
 * need one. */
#ifndef MODEL_METRIC_PARTS_H
#define MODEL_METRIC_PARTS_H

#include <cyctop/model.h>

/* The bit of an event in a set. */
#define EVENT_BIT(e) (UINT32_C(1) << (e))
_Static_assert(EVENTS_MAX <= 32, "a set of events is one word");

/* An event and its siblings. */
uint32_t event_siblings(const struct snapshot *s, size_t event);
/* The fraction of the time for which it is known what the event counted on the CPU. */
static inline double count_known(const struct snapshot *s, unsigned cpu, size_t event)
{
	double running = s->cpus[cpu].running[event];
	return s->events[event].estimated ? 0 : running < 1 ? running : 1;
}

/* Were both parts counted on the CPU? */
bool parts_have_cpu(const struct snapshot *s, const struct metric_parts *p, unsigned cpu);

/* The further sums that a fact is part of, [event * cpus_n + cpu]: bit i is sum events_n + i.  NULL: there
 * are none.  The caller frees it. */
uint32_t *parts_further_sums(const struct snapshot *s);

#endif
