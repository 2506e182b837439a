#include <cyctop/model.h>

#include <math.h>

static const double supported_error = 0.2;

bool ratio_supported(struct ratio r)
{
	return r.valid && r.error <= supported_error * r.value;
}

/* R = N/D, both sums of independently drawn weights:
 * var(R)/R^2 = var(N)/N^2 + var(D)/D^2 (first-order propagation).  With no sample
 * of N the estimate is 0 and one sample's worth the size of what may be missed. */
struct ratio ratio_of(double factor, struct sum num, struct sum den, double num_unit)
{
	if (!den.samples || !(den.weight > 0))
		return (struct ratio){.valid = false};
	struct ratio r = {.value = factor * num.weight / den.weight, .valid = true};
	if (!num.samples || !(num.weight > 0)) {
		r.error = factor * num_unit / den.weight;
		return r;
	}
	double n = num.var / (num.weight * num.weight), d = den.var / (den.weight * den.weight);
	r.error = r.value * sqrt(n + d);
	return r;
}

/* ---- which events ------------------------------------------------------------------ */

/* Sets of events, a bit each. */
#define EVENT_BIT(e) (UINT32_C(1) << (e))
_Static_assert(EVENTS_MAX <= 32, "a set of events is one word");

static uint32_t kin_of(const struct snapshot *s, size_t event)
{
	uint32_t set = EVENT_BIT(event);
	for (size_t e = 0; s->kin[event].pmu && e < s->events_n; e++)
		if (s->kin[e].pmu && s->kin[e].first == s->kin[event].first)
			set |= EVENT_BIT(e);
	return set;
}

/* The event that plays `role`, the first that was sampled, with its kin; 0: there is none. */
static uint32_t find_role(const struct snapshot *s, const enum event_role *roles, enum event_role role)
{
	uint32_t found = 0;
	for (size_t e = 0; e < s->events_n; e++) {
		if (roles[e] != role)
			continue;
		if (s->events[e].samples)
			return kin_of(s, e);
		if (!found)
			found = kin_of(s, e);
	}
	return found;
}

/* Those of `set` whose PMU has one of `other`, too: what only one kind of CPU counted is
 * not to be divided by what both did. */
static uint32_t on_pmus_of(const struct snapshot *s, uint32_t set, uint32_t other)
{
	uint32_t both = 0;
	for (size_t e = 0; e < s->events_n; e++)
		for (size_t o = 0; set & EVENT_BIT(e) && o < s->events_n; o++)
			if (other & EVENT_BIT(o) &&
			    (s->kin[o].pmu == s->kin[e].pmu || !s->kin[o].pmu || !s->kin[e].pmu))
				both |= EVENT_BIT(e);
	return both;
}

struct parts {
	uint32_t num, den; /* sets of events */
	bool valid;
};

static bool was_counted(const struct snapshot *s, uint32_t set)
{
	for (size_t e = 0; e < s->events_n; e++)
		if (set & EVENT_BIT(e) && s->events[e].state == COUNT_OK)
			return true;
	return false;
}

static struct parts parts_of(const struct snapshot *s, const struct metric *metric, const enum event_role *roles)
{
	uint32_t num = find_role(s, roles, metric->num), den = find_role(s, roles, metric->den);
	struct parts p = {on_pmus_of(s, num, den), on_pmus_of(s, den, num), false};
	p.valid = was_counted(s, p.num) && was_counted(s, p.den);
	return p;
}

/* ---- sums over them ---------------------------------------------------------------- */

static void sum_add(struct sum *to, const struct sum *more)
{
	to->samples += more->samples;
	to->weight += more->weight;
	to->var += more->var;
}

static struct sum row_sum(const struct snapshot *s, const struct row *row, uint32_t set)
{
	struct sum sum = {0};
	for (size_t e = 0; e < s->events_n; e++)
		if (set & EVENT_BIT(e))
			sum_add(&sum, &row->sums[e]);
	return sum;
}

static struct sum whole_sum(const struct snapshot *s, uint32_t set)
{
	struct sum sum = {0};
	for (size_t i = 0; i < s->by_cpu.n; i++) {
		struct sum cpu = row_sum(s, &s->by_cpu.rows[i], set);
		sum_add(&sum, &cpu);
	}
	return sum;
}

/* Mean weight of one sample, for what was not sampled at all. */
static double unit_of(const struct snapshot *s, uint32_t set)
{
	double weight = 0, count = 0;
	uint64_t samples = 0;
	for (size_t e = 0; e < s->events_n; e++) {
		if (!(set & EVENT_BIT(e)))
			continue;
		weight += s->events[e].weight;
		samples += s->events[e].samples;
		count += s->events[e].count;
	}
	return samples ? weight / (double)samples : count;
}

struct counts {
	double count;
	bool exact; /* none was multiplexed */
};

static struct counts whole_counts(const struct snapshot *s, uint32_t set)
{
	struct counts c = {.exact = true};
	for (size_t e = 0; e < s->events_n; e++) {
		if (!(set & EVENT_BIT(e)) || s->events[e].state != COUNT_OK)
			continue;
		c.count += s->events[e].count;
		c.exact &= s->events[e].running >= 1;
	}
	return c;
}

static struct counts cpu_counts(const struct cpu_total *cpu, size_t events_n, uint32_t set, bool *any_ret)
{
	struct counts c = {.exact = true};
	*any_ret = false;
	for (size_t e = 0; e < events_n; e++) {
		if (!(set & EVENT_BIT(e)) || cpu->states[e] != COUNT_OK)
			continue;
		*any_ret = true;
		c.count += cpu->counts[e];
		c.exact &= cpu->running[e] >= 1;
	}
	return c;
}

double snapshot_count(const struct snapshot *s, size_t event)
{
	return whole_counts(s, kin_of(s, event)).count;
}

double snapshot_cpu_count(const struct snapshot *s, unsigned cpu, size_t event)
{
	bool any;
	return cpu_counts(&s->cpus[cpu], s->events_n, kin_of(s, event), &any).count;
}

/* ---- metrics ----------------------------------------------------------------------- */

struct ratio row_metric(const struct snapshot *s, const struct row *row, const struct metric *metric,
			const enum event_role *roles)
{
	struct parts p = parts_of(s, metric, roles);
	if (!p.valid)
		return (struct ratio){.valid = false};
	return ratio_of(metric->factor, row_sum(s, row, p.num), row_sum(s, row, p.den), unit_of(s, p.num));
}

/* A quotient of counts.  Counters that ran all the time are exact; for scaled ones
 * the error is that of the samples taken meanwhile, which bounds it from above. */
static struct ratio counted_ratio(double factor, struct counts num, struct counts den, struct ratio sampled)
{
	if (!(den.count > 0))
		return (struct ratio){.valid = false};
	struct ratio r = {.value = factor * num.count / den.count, .valid = true};
	if (!num.exact || !den.exact)
		r.error = sampled.valid ? sampled.error : r.value;
	return r;
}

struct ratio total_metric(const struct snapshot *s, const struct metric *metric, const enum event_role *roles)
{
	struct parts p = parts_of(s, metric, roles);
	if (!p.valid)
		return (struct ratio){.valid = false};
	struct ratio sampled = ratio_of(metric->factor, whole_sum(s, p.num), whole_sum(s, p.den), unit_of(s, p.num));
	return counted_ratio(metric->factor, whole_counts(s, p.num), whole_counts(s, p.den), sampled);
}

struct ratio cpu_metric(const struct snapshot *s, unsigned cpu, const struct metric *metric,
			const enum event_role *roles)
{
	struct parts p = parts_of(s, metric, roles);
	if (!p.valid || cpu >= s->cpus_n)
		return (struct ratio){.valid = false};
	bool has_num, has_den;
	struct counts num = cpu_counts(&s->cpus[cpu], s->events_n, p.num, &has_num);
	struct counts den = cpu_counts(&s->cpus[cpu], s->events_n, p.den, &has_den);
	if (!has_num || !has_den)
		return (struct ratio){.valid = false};
	struct ratio sampled = {.valid = false};
	for (size_t i = 0; i < s->by_cpu.n; i++)
		if (s->by_cpu.rows[i].cpu == cpu)
			sampled = row_metric(s, &s->by_cpu.rows[i], metric, roles);
	return counted_ratio(metric->factor, num, den, sampled);
}
