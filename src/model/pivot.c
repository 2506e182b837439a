#include "model/pivot.h"

#include "base/limits.h"
#include "model/classes.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Identifies the row of a fact: the class of each of its ids. */
struct row_key {
	uint32_t class[PART_COUNT];
	uint32_t idle; /* IDLE_NOT ... */
};
/* In rows by task the idle task has two. */
enum { IDLE_NOT, IDLE_TIME, IDLE_INTERRUPTS, IDLE_KINDS };

struct pair { /* a row, and a class of the dimension query.top; the heaviest one becomes row.top */
	size_t row;
	uint32_t class;
	double weight; /* of the primary event */
};

struct build {
	const struct pivot_world *world;
	const struct pivot_query *query;
	struct classes own[PART_COUNT], *parts[PART_COUNT]; /* parts: to its own, or to those that pivots share */
	enum fact_part active[PART_COUNT];		    /* the parts that have dimensions or filters */
	size_t active_n;
	enum fact_part rule; /* the part of the first dimension: decides what is hidden and what is idle time */
	bool own_idle;	     /* in rows by task or by code, idle time has a row of its own */
	bool idle_is_busy;   /* treat the idle task like any other */
	bool interrupts_row; /* interrupts on idle CPUs have a row of their own */
	bool of_tasks;	     /* a row, or what filters leave of it, has whole tasks */
	bool of_threads;     /* they are not whole processes */
	VEC(struct row_key) keys;
	VEC(struct row) rows;
	VEC(double) estimated; /* [row]: nanoseconds of its CPU time that are estimates */
	VEC(struct sum) sums;  /* [row * snap->sums_n + sum]; rows get their pointers into it when it is complete */
	VEC(double) series;    /* [(row * snap->sums_n + sum) * snap->intervals_n + interval] */
	size_t series_rows;    /* so many rows have one of their own; the row behind them is that of all others */
	struct index by_key;   /* row_key -> row */
	/* Instead of by_key if only one part is active; [IDLE_KINDS * (1 + class) + idle]: row + 1. */
	VEC(uint32_t) row_of;
	struct classes *top; /* NULL: query.top is no dimension */
	VEC(struct pair) pairs;
	struct index by_pair;
};

/* ---- rows -------------------------------------------------------------------------------- */

struct wanted_row {
	const struct build *b;
	struct row_key key;
};

static bool is_row(const void *ctx, uint32_t at)
{
	const struct wanted_row *want = ctx;
	return memcmp(&want->b->keys.data[at], &want->key, sizeof(want->key)) == 0;
}

static uint32_t row_part_id(const struct build *b, const struct row_key *key, enum fact_part part)
{
	return classes_id(b->parts[part], key->class[part]);
}

static uint64_t row_identity(const struct build *b, const struct row_key *key)
{
	if (b->query->dims_n == 1) {
		uint64_t single = classes_key(b->parts[b->rule], key->class[b->rule]);
		if (key->idle == IDLE_INTERRUPTS || single == KEY_NONE)
			return KEY_NONE - key->idle;
		return single + 1;
	}
	uint64_t hash = 1 + key->idle;
	for (size_t i = 0; i < b->active_n; i++)
		hash = hash_u64(hash + classes_key(b->parts[b->active[i]], key->class[b->active[i]]));
	return hash ? hash : 1;
}

static uint32_t add_row(struct build *b, const struct row_key *key)
{
	const struct catalog *cat = b->world->names->cat;
	size_t sums_n = b->world->snap->sums_n;
	struct row row = {
		.id = row_identity(b, key),
		.task = row_part_id(b, key, PART_TASK),
		.ctx = row_part_id(b, key, PART_CONTEXT),
		.cpu = row_part_id(b, key, PART_CPU),
		.event = row_part_id(b, key, PART_EVENT),
		.sym = CATALOG_NONE,
		.top = CATALOG_NONE,
		.idle = key->idle == IDLE_TIME,
		.interrupts = key->idle == IDLE_INTERRUPTS,
		.cpu_valid = b->world->time->events != 0,
	};
	uint8_t flags = 0;
	if (row.ctx != CATALOG_NONE) {
		row.sym = context_row_sym(cat, row.ctx);
		if (pivot_has(b->query, DIM_MODE))
			flags = context_flags(cat, row.ctx);
		if (!pivot_has(b->query, DIM_SYMBOL))
			flags &= (uint8_t) ~(ID_PENDING | ID_UNRESOLVED);
	} else if (row.task != CATALOG_NONE)
		flags = task_flags(cat, row.task) & ID_KERNEL;
	row.kernel = flags & ID_KERNEL;
	row.pending = flags & ID_PENDING;
	row.unresolved = flags & ID_UNRESOLVED;
	uint32_t at = (uint32_t)b->rows.n;
	vec_push(&b->rows) = row;
	vec_push(&b->keys) = *key;
	vec_push(&b->estimated) = 0;
	vec_reserve(&b->sums, b->sums.n + sums_n);
	memset(&b->sums.data[b->sums.n], 0, sums_n * sizeof(*b->sums.data));
	b->sums.n += sums_n;
	size_t series_n = at <= b->series_rows ? sums_n * b->world->snap->intervals_n : 0;
	vec_reserve(&b->series, b->series.n + series_n);
	if (series_n)
		memset(&b->series.data[b->series.n], 0, series_n * sizeof(*b->series.data));
	b->series.n += series_n;
	return at;
}

/* For a pivot with one active part: the class of that part identifies the row. */
static uint32_t row_of_class(struct build *b, const struct row_key *key)
{
	uint32_t class = key->class[b->rule];
	size_t at = IDLE_KINDS * (class == CLASS_NONE ? 0 : 1 + (size_t) class) + key->idle;
	while (b->row_of.n <= at)
		vec_push(&b->row_of) = 0;
	if (!b->row_of.data[at])
		b->row_of.data[at] = 1 + add_row(b, key);
	return b->row_of.data[at] - 1;
}

static uint32_t row_of_key(struct build *b, const struct row_key *key)
{
	if (b->active_n == 1)
		return row_of_class(b, key);
	uint64_t hash = key->idle;
	for (size_t i = 0; i < b->active_n; i++)
		hash = index_hash(&b->by_key, hash + key->class[b->active[i]]);
	struct wanted_row want = {b, *key};
	uint32_t at = index_find(&b->by_key, hash, is_row, &want);
	if (at == INDEX_NONE) {
		at = add_row(b, key);
		index_add(&b->by_key, hash, at);
	}
	return at;
}

/* ---- facts ------------------------------------------------------------------------------- */

static bool is_hidden(const struct build *b, uint8_t task, uint8_t context, bool idle)
{
	const struct query *q = b->world->query;
	if (!b->query->by_name && !b->own_idle)
		return false;
	if (task & ID_SELF && q->hide_self)
		return true;
	if (idle)
		return false;
	bool by_task = b->rule == PART_TASK && !b->query->by_name;
	return (by_task ? task : context) & ID_KERNEL ? q->hide_kernel : q->hide_user;
}

/* false: a filter excludes the fact. */
static bool find_classes(struct build *b, const struct fact *f, struct row_key *ret)
{
	for (enum fact_part part = 0; part < PART_COUNT; part++)
		ret->class[part] = CLASS_NONE;
	ret->idle = 0;
	for (size_t i = 0; i < b->active_n; i++) {
		enum fact_part part = b->active[i];
		ret->class[part] = classes_of(b->parts[part], fact_id(f, part));
		if (ret->class[part] == CLASS_OUTSIDE)
			return false;
	}
	return true;
}

/* ---- the hottest key of another dimension -------------------------------------------------- */

struct wanted_pair {
	const struct build *b;
	struct pair pair;
};

static bool is_pair(const void *ctx, uint32_t at)
{
	const struct wanted_pair *want = ctx;
	const struct pair *have = &want->b->pairs.data[at];
	return have->row == want->pair.row && have->class == want->pair.class;
}

static void add_to_pair(struct build *b, size_t row, const struct fact *f, double weight)
{
	struct wanted_pair want = {b, {.row = row, .class = classes_of(b->top, fact_id(f, b->top->part))}};
	uint64_t hash = index_hash(&b->by_pair, (uint64_t)row << 32 | want.pair.class);
	uint32_t at = index_find(&b->by_pair, hash, is_pair, &want);
	if (at == INDEX_NONE) {
		at = (uint32_t)b->pairs.n;
		index_add(&b->by_pair, hash, at);
		vec_push(&b->pairs) = want.pair;
	}
	b->pairs.data[at].weight += weight;
}

/* Of several keys with the same weight the lowest id wins, so that the result does not depend
 * on the order of facts. */
static void find_top(struct build *b)
{
	double *best = mem_calloc(b->rows.n + 1, sizeof(*best));
	for (size_t i = 0; i < b->pairs.n; i++) {
		const struct pair *pair = &b->pairs.data[i];
		struct row *row = &b->rows.data[pair->row];
		uint32_t id = classes_id(b->top, pair->class);
		bool better = pair->weight > best[pair->row] || (pair->weight == best[pair->row] && id < row->top);
		if (row->top != CATALOG_NONE && !better)
			continue;
		best[pair->row] = pair->weight;
		row->top = id;
	}
	free(best);
}

/* ---- sums --------------------------------------------------------------------------------- */

static inline void add_to_sum(struct sum *sum, const struct fact *f, double scale)
{
	sum->samples += f->samples;
	sum->weight += f->weight * scale;
	sum->var += fact_var(f) * scale * scale;
	sum->edges += f->edges * (float)(scale * scale);
	sum->far += f->far * (float)(scale * scale);
}

/* The CPU time of a fact as a part of its row. */
static void add_cpu_time(struct build *b, size_t at, const struct fact *f, fact_time cpu_time)
{
	const struct time_config *time = b->world->time;
	struct row *row = &b->rows.data[at];
	double ns = time_ns(cpu_time);
	enum time_mark mark = time_mark(cpu_time);
	if (!(time->events >> f->key.event & 1))
		return;
	if (b->of_tasks) {
		if (mark == TIME_DIVIDED && !b->of_threads)
			mark = TIME_EXACT;
	} else if (time->modes_differ && time->basis == TIME_BASIS_CLOCK) {
		ns = f->weight; /* a task's time is also that of code which is not sampled */
	} else if (time->modes_differ || time->basis == TIME_BASIS_NONE) {
		mark = TIME_UNKNOWN;
	}
	row->cpu_ns += ns;
	if (mark == TIME_UNKNOWN)
		row->cpu_valid = false;
	else if (mark != TIME_EXACT)
		b->estimated.data[at] += ns;
}

/* Adds the weight of a fact to one of its row's series; nothing if none are asked for. */
static inline void add_to_series(struct build *b, size_t at, size_t sum, size_t interval, double weight)
{
	const struct snapshot *s = b->world->snap;
	if (!s->intervals_n)
		return;
	if (at >= b->series_rows) {
		if (b->rows.data[at].idle)
			return;
		at = b->series_rows;
	}
	b->series.data[(at * s->sums_n + sum) * s->intervals_n + interval] += weight;
}

/* `interval`: the one that the fact is of, if the window consists of intervals. */
static void add_fact(struct build *b, const struct fact *f, fact_time time, size_t interval)
{
	const struct pivot_world *w = b->world;
	struct row_key key;
	uint8_t task = id_table_task(w->ids, f->key.task), context = id_table_context(w->ids, f->key.ctx);
	bool idle_time = is_idle_time(task, context), idle = idle_time && !b->idle_is_busy;
	if (!f->samples && classes_matter(b->parts[PART_CONTEXT]))
		return; /* time of a task without samples is in no code */
	if (!find_classes(b, f, &key) || is_hidden(b, task, context, idle))
		return;
	key.idle = idle && b->own_idle ? IDLE_TIME : IDLE_NOT;
	if (task & ID_IDLE && !idle_time && b->interrupts_row)
		key.idle = IDLE_INTERRUPTS;
	if (idle && b->parts[PART_CONTEXT]->dims_n)
		key.class[PART_CONTEXT] = CLASS_NONE;
	uint32_t at = row_of_key(b, &key);
	struct row *row = &b->rows.data[at];
	struct sum *sums = &b->sums.data[at * w->snap->sums_n];
	size_t event_cpu = f->key.event * (size_t)w->snap->cpus_n + f->key.cpu;
	double scale = selection_scale(w->sel, event_cpu);
	double weight = f->weight * scale;
	add_to_sum(&sums[f->key.event], f, scale);
	add_to_series(b, at, f->key.event, interval, weight);
	for (uint32_t more = w->further ? w->further[event_cpu] : 0; more; more &= more - 1) {
		size_t sum = w->snap->events_n + (size_t)__builtin_ctz(more);
		add_to_sum(&sums[sum], f, scale);
		add_to_series(b, at, sum, interval, weight);
	}
	if (!idle_time)
		add_cpu_time(b, at, f, time);
	if (!w->primary[f->key.event])
		return;
	if (!idle)
		row->share += weight; /* only a sum for now; finish_rows() divides it by the whole */
	if (b->query->top)
		add_to_pair(b, at, f, weight);
}

/* Adds rows for the online CPUs without samples; by core, socket and node, too. */
static void add_silent_cpus(struct build *b)
{
	const struct snapshot *s = b->world->snap;
	if (b->active_n != 1 || b->rule != PART_CPU || b->query->filters_n)
		return;
	for (unsigned cpu = 0; cpu < s->cpus_n; cpu++) {
		struct row_key key = {.class = {CLASS_NONE, CLASS_NONE, CLASS_NONE, CLASS_NONE}};
		key.class[PART_CPU] = classes_of(b->parts[PART_CPU], cpu);
		if (s->cpus[cpu].online && key.class[PART_CPU] != CLASS_OUTSIDE)
			row_of_key(b, &key);
	}
}

/* ---- building a pivot ---------------------------------------------------------------------- */

/* `row` has the sums of weights and of their squares. */
static double share_error(const struct build *b, const struct row *row, double whole_weight)
{
	if (!(row->share > 0))
		return b->world->whole_samples ? b->world->whole_weight / (double)b->world->whole_samples / whole_weight
					       : 0;
	const struct snapshot *s = b->world->snap;
	struct sum part = {.weight = row->share};
	struct sum whole = {.samples = b->world->whole_samples, .weight = whole_weight};
	double running = 1, gap = 0;
	for (size_t e = 0; e < s->events_n; e++) {
		if (!b->world->primary[e] || !row->sums[e].samples)
			continue;
		part.var += row->sums[e].var;
		part.edges += row->sums[e].edges;
		part.far += row->sums[e].far;
		running = fmin(running, s->events[e].running);
		gap = fmax(gap, s->events[e].gap);
	}
	return sqrt(sum_variance(&part, &whole, running, gap)) / whole_weight;
}

/* A smaller part of a row's CPU time may be an estimate, without the whole being called one. */
static const double estimate_shown = 0.01;

/* What is estimated of a row's CPU time is in proportion to its weight, so that it has the same relative error. */
static double cpu_error_ns(const struct build *b, const struct row *row, double estimated_ns)
{
	bool tells = b->world->time->events >> b->world->snap->primary & 1;
	if (!row->cpu_estimated || !tells || !(row->share > 0))
		return 0;
	return (b->of_tasks ? estimated_ns : row->cpu_ns) * row->share_error / row->share;
}

/* The time of interrupts that is not sampled. */
static void add_interrupts(struct build *b)
{
	const struct catalog *cat = b->world->names->cat;
	struct row_key key = {.class = {CLASS_NONE, CLASS_NONE, CLASS_NONE, CLASS_NONE}, .idle = IDLE_INTERRUPTS};
	uint32_t idle = 0;
	while (idle < cat->tasks_n && !cat->tasks[idle].idle)
		idle++;
	bool hidden = b->world->query->hide_kernel || b->world->query->only_n;
	if (!b->interrupts_row || !b->of_tasks || hidden || !(b->world->interrupts_ns > 0) || idle == cat->tasks_n)
		return;
	key.class[PART_TASK] = classes_of(b->parts[PART_TASK], idle);
	uint32_t at = row_of_key(b, &key);
	b->rows.data[at].cpu_ns += b->world->interrupts_ns;
	b->estimated.data[at] += b->world->interrupts_ns;
}

/* Returns the share of all rows together. */
static double finish_rows(struct build *b)
{
	size_t sums_n = b->world->snap->sums_n;
	double all = b->query->by_name ? b->world->whole_weight : b->world->snap->busy_weight, shown = 0;
	for (size_t i = 0; i < b->rows.n; i++)
		shown += b->rows.data[i].share;
	double whole = b->query->relative ? shown : all;
	for (size_t i = 0; i < b->rows.n; i++) {
		struct row *row = &b->rows.data[i];
		row->sums = &b->sums.data[i * sums_n];
		row->share_valid = !row->idle && whole > 0 && !(row->interrupts && !(row->share > 0));
		row->share_error = row->share_valid ? share_error(b, row, whole) : 0;
		row->share = row->share_valid ? row->share / whole : 0;
		if (b->world->time->basis == TIME_BASIS_NONE && !(row->cpu_ns > 0))
			row->cpu_valid = false; /* not even its first event says that it ran */
		row->cpu_estimated = row->cpu_valid && row->cpu_ns > 0 &&
				     (!b->of_tasks || b->estimated.data[i] > estimate_shown * row->cpu_ns);
		row->cpu_error_ns = cpu_error_ns(b, row, b->estimated.data[i]);
	}
	if (b->query->top)
		find_top(b);
	return all > 0 ? shown / all : 0;
}

static int compare_rows(const void *pa, const void *pb, void *ctx)
{
	const struct row *x = pa, *y = pb;
	const struct build *b = ctx;
	if (x->share != y->share)
		return x->share > y->share ? -1 : 1;
	for (size_t e = 0; e < b->world->snap->events_n; e++)
		if (x->sums[e].weight != y->sums[e].weight)
			return x->sums[e].weight > y->sums[e].weight ? -1 : 1;
	int r = 0;
	for (size_t i = 0; i < b->query->dims_n && r == 0; i++) {
		enum dimension_id dim = b->query->dims[i];
		uint32_t idx = row_part(x, dimensions[dim].part), idy = row_part(y, dimensions[dim].part);
		if (idx == idy)
			continue;
		struct key_value vx = dimension_value(b->world->names, dim, idx);
		struct key_value vy = dimension_value(b->world->names, dim, idy);
		r = key_value_compare(&vx, &vy);
	}
	return r;
}

/* Does it group or filter by single threads?  They have their own names. */
static bool of_threads(const struct pivot_query *query)
{
	bool found = false;
	for (size_t i = 0; i < query->filters_n; i++)
		found |= query->filters[i].dim == DIM_TID || query->filters[i].dim == DIM_COMM;
	for (size_t i = 0; i < query->dims_n; i++)
		found |= query->dims[i] == DIM_TID || query->dims[i] == DIM_COMM;
	return found;
}

/* A bound for most windows, so that the table of pairs need not grow step by step at each refresh. */
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
		classes_init(c, world->names, dimensions[dim].part, &(struct pivot_query){.dims = {dim}, .dims_n = 1});
	return c;
}

static bool has_filter(const struct filter *filters, size_t n, enum fact_part part)
{
	for (size_t i = 0; i < n; i++)
		if (dimensions[filters[i].dim].part == part)
			return true;
	return false;
}

static void find_part(struct build *b, enum fact_part part)
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

static void build_init(struct build *b, const struct pivot_query *query, const struct pivot_world *world)
{
	*b = (struct build){.world = world, .query = query, .rule = dimensions[query->dims[0]].part};
	for (enum fact_part part = 0; part < PART_COUNT; part++) {
		find_part(b, part);
		if (classes_matter(b->parts[part]))
			b->active[b->active_n++] = part;
		if (b->parts[part]->dims_n && (part == PART_TASK || part == PART_CONTEXT))
			b->own_idle = true;
	}
	b->idle_is_busy = query->by_name || b->parts[PART_TASK]->filters_n;
	b->of_tasks = b->active_n == 1 && b->active[0] == PART_TASK;
	b->interrupts_row = b->own_idle && b->parts[PART_TASK]->dims_n && !b->idle_is_busy;
	b->of_threads = of_threads(query);
	index_init(&b->by_key);
	index_init(&b->by_pair);
	if (query->top)
		index_reserve(&b->by_pair, pairs_likely(world));
	b->top = query->top ? common_classes(world, query->top) : NULL;
	size_t cells = world->snap->sums_n * world->snap->intervals_n;
	b->series_rows = cells ? LIMIT_SERIES / cells : 0;
}

static void build_deinit(struct build *b)
{
	for (enum fact_part part = 0; part < PART_COUNT; part++)
		classes_deinit(&b->own[part]);
	vec_free(&b->keys);
	vec_free(&b->row_of);
	vec_free(&b->estimated);
	vec_free(&b->pairs);
	index_deinit(&b->by_key);
	index_deinit(&b->by_pair);
}

void pivot_fill(struct pivot *ret, const struct pivot_world *world)
{
	struct build b;
	build_init(&b, &ret->query, world);
	for (size_t i = 0; i < world->sel->spans.n; i++)
		for (size_t k = 0; k < world->sel->spans.data[i].n; k++)
			add_fact(&b, &world->sel->spans.data[i].facts[k], span_time(&world->sel->spans.data[i], k), i);
	add_silent_cpus(&b);
	add_interrupts(&b);
	ret->share = finish_rows(&b);
	if (b.rows.n && ret->query.by_name)
		qsort_r(b.rows.data, b.rows.n, sizeof(*b.rows.data), compare_rows, &b);
	ret->rows = b.rows.data;
	ret->n = b.rows.n;
	ret->sums = b.sums.data;
	ret->series = b.series.data;
	ret->series_rows = b.rows.n < b.series_rows ? b.rows.n : b.series_rows;
	build_deinit(&b);
}

void pivot_deinit(struct pivot *p)
{
	free(p->rows);
	free(p->sums);
	free(p->series);
	*p = (struct pivot){0};
}

uint32_t row_part(const struct row *row, enum fact_part part)
{
	switch (part) {
	case PART_TASK:
		return row->task;
	case PART_CONTEXT:
		return row->ctx;
	case PART_CPU:
		return row->cpu;
	default:
		return row->event;
	}
}
