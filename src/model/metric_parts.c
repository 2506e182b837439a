#include "model/metric_parts.h"

#include "base/alloc.h"

#include <math.h>

uint64_t event_siblings(const struct snapshot *s, size_t event)
{
	uint64_t set = SUM_BIT(event);
	for (size_t e = 0; s->siblings[event].pmu && e < s->events_n; e++)
		if (s->siblings[e].pmu && s->siblings[e].first == s->siblings[event].first)
			set |= SUM_BIT(e);
	return set;
}

/* ---- choosing the events of a metric -------------------------------------------------------- */

/* Finds a numerator and a denominator that leave out the same modes, preferably with samples.  false:
 * there is no such pair. */
static bool find_pair(const struct snapshot *s, const struct metric *metric, const enum event_role *roles,
		      const uint8_t *modes, size_t *num_ret, size_t *den_ret)
{
	int best = -1;
	for (size_t d = 0; d < s->events_n; d++)
		for (size_t n = 0; roles[d] == metric->den && n < s->events_n; n++) {
			int worth = (s->events[d].samples > 0) + (s->events[n].samples > 0);
			if (roles[n] != metric->num || (modes && modes[n] != modes[d]) || worth <= best)
				continue;
			best = worth;
			*num_ret = n;
			*den_ret = d;
		}
	return best >= 0;
}

/* The events of `set` on a PMU that also has an event of `other`.  Otherwise a ratio would
 * divide events of one kind of CPU by events of both kinds. */
static uint64_t on_pmus_of(const struct snapshot *s, uint64_t set, uint64_t other)
{
	uint64_t both = 0;
	for (size_t e = 0; e < s->events_n; e++)
		for (size_t o = 0; set & SUM_BIT(e) && o < s->events_n; o++)
			if (other & SUM_BIT(o) &&
			    (s->siblings[o].pmu == s->siblings[e].pmu || !s->siblings[o].pmu || !s->siblings[e].pmu))
				both |= SUM_BIT(e);
	return both;
}

static bool was_counted(const struct snapshot *s, uint64_t set)
{
	for (size_t e = 0; e < s->events_n; e++)
		if (set & SUM_BIT(e) && s->events[e].state == COUNT_OK)
			return true;
	return false;
}

/* ---- choosing the CPUs of a metric ---------------------------------------------------------- */

static bool counted_on(const struct snapshot *s, unsigned cpu, uint64_t set)
{
	for (size_t i = 0; i < s->sums.n; i++)
		if (set & SUM_BIT(i) && s->cpus[cpu].states[s->sums.event[i]] == COUNT_OK)
			return true;
	return false;
}

bool parts_have_cpu(const struct snapshot *s, const struct metric_parts *p, unsigned cpu)
{
	return counted_on(s, cpu, p->num) && counted_on(s, cpu, p->den);
}

/* Returns true if the event was counted on a CPU on which not both parts were. */
static bool counts_elsewhere(const struct snapshot *s, const struct metric_parts *p, size_t event)
{
	for (unsigned cpu = 0; cpu < s->cpus_n; cpu++)
		if (s->cpus[cpu].states[event] == COUNT_OK && !parts_have_cpu(s, p, cpu))
			return true;
	return false;
}

static bool same_cpus(const struct snapshot *s, const struct metric_parts *a, const struct metric_parts *b,
		      size_t event)
{
	for (unsigned cpu = 0; cpu < s->cpus_n; cpu++)
		if (s->cpus[cpu].states[event] == COUNT_OK && parts_have_cpu(s, a, cpu) != parts_have_cpu(s, b, cpu))
			return false;
	return true;
}

/* Adds up a sum over all CPUs, or over those of `p`.  The part of the time for which its count is known
 * is the mean over the CPUs, by how much each of them contributes to the variance. */
static void fill_whole(struct snapshot *s, size_t sum, const struct metric_parts *p)
{
	size_t event = s->sums.event[sum];
	struct sum whole = {0};
	double known = 0;
	for (unsigned cpu = 0; cpu < s->cpus_n; cpu++) {
		const struct cpu_total *c = &s->cpus[cpu];
		if (p && !parts_have_cpu(s, p, cpu))
			continue;
		whole.samples += c->sums[event].samples;
		whole.weight += c->sums[event].weight;
		whole.var += c->sums[event].var;
		known += c->sums[event].var * count_known(s, cpu, event);
	}
	s->wholes[sum] = whole;
	s->whole_running[sum] = whole.var > 0 ? known / whole.var : 1;
}

/* The metric whose CPUs a further sum is of. */
static const struct metric_parts *parts_of_sum(const struct snapshot *s, size_t sum)
{
	const struct metric_parts *p = s->sums.parts;
	while (!((p->num | p->den) & SUM_BIT(sum)))
		p++;
	return p;
}

/* The further sum of an event over the CPUs of a metric: one that an earlier metric has, too, or a new
 * one; 0: there are too many. */
static size_t further_sum(struct snapshot *s, const struct metric_parts *p, size_t event)
{
	for (size_t i = s->events_n; i < s->sums.n; i++)
		if (s->sums.event[i] == event && same_cpus(s, parts_of_sum(s, i), p, event))
			return i;
	if (s->sums.n == SUMS_MAX)
		return 0;
	s->sums.event[s->sums.n] = (uint8_t)event;
	fill_whole(s, s->sums.n, p);
	return s->sums.n++;
}

static void find_cpus(struct snapshot *s, struct metric_parts *p)
{
	for (unsigned cpu = 0; cpu < s->cpus_n; cpu++) {
		p->cpus += parts_have_cpu(s, p, cpu);
		p->cpus_of += counted_on(s, cpu, p->num | p->den);
	}
	p->valid = p->cpus > 0;
	for (size_t e = 0; p->valid && e < s->events_n; e++) {
		if (!((p->num | p->den) & SUM_BIT(e)) || !counts_elsewhere(s, p, e))
			continue;
		size_t sum = further_sum(s, p, e);
		p->valid = sum != 0;
		if (p->valid)
			*(p->num & SUM_BIT(e) ? &p->num : &p->den) ^= SUM_BIT(e) | SUM_BIT(sum);
	}
}

/* What counters say, over what samples say, of a part of a metric on its CPUs.  It is near 1: a window begins and ends
 * between two samples of each counter, and a few samples may be lost.  Returns 1 if it is not: something else is
 * missing, and the trust line warns of it. */
static double count_over_weight(const struct snapshot *s, const struct metric_parts *p, uint64_t set)
{
	static const double near_one = 0.1;
	double count = 0, weight = 0;
	for (size_t i = 0; i < s->sums.n; i++) {
		size_t e = s->sums.event[i];
		if (!(set & SUM_BIT(i)))
			continue;
		weight += s->wholes[i].weight;
		for (unsigned cpu = 0; cpu < s->cpus_n; cpu++)
			if (s->cpus[cpu].states[e] == COUNT_OK && parts_have_cpu(s, p, cpu))
				count += s->cpus[cpu].counts[e];
	}
	double ret = weight > 0 ? count / weight : 1;
	return fabs(ret - 1) < near_one ? ret : 1;
}

void snapshot_find_parts(struct snapshot *s, const enum event_role *roles, const uint8_t *modes)
{
	s->sums.n = s->events_n;
	for (size_t e = 0; e < s->events_n; e++) {
		s->sums.event[e] = (uint8_t)e;
		fill_whole(s, e, NULL);
	}
	for (size_t m = 0; m < metrics_n; m++) {
		struct metric_parts *p = &s->sums.parts[m];
		size_t n, d;
		*p = (struct metric_parts){.valid = false};
		if (!find_pair(s, &metrics[m], roles, modes, &n, &d))
			continue;
		uint64_t num = event_siblings(s, n), den = event_siblings(s, d);
		p->num = on_pmus_of(s, num, den);
		p->den = on_pmus_of(s, den, num);
		p->valid = was_counted(s, p->num) && was_counted(s, p->den);
		if (p->valid)
			find_cpus(s, p);
		if (p->valid)
			p->scale = count_over_weight(s, p, p->num) / count_over_weight(s, p, p->den);
	}
}

uint64_t *parts_of_facts(const struct snapshot *s)
{
	uint64_t *ret = mem_calloc(s->events_n * s->cpus_n, sizeof(*ret));
	for (size_t i = 0; i < s->sums.n; i++) {
		const struct metric_parts *p = i < s->events_n ? NULL : parts_of_sum(s, i);
		for (unsigned cpu = 0; cpu < s->cpus_n; cpu++)
			if (!p || parts_have_cpu(s, p, cpu))
				ret[s->sums.event[i] * (size_t)s->cpus_n + cpu] |= SUM_BIT(i);
	}
	return ret;
}
