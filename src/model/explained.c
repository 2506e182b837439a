#include "model/explained.h"

#include "model/metric_parts.h"

#include <math.h>

struct context {
	const struct snapshot *snap;
	const struct query *query;
	const struct account *account;
};

/* CPU times advance in steps of 1 / USER_HZ; times below 20 steps are too coarse to be compared. */
static const double cpu_time_step_ns = 10e6;

/* Returns true if an event without any sample should have had many, judging by its count. */
static bool samples_were_due(const struct context *c, size_t event, double running_s)
{
	enum { ENOUGH = 25 };
	static const double least_count = 1e5; /* below this count, an event may be too rare to reach the sampling
					        * frequency asked for */
	const struct sample_rate *rate = c->query->rates ? &c->query->rates[event] : NULL;
	double count = c->snap->events[event].count;
	if (c->query->roles[event] == ROLE_CLOCK)
		return count >= 20 * cpu_time_step_ns;
	if (!rate)
		return false;
	return rate->period > 0 ? count / rate->period >= ENOUGH
				: rate->hz * running_s >= ENOUGH && count >= least_count;
}

/* Returns the weight of `sum` divided by `count`; valid if the error is at most 0.2, or 20 % of a ratio above 1. */
static struct ratio explained(const struct sum *sum, double count)
{
	static const double most = 0.2;
	struct ratio r = {.value = sum->weight / count, .error = sqrt(sum->var) / count};
	r.valid = sum->samples && r.error <= most * fmax(1, r.value);
	return r;
}

/* Returns the weight of the clock event divided by the CPUs' busy time.  The count of the clock is no measure: it
 * contains idle time, of which there are no samples.  Valid if all tasks are sampled, and the busy time is long
 * enough. */
static struct ratio clock_explained(const struct context *c)
{
	const struct snapshot *s = c->snap;
	struct ratio r = {0};
	r.valid = !c->query->partial && s->busy_known && s->busy_ns >= 20 * cpu_time_step_ns * (double)s->cpus_n;
	r.value = r.valid ? s->busy_weight / s->busy_ns : 0;
	return r;
}

static struct ratio event_explained(const struct context *c, size_t event)
{
	const struct snapshot *s = c->snap;
	double running_ns = 0;
	if (c->query->roles[event] == ROLE_CLOCK && !c->query->tasks)
		return event == s->primary ? clock_explained(c) : (struct ratio){.valid = false};
	if (s->events[event].state != COUNT_OK || !(s->events[event].count > 0) || s->events[event].estimated ||
	    s->events[event].summed)
		return (struct ratio){.valid = false};
	struct ratio r = explained(&s->wholes[event], s->events[event].count);
	for (unsigned cpu = 0; cpu < s->cpus_n; cpu++)
		running_ns += (double)c->account->counted[event * s->cpus_n + cpu].running_ns;
	if (!s->events[event].samples)
		r.valid = samples_were_due(c, event, running_ns / 1e9);
	return r;
}

/* Returns 0..1: how far weight and count differ; 0 if the difference is within the tolerance or two standard errors. */
static double unexplained(struct ratio r)
{
	static const double tolerated = 0.1;
	double off = fabs(1 - r.value);
	if (!r.valid || off <= tolerated || off <= 2 * r.error)
		return 0;
	return r.value > 1 ? 1 - 1 / r.value : 1 - r.value;
}

void fill_explained(struct snapshot *s, const struct query *query, const struct account *account, const bool *primary)
{
	const struct context c = {s, query, account};
	double worst = 0, throttled = 0;
	s->trust.unexplained = s->trust.throttled = EVENTS_MAX;
	for (size_t e = 0; e < s->events_n; e++) {
		struct event_total *t = &s->events[e];
		t->explained = event_explained(&c, e);
		if (unexplained(t->explained) > worst) {
			worst = unexplained(t->explained);
			s->trust.unexplained = e;
		}
		if (t->throttled > throttled) {
			throttled = t->throttled;
			s->trust.throttled = e;
		}
	}
	struct sum all = {0};
	double count = 0;
	for (size_t e = 0; e < s->events_n; e++) {
		if (!primary[e] || s->events[e].state != COUNT_OK || s->events[e].estimated || s->events[e].summed)
			continue;
		all.samples += s->wholes[e].samples;
		all.weight += s->wholes[e].weight;
		all.var += s->wholes[e].var;
		count += s->events[e].count;
	}
	struct ratio first = s->events[s->primary].explained;
	if (event_siblings(s, s->primary) != SUM_BIT(s->primary) && count > 0)
		first = explained(&all, count);
	s->trust.explained_valid = first.valid;
	s->trust.explained = first.valid ? first.value : 0;
}
