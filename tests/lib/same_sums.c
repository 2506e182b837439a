#include "same_sums.h"

#include "model_world.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>

#include <cmocka.h>

const struct pivot_query same_tables[SAME_TABLES] = {
	{.dims = {DIM_TID, DIM_SYMBOL, DIM_CPU}, .dims_n = 3},
	{.dims = {DIM_SYMBOL}, .dims_n = 1},
	{.dims = {DIM_TID}, .dims_n = 1, .top = DIM_SYMBOL},
	{.dims = {DIM_CPU}, .dims_n = 1},
};

struct snapshot *whole(struct model *m, const struct model_names *names, enum window window)
{
	const struct query q = {
		.window = window,
		.sliding_ns = INT64_MAX,
		.pivots = same_tables,
		.pivots_n = SAME_TABLES,
		.roles = roles,
		.series = true,
	};
	return snapshot_create(m, names, &q);
}

static int by_id(const void *a, const void *b)
{
	uint64_t x = ((const struct row *)a)->id, y = ((const struct row *)b)->id;
	return x < y ? -1 : x > y;
}

void assert_same_rows(const struct snapshot *s, struct pivot *p, struct pivot *q, double slack)
{
	bool has_order = p->query.by_name; /* and ids that are of one snapshot */
	assert_int_equal(p->n, q->n);
	if (!has_order) {
		qsort(p->rows, p->n, sizeof(*p->rows), by_id);
		qsort(q->rows, q->n, sizeof(*q->rows), by_id);
	}
	for (size_t i = 0; i < p->n; i++) {
		assert_true(has_order || (p->rows[i].id == q->rows[i].id && p->rows[i].top == q->rows[i].top));
		for (size_t e = 0; e < s->events_n; e++) {
			const struct sum *x = &p->rows[i].sums[e], *y = &q->rows[i].sums[e];
			assert_true(x->samples == y->samples);
			assert_true(fabs(x->weight - y->weight) <= slack * y->weight);
		}
		const struct sample_costs *costs = &p->rows[i].costs, *others = &q->rows[i].costs;
		assert_true(costs->n == others->n && costs->sum == others->sum && costs->squares == others->squares);
		assert_true(fabs(p->rows[i].cpu_ns - q->rows[i].cpu_ns) <= 1e-5 * q->rows[i].cpu_ns);
	}
}

void assert_same(struct snapshot *a, struct snapshot *b, double slack)
{
	assert_true(a->end_ns == b->end_ns);
	for (size_t i = 0; i < SAME_TABLES; i++)
		assert_same_rows(a, &a->pivots[i], &b->pivots[i], slack);
	for (size_t e = 0; e < a->events_n; e++)
		assert_true(fabs(a->events[e].count - b->events[e].count) <= slack * b->events[e].count);
	assert_true(a->busy_ns == b->busy_ns);
	assert_true(a->trust.lost == b->trust.lost && a->trust.samples == b->trust.samples);
}
