#include "pmu.h"

#include "base/alloc.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* The time that an interrupt handler takes; the same counter cannot interrupt again before. */
static const double handler_ns = 1000;

/* The state of an event; the names are those of the kernel's struct hw_perf_event. */
struct event_state {
	uint64_t sample_period; /* the period that the frequency asks for now */
	uint64_t last_period;	/* the period that runs */
	double period_left;	/* 0 or less: the counter has overflowed */
	double freq_time_stamp, freq_count_stamp;
	double earliest_ns;  /* time from which it may interrupt again */
	double due_ns;	     /* time at which the sample of an overflow is taken; INFINITY: there was no overflow */
	uint64_t interrupts; /* interrupts since the last tick */
	bool scheduled;	     /* the event has a counter */
	bool throttled;
};

struct pmu {
	const struct pmu_config *config;
	struct turns turns;
	double now_ns, next_tick_ns, next_rotation_ns, idle_ns;
	struct event_state events[EVENTS_MAX];
	struct pmu_counter counters[EVENTS_MAX];
	size_t queue[EVENTS_MAX]; /* the groups, first those that are scheduled first */
	size_t queue_n;
	bool crowded;	/* some groups have no counters */
	double **truth; /* [mix]: [row * EVENTS_MAX + event]: real counts */
};

/* ---- counting ------------------------------------------------------------------------- */

/* Returns the counts per ns of an event now.  A timer needs no counter, and counts idle time as well. */
static double rate_of(const struct pmu *p, size_t event)
{
	if (p->config->events[event].clock)
		return 1;
	if (p->config->idle[p->turns.mix][p->turns.row])
		return 0;
	return p->config->rates[p->turns.mix][p->turns.row * EVENTS_MAX + event];
}

static size_t group_size(const struct pmu *p, size_t group)
{
	size_t n = 0;
	for (size_t e = 0; e < p->config->events_n; e++)
		n += p->config->events[e].opened && !p->config->events[e].clock && p->config->events[e].group == group;
	return n;
}

/* Gives counters to the groups from the front of the queue on, until a group does not fit. */
static void schedule(struct pmu *p)
{
	size_t free_n = p->config->counters ? p->config->counters : EVENTS_MAX, at = 0;
	for (size_t e = 0; e < p->config->events_n; e++)
		p->events[e].scheduled = p->config->events[e].clock;
	for (; at < p->queue_n && group_size(p, p->queue[at]) <= free_n; at++) {
		free_n -= group_size(p, p->queue[at]);
		for (size_t e = 0; e < p->config->events_n; e++)
			if (p->config->events[e].group == p->queue[at] && p->config->events[e].opened)
				p->events[e].scheduled = true;
	}
	p->crowded = at < p->queue_n;
}

static void rotate(struct pmu *p)
{
	p->next_rotation_ns += (double)p->config->rotation_ns;
	if (!p->crowded)
		return;
	size_t first = p->queue[0];
	memmove(p->queue, p->queue + 1, (p->queue_n - 1) * sizeof(p->queue[0]));
	p->queue[p->queue_n - 1] = first;
	schedule(p);
}

/* ---- setting periods ------------------------------------------------------------------ */

/* Begins the next period when the running one is over, as perf_event_set_period() does.  What was counted beyond its
 * end is part of the next period, unless it is all of that. */
static void set_period(struct event_state *e)
{
	double period = (double)e->sample_period;
	if (e->period_left > 0)
		return;
	e->period_left = e->period_left <= -period ? period : e->period_left + period;
	e->last_period = e->sample_period;
}

/* Adapts the period to the frequency, as perf_adjust_period() does. */
static void adjust_period(const struct pmu_event *spec, struct event_state *e, double ns, double count)
{
	double wanted = floor(count * 1e9 / (ns * (double)spec->freq));
	double delta = wanted - (double)e->sample_period;
	delta = trunc((delta >= 0 ? delta + 7 : delta - 7) / 8);
	double period = (double)e->sample_period + delta;
	e->sample_period = period >= 1 ? (uint64_t)period : 1;
	if (e->period_left > 8 * (double)e->sample_period) {
		e->period_left = 0;
		set_period(e);
	}
}

static void tell(const struct pmu *p, size_t event, int kind, pmu_sample_fn *fn, void *ctx)
{
	struct pmu_sample told = {.time_ns = p->now_ns, .event = event, .mix = p->turns.mix, .row = p->turns.row};
	told.kind = kind;
	fn(ctx, &told);
}

static void tick(struct pmu *p, pmu_sample_fn *fn, void *ctx)
{
	const struct pmu_config *c = p->config;
	p->next_tick_ns += (double)c->tick_ns;
	for (size_t i = 0; i < c->events_n; i++) {
		struct event_state *e = &p->events[i];
		e->interrupts = 0;
		if (e->throttled)
			tell(p, i, PMU_UNTHROTTLE, fn, ctx);
		e->throttled = false;
		if (!c->events[i].freq || c->events[i].clock || !e->scheduled)
			continue;
		double count = floor(p->counters[i].value), delta = count - e->freq_count_stamp;
		e->freq_count_stamp = count;
		if (delta > 0)
			adjust_period(&c->events[i], e, (double)c->tick_ns, delta);
	}
}

/* Handles the interrupt of an overflow. */
static void interrupt(struct pmu *p, size_t event, pmu_sample_fn *fn, void *ctx)
{
	const struct pmu_config *c = p->config;
	const struct pmu_event *spec = &c->events[event];
	struct event_state *e = &p->events[event];
	bool idle = c->idle[p->turns.mix][p->turns.row];
	uint64_t ended = e->last_period;
	e->due_ns = INFINITY;
	e->earliest_ns = p->now_ns + handler_ns;
	set_period(e);
	if (!spec->clock || !idle)
		fn(ctx, &(struct pmu_sample){
				.time_ns = p->now_ns,
				.period = c->next_period && !spec->clock ? e->last_period : ended,
				.event = event,
				.mix = p->turns.mix,
				.row = p->turns.row,
			});
	if (c->throttle && !spec->clock && ++e->interrupts >= c->throttle) {
		e->throttled = true;
		tell(p, event, PMU_THROTTLE, fn, ctx);
	}
	if (!spec->freq || spec->clock)
		return;
	double now = floor(p->now_ns), ns = now - e->freq_time_stamp;
	e->freq_time_stamp = now;
	if (ns > 0 && ns < 2 * (double)c->tick_ns)
		adjust_period(spec, e, ns, (double)e->last_period);
}

/* ---- running -------------------------------------------------------------------------- */

static bool counts(const struct pmu *p, size_t event)
{
	return p->events[event].scheduled && !p->events[event].throttled;
}

/* Returns the time at which the sample of an event is taken, if no other event comes before; INFINITY: never. */
static double next_sample(const struct pmu *p, size_t event)
{
	const struct event_state *e = &p->events[event];
	if (!isinf(e->due_ns))
		return e->due_ns;
	double rate = rate_of(p, event);
	return counts(p, event) && rate > 0 ? p->now_ns + (e->period_left > 0 ? e->period_left / rate : 0) : INFINITY;
}

static void pass(struct pmu *p, double ns)
{
	const struct pmu_config *c = p->config;
	double *truth = p->truth[p->turns.mix] + p->turns.row * EVENTS_MAX;
	for (size_t i = 0; i < c->events_n; i++) {
		if (!c->events[i].opened)
			continue;
		double n = rate_of(p, i) * ns;
		truth[i] += n;
		p->counters[i].enabled_ns += ns;
		if (p->events[i].scheduled)
			p->counters[i].running_ns += ns;
		if (!counts(p, i))
			continue;
		p->events[i].period_left -= n;
		p->counters[i].value += n;
	}
	if (c->idle[p->turns.mix][p->turns.row])
		p->idle_ns += ns;
	p->now_ns += ns;
}

/* Notes that the counter has overflowed; its sample follows. */
static void overflow(struct pmu *p, size_t event)
{
	struct event_state *e = &p->events[event];
	double skid = p->config->events[event].clock ? 0 : (double)p->config->skid_ns;
	e->period_left = e->period_left > 0 ? 0 : e->period_left; /* against rounding errors */
	e->due_ns = p->now_ns + skid > e->earliest_ns ? p->now_ns + skid : e->earliest_ns;
}

void pmu_run(struct pmu *p, double until_ns, pmu_sample_fn *fn, void *ctx)
{
	const struct pmu_config *c = p->config;
	while (p->now_ns < until_ns) {
		double next = until_ns;
		size_t event = EVENTS_MAX;
		next = p->turns.turn_end_ns < next ? p->turns.turn_end_ns : next;
		next = p->next_tick_ns < next ? p->next_tick_ns : next;
		next = p->next_rotation_ns < next ? p->next_rotation_ns : next;
		for (size_t i = 0; i < c->events_n; i++) {
			double at = c->events[i].opened ? next_sample(p, i) : INFINITY;
			if (at < next) {
				next = at;
				event = i;
			}
		}
		pass(p, next > p->now_ns ? next - p->now_ns : 0);
		if (event < EVENTS_MAX && isinf(p->events[event].due_ns))
			overflow(p, event);
		else if (event < EVENTS_MAX)
			interrupt(p, event, fn, ctx);
		if (p->now_ns >= p->turns.turn_end_ns)
			turns_next(&p->turns, &c->turns);
		if (p->now_ns >= p->next_tick_ns)
			tick(p, fn, ctx);
		if (p->now_ns >= p->next_rotation_ns)
			rotate(p);
	}
}

/* ---- creating and destroying ---------------------------------------------------------- */

struct pmu *pmu_create(const struct pmu_config *config, uint64_t seed)
{
	struct pmu *p = mem_calloc(1, sizeof(*p));
	p->config = config;
	p->truth = mem_calloc(config->turns.mixes_n, sizeof(*p->truth));
	for (size_t i = 0; i < config->turns.mixes_n; i++)
		p->truth[i] = mem_calloc(config->turns.mixes[i].rows_n * EVENTS_MAX, sizeof(*p->truth[i]));
	turns_init(&p->turns, &config->turns, seed);
	struct turns_random start = {.state = ~seed};
	p->next_tick_ns = turns_uniform(&start) * (double)config->tick_ns;
	p->next_rotation_ns = turns_uniform(&start) * (double)config->rotation_ns;
	for (size_t i = 0; i < config->events_n; i++) {
		const struct pmu_event *spec = &config->events[i];
		struct event_state *e = &p->events[i];
		e->sample_period = spec->clock && spec->freq ? 1000000000 / spec->freq : spec->freq ? 1 : spec->period;
		e->last_period = e->sample_period;
		e->period_left = (double)e->sample_period * (spec->freq && !spec->clock ? 1 : turns_uniform(&start));
		e->due_ns = INFINITY;
		e->freq_time_stamp = -INFINITY; /* long ago, as the kernel's 0 is */
		if (spec->group == i && spec->opened && !spec->clock)
			p->queue[p->queue_n++] = i;
	}
	schedule(p);
	return p;
}

void pmu_destroy(struct pmu *p)
{
	if (!p)
		return;
	for (size_t i = 0; i < p->config->turns.mixes_n; i++)
		free(p->truth[i]);
	free(p->truth);
	free(p);
}

const struct pmu_counter *pmu_counter(const struct pmu *p, size_t event)
{
	return &p->counters[event];
}

double pmu_idle_ns(const struct pmu *p)
{
	return p->idle_ns;
}

double pmu_truth(const struct pmu *p, size_t mix, size_t row, size_t event)
{
	return p->truth[mix][row * EVENTS_MAX + event];
}
