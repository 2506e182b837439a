#include "diff/table.h"

#include <stdlib.h>
#include <string.h>

void diff_pivot(const enum dimension_id *dims, size_t dims_n, struct pivot_query *ret)
{
	bool apart = false;
	*ret = (struct pivot_query){.dims_n = dims_n};
	for (size_t i = 0; i < dims_n; i++) {
		ret->dims[i] = dims[i];
		apart |= dimensions[dims[i]].part == PART_TASK || dimensions[dims[i]].part == PART_CONTEXT;
	}
	/* tables by task or code have separate rows for idle time; in all other tables, the mode tells idle time */
	if (!apart)
		ret->dims[ret->dims_n++] = DIM_MODE;
}

struct wanted_key {
	const struct diff_table *t;
	const char *key;
	size_t n;
};

static bool is_key(const void *ctx, uint32_t at)
{
	const struct wanted_key *want = ctx;
	const struct table_row *row = &want->t->rows.data[at];
	return row->key_n == want->n && want->n && memcmp(want->t->keys.data + row->key_at, want->key, want->n) == 0;
}

uint32_t table_find(const struct diff_table *t, const char *key, size_t n)
{
	return index_find(&t->by_key, index_hash_bytes(&t->by_key, key, n), is_key, &(struct wanted_key){t, key, n});
}

/* ---- adding rows and weights ----------------------------------------------------------------------- */

struct diff_table *table_create(const struct diff_shape *shape)
{
	struct diff_table *t = mem_calloc(1, sizeof(*t));
	memcpy(t->dims, shape->dims, shape->dims_n * sizeof(t->dims[0]));
	t->dims_n = shape->dims_n;
	t->events_n = shape->events_n;
	t->sums = *shape->sums;
	t->intervals_n = shape->intervals_n;
	memcpy(t->siblings, shape->siblings, shape->events_n * sizeof(t->siblings[0]));
	t->seconds = mem_calloc(t->intervals_n + 1, sizeof(*t->seconds));
	memcpy(t->seconds, shape->seconds, t->intervals_n * sizeof(*t->seconds));
	index_init(&t->by_key);
	index_init(&t->by_alias);
	return t;
}

static uint32_t add_row(struct diff_table *t, const char *key, size_t n)
{
	uint32_t at = (uint32_t)t->rows.n;
	index_add(&t->by_key, index_hash_bytes(&t->by_key, key, n), at);
	vec_push(&t->rows) = (struct table_row){.key_at = t->keys.n, .key_n = n};
	vec_reserve(&t->keys, t->keys.n + n);
	if (n)
		memcpy(t->keys.data + t->keys.n, key, n);
	t->keys.n += n;
	for (size_t i = 0; i < t->sums.n; i++) {
		vec_push(&t->samples) = 0;
		vec_push(&t->weights) = 0;
		vec_push(&t->series) = 0;
	}
	return at;
}

uint32_t table_row_at(struct diff_table *t, const char *key, size_t n)
{
	uint32_t at = table_find(t, key, n);
	return at != INDEX_NONE ? at : add_row(t, key, n);
}

static void add_point(struct diff_table *t, uint32_t interval, double weight)
{
	vec_push(&t->points) = interval;
	vec_push(&t->points_weights) = weight;
}

/* Adds points[at] and all later points to the series of sum `sum`, as a run (struct table_run). */
static void add_run(struct diff_table *t, size_t sum, size_t at)
{
	uint32_t n = (uint32_t)(t->points.n - at);
	if (!n)
		return;
	vec_push(&t->runs) = (struct table_run){.at = at, .n = n, .next = t->series.data[sum]};
	t->series.data[sum] = (uint32_t)t->runs.n;
}

void table_add_series(struct diff_table *t, uint32_t row, size_t sum, uint64_t samples, const double *series)
{
	size_t to = row * t->sums.n + sum, at = t->points.n;
	t->samples.data[to] = u64_add_sat(t->samples.data[to], samples);
	for (size_t k = 0; series && k < t->intervals_n; k++) {
		if (!(series[k] > 0))
			continue;
		add_point(t, (uint32_t)k, series[k]);
		t->weights.data[to] += series[k];
	}
	add_run(t, to, at);
}

void table_add_sum_of(struct diff_table *t, uint32_t row, size_t sum, const struct diff_table *from, size_t from_row,
		      size_t from_sum, uint32_t first)
{
	size_t to = row * t->sums.n + sum, of = from_row * from->sums.n + from_sum, at = t->points.n;
	t->samples.data[to] = u64_add_sat(t->samples.data[to], from->samples.data[of]);
	t->weights.data[to] += from->weights.data[of];
	for (uint32_t r = from->series.data[of]; r; r = from->runs.data[r - 1].next) {
		const struct table_run *run = &from->runs.data[r - 1];
		for (size_t k = run->at; k < run->at + run->n; k++)
			add_point(t, first + from->points.data[k], from->points_weights.data[k]);
	}
	add_run(t, to, at);
}

/* ---- making the table of a snapshot --------------------------------------------------------------- */

/* Inputs for making a table of a snapshot. */
struct making {
	const struct snapshot *s;
	const struct pivot *p;
	const struct model_names *names;
	bool exact; /* names in keys are not normalised */
	bool named; /* rows can also be found by their names before normalisation (aliases) */
	const char *(*pretty)(void *ctx, uint32_t sym);
	void *ctx;
};

/* Returns the value of a row in one dimension; the name of a function is demangled. */
static struct key_value value_of(const struct making *m, enum dimension_id dim, const struct row *row)
{
	static const char nameless[] = "[no symbol]";
	struct key_value v = dimension_value(m->names, dim, row_part(row, dimensions[dim].part));
	const struct catalog *cat = m->names->cat;
	if (dim != DIM_SYMBOL || v.kind != KEY_TEXT || row->sym >= cat->syms_n)
		return v;
	if (cat->syms[row->sym].state == SYM_UNRESOLVED)
		v.text = nameless; /* not its address, which means nothing in another build */
	else if (m->pretty && cat->syms[row->sym].state == SYM_NAMED)
		v.text = m->pretty(m->ctx, row->sym);
	return v;
}

static void make_key(const struct diff_table *t, const struct making *m, const struct row *row, struct strbuf *ret)
{
	static const struct key_value others = {.kind = KEY_TEXT, .text = "[others]"};
	bool own = pivot_series(m->s, m->p, row, 0) != NULL;
	ret->n = 0;
	for (size_t i = 0; i < t->dims_n; i++) {
		struct key_value v = own ? value_of(m, t->dims[i], row) : others;
		if (m->exact)
			key_add(ret, &v);
		else
			key_add_meaning(ret, t->dims[i], &v);
	}
}

/* Adds the names of a row, before normalisation, to its aliases. */
static void add_names(struct diff_table *t, const struct making *m, const struct row *row, uint32_t at)
{
	struct key_value names[DIM_COUNT];
	if (!m->named || !pivot_series(m->s, m->p, row, 0))
		return;
	for (size_t i = 0; i < t->dims_n; i++)
		names[i] = value_of(m, t->dims[i], row);
	table_add_names(t, at, names);
}

/* Fills in the row "[others]": the sum of all rows that have no weights by interval of their own. */
static void add_others(struct diff_table *t, const struct making *m, uint32_t row)
{
	for (size_t i = 0; i < t->sums.n; i++)
		table_add_series(t, row, i, 0, pivot_other_series(m->s, m->p, i));
}

static struct diff_table *make_table(const struct making *m, const enum dimension_id *dims, size_t dims_n)
{
	double *seconds = mem_calloc(m->s->intervals_n + 1, sizeof(*seconds));
	for (size_t i = 0; i < m->s->intervals_n; i++)
		seconds[i] = (double)(m->s->intervals[i].end_ns - m->s->intervals[i].start_ns) / 1e9;
	struct diff_table *t = table_create(&(struct diff_shape){
		.dims = dims,
		.dims_n = dims_n,
		.events_n = m->s->events_n,
		.intervals_n = m->s->intervals_n,
		.seconds = seconds,
		.siblings = m->s->siblings,
		.sums = &m->s->sums,
	});
	free(seconds);
	struct strbuf key = {0};
	for (size_t r = 0; r < m->p->n; r++) {
		const struct row *row = &m->p->rows[r];
		if (row->idle)
			continue;
		make_key(t, m, row, &key);
		uint32_t at = table_row_at(t, key.data, key.n);
		add_names(t, m, row, at);
		for (size_t i = 0; i < t->sums.n; i++)
			table_add_series(t, at, i, row->sums[i].samples, pivot_series(m->s, m->p, row, i));
		if (!pivot_series(m->s, m->p, row, 0) && !t->others++)
			add_others(t, m, at);
	}
	strbuf_deinit(&key);
	return t;
}

uint32_t diff_table_find(const struct diff_table *t, const struct row *row, const struct model_names *names,
			 const char *(*pretty)(void *ctx, uint32_t sym), void *ctx)
{
	const struct making m = {.names = names, .pretty = pretty, .ctx = ctx};
	struct strbuf key = {0};
	if (row->idle)
		return INDEX_NONE;
	for (size_t i = 0; i < t->dims_n; i++) {
		struct key_value v = value_of(&m, t->dims[i], row);
		key_add_meaning(&key, t->dims[i], &v);
	}
	uint32_t at = table_find(t, key.data, key.n);
	strbuf_deinit(&key);
	return at;
}

size_t diff_table_rows(const struct diff_table *t)
{
	return t->rows.n;
}

struct diff_table *diff_table_create(const struct snapshot *s, const struct pivot *p, size_t dims_n,
				     const struct model_names *names, const char *(*pretty)(void *ctx, uint32_t sym),
				     void *ctx)
{
	const struct making m = {.s = s, .p = p, .names = names, .named = true, .pretty = pretty, .ctx = ctx};
	return make_table(&m, p->query.dims, dims_n);
}

struct diff_table *diff_table_create_by(const struct snapshot *s, const struct pivot *p, const enum dimension_id *dims,
					size_t dims_n, const struct model_names *names,
					const char *(*pretty)(void *ctx, uint32_t sym), void *ctx)
{
	return make_table(&(struct making){.s = s, .p = p, .names = names, .pretty = pretty, .ctx = ctx}, dims, dims_n);
}

struct diff_table *diff_table_create_exact(const struct snapshot *s, const struct pivot *p, size_t dims_n,
					   const struct model_names *names)
{
	const struct making m = {.s = s, .p = p, .names = names, .exact = true};
	return make_table(&m, p->query.dims, dims_n);
}

void diff_table_destroy(struct diff_table *t)
{
	if (!t)
		return;
	vec_free(&t->rows);
	vec_free(&t->keys);
	vec_free(&t->samples);
	vec_free(&t->weights);
	vec_free(&t->series);
	vec_free(&t->runs);
	vec_free(&t->points);
	vec_free(&t->points_weights);
	vec_free(&t->parts_at);
	vec_free(&t->aliases);
	vec_free(&t->alias_text);
	index_deinit(&t->by_key);
	index_deinit(&t->by_alias);
	free(t->seconds);
	free(t);
}

size_t diff_table_others(const struct diff_table *t)
{
	return t->others;
}

/* ---- adding a row's samples and weights to struct table_sum ------------------------------------------ */

void table_add_sum(const struct diff_table *t, size_t row, size_t i, struct table_sum *to)
{
	size_t sum = row * t->sums.n + i;
	to->samples += t->samples.data[sum];
	to->weight += t->weights.data[sum];
	for (uint32_t r = to->series ? t->series.data[sum] : 0; r; r = t->runs.data[r - 1].next) {
		const struct table_run *run = &t->runs.data[r - 1];
		for (size_t k = run->at; k < run->at + run->n; k++)
			to->series[t->points.data[k]] += t->points_weights.data[k];
	}
}

void table_add_event(const struct diff_table *t, size_t row, size_t event, struct table_sum *to)
{
	const struct pmu_sibling *own = &t->siblings[event];
	for (size_t e = 0; e < t->events_n; e++)
		if (e == event || (own->pmu && t->siblings[e].pmu && t->siblings[e].first == own->first))
			table_add_sum(t, row, e, to);
}

void table_add_sums(const struct diff_table *t, size_t row, uint64_t set, struct table_sum *to)
{
	for (size_t i = 0; i < t->sums.n; i++)
		if (set >> i & 1)
			table_add_sum(t, row, i, to);
}

uint64_t diff_table_samples(const struct diff_table *t, size_t event, size_t *intervals_ret)
{
	struct table_sum sum = {.series = mem_calloc(t->intervals_n + 1, sizeof(double))};
	for (size_t row = 0; row < t->rows.n; row++)
		table_add_event(t, row, event, &sum);
	*intervals_ret = 0;
	for (size_t i = 0; i < t->intervals_n; i++)
		*intervals_ret += sum.series[i] > 0;
	free(sum.series);
	return sum.samples;
}
