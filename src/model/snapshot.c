/* Builds a snapshot: first the totals of a window, then its pivots, because shares and CPU
 * times of rows refer to the totals. */
#include "base/alloc.h"
#include "model/explained.h"
#include "model/metric_parts.h"
#include "model/pivot.h"
#include "model/series.h"
#include "model/timeline.h"

#include <math.h>
#include <stdlib.h>

struct build {
	struct snapshot *snap;
	const struct model_names *names;
	const struct query *query;
	struct selection sel;
	struct id_table ids;
	bool primary[EVENTS_MAX]; /* [event]: true for the primary event and its siblings */
	double whole_weight;	  /* of the primary event, with idle time */
	uint64_t whole_samples;	  /* of the primary event, with those of idle time */
	uint64_t *sums;		  /* [event * cpus_n + cpu]: see parts_of_facts() */
	const struct time_config *time;
	double interrupts_ns; /* see fill_interrupts() */
	double unresolved, grouped, pending;
	double whole;	 /* weight of samples with whole call chains */
	double cut;	 /* weight of samples with cut call chains (ctx_info.cut) */
	uint8_t *chains; /* [part_slots()]: enum chain_state of each context; 0: not looked at yet */
};
enum chain_state { CHAIN_BROKEN = 1, CHAIN_CUT, CHAIN_WHOLE };

/* ---- computing the totals of events and of CPUs, and what the trust line says ---------------- */

static double scale_of(const struct build *b, const struct fact *f)
{
	return selection_scale(&b->sel, fact_event(&f->key) * (size_t)b->snap->cpus_n + f->key.cpu);
}

static void add_to_totals(struct build *b, const struct fact *f, bool idle)
{
	unsigned event = fact_event(&f->key);
	struct event_total *e = &b->snap->events[event];
	struct sum *sum = &b->snap->cpus[f->key.cpu].sums[event];
	double scale = scale_of(b, f);
	double weight = f->weight * scale, var = fact_var(f) * scale * scale;
	e->samples += f->samples;
	e->weight += weight;
	sum->samples += f->samples;
	sum->weight += weight;
	sum->var += var;
	if (idle) {
		struct sum *part = &b->snap->cpus[f->key.cpu].idle[event];
		part->samples += f->samples;
		part->weight += weight;
		part->var += var;
	}
	if (!b->primary[event])
		return;
	b->whole_weight += weight;
	b->whole_samples += f->samples;
	if (!idle)
		b->snap->busy_weight += weight;
}

/* Adds a fact to the weight of unresolved, grouped or pending code; `context`: the id_flags of its context. */
static void add_to_known(struct build *b, const struct fact *f, uint8_t context, bool idle)
{
	if (idle || !(context & (ID_UNRESOLVED | ID_GROUP | ID_PENDING)) || !b->primary[fact_event(&f->key)])
		return;
	double weight = f->weight * scale_of(b, f);
	if (context & ID_UNRESOLVED)
		b->unresolved += weight;
	if (context & ID_GROUP)
		b->grouped += weight;
	if (context & ID_PENDING)
		b->pending += weight;
}

static uint8_t *chain_slot(struct build *b, uint32_t ctx)
{
	return &b->chains[part_slot(b->names, PART_CONTEXT, ctx)];
}

/* Returns the state of a context's call chain; whole: its outermost function is one in which threads begin.  The
 * contexts on the way to that function have the same state, which is kept, as most chains share their callers. */
static enum chain_state chain_state(struct build *b, uint32_t ctx)
{
	const struct catalog *cat = b->names->cat;
	uint32_t last = ctx, caller;
	uint8_t found = *chain_slot(b, ctx), *state;
	while (!found && (caller = catalog_ctx_caller(cat, last)) != CATALOG_NONE) {
		last = caller;
		found = *chain_slot(b, last);
	}
	if (!found) {
		uint32_t sym = context_row_sym(cat, last);
		found = sym < cat->syms_n && cat->syms[sym].outermost ? CHAIN_WHOLE
			: catalog_ctx_cut(cat, last)		      ? CHAIN_CUT
								      : CHAIN_BROKEN;
	}
	b->snap->trust.chained |= last != ctx;
	for (uint32_t at = ctx; at != CATALOG_NONE && !*(state = chain_slot(b, at)); at = catalog_ctx_caller(cat, at))
		*state = found;
	return (enum chain_state)found;
}

static inline void add_to_latency(struct build *b, const struct fact *f, bool idle)
{
	double part = latency_part(b->names->cat, f->key.ctx);
	if (!(part > 0) || idle || !b->primary[fact_event(&f->key)])
		return;
	double scale = scale_of(b, f);
	latency_add(&b->snap->latency, f->weight * scale, fact_var(f) * scale * scale, part);
}

static void sum_totals(struct build *b)
{
	for (size_t i = 0; i < b->sel.spans.n; i++) {
		const struct span *span = &b->sel.spans.data[i];
		uint8_t context = 0;
		enum chain_state chain = CHAIN_BROKEN;
		bool idle = false;
		for (size_t k = 0; k < span->n; k++) {
			const struct fact *f = &span->facts[k];
			if (!k || f->key.ctx != f[-1].key.ctx || f->key.task != f[-1].key.task) {
				context = id_table_context(&b->ids, f->key.ctx);
				idle = is_idle_time(id_table_task(&b->ids, f->key.task), context);
				chain = chain_state(b, f->key.ctx);
			}
			bool of_cpu = f->key.event & FACT_OF_CPU;
			if (of_cpu || !span->thin)
				add_to_totals(b, f, idle);
			if (of_cpu)
				continue;
			add_to_known(b, f, context, idle);
			add_to_latency(b, f, idle);
			if (chain != CHAIN_BROKEN && !idle && b->primary[fact_event(&f->key)])
				*(chain == CHAIN_WHOLE ? &b->whole : &b->cut) += f->weight * scale_of(b, f);
		}
	}
}

/* Returns the fraction of the enabled time that the event had a counter; 1 if enabled_ns is 0 (tasks that slept): then
 * no count was missed. */
static double running_of(uint64_t enabled_ns, uint64_t running_ns)
{
	return enabled_ns ? (double)running_ns / (double)enabled_ns : 1;
}

static enum count_state state_of(bool opened, bool unweighed, uint64_t enabled_ns, uint64_t running_ns)
{
	if (!opened)
		return COUNT_ABSENT;
	if (unweighed)
		return COUNT_UNKNOWN;
	return enabled_ns && !running_ns ? COUNT_NEVER : COUNT_OK;
}

static void fill_cpu(struct build *b, unsigned cpu)
{
	struct snapshot *s = b->snap;
	const struct cpu_delta *d = &b->sel.account.cpus[cpu];
	struct cpu_total *c = &s->cpus[cpu];
	uint64_t all_ns = d->busy_ns + d->idle_ns;
	bool never = false, counted = false; /* a time event is COUNT_NEVER; one is COUNT_OK */
	c->online = d->online;
	c->busy_known = d->known && all_ns > 0;
	c->busy = c->busy_known ? (double)d->busy_ns / (double)all_ns : 0;
	if (d->known) {
		s->busy_known = true;
		s->busy_ns += (double)d->busy_ns;
		c->busy_ns = (double)d->busy_ns;
		/* standard error of the difference of two readings, each rounded down to a multiple of step_ns */
		c->busy_error_ns = (double)d->step_ns / sqrt(6);
	}
	c->counts = mem_calloc(s->events_n, sizeof(*c->counts));
	c->running = mem_calloc(s->events_n, sizeof(*c->running));
	c->states = mem_calloc(s->events_n, sizeof(*c->states));
	for (size_t e = 0; e < s->events_n; e++) {
		const struct counted *n = &b->sel.account.counted[e * s->cpus_n + cpu];
		c->counts[e] = n->count * counted_scale(n);
		c->running[e] = running_of(n->enabled_ns, n->running_ns);
		c->states[e] = state_of(n->opened, n->unweighed, n->enabled_ns, n->running_ns);
		never |= b->time->events >> e & 1 && c->states[e] == COUNT_NEVER;
		counted |= b->time->events >> e & 1 && c->states[e] == COUNT_OK;
	}
	c->time_uncounted = never && !counted;
	s->time_uncounted |= c->time_uncounted;
}

static void fill_event(struct build *b, size_t event)
{
	struct snapshot *s = b->snap;
	struct event_total *t = &s->events[event];
	uint64_t enabled_ns = 0, running_ns = 0, throttled_ns = 0;
	bool opened = false, unweighed = false;
	for (unsigned cpu = 0; cpu < s->cpus_n; cpu++) {
		const struct counted *n = &b->sel.account.counted[event * s->cpus_n + cpu];
		t->count += n->count * counted_scale(n);
		t->lost = u64_add_sat(t->lost, n->lost);
		enabled_ns = u64_add_sat(enabled_ns, n->enabled_ns);
		running_ns = u64_add_sat(running_ns, n->running_ns);
		throttled_ns = u64_add_sat(throttled_ns, n->throttled_ns);
		opened |= n->opened;
		t->estimated |= n->estimated;
		t->summed |= n->summed;
		t->untimed |= n->opened && n->untimed;
		unweighed |= n->unweighed;
	}
	t->gap = running_ns ? (double)t->samples / (double)running_ns : 0; /* samples per ns for now: see find_gaps() */
	t->throttled = enabled_ns ? fmin((double)throttled_ns / (double)enabled_ns, 1) : 0;
	t->running = running_of(enabled_ns, running_ns);
	t->state = state_of(opened, unweighed, enabled_ns, running_ns);
	/* without samples, the count is an upper bound of one sample's weight */
	s->units[event] = t->samples ? t->weight / (double)t->samples : t->count;
}

/* Computes the gap of each multiplexed event: how many samples fit between two times at which it has a counter.  The
 * kernel rotates events by one with each period of its timer, so that each waits at most as many periods as there are
 * such events. */
static void find_gaps(struct snapshot *s)
{
	static const double rotation_ns = 4e6; /* the kernel's default */
	unsigned rotating = 0;
	for (size_t e = 0; e < s->events_n; e++)
		rotating += s->events[e].running < 1;
	for (size_t e = 0; e < s->events_n; e++)
		s->events[e].gap *= (1 - fmin(s->events[e].running, 1)) * rotating * rotation_ns;
}

/* Computes the CPU time of interrupts on idle CPUs, which no event samples: the busy time less the time of all tasks.
 * It counts only if it is more than three times its standard error. */
static void fill_interrupts(struct build *b)
{
	struct snapshot *s = b->snap;
	double var = b->sel.account.spent_var;
	if (b->time->basis != TIME_BASIS_CLOCK || !b->time->all_tasks || b->time->modes_differ || !s->busy_known)
		return;
	for (unsigned cpu = 0; cpu < s->cpus_n; cpu++)
		var += s->cpus[cpu].busy_error_ns * s->cpus[cpu].busy_error_ns;
	double left = s->busy_ns - b->sel.account.spent_ns;
	b->interrupts_ns = left > 3 * sqrt(var) ? left : 0;
}

static void fill_trust(struct build *b)
{
	struct snapshot *s = b->snap;
	const struct account *a = &b->sel.account;
	struct trust *t = &s->trust;
	t->running = 1;
	t->lost = a->lost_records;
	for (size_t e = 0; e < s->events_n; e++) {
		t->samples += s->events[e].samples;
		t->lost = u64_add_sat(t->lost, s->events[e].lost);
		bool timed = s->events[e].state == COUNT_OK || s->events[e].state == COUNT_NEVER;
		if (timed && s->events[e].running < t->running)
			t->running = s->events[e].running;
		t->mux_unknown |= s->events[e].untimed;
	}
	t->lost_share = t->lost ? (double)t->lost / ((double)t->lost + (double)t->samples) : 0;
	t->throttles = a->throttles;
	t->malformed = a->malformed;
	double wall_ns = (double)(a->end_ns - a->start_ns);
	t->self = wall_ns > 0 ? (double)a->self_cpu_ns / wall_ns : 0;
	t->chained |= b->query->chains && s->busy_weight > 0;
	if (s->busy_weight > 0) {
		t->unresolved = b->unresolved / s->busy_weight;
		t->grouped = b->grouped / s->busy_weight;
		t->pending = b->pending / s->busy_weight;
		t->whole = b->whole / s->busy_weight;
		t->cut = b->cut / s->busy_weight;
	}
	fill_explained(s, b->query, a, b->primary);
}

/* ---- building a snapshot -------------------------------------------------------------------- */

/* Returns the denominator of shares in tables of branches, and sets `events` to the only event in it. */
static struct whole of_branches(const struct build *b, bool events[EVENTS_MAX])
{
	const struct snapshot *s = b->snap;
	size_t e = b->query->branches;
	events[e] = true;
	struct whole ret = {events, s->events[e].weight, s->events[e].weight, s->events[e].samples};
	for (unsigned cpu = 0; cpu < s->cpus_n; cpu++)
		ret.busy_weight -= s->cpus[cpu].idle[e].weight;
	return ret;
}

static void fill_pivots(struct build *b)
{
	struct snapshot *s = b->snap;
	bool branches[EVENTS_MAX] = {false};
	struct classes *common = mem_calloc(DIM_COUNT, sizeof(*common));
	const struct pivot_world world = {
		.snap = s,
		.names = b->names,
		.query = b->query,
		.sel = &b->sel,
		.ids = &b->ids,
		.sums = b->sums,
		.time = b->time,
		.interrupts_ns = b->interrupts_ns,
		.whole = {b->primary, b->whole_weight, s->busy_weight, b->whole_samples},
		.branches = of_branches(b, branches),
		.common = common,
	};
	s->pivots_n = b->query->pivots_n;
	s->pivots = mem_calloc(s->pivots_n + 1, sizeof(*s->pivots));
	for (size_t i = 0; i < s->pivots_n; i++)
		s->pivots[i].query = b->query->pivots[i];
	pivots_fill(s->pivots, s->pivots_n, &world);
	for (size_t i = 0; i < DIM_COUNT; i++)
		classes_deinit(&common[i]);
	free(common);
}

static struct snapshot *start(struct build *b, const struct model *m)
{
	struct snapshot *s = mem_calloc(1, sizeof(*s));
	b->snap = s;
	b->time = &m->config.time;
	s->events_n = m->config.events_n;
	s->cpus_n = m->config.cpus_n;
	s->primary = query_siblings(b->query, s->events_n, s->siblings, b->primary);
	s->cpus = mem_calloc(s->cpus_n, sizeof(*s->cpus));
	for (unsigned cpu = 0; cpu < s->cpus_n; cpu++) {
		s->cpus[cpu].sums = mem_calloc(s->events_n, sizeof(*s->cpus[cpu].sums));
		s->cpus[cpu].idle = mem_calloc(s->events_n, sizeof(*s->cpus[cpu].idle));
	}
	return s;
}

static void fill_counts(struct build *b)
{
	struct snapshot *s = b->snap;
	s->start_ns = b->sel.account.start_ns;
	s->end_ns = b->sel.account.end_ns;
	for (size_t e = 0; e < s->events_n; e++)
		fill_event(b, e);
	find_gaps(s);
	for (unsigned cpu = 0; cpu < s->cpus_n; cpu++)
		fill_cpu(b, cpu);
	snapshot_find_parts(s, b->query);
}

struct snapshot *snapshot_of_account(const struct model *m, const struct query *query, const struct account *account)
{
	struct build b = {.query = query, .sel = {.account = *account}};
	struct snapshot *s = start(&b, m);
	fill_counts(&b);
	return s;
}

struct snapshot *snapshot_create(const struct model *m, const struct model_names *names, const struct query *query)
{
	struct build b = {.names = names, .query = query};
	struct snapshot *s = start(&b, m);
	id_table_init(&b.ids, names);
	b.chains = mem_calloc(part_slots(names, PART_CONTEXT), 1);
	selection_init(&b.sel, m, query);
	for (size_t i = 0; i < b.sel.spans.n; i++)
		s->numbers |= columns_kinds(&b.sel.spans.data[i].extra);
	if (query->series)
		snapshot_fill_intervals(s, &b.sel);

	sum_totals(&b);
	s->numbers |= s->latency.weight > 0 ? UINT32_C(1) << NUMBER_LATENCY : 0;
	fill_counts(&b);
	b.sums = parts_of_facts(s);
	fill_interrupts(&b);
	fill_trust(&b);
	fill_pivots(&b);

	free(b.sums);
	id_table_deinit(&b.ids);
	free(b.chains);
	selection_deinit(&b.sel);
	return s;
}

void snapshot_destroy(struct snapshot *s)
{
	if (!s)
		return;
	for (unsigned cpu = 0; cpu < s->cpus_n; cpu++) {
		free(s->cpus[cpu].counts);
		free(s->cpus[cpu].running);
		free(s->cpus[cpu].states);
		free(s->cpus[cpu].sums);
		free(s->cpus[cpu].idle);
	}
	free(s->cpus);
	for (size_t i = 0; i < s->pivots_n; i++)
		pivot_deinit(&s->pivots[i]);
	free(s->pivots);
	free(s->intervals);
	free(s);
}

static bool same_query(const struct pivot_query *a, const struct pivot_query *b)
{
	if (a->dims_n != b->dims_n || a->filters_n != b->filters_n || a->by_name != b->by_name || a->top != b->top ||
	    a->top_unnamed != b->top_unnamed || a->relative != b->relative || a->tree != b->tree ||
	    a->callees != b->callees)
		return false;
	for (size_t i = 0; i < a->dims_n; i++)
		if (a->dims[i] != b->dims[i])
			return false;
	for (size_t i = 0; i < a->filters_n; i++)
		if (a->filters[i].dim != b->filters[i].dim || a->filters[i].key != b->filters[i].key ||
		    a->filters[i].under != b->filters[i].under)
			return false;
	return true;
}

const struct pivot *snapshot_pivot(const struct snapshot *s, const struct pivot_query *query)
{
	for (size_t i = 0; i < s->pivots_n; i++)
		if (same_query(&s->pivots[i].query, query))
			return &s->pivots[i];
	return NULL;
}
