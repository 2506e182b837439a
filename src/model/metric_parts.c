#include "model/metric_parts.h"

#include "base/alloc.h"

#include <math.h>
#include <string.h>

uint64_t event_siblings(const struct snapshot *s, size_t event)
{
	uint64_t set = SUM_BIT(event);
	for (size_t e = 0; s->siblings[event].pmu && e < s->events_n; e++)
		if (s->siblings[e].pmu && s->siblings[e].first == s->siblings[event].first)
			set |= SUM_BIT(e);
	return set;
}

/* ---- choosing the events of a metric -------------------------------------------------------- */

/* Finds the event of an operand: one that excludes the modes that the operand's modifiers (:u, :k) exclude or, if it
 * has none, those in `modes`.  Prefers events with samples.  Returns false if there is no such event. */
static bool find_operand(const struct snapshot *s, const struct query *query, const struct metric *m, size_t operand,
			 uint8_t modes, size_t *ret)
{
	bool found = false, own = m->own_modes >> operand & 1;
	if (own)
		modes = m->modes[operand];
	/* an operand that is the name of an event means just this event */
	bool any = !query->modes || (own && m->operands[operand] >= ROLE_COUNT);
	for (size_t e = 0; e < s->events_n; e++) {
		if (query->roles[e] != m->operands[operand] || (!any && query->modes[e] != modes))
			continue;
		if (!found || (s->events[e].samples > 0 && !s->events[*ret].samples))
			*ret = e;
		found = true;
	}
	return found;
}

/* Finds an event for each operand.  Events of operands without modifiers (:u, :k) must all exclude the same modes.
 * Prefers events with samples.  Returns false if an operand has no event. */
static bool find_operands(const struct snapshot *s, const struct query *query, const struct metric *m,
			  size_t ret[METRIC_OPERANDS_MAX])
{
	size_t best = 0;
	for (size_t first = 0; first < s->events_n; first++) {
		size_t at[METRIC_OPERANDS_MAX] = {0}, i = 0, worth = 1;
		uint8_t modes = query->modes ? query->modes[first] : 0;
		for (; i < m->operands_n && find_operand(s, query, m, i, modes, &at[i]); i++)
			worth += s->events[at[i]].samples > 0;
		if (i < m->operands_n || worth <= best)
			continue;
		best = worth;
		memcpy(ret, at, sizeof(at));
	}
	return best > 0;
}

/* Returns the events of `set` whose PMU also has an event of `other`: a ratio must not divide the events of one kind of
 * CPU (P-core) by those of both kinds. */
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

uint64_t parts_all(const struct metric_parts *p)
{
	uint64_t all = 0;
	for (size_t i = 0; i < METRIC_OPERANDS_MAX; i++)
		all |= p->sets[i];
	return all;
}

bool parts_have_cpu(const struct snapshot *s, const struct metric_parts *p, unsigned cpu)
{
	for (size_t i = 0; i < METRIC_OPERANDS_MAX && p->sets[i]; i++)
		if (!counted_on(s, cpu, p->sets[i]))
			return false;
	return true;
}

/* Returns true if the event was counted on a CPU on which another operand of the metric was not. */
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

/* Sets the total of a sum over the CPUs of `p` (NULL: over all CPUs), and the fraction of time for which its count is
 * known: the mean over the CPUs, weighted with each CPU's contribution to the variance. */
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

/* Returns the first metric that has sum `sum`, which must be a sum over the CPUs of a metric, not over all CPUs. */
static const struct metric_parts *parts_of_sum(const struct snapshot *s, size_t sum)
{
	const struct metric_parts *p = s->sums.parts;
	while (!(parts_all(p) & SUM_BIT(sum)))
		p++;
	return p;
}

/* Returns the index of the sum of an event over the CPUs of a metric: of an earlier metric's sum over the same CPUs, or
 * of a new one; 0 if there are too many sums. */
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

/* Replaces an event, in the operands that have it, by its sum over the metric's CPUs.  Returns false if there are too
 * many sums. */
static bool narrow(struct snapshot *s, struct metric_parts *p, size_t event)
{
	size_t sum = further_sum(s, p, event);
	for (size_t i = 0; sum && i < METRIC_OPERANDS_MAX; i++)
		if (p->sets[i] & SUM_BIT(event))
			p->sets[i] ^= SUM_BIT(event) | SUM_BIT(sum);
	return sum != 0;
}

static void find_cpus(struct snapshot *s, struct metric_parts *p)
{
	uint64_t all = parts_all(p);
	for (unsigned cpu = 0; cpu < s->cpus_n; cpu++) {
		p->cpus += parts_have_cpu(s, p, cpu);
		p->cpus_of += counted_on(s, cpu, all);
	}
	p->valid = p->cpus > 0;
	for (size_t e = 0; p->valid && e < s->events_n; e++)
		if (all & SUM_BIT(e) && counts_elsewhere(s, p, e))
			p->valid = narrow(s, p, e);
}

/* Returns the count of an operand divided by its sampled weight, on the metric's CPUs.  The two differ little: a window
 * begins and ends between two samples of a counter, and a few samples may be lost.  If they differ by more, samples are
 * missing for another reason, of which the trust line warns; then returns 1. */
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

/* Sets p->sets: each operand's event and its siblings, on those PMUs that have all operands. */
static void find_sets(const struct snapshot *s, const size_t *events, size_t n, struct metric_parts *p)
{
	p->valid = true;
	for (size_t i = 0; i < n; i++) {
		p->sets[i] = event_siblings(s, events[i]);
		for (size_t k = 0; k < n; k++)
			p->sets[i] = on_pmus_of(s, p->sets[i], event_siblings(s, events[k]));
		p->valid &= was_counted(s, p->sets[i]);
	}
}

void snapshot_find_parts(struct snapshot *s, const struct query *query)
{
	const struct metric_set *set = query->metrics ? query->metrics : &metrics_builtin;
	s->sums.metrics = set;
	s->sums.n = s->events_n;
	for (size_t e = 0; e < s->events_n; e++) {
		s->sums.event[e] = (uint8_t)e;
		fill_whole(s, e, NULL);
	}
	for (size_t m = 0; m < set->n; m++) {
		struct metric_parts *p = &s->sums.parts[m];
		size_t events[METRIC_OPERANDS_MAX];
		*p = (struct metric_parts){.valid = false};
		if (!find_operands(s, query, &set->v[m], events))
			continue;
		find_sets(s, events, set->v[m].operands_n, p);
		if (p->valid)
			find_cpus(s, p);
		for (size_t i = 0; p->valid && i < set->v[m].operands_n; i++)
			p->scales[i] = count_over_weight(s, p, p->sets[i]);
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
