#include "session/offcpu.h"

#include "base/limits.h"

#include <stdlib.h>

void offcpu_init(struct offcpu *o, uint16_t event, unsigned cpus_n)
{
	*o = (struct offcpu){
		.used = true,
		.event = event,
		.cpus_n = cpus_n,
		.sums = mem_calloc(cpus_n, sizeof(*o->sums)),
		.running = mem_calloc(cpus_n, sizeof(*o->running)),
		.paused_ns = mem_calloc(cpus_n, sizeof(*o->paused_ns)),
		.switches = mem_calloc(cpus_n, sizeof(*o->switches)),
		.switches_before = mem_calloc(cpus_n, sizeof(*o->switches_before)),
	};
	index_init(&o->by_tid);
}

void offcpu_deinit(struct offcpu *o)
{
	if (!o->used)
		return;
	free(o->sums);
	free(o->running);
	free(o->paused_ns);
	free(o->switches);
	free(o->switches_before);
	index_deinit(&o->by_tid);
	vec_free(&o->threads);
	vec_free(&o->waiting);
	vec_free(&o->counted);
	o->used = false;
}

void offcpu_forget(struct offcpu *o)
{
	if (!o->used)
		return;
	index_clear(&o->by_tid);
	o->threads.n = o->waiting.n = o->counted.n = 0;
}

void offcpu_note(struct offcpu *o, const struct offcpu_switch *s)
{
	if (!o->used || o->pause_intervals || (!s->tid && s->kind != OFFCPU_LOST))
		return;
	vec_push(&o->waiting) = *s;
	o->waiting.data[o->waiting.n - 1].order = (uint32_t)o->waiting.n;
}

static void count(struct offcpu *o, struct offcpu_thread *t, uint64_t until_ns)
{
	if (until_ns <= t->since_ns)
		return;
	uint64_t ns = until_ns - t->since_ns;
	t->since_ns = until_ns;
	o->sums[t->cpu] = u64_add_sat(o->sums[t->cpu], ns);
	/* The time was measured, not sampled, so it must have no error: the mark says that both neighbouring samples
	 * were of this task. */
	vec_push(&o->counted) = (struct model_sample){
		.task = t->task,
		.ctx = t->ctx,
		.cpu = t->cpu,
		.event = o->event,
		.like = LIKE_PREVIOUS | LIKE_NEXT | LIKE_LAST_BUT_ONE,
		.period = ns,
	};
}

static uint32_t find(const struct offcpu *o, uint32_t tid)
{
	return index_find_by(&o->by_tid, o->threads.data, tid, tid);
}

/* Removes a thread; the last thread takes its index. */
static void drop(struct offcpu *o, uint32_t pos)
{
	struct offcpu_thread *t = &o->threads.data[pos], last = o->threads.data[o->threads.n - 1];
	index_remove(&o->by_tid, index_hash(&o->by_tid, t->tid), pos);
	if (pos != o->threads.n - 1) {
		index_remove(&o->by_tid, index_hash(&o->by_tid, last.tid), (uint32_t)o->threads.n - 1);
		index_add(&o->by_tid, index_hash(&o->by_tid, last.tid), pos);
		*t = last;
	}
	o->threads.n--;
}

/* Stores where a thread was when it left its CPU, or that it ended.  If there are too many threads, a new one is
 * ignored. */
static void set(struct offcpu *o, uint32_t pos, const struct offcpu_switch *s)
{
	if (pos == INDEX_NONE && o->threads.n >= LIMIT_SWITCHES) {
		o->unknown++;
		return;
	}
	if (pos == INDEX_NONE) {
		pos = (uint32_t)o->threads.n;
		vec_push(&o->threads) = (struct offcpu_thread){0};
		index_add(&o->by_tid, index_hash(&o->by_tid, s->tid), pos);
	}
	o->threads.data[pos] = (struct offcpu_thread){
		.tid = s->tid,
		.task = s->task,
		.ctx = s->ctx,
		.cpu = s->cpu,
		.ended = s->kind == OFFCPU_END,
		.since_ns = s->time_ns,
	};
}

static void lose(struct offcpu *o)
{
	o->unknown += o->threads.n;
	index_clear(&o->by_tid);
	o->threads.n = 0;
}

static void apply(struct offcpu *o, const struct offcpu_switch *s)
{
	uint32_t pos = find(o, s->tid);
	bool away = pos != INDEX_NONE && !o->threads.data[pos].ended, ended = pos != INDEX_NONE && !away;
	if (s->kind == OFFCPU_LOST) {
		lose(o);
	} else if (s->kind == OFFCPU_END || (s->kind == OFFCPU_LEAVE && !ended)) {
		o->unknown += away; /* the thread came back at an unknown time: the record of that was lost */
		set(o, pos, s);
	} else if (away || (ended && s->kind == OFFCPU_BEGIN)) {
		if (s->kind == OFFCPU_ENTER)
			count(o, &o->threads.data[pos], s->time_ns);
		drop(o, pos);
	}
}

static int compare(const void *a, const void *b)
{
	const struct offcpu_switch *x = a, *y = b;
	if (x->time_ns != y->time_ns)
		return x->time_ns < y->time_ns ? -1 : 1;
	return x->order < y->order ? -1 : 1;
}

void offcpu_apply(struct offcpu *o)
{
	if (o->waiting.n > 1)
		qsort(o->waiting.data, o->waiting.n, sizeof(*o->waiting.data), compare);
	for (size_t i = 0; i < o->waiting.n; i++)
		apply(o, &o->waiting.data[i]);
	o->waiting.n = 0;
}

void offcpu_count(struct offcpu *o, uint64_t now_ns)
{
	const uint64_t end_ns = 10000000000;
	for (size_t i = o->threads.n; i-- > 0;) {
		struct offcpu_thread *t = &o->threads.data[i];
		if (!t->ended)
			count(o, t, now_ns);
		else if (now_ns > t->since_ns && now_ns - t->since_ns > end_ns)
			drop(o, (uint32_t)i);
	}
}

size_t offcpu_take(struct offcpu *o, struct model_sample *ret, size_t cap)
{
	size_t n = 0;
	while (n < cap && o->counted.n)
		ret[n++] = o->counted.data[--o->counted.n];
	return n;
}

void offcpu_rekey(struct offcpu *o, const struct catalog *cat)
{
	for (size_t i = 0; i < o->threads.n; i++) {
		struct offcpu_thread *t = &o->threads.data[i];
		if (t->ended)
			continue;
		t->task = catalog_task_settled(cat, t->task, t->ctx);
		t->ctx = catalog_ctx_settled(cat, t->ctx);
	}
}

bool offcpu_rest(struct offcpu *o, uint64_t ns, double switch_ns)
{
	uint64_t most = 0;
	for (unsigned cpu = 0; cpu < o->cpus_n; cpu++) {
		uint64_t n = u64_sub_sat(o->switches[cpu], o->switches_before[cpu]);
		most = n > most ? n : most;
		o->switches_before[cpu] = o->switches[cpu];
	}
	if (o->pause_intervals) {
		o->pause_intervals--;
	} else {
		double part = ns ? (double)most * switch_ns / (double)ns : 0,
		       rests = 100 * part / LIMIT_SWITCHES_COST - 1;
		o->pause_intervals =
			rests < OFFCPU_REST_MOST ? (unsigned)(rests > 0 ? rests + 0.5 : 0) : OFFCPU_REST_MOST;
	}
	if (o->pause_intervals)
		offcpu_forget(o);
	return o->pause_intervals > 0;
}

uint64_t offcpu_unknown(struct offcpu *o)
{
	uint64_t n = o->unknown;
	o->unknown = 0;
	return n;
}
