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

/* The event that plays `role`, or events_n. */
static size_t find_role(const struct snapshot *s, const enum event_role *roles, enum event_role role)
{
	for (size_t e = 0; e < s->events_n; e++)
		if (roles[e] == role)
			return e;
	return s->events_n;
}

struct parts {
	size_t num, den;
	bool valid;
};

static struct parts parts_of(const struct snapshot *s, const struct metric *metric, const enum event_role *roles)
{
	struct parts p = {find_role(s, roles, metric->num), find_role(s, roles, metric->den), false};
	p.valid = p.num < s->events_n && p.den < s->events_n && s->events[p.num].state == COUNT_OK &&
		  s->events[p.den].state == COUNT_OK;
	return p;
}

struct ratio row_metric(const struct snapshot *s, const struct row *row, const struct metric *metric,
			const enum event_role *roles)
{
	struct parts p = parts_of(s, metric, roles);
	if (!p.valid)
		return (struct ratio){.valid = false};
	return ratio_of(metric->factor, row->sums[p.num], row->sums[p.den], s->units[p.num]);
}

/* A quotient of counts.  Counters that ran all the time are exact; for scaled ones
 * the error is that of the samples taken meanwhile, which bounds it from above. */
static struct ratio counted_ratio(double factor, double num, double den, bool exact, struct ratio sampled)
{
	if (!(den > 0))
		return (struct ratio){.valid = false};
	struct ratio r = {.value = factor * num / den, .valid = true};
	if (!exact)
		r.error = sampled.valid ? sampled.error : r.value;
	return r;
}

struct ratio total_metric(const struct snapshot *s, const struct metric *metric, const enum event_role *roles)
{
	struct parts p = parts_of(s, metric, roles);
	if (!p.valid)
		return (struct ratio){.valid = false};
	struct sum num = {0}, den = {0};
	for (size_t i = 0; i < s->by_cpu.n; i++) {
		const struct sum *sums = s->by_cpu.rows[i].sums;
		num.samples += sums[p.num].samples;
		num.weight += sums[p.num].weight;
		num.var += sums[p.num].var;
		den.samples += sums[p.den].samples;
		den.weight += sums[p.den].weight;
		den.var += sums[p.den].var;
	}
	const struct event_total *n = &s->events[p.num], *d = &s->events[p.den];
	return counted_ratio(metric->factor, n->count, d->count, n->running >= 1 && d->running >= 1,
			     ratio_of(metric->factor, num, den, s->units[p.num]));
}

struct ratio cpu_metric(const struct snapshot *s, unsigned cpu, const struct metric *metric,
			const enum event_role *roles)
{
	struct parts p = parts_of(s, metric, roles);
	if (!p.valid || cpu >= s->cpus_n)
		return (struct ratio){.valid = false};
	const struct cpu_total *c = &s->cpus[cpu];
	if (c->states[p.num] != COUNT_OK || c->states[p.den] != COUNT_OK)
		return (struct ratio){.valid = false};
	struct ratio sampled = {.valid = false};
	for (size_t i = 0; i < s->by_cpu.n; i++)
		if (s->by_cpu.rows[i].cpu == cpu)
			sampled = row_metric(s, &s->by_cpu.rows[i], metric, roles);
	return counted_ratio(metric->factor, c->counts[p.num], c->counts[p.den],
			     c->running[p.num] >= 1 && c->running[p.den] >= 1, sampled);
}
