/* Builds tables row by row for snapshot files, reads rows back, and groups rows by fewer dimensions. */
#include "diff/table.h"

#include <stdlib.h>
#include <string.h>

const enum dimension_id diff_stored_dims[DIFF_STORED_DIMS] = {DIM_COMM, DIM_DSO, DIM_SYMBOL, DIM_MODE};

struct diff_table *diff_table_empty(const struct diff_shape *shape)
{
	return table_create(shape);
}

uint32_t diff_table_row(struct diff_table *t, const struct key_value *names)
{
	struct strbuf key = {0};
	for (size_t i = 0; i < t->dims_n; i++)
		key_add(&key, &names[i]);
	uint32_t at = table_row_at(t, key.data, key.n);
	strbuf_deinit(&key);
	return at;
}

void diff_table_add(struct diff_table *t, uint32_t row, size_t sum, uint64_t samples, const double *series)
{
	table_add_series(t, row, sum, samples, series);
}

void diff_table_set_others(struct diff_table *t, size_t n)
{
	t->others = n;
}

struct diff_shape diff_table_shape(const struct diff_table *t)
{
	return (struct diff_shape){
		.dims = t->dims,
		.dims_n = t->dims_n,
		.events_n = t->events_n,
		.intervals_n = t->intervals_n,
		.seconds = t->seconds,
		.siblings = t->siblings,
		.sums = &t->sums,
	};
}

void diff_table_names(const struct diff_table *t, uint32_t row, struct key_value *ret)
{
	const struct table_row *r = &t->rows.data[row];
	key_names(t->keys.data + r->key_at, r->key_n, t->dims_n, ret);
}

uint64_t diff_table_sum(const struct diff_table *t, uint32_t row, size_t sum, double *series)
{
	struct table_sum to = {.series = series};
	table_add_sum(t, row, sum, &to);
	return to.samples;
}

/* ---- grouping rows by fewer dimensions ------------------------------------------------------- */

/* Returns the index of a dimension among the dimensions of a table; t->dims_n: the table lacks it. */
static size_t place_of(const struct diff_table *t, enum dimension_id dim)
{
	size_t i = 0;
	while (i < t->dims_n && t->dims[i] != dim)
		i++;
	return i;
}

bool diff_table_has(const struct diff_table *t, enum dimension_id dim)
{
	return place_of(t, dim) < t->dims_n;
}

/* Returns the row with these names, [dims_n], of the new table `t`; adds the row if there is none. */
static uint32_t group_row(struct diff_table *t, const struct diff_grouping *by, struct key_value *names,
			  struct strbuf *key)
{
	char *pretty = NULL; /* one demangled name is enough: no table has DIM_SYMBOL twice */
	key->n = 0;
	for (size_t i = 0; i < by->dims_n; i++) {
		if (by->dims[i] == DIM_SYMBOL && names[i].kind == KEY_TEXT && by->pretty && !pretty)
			pretty = by->pretty(names[i].text);
		if (by->dims[i] == DIM_SYMBOL && pretty)
			names[i].text = pretty;
		if (by->exact)
			key_add(key, &names[i]);
		else
			key_add_meaning(key, by->dims[i], &names[i]);
	}
	uint32_t row = table_row_at(t, key->data, key->n);
	if (!by->exact)
		table_add_names(t, row, names);
	free(pretty);
	return row;
}

bool diff_same_meaning(enum dimension_id dim, const struct key_value *a, const struct key_value *b)
{
	struct strbuf x = {0}, y = {0};
	key_add_meaning(&x, dim, a);
	key_add_meaning(&y, dim, b);
	bool same = x.n == y.n && memcmp(x.data, y.data, x.n) == 0;
	strbuf_deinit(&x);
	strbuf_deinit(&y);
	return same;
}

uint64_t diff_meaning_hash(enum dimension_id dim, const struct key_value *v)
{
	struct strbuf key = {0};
	key_add_meaning(&key, dim, v);
	uint64_t hash = hash_bytes(key.data, key.n, 0);
	strbuf_deinit(&key);
	return hash;
}

struct diff_table *diff_table_group(const struct diff_table *from, const struct diff_grouping *by)
{
	struct diff_shape shape = diff_table_shape(from);
	struct key_value names[DIM_COUNT], chosen[DIM_COUNT];
	struct strbuf key = {0};
	shape.dims = by->dims;
	shape.dims_n = by->dims_n;
	struct diff_table *t = table_create(&shape);
	t->others = from->others;
	for (uint32_t r = 0; r < from->rows.n; r++) {
		diff_table_names(from, r, names);
		if (by->keeps && !by->keeps(by->ctx, names))
			continue;
		for (size_t i = 0; i < by->dims_n; i++)
			chosen[i] = names[place_of(from, by->dims[i])];
		uint32_t at = group_row(t, by, chosen, &key);
		for (size_t i = 0; i < t->sums.n; i++)
			table_add_sum_of(t, at, i, from, r, i, 0);
	}
	strbuf_deinit(&key);
	return t;
}
