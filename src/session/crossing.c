#include "session/crossing.h"

#include "base/alloc.h"
#include "base/index.h"

#include <stdlib.h>
#include <string.h>

enum { COUNTERS = 4096 }; /* length of crossing.next */

struct sample_rate sample_rate_of(const struct source_info *info, size_t event)
{
	const struct event_spec *spec = &info->events[event].spec;
	if (spec->counted)
		return (struct sample_rate){0};
	bool freq = spec->rate ? spec->freq : info->rate_hz > 0;
	double rate = (double)(spec->rate ? spec->rate : freq ? info->rate_hz : info->period);
	return freq ? (struct sample_rate){.hz = rate} : (struct sample_rate){.period = rate};
}

/* Stands for the unknown tasks that ran between two samples which are far apart, in place of a task and context. */
static const uint64_t somebody_else = UINT64_MAX;

/* Returns how many ns two successive samples of an event may be apart if nothing unsampled ran between them.
 * UINT64_MAX: any number. */
static uint64_t gap_of(const struct source_info *info, size_t event)
{
	static const double periods = 1.5;
	bool own_counters = info->counters_of_tasks || (scope_is_of_tasks(info->scope) && !info->filtered);
	bool clock = info->events[event].spec.role == ROLE_CLOCK;
	struct sample_rate rate = sample_rate_of(info, event);
	double ns = rate.hz > 0 ? 1e9 / rate.hz : rate.period;
	if (own_counters || !(ns > 0) || !(clock || (info->filtered && rate.hz > 0)))
		return UINT64_MAX;
	return (uint64_t)(periods * ns);
}

void crossing_init(struct crossing *c, const struct source_info *info, size_t room)
{
	*c = (struct crossing){
		.ahead = info->periods == PERIODS_AHEAD,
		.by_task = info->counters_of_tasks || scope_is_of_tasks(info->scope),
		.cpus_n = info->cpus_n,
	};
	if (info->periods == PERIODS_APART || info->scope == SCOPE_PROC)
		return;
	c->waits = mem_calloc(room * c->cpus_n, sizeof(*c->waits));
	for (size_t e = 0; e < info->events_n; e++)
		crossing_add_event(c, info, e);
}

void crossing_add_event(struct crossing *c, const struct source_info *info, size_t event)
{
	const struct event_spec *spec = &info->events[event].spec;
	if (!c->waits)
		return;
	bool freq = sample_rate_of(info, event).hz > 0;
	if (freq && spec->role != ROLE_CLOCK) /* a clock's frequency is the same as a fixed period */
		c->crossing[event] = UINT64_MAX;
	c->gap_ns[event] = gap_of(info, event);
	c->sees_gaps |= c->gap_ns[event] != UINT64_MAX;
	/* not in recordings: those of a target have periods that ended, see shift_period() in source/live/sieve.c */
	if (event_period_begins(spec, freq) && info->has_counters && !info->filtered)
		c->begins |= 1ull << event;
	if (c->begins && !c->next)
		c->next = mem_calloc(COUNTERS, sizeof(*c->next));
	c->events_n = event + 1;
}

void crossing_deinit(struct crossing *c)
{
	free(c->waits);
	free(c->next);
	*c = (struct crossing){0};
}

static inline uint64_t who_is(uint32_t task, uint32_t ctx)
{
	return (uint64_t)ctx << 32 | task;
}

static inline uint32_t task_of(uint64_t who)
{
	return (uint32_t)who;
}

static inline uint32_t ctx_of(uint64_t who)
{
	return (uint32_t)(who >> 32);
}

/* Sets w->gap: true if `s` comes so long after the last sample that something unsampled ran between them. */
static inline void see_gap(const struct crossing *c, struct crossing_wait *w, const struct model_sample *s)
{
	uint64_t since = s->time_ns > w->time_ns ? s->time_ns - w->time_ns : 0;
	w->gap = since > c->gap_ns[s->event];
	w->time_ns = s->time_ns;
}

/* Returns the task and context that ran before the present sample. */
static inline uint64_t before(const struct crossing_wait *w)
{
	return w->gap ? somebody_else : w->who;
}

/* Overwrites *s with the waiting sample, whose weight is now final.  `more`: the part of the next sample's period that
 * is added to it; `next`: LIKE_NEXT if the next sample has the same task and context. */
static inline void put_waiting(const struct crossing_wait *w, uint64_t more, uint32_t next, struct model_sample *s)
{
	s->task = task_of(w->who);
	s->ctx = ctx_of(w->who);
	s->period = u64_add_sat(w->weight, more);
	s->like = w->like | next;
}

/* Makes a sample of the task and context `who` wait, with the weight that it has so far. */
static inline void wait_for_next(struct crossing_wait *w, uint64_t who, uint64_t weight)
{
	bool previous = w->known & (before(w) == who), last_but_one = w->known & !w->gap & (w->who_before == who);
	w->like = (previous ? LIKE_PREVIOUS : 0) | (last_but_one ? LIKE_LAST_BUT_ONE : 0);
	w->who_before = before(w);
	w->who = who;
	w->weight = weight;
	w->there = w->known = true;
}

static size_t take_row(struct crossing *c, struct model_sample *samples, size_t n)
{
	size_t out = 0;
	for (size_t i = 0; i < n; i++) {
		const struct model_sample s = samples[i];
		struct crossing_wait *w = &c->waits[s.event * (size_t)c->cpus_n + s.cpu];
		uint64_t half = s.period / 2 & c->crossing[s.event], own = s.period - half;
		uint64_t who = who_is(s.task, s.ctx), rest = w->rest;
		see_gap(c, w, &s);
		bool follows = w->there && !(c->by_task && task_of(w->who) != s.task);
		if (w->there) {
			samples[out].cpu = s.cpu;
			samples[out].event = s.event;
			uint64_t more = !follows ? rest : c->ahead ? 0 : half;
			put_waiting(w, more, w->known && before(w) == who ? LIKE_NEXT : 0, &samples[out++]);
		}
		wait_for_next(w, who, c->ahead ? u64_add_sat(own, follows ? rest : 0) : follows ? own : s.period);
		if (c->ahead)
			w->rest = half;
	}
	return out;
}

/* A fast take_row() for counters of CPUs whose samples have the period before them, as nearly all do.  Each sample
 * trades places with the waiting sample of its counter.  `gaps`: c->sees_gaps, as a constant for the compiler. */
static inline __attribute__((always_inline)) size_t trade_row(struct crossing *c, struct model_sample *samples,
							      size_t n, bool gaps)
{
	size_t out = 0, cpus_n = c->cpus_n;
	for (size_t i = 0; i < n; i++) {
		struct model_sample *s = &samples[i];
		if (__builtin_expect(out != i, 0)) {
			samples[out] = *s;
			s = &samples[out];
		}
		struct crossing_wait *w = &c->waits[s->event * cpus_n + s->cpu];
		uint64_t who = who_is(s->task, s->ctx), period = s->period, half = period / 2 & c->crossing[s->event];
		if (gaps)
			see_gap(c, w, s);
		if (__builtin_expect(!w->there, 0)) {
			wait_for_next(w, who, period);
			continue;
		}
		uint64_t was = gaps ? before(w) : w->who;
		s->task = task_of(w->who);
		s->ctx = ctx_of(w->who);
		s->period = u64_add_sat(w->weight, half);
		s->like = w->like | (was == who ? LIKE_NEXT : 0);
		bool last_but_one = !(gaps && w->gap) && w->who_before == who;
		w->like = (was == who ? LIKE_PREVIOUS : 0) | (last_but_one ? LIKE_LAST_BUT_ONE : 0);
		w->who_before = was;
		w->who = who;
		w->weight = period - half;
		out++;
	}
	return out;
}

/* Gives each sample of the events in c->begins the period of the sample before it. */
static void shift_periods(struct crossing *c, struct model_sample *samples, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		struct model_sample *s = &samples[i];
		if (!(c->begins >> s->event & 1))
			continue;
		uint64_t task = c->by_task ? s->task : 0;
		uint64_t counter = hash_u64(task << 32 | (uint64_t)s->cpu << 16 | s->event) | 1;
		struct crossing_next *next = &c->next[counter / 2 % COUNTERS];
		uint64_t ended = next->counter == counter ? next->period : 1; /* the kernel begins with a period of 1 */
		*next = (struct crossing_next){counter, s->period};
		s->period = ended;
	}
}

size_t crossing_row(struct crossing *c, struct model_sample *samples, size_t n)
{
	if (c->begins)
		shift_periods(c, samples, n);
	if (c->ahead || c->by_task)
		return take_row(c, samples, n);
	return c->sees_gaps ? trade_row(c, samples, n, true) : trade_row(c, samples, n, false);
}

size_t crossing_flush(struct crossing *c, struct model_sample *ret, size_t cap)
{
	size_t n = 0;
	for (size_t i = 0; c->waits && i < c->events_n * c->cpus_n && n < cap; i++) {
		struct crossing_wait *w = &c->waits[i];
		if (!w->there)
			continue;
		ret[n].cpu = (uint16_t)(i % c->cpus_n);
		ret[n].event = (uint16_t)(i / c->cpus_n);
		put_waiting(w, w->rest, LIKE_NEXT, &ret[n++]); /* LIKE_NEXT: the run may go on */
		w->there = false;
	}
	return n;
}

static uint64_t settled(const struct catalog *cat, uint64_t who)
{
	uint32_t task = task_of(who), ctx = ctx_of(who);
	if (who == somebody_else)
		return who;
	return who_is(catalog_task_settled(cat, task, ctx), catalog_ctx_settled(cat, ctx));
}

void crossing_rekey(struct crossing *c, const struct catalog *cat)
{
	for (size_t i = 0; c->waits && i < c->events_n * c->cpus_n; i++) {
		struct crossing_wait *w = &c->waits[i];
		if (!w->known)
			continue;
		w->who = settled(cat, w->who);
		w->who_before = settled(cat, w->who_before);
	}
}

void crossing_begin_again(struct crossing *c)
{
	if (c->next)
		memset(c->next, 0, COUNTERS * sizeof(*c->next));
}

void crossing_forget(struct crossing *c)
{
	if (c->waits)
		memset(c->waits, 0, c->events_n * c->cpus_n * sizeof(*c->waits));
	crossing_begin_again(c);
}
