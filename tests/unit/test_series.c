/* Weights of rows by interval. */
#include "../lib/model_world.h"

#include "base/limits.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static const uint64_t all_ns = 60000000000ull;

/* Three intervals; in the second one CPU does not count instructions, so that the others are scaled up. */
static void run(struct world *w)
{
	world_init(w);
	add(w, APP, HOT, 0, CYCLES, 3, 100);
	add(w, APP, COLD, 1, CYCLES, 1, 50);
	add(w, APP, HOT, 1, INSTRUCTIONS, 2, 300);
	tick(w);
	w->counters[INSTRUCTIONS * CPUS + 1].running_ns = 0;
	add(w, IDLE, KERNEL, 1, CYCLES, 5, 100);
	add(w, APP_THREAD, PENDING, 0, CYCLES, 2, 100);
	tick(w);
	w->counters[INSTRUCTIONS * CPUS + 1].running_ns = 1000;
	add(w, SELF, HOT, 0, CYCLES, 7, 100);
	add(w, APP, COLD, 0, CYCLES, 2, 50);
	tick(w);
}

static void assert_series(const struct snapshot *s, const struct pivot *p, const struct row *row, size_t sum,
			  const double *want)
{
	const double *have = pivot_series(s, p, row, sum);
	assert_non_null(have);
	for (size_t i = 0; i < s->intervals_n; i++)
		if (have[i] != want[i])
			fail_msg("interval %zu: %g, not %g", i, have[i], want[i]);
}

static void rows_have_their_weight_in_each_interval(void **state)
{
	(void)state;
	struct world w;
	run(&w);
	struct query q = query();
	q.window = WINDOW_SLIDING;
	q.sliding_ns = all_ns;
	q.hide_self = true;
	q.series = true;
	struct snapshot *s = look(&w, q);
	assert_int_equal(s->intervals_n, 3);
	for (size_t i = 0; i < 3; i++) {
		assert_int_equal(s->intervals[i].start_ns, (1 + i) * 1000000000);
		assert_int_equal(s->intervals[i].end_ns, (2 + i) * 1000000000);
	}
	const struct pivot *p = &s->pivots[BY_SYMBOL];
	assert_series(s, p, find(p, HOT, CATALOG_NONE), CYCLES, (const double[]){300, 200, 0});
	assert_series(s, p, find(p, COLD, CATALOG_NONE), CYCLES, (const double[]){50, 0, 100});
	assert_series(s, p, find(p, HOT, CATALOG_NONE), INSTRUCTIONS, (const double[]){900, 0, 0});
	snapshot_destroy(s);
	model_destroy(w.model);
}

/* Whatever the pivot, and however its rows are sorted. */
static void series_add_up_to_the_rows(void **state)
{
	(void)state;
	static const struct pivot_query pivots[] = {
		{.dims = {DIM_SYMBOL}, .dims_n = 1},
		{.dims = {DIM_DSO, DIM_SYMBOL}, .dims_n = 2, .by_name = true},
		{.dims = {DIM_TID, DIM_MODE, DIM_CPU}, .dims_n = 3},
		{.dims = {DIM_COMM}, .dims_n = 1, .by_name = true, .filters = {{DIM_CPU, 0}}, .filters_n = 1},
	};
	struct world w;
	run(&w);
	struct query q = query();
	q.window = WINDOW_SLIDING;
	q.sliding_ns = all_ns;
	q.pivots = pivots;
	q.pivots_n = ARRAY_LEN(pivots);
	q.series = true;
	struct snapshot *s = look(&w, q);
	size_t checked = 0;
	for (size_t i = 0; i < s->pivots_n; i++)
		for (size_t r = 0; r < s->pivots[i].n; r++)
			for (size_t e = 0; e < s->sums.n; e++, checked++) {
				const struct row *row = &s->pivots[i].rows[r];
				const double *series = pivot_series(s, &s->pivots[i], row, e);
				double sum = 0;
				for (size_t k = 0; k < s->intervals_n; k++)
					sum += series[k];
				assert_true(fabs(sum - row->sums[e].weight) <= 1e-12 * sum);
			}
	assert_true(checked > 10 * EVENTS);
	snapshot_destroy(s);
	model_destroy(w.model);
}

static void there_are_none_unless_asked_for(void **state)
{
	(void)state;
	struct world w;
	run(&w);
	struct query q = query();
	struct snapshot *s = look(&w, q);
	assert_int_equal(s->intervals_n, 0);
	assert_null(pivot_series(s, &s->pivots[BY_SYMBOL], &s->pivots[BY_SYMBOL].rows[0], CYCLES));
	snapshot_destroy(s);
	q.window = WINDOW_TOTAL; /* which has no intervals */
	q.series = true;
	s = look(&w, q);
	assert_int_equal(s->intervals_n, 0);
	assert_null(pivot_series(s, &s->pivots[BY_SYMBOL], &s->pivots[BY_SYMBOL].rows[0], CYCLES));
	snapshot_destroy(s);
	model_destroy(w.model);
}

/* Beyond the limit, rows share a series, with which those of all rows still add up to the whole. */
static void too_many_rows_share_a_series(void **state)
{
	(void)state;
	enum { MANY = LIMIT_SERIES / (3 * EVENTS) + 1000 };
	struct world w;
	world_init(&w);
	struct model_config config = w.config;
	config.keep_bytes = 64 << 20;
	world_model(&w, &config);
	for (int i = 0; i < 2; i++) {
		add(&w, APP, HOT, 0, CYCLES, 3, 100);
		tick(&w);
	}
	struct task_info *tasks = calloc(MANY, sizeof(*tasks));
	assert_non_null(tasks);
	memcpy(tasks, w.tasks, sizeof(w.tasks));
	for (uint32_t i = TASKS; i < MANY; i++) {
		tasks[i] = (struct task_info){.pid = 100 + (int32_t)i, .tid = 100 + (int32_t)i, .leader = i};
		model_add(w.model, i, HOT, 0, CYCLES, 10);
	}
	w.cat.tasks = tasks;
	w.cat.tasks_n = MANY;
	tick(&w);
	static const struct pivot_query pivot = {.dims = {DIM_TID}, .dims_n = 1};
	struct query q = query();
	q.window = WINDOW_SLIDING;
	q.sliding_ns = all_ns;
	q.pivots = &pivot;
	q.pivots_n = 1;
	q.series = true;
	struct snapshot *s = look(&w, q);
	const struct pivot *p = &s->pivots[0];
	assert_true(p->series_rows < p->n);
	assert_true(p->series_rows * s->sums.n * s->intervals_n <= LIMIT_SERIES);
	double all = 0, rows = 0;
	for (size_t r = 0; r < p->n; r++) {
		const double *series = pivot_series(s, p, &p->rows[r], CYCLES);
		assert_int_equal(series != NULL, r < p->series_rows);
		rows += p->rows[r].idle ? 0 : p->rows[r].sums[CYCLES].weight;
		for (size_t k = 0; series && k < s->intervals_n && !p->rows[r].idle; k++)
			all += series[k];
	}
	const double *others = pivot_other_series(s, p, CYCLES);
	assert_non_null(others);
	for (size_t k = 0; k < s->intervals_n; k++)
		all += others[k];
	assert_true(others[s->intervals_n - 1] > 0 && fabs(all - rows) < 1e-9 * rows);
	snapshot_destroy(s);
	free(tasks);
	model_destroy(w.model);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(rows_have_their_weight_in_each_interval),
		cmocka_unit_test(series_add_up_to_the_rows),
		cmocka_unit_test(there_are_none_unless_asked_for),
		cmocka_unit_test(too_many_rows_share_a_series),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
