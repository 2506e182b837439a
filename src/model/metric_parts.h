/* Chooses the events and CPUs from which each metric is computed: from the CPUs on which all of its operands were
 * counted.  If an event was counted on other CPUs as well, rows have a further sum of the event, over the metric's CPUs
 * alone. */
#ifndef MODEL_METRIC_PARTS_H
#define MODEL_METRIC_PARTS_H

#include <cyctop/model.h>

/* The bit of row.sums[i] in a set of sums; sums[0] to sums[events_n - 1] are those of the events. */
#define SUM_BIT(i) (UINT64_C(1) << (i))

/* Returns the set of the sums of an event and its siblings (same event on other PMUs). */
uint64_t event_siblings(const struct snapshot *s, size_t event);
/* Returns the fraction of the time for which it is known what the event counted on the CPU. */
static inline double count_known(const struct snapshot *s, unsigned cpu, size_t event)
{
	double running = s->cpus[cpu].running[event];
	return s->events[event].estimated ? 0 : running < 1 ? running : 1;
}

/* Returns true if all operands of a metric were counted on the CPU. */
bool parts_have_cpu(const struct snapshot *s, const struct metric_parts *p, unsigned cpu);

/* Returns [event * cpus_n + cpu]: the set of sums to which facts of this event and CPU are added.  The caller frees the
 * array. */
uint64_t *parts_of_facts(const struct snapshot *s);

#endif
