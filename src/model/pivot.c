#include "model/pivot_build.h"

#include "base/limits.h"

#include <math.h>
#include <stdlib.h>

/* ---- deciding which facts are hidden, and which are idle time -------------------------------- */

static bool is_hidden(const struct pivot_build *b, unsigned traits, bool idle)
{
	const struct query *q = b->world->query;
	if (!b->query->by_name && !b->own_idle)
		return false;
	if (traits & TRAIT_SELF && q->hide_self)
		return true;
	if (idle)
		return false;
	bool by_task = b->rule == PART_TASK && !b->query->by_name;
	return traits & (by_task ? TRAIT_KERNEL_TASK : TRAIT_KERNEL_CODE) ? q->hide_kernel : q->hide_user;
}

static struct verdict judge(const struct pivot_build *b, unsigned traits)
{
	bool of_idle_task = traits & TRAIT_IDLE_TASK, idle_time = of_idle_task && !(traits & TRAIT_INTERRUPT);
	struct verdict v = {.idle = idle_time && !b->idle_is_busy};
	v.kind = v.idle && b->own_idle ? IDLE_TIME : IDLE_NOT;
	if (of_idle_task && !idle_time && b->interrupts_row)
		v.kind = IDLE_INTERRUPTS;
	/* CPU time of a task that has no samples cannot be in tables by function */
	v.left_out =
		is_hidden(b, traits, v.idle) || (!(traits & TRAIT_SAMPLED) && classes_matter(b->parts[PART_CONTEXT]));
	return v;
}

static inline uint8_t traits_of(uint8_t task, uint8_t context)
{
	return (uint8_t)((task & ID_SELF ? TRAIT_SELF : 0) | (task & ID_KERNEL ? TRAIT_KERNEL_TASK : 0) |
			 (task & ID_IDLE ? TRAIT_IDLE_TASK : 0) | (context & ID_KERNEL ? TRAIT_KERNEL_CODE : 0) |
			 (context & ID_INTERRUPT ? TRAIT_INTERRUPT : 0));
}

/* ---- adding up weights of pairs of row and key, for row.top ---------------------------------- */

struct wanted_pair {
	const struct pivot_build *b;
	struct pair pair;
};

static bool is_pair(const void *ctx, uint32_t at)
{
	const struct wanted_pair *want = ctx;
	const struct pair *have = &want->b->pairs.data[at];
	return have->row == want->pair.row && have->class == want->pair.class;
}

static void add_to_pair(struct pivot_build *b, size_t row, const struct fact_key *key, double weight)
{
	struct wanted_pair want = {b, {.row = row, .class = classes_of(b->top, key_id(key, b->top->part))}};
	uint64_t hash = index_hash(&b->by_pair, (uint64_t)row << 32 | want.pair.class);
	uint32_t at = index_find(&b->by_pair, hash, is_pair, &want);
	if (at == INDEX_NONE) {
		at = (uint32_t)b->pairs.n;
		index_add(&b->by_pair, hash, at);
		vec_push(&b->pairs) = want.pair;
	}
	b->pairs.data[at].weight += weight;
}

/* ---- adding the numbers of facts to rows ----------------------------------------------------- */

/* What pivots need of a fact, or of a run of facts that differ only in their CPU. */
struct measured {
	struct fact_key key;
	size_t interval;			  /* index of the interval, if the window consists of intervals */
	struct sum sum;				  /* scaled to the counts of counters */
	double unscaled;			  /* weight of the fact before it was scaled */
	double time_ns, divided_ns, estimated_ns; /* CPU time; its parts of TIME_DIVIDED and of TIME_ESTIMATED */
	struct sample_costs costs;
	double code_ns;			   /* CPU time, scaled up for the time in which the event had no counter */
	bool time_unknown, time_uncounted; /* true for at least one of the facts */
	uint64_t sums;			   /* set of the row's sums to which the fact is added */
	uint8_t traits;			   /* enum trait */
	bool idle_time;
	bool timed;	   /* the event is a time event */
	double per_thread; /* one over the number of threads that ran at the same time; 0: unknown */
};

/* Fills in all but the numbers: what facts with the same task, context and event have in common. */
static void measure_key(const struct pivot_world *w, const struct fact_key *key, size_t interval, struct measured *ret)
{
	ret->key = *key;
	ret->key.event = (uint16_t)fact_event(key);
	ret->interval = interval;
	uint8_t task = id_table_task(w->ids, key->task), context = id_table_context(w->ids, key->ctx);
	ret->traits = traits_of(task, context);
	ret->idle_time = is_idle_time(task, context);
	ret->per_thread = latency_part(w->names->cat, key->ctx);
	ret->timed = w->time->events >> ret->key.event & 1;
}

/* Fills in the numbers of fact `at` of a span. */
static inline void measure_fact(const struct pivot_world *w, const struct span *span, size_t at, struct measured *m)
{
	const struct fact *f = &span->facts[at];
	fact_time time = span_time(span, at);
	size_t event_cpu = m->key.event * (size_t)w->snap->cpus_n + f->key.cpu;
	double scale = selection_scale(w->sel, event_cpu), square = scale * scale;
	m->key.cpu = f->key.cpu;
	m->sum = (struct sum){
		.samples = f->samples,
		.weight = f->weight * scale,
		.var = fact_var(f) * square,
		.edges = f->edges * (float)square,
		.far = f->far * (float)square,
	};
	m->traits = (uint8_t)((m->traits & ~TRAIT_SAMPLED) | (f->samples ? TRAIT_SAMPLED : 0));
	m->unscaled = f->weight;
	m->code_ns = time_ns(time) * scale;
	m->estimated_ns = time_mark(time) == TIME_ESTIMATED ? m->code_ns : 0;
	m->time_ns = m->estimated_ns > 0 ? m->estimated_ns : time_ns(time); /* the scheduler's time needs no scaling */
	m->divided_ns = time_mark(time) == TIME_DIVIDED ? m->time_ns : 0;
	m->time_unknown = time_mark(time) == TIME_UNKNOWN;
	m->time_uncounted = !m->timed && w->snap->cpus[f->key.cpu].time_uncounted;
	m->costs = span->extra.costs ? span->extra.costs[at] : (struct sample_costs){0};
	m->sums = w->sums[event_cpu];
}

static inline bool differ_in_cpu_alone(const struct fact_key *a, const struct fact_key *b)
{
	return a->ctx == b->ctx && a->task == b->task && a->event == b->event;
}

static inline void add_to_run(struct measured *run, const struct measured *m)
{
	sum_add(&run->sum, &m->sum);
	run->unscaled += m->unscaled;
	run->time_ns += m->time_ns;
	run->divided_ns += m->divided_ns;
	run->estimated_ns += m->estimated_ns;
	run->code_ns += m->code_ns;
	run->costs = costs_add(run->costs, m->costs);
	run->time_unknown |= m->time_unknown;
	run->time_uncounted |= m->time_uncounted;
}

/* Adds the CPU time of measured facts to a row, and the estimated part of it in ns to *estimated. */
static void add_cpu_time(const struct pivot_build *b, const struct measured *m, struct row *row, double *estimated)
{
	const struct time_config *time = b->world->time;
	if (b->of_tasks) { /* only tables by task show how much is an estimate */
		row->cpu_ns += m->time_ns;
		row->cpu_valid &= !m->time_unknown;
		*estimated += m->estimated_ns + (b->of_threads ? m->divided_ns : 0);
	} else if (time->modes_differ && time->basis == TIME_BASIS_CLOCK) {
		row->cpu_ns += m->unscaled; /* a task's time includes modes that are not sampled */
		row->cpu_valid &= !m->time_unknown;
	} else {
		row->cpu_ns += m->code_ns;
		row->cpu_valid &= !m->time_unknown && !time->modes_differ && time->basis != TIME_BASIS_NONE;
	}
}

/* Adds the weight of a fact to row `at`'s series (weights by interval) for sum `sum`, if series were asked for. */
static inline void add_to_series(struct pivot_build *b, size_t at, size_t sum, const struct measured *m)
{
	const struct snapshot *s = b->world->snap;
	if (!s->intervals_n)
		return;
	if (at >= b->series_rows) {
		if (b->rows.data[at].idle)
			return;
		at = b->series_rows;
	}
	b->series.data[(at * s->sums.n + sum) * s->intervals_n + m->interval] += m->sum.weight;
}

/* Adds measured facts to a row and its sums, and to `estimated`: the estimated part of the row's CPU time in ns. */
static void add_numbers(const struct pivot_build *b, const struct measured *m, bool idle, struct row *row,
			struct sum *sums, double *estimated)
{
	for (uint64_t more = m->sums; more; more &= more - 1)
		sum_add(&sums[__builtin_ctzll(more)], &m->sum);
	if (m->costs.n)
		row->costs = costs_add(row->costs, m->costs);
	if (m->timed && !m->idle_time)
		add_cpu_time(b, m, row, estimated);
	if (m->time_uncounted && !m->idle_time && m->time_unknown)
		row->cpu_valid = false;
	bool primary = b->whole->events[m->key.event];
	if (primary && m->per_thread > 0 && !m->idle_time)
		latency_add(&row->latency, m->sum.weight, m->sum.var, m->per_thread);
	if (primary && !idle)
		row->share += m->sum.weight; /* still a weight: pivot_finish_rows() divides it */
}

/* Adds measured facts to the total of a row, but not twice: a recursive function occurs several times in a chain. */
static void add_to_total(struct pivot_build *b, const struct measured *m, bool idle, uint32_t at)
{
	double estimated = 0; /* not used: only tables by task need it, and their totals equal their rows */
	if (b->counted.data[at] == b->facts)
		return;
	b->counted.data[at] = b->facts;
	add_numbers(b, m, idle, &b->totals.data[at], &b->total_sums.data[at * b->world->snap->sums.n], &estimated);
}

/* Adds measured facts to the totals of their row, and of the rows of all their callers. */
static void add_to_totals(struct pivot_build *b, const struct measured *m, bool idle, uint32_t at)
{
	const struct catalog *cat = b->world->names->cat;
	b->facts++;
	add_to_total(b, m, idle, at);
	if (idle || !b->parts[PART_CONTEXT]->dims_n)
		return;
	struct row_key key = b->keys.data[at];
	for (uint32_t ctx = key_id(&m->key, PART_CONTEXT); (ctx = catalog_ctx_caller(cat, ctx)) != CATALOG_NONE;) {
		key.class[PART_CONTEXT] = classes_of(b->parts[PART_CONTEXT], ctx);
		if (key.class[PART_CONTEXT] != CLASS_OUTSIDE)
			add_to_total(b, m, idle, pivot_row_of_key(b, &key));
	}
}

static bool is_branch(const struct pivot_world *w, const struct fact_key *key)
{
	return catalog_ctx_to(w->names->cat, key_id(key, PART_CONTEXT)) != CATALOG_NONE;
}

static void add_fact(struct pivot_build *b, const struct measured *m)
{
	const struct pivot_world *w = b->world;
	const struct verdict v = b->verdicts[m->traits];
	if (v.left_out || (b->whole == &w->branches && !is_branch(w, &m->key)))
		return;
	uint32_t at = pivot_row_of_fact(b, &m->key, v.idle, v.kind);
	if (at == ROW_OUTSIDE)
		return;
	add_numbers(b, m, v.idle, &b->rows.data[at], &b->sums.data[at * w->snap->sums.n], &b->estimated.data[at]);
	for (uint64_t more = m->sums; more; more &= more - 1)
		add_to_series(b, at, (size_t)__builtin_ctzll(more), m);
	if (b->query->callees && !b->query->tree)
		add_to_totals(b, m, v.idle, at);
	if (!b->whole->events[m->key.event])
		return;
	if (b->query->top && (!b->query->top_unnamed || b->rows.data[at].unresolved))
		add_to_pair(b, at, &m->key, m->sum.weight);
}

/* Adds rows for online CPUs without samples, or for the cores, sockets or nodes of such CPUs. */
static void add_silent_cpus(struct pivot_build *b)
{
	const struct snapshot *s = b->world->snap;
	if (b->active_n != 1 || b->rule != PART_CPU || b->query->filters_n)
		return;
	for (unsigned cpu = 0; cpu < s->cpus_n; cpu++) {
		struct row_key key = {.class = {CLASS_NONE, CLASS_NONE, CLASS_NONE, CLASS_NONE}};
		key.class[PART_CPU] = classes_of(b->parts[PART_CPU], cpu);
		if (s->cpus[cpu].online && key.class[PART_CPU] != CLASS_OUTSIDE)
			pivot_row_of_key(b, &key);
	}
}

struct ratio costs_mean(const struct sample_costs *costs)
{
	double n = (double)costs->n, mean = n > 0 ? costs->sum / n : 0;
	double off = costs->squares - n * mean * mean;
	double error = n > 1 ? sqrt(fmax(off, 0) / (n - 1) / n) : mean;
	return (struct ratio){.value = mean, .error = error, .valid = n > 0};
}

/* ---- building pivots ------------------------------------------------------------------------ */

/* Returns true if different threads of a process can be in different rows, by tid or by name. */
static bool of_threads(const struct pivot_query *query)
{
	const uint64_t threads = DIM_BIT(DIM_TID) | DIM_BIT(DIM_COMM) | DIM_BIT(DIM_COMM_NODIGIT);
	uint64_t dims = 0;
	for (size_t i = 0; i < query->filters_n; i++)
		dims |= DIM_BIT(query->filters[i].dim);
	for (size_t i = 0; i < query->dims_n; i++)
		dims |= DIM_BIT(query->dims[i]);
	return dims & threads;
}

/* Returns a number of pairs that suffices for most windows, so that the table of pairs need not grow step by step. */
static size_t pairs_likely(const struct pivot_world *world)
{
	enum { ENOUGH = 2048 };
	size_t facts = 0;
	for (size_t i = 0; i < world->sel->spans.n && facts < ENOUGH; i++)
		facts += world->sel->spans.data[i].n;
	return facts < ENOUGH ? facts : ENOUGH;
}

static struct classes *common_classes(const struct pivot_world *world, enum dimension_id dim)
{
	struct classes *c = &world->common[dim];
	if (!c->dims_n)
		classes_init(c, world->names, dimensions[dim].part,
			     &(struct pivot_query){.dims = {dim}, .dims_n = 1, .tree = true});
	return c;
}

static bool has_filter(const struct filter *filters, size_t n, enum fact_part part)
{
	for (size_t i = 0; i < n; i++)
		if (dimensions[filters[i].dim].part == part)
			return true;
	return false;
}

static void find_part(struct pivot_build *b, enum fact_part part)
{
	const struct pivot_query *query = b->query;
	const struct query *q = b->world->query;
	b->parts[part] = &b->own[part];
	if (query->dims_n == 1 && part == b->rule && !query->by_name &&
	    !has_filter(query->filters, query->filters_n, part) && !has_filter(q->only, q->only_n, part)) {
		b->parts[part] = common_classes(b->world, query->dims[0]);
		return;
	}
	classes_init(&b->own[part], b->world->names, part, query);
	classes_restrict(&b->own[part], q->only, q->only_n);
}

/* Returns true if the query groups or filters by the targets of branches. */
static bool is_of_branches(const struct pivot_query *query)
{
	bool filtered = false;
	for (size_t i = 0; i < query->filters_n; i++)
		filtered |= query->filters[i].dim == DIM_SYMBOL_TO;
	return filtered || pivot_has(query, DIM_SYMBOL_TO);
}

static void build_init(struct pivot_build *b, const struct pivot_query *query, const struct pivot_world *world)
{
	*b = (struct pivot_build){
		.world = world, .query = query, .whole = &world->whole, .rule = dimensions[query->dims[0]].part};
	if (world->query->branches && is_of_branches(query))
		b->whole = &world->branches;
	for (enum fact_part part = 0; part < PART_COUNT; part++) {
		find_part(b, part);
		if (classes_matter(b->parts[part]))
			b->active[b->active_n++] = part;
		if (b->parts[part]->dims_n && (part == PART_TASK || part == PART_CONTEXT))
			b->own_idle = true;
	}
	if (b->active_n == 1)
		b->row_of_slot = mem_calloc(part_slots(world->names, b->rule), sizeof(*b->row_of_slot));
	b->idle_is_busy = query->by_name || b->parts[PART_TASK]->filters_n;
	b->of_tasks = b->active_n == 1 && b->active[0] == PART_TASK;
	b->interrupts_row = b->own_idle && b->parts[PART_TASK]->dims_n && !b->idle_is_busy;
	b->of_threads = of_threads(query);
	b->of_cpus = classes_matter(b->parts[PART_CPU]) || (query->top && dimensions[query->top].part == PART_CPU);
	index_init(&b->by_key);
	index_init(&b->by_pair);
	if (query->top && !query->top_unnamed)
		index_reserve(&b->by_pair, pairs_likely(world));
	for (unsigned traits = 0; traits < TRAITS; traits++)
		b->verdicts[traits] = judge(b, traits);
	b->top = query->top ? common_classes(world, query->top) : NULL;
	size_t cells = world->snap->sums.n * world->snap->intervals_n;
	b->series_rows = cells ? LIMIT_SERIES / cells : 0;
}

static void build_deinit(struct pivot_build *b)
{
	for (enum fact_part part = 0; part < PART_COUNT; part++)
		classes_deinit(&b->own[part]);
	vec_free(&b->keys);
	vec_free(&b->row_of);
	free(b->row_of_slot);
	vec_free(&b->estimated);
	vec_free(&b->total_sums);
	vec_free(&b->counted);
	vec_free(&b->pairs);
	index_deinit(&b->by_key);
	index_deinit(&b->by_pair);
}

static void build_finish(struct pivot_build *b, struct pivot *ret)
{
	add_silent_cpus(b);
	pivot_finish_rows(b, ret);
	ret->rows = b->rows.data;
	ret->trees = b->trees;
	ret->n = b->rows.n;
	ret->sums = b->sums.data;
	ret->series = b->series.data;
	ret->series_rows = b->rows.n < b->series_rows ? b->rows.n : b->series_rows;
	build_deinit(b);
}

/* Bits for the pivots that read a fact: those that tell CPUs apart, and the others. */
enum readers { FOR_CPUS = 1 << 0, FOR_OTHERS = 1 << 1 };

static unsigned readers_of(const struct span *span, const struct fact *f)
{
	if (!span->thin)
		return FOR_CPUS | FOR_OTHERS;
	return f->key.event & FACT_OF_CPU ? FOR_CPUS : FOR_OTHERS;
}

static void add_to_builds(struct pivot_build *builds, size_t n, unsigned readers, const struct measured *m)
{
	for (size_t p = 0; p < n; p++)
		if (readers & (builds[p].of_cpus ? FOR_CPUS : FOR_OTHERS))
			add_fact(&builds[p], m);
}

/* Adds the facts [i, end) of a span, which differ only in their CPU.  Pivots that do not tell CPUs apart get them as
 * one fact.  *m: filled in by measure_key(). */
static void add_run(struct pivot_build *builds, size_t n, const struct pivot_world *world, const struct span *span,
		    size_t i, size_t end, struct measured *m)
{
	unsigned readers = readers_of(span, &span->facts[i]);
	struct measured run;
	measure_fact(world, span, i, m);
	add_to_builds(builds, n, readers & FOR_CPUS, m);
	run = *m;
	while (++i < end) {
		measure_fact(world, span, i, m);
		add_to_builds(builds, n, readers & FOR_CPUS, m);
		if (run.sums == m->sums && run.traits == m->traits) {
			add_to_run(&run, m);
		} else {
			add_to_builds(builds, n, readers & FOR_OTHERS, &run);
			run = *m;
		}
	}
	add_to_builds(builds, n, readers & FOR_OTHERS, &run);
}

/* Adds the facts of a span.  In sorted intervals (interval_order()) facts that differ only in their CPU are neighbours,
 * which are added together. */
static void add_span(struct pivot_build *builds, size_t n, const struct pivot_world *world, size_t at)
{
	const struct span *span = &world->sel->spans.data[at];
	struct measured m;
	for (size_t i = 0, end; i < span->n; i = end) {
		const struct fact *f = &span->facts[i];
		end = i + 1;
		while (end < span->n && differ_in_cpu_alone(&f->key, &span->facts[end].key))
			end++;
		measure_key(world, &f->key, at, &m);
		if (end > i + 1) {
			add_run(builds, n, world, span, i, end, &m);
			continue;
		}
		measure_fact(world, span, i, &m);
		add_to_builds(builds, n, readers_of(span, f), &m);
	}
}

void pivots_fill(struct pivot *pivots, size_t n, const struct pivot_world *world)
{
	struct pivot_build *builds = mem_calloc(n + 1, sizeof(*builds));
	for (size_t p = 0; p < n; p++)
		build_init(&builds[p], &pivots[p].query, world);
	for (size_t i = 0; i < world->sel->spans.n; i++)
		add_span(builds, n, world, i);
	for (size_t p = 0; p < n; p++)
		build_finish(&builds[p], &pivots[p]);
	free(builds);
}

void pivot_deinit(struct pivot *p)
{
	free(p->rows);
	free(p->trees);
	free(p->sums);
	free(p->series);
	*p = (struct pivot){0};
}
