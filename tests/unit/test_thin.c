/* What the history has a second time of a machine with many CPUs: more intervals, which do not tell what ran on which
 * CPU, and have the same sums. */
#include "../lib/big_world.h"
#include "../lib/same_sums.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>

#include <cmocka.h>

static const struct query all = {.window = WINDOW_SLIDING, .sliding_ns = INT64_MAX}, total = {.window = WINDOW_TOTAL};

/* Tables that do not tell apart both CPUs and what ran on them. */
static const struct pivot_query apart[] = {
	{.dims = {DIM_SYMBOL}, .dims_n = 1},
	{.dims = {DIM_PID}, .dims_n = 1, .top = DIM_SYMBOL},
	{.dims = {DIM_TID, DIM_SYMBOL}, .dims_n = 2, .by_name = true},
	{.dims = {DIM_CPU}, .dims_n = 1},
	{.dims = {DIM_CPU, DIM_MODE}, .dims_n = 2},
	{.dims = {DIM_CPU, DIM_MODE}, .dims_n = 2, .by_name = true},
	{.dims = {DIM_MODE}, .dims_n = 1},
	{.dims = {DIM_CPU}, .dims_n = 1, .filters = {{.dim = DIM_CPU, .key = 5}}, .filters_n = 1},
};

static void assert_same_shares(const struct pivot *p, const struct pivot *q)
{
	for (size_t i = 0; i < p->n; i++) { /* assert_same_rows() has put both into one order */
		const struct row *x = &p->rows[i], *y = &q->rows[i];
		assert_true(fabs(x->share - y->share) <= 1e-12 && x->idle == y->idle && x->kernel == y->kernel);
		assert_true(x->interrupts == y->interrupts && x->cpu_valid == y->cpu_valid);
		assert_true(x->task == y->task || pivot_has(&p->query, DIM_CPU));
	}
}

static void assert_same_totals(const struct snapshot *a, const struct snapshot *b)
{
	assert_true(a->busy_weight == b->busy_weight && a->trust.grouped == b->trust.grouped);
	for (size_t e = 0; e < a->events_n; e++) {
		assert_true(a->events[e].weight == b->events[e].weight && a->events[e].count == b->events[e].count);
		for (unsigned cpu = 0; cpu < a->cpus_n; cpu++) {
			const struct sum *x = a->cpus[cpu].sums, *y = b->cpus[cpu].sums;
			assert_true(x[e].samples == y[e].samples && x[e].weight == y[e].weight);
			assert_true(a->cpus[cpu].idle[e].weight == b->cpus[cpu].idle[e].weight);
		}
	}
}

/* Each of them is the same over the thin intervals as over the total, whatever is hidden. */
static void thin_intervals_have_the_same_sums(void **state)
{
	(void)state;
	static struct big b;
	big_init(&b, 4 << 20, true);
	b.has_costs = true;
	for (int i = 0; i < 400; i++)
		big_tick(&b, 60, 2000);
	for (unsigned hide = 0; hide < 8; hide++) {
		struct query q = all, t = total;
		q.hide_kernel = t.hide_kernel = hide & 1;
		q.hide_user = t.hide_user = hide & 2;
		q.hide_self = t.hide_self = hide & 4;
		for (size_t i = 0; i < ARRAY_LEN(apart); i++) {
			struct snapshot *thin = big_look(&b, q, &apart[i], 1), *sum = big_look(&b, t, &apart[i], 1);
			assert_true(thin->start_ns == second_ns && thin->end_ns == b.now_ns);
			assert_true(thin->pivots[0].n > 0 || hide);
			assert_same_rows(thin, &thin->pivots[0], &sum->pivots[0], 0);
			assert_same_shares(&thin->pivots[0], &sum->pivots[0]);
			assert_same_totals(thin, sum);
			snapshot_destroy(thin);
			snapshot_destroy(sum);
		}
	}
	model_destroy(b.model);
}

/* 64 busy CPUs: of the last minute there is each refresh, as far as one does not ask what ran on which CPU. */
static void a_busy_machine_tells_60_refreshes_apart(void **state)
{
	(void)state;
	enum { HOT_FUNCTIONS = 100, BUSY = 4000 };
	static struct big b;
	static const struct pivot_query crossed = {.dims = {DIM_SYMBOL, DIM_CPU}, .dims_n = 2};
	const size_t bound = 6 << 20; /* as they were measured, 60 take 7 MB */
	struct model_stats stats = {0};
	struct snapshot_interval of[60];
	big_init(&b, bound, true);
	for (int i = 0; i < 200; i++) {
		big_tick(&b, HOT_FUNCTIONS, BUSY);
		model_stats_get(b.model, &stats);
		assert_true(stats.history_bytes <= bound && !stats.dropped.intervals);
	}
	assert_int_equal(model_newest(b.model, model_unjoined_ns(b.model), 60, of), 60);
	assert_true(of[0].start_ns == b.now_ns - 60 * second_ns && stats.intervals > 60);
	struct model *marked = model_copy_newest(b.model, 0, 60);
	struct model *live = b.model;
	b.model = marked;
	struct snapshot *fine = big_look(&b, all, &apart[0], 1), *coarse = big_look(&b, all, &crossed, 1);
	assert_int_equal(fine->intervals_n, 60);
	assert_int_equal(fine->trust.samples, 60 * BUSY);
	assert_int_equal(fine->pivots[0].n, HOT_FUNCTIONS);
	double sum = 0;
	for (size_t i = 0; i < 60; i++)
		sum += pivot_series(fine, &fine->pivots[0], &fine->pivots[0].rows[7], 0)[i];
	assert_true(fabs(sum - fine->pivots[0].rows[7].sums[0].weight) <= 1e-12 * sum && sum > 0);
	/* what crosses CPUs has fewer, of a time that it tells */
	assert_in_range(coarse->intervals_n, 8, 59);
	assert_true(coarse->start_ns >= fine->start_ns && coarse->end_ns == b.now_ns);
	assert_int_equal(coarse->trust.samples, (b.now_ns - coarse->start_ns) / second_ns * BUSY);
	snapshot_destroy(fine);
	snapshot_destroy(coarse);
	model_destroy(live);
	model_destroy(marked);
}

/* A turn has its time in both kinds of intervals. */
static void turns_have_both_kinds_of_intervals(void **state)
{
	(void)state;
	static struct big b;
	struct model *turns = NULL;
	size_t bytes;
	big_init(&b, 4 << 20, true);
	b.has_costs = true;
	for (int i = 0; i < 40; i++) {
		big_tick(&b, 60, 500);
		const struct stretch last = {b.now_ns - (uint64_t)(1 + i % 4) * second_ns, b.now_ns};
		if (i >= 10 && i < 14)
			assert_true(model_add_turn(&turns, b.model, last));
	}
	struct model *live = b.model;
	b.model = turns;
	assert_int_equal(model_turns(turns, &bytes), 4);
	for (size_t i = 0; i < ARRAY_LEN(apart); i++) {
		static const struct pivot_query crossed = {.dims = {DIM_TID, DIM_SYMBOL, DIM_CPU}, .dims_n = 3};
		const struct pivot_query both[] = {apart[i], crossed};
		struct snapshot *thin = big_look(&b, all, both, 1), *coarse = big_look(&b, all, both, 2);
		assert_true(thin->intervals_n == 4 && coarse->intervals_n == 4);
		assert_int_equal(thin->trust.samples, (3 + 4 + 1 + 2) * 500);
		assert_same_rows(thin, &thin->pivots[0], &coarse->pivots[0], 0);
		assert_same_totals(thin, coarse);
		snapshot_destroy(thin);
		snapshot_destroy(coarse);
	}
	model_drop_turn(turns);
	assert_int_equal(model_turns(turns, &bytes), 3);
	struct snapshot *left = big_look(&b, all, &apart[0], 1);
	assert_int_equal(left->trust.samples, (4 + 1 + 2) * 500);
	snapshot_destroy(left);
	for (size_t n = 3; n; n--)
		model_drop_turn(turns);
	assert_int_equal(model_turns(turns, &bytes), 0);
	assert_int_equal(bytes, 0);
	model_destroy(turns);
	model_destroy(live);
}

/* Frozen, re-keyed and folded, both kinds of intervals stay the same, and a copy has its own. */
static void thin_intervals_are_rekeyed_and_folded(void **state)
{
	(void)state;
	static struct big b;
	big_init(&b, 4 << 20, true);
	b.has_costs = true;
	for (int i = 0; i < 200; i++)
		big_tick(&b, 60, 500);
	struct model *frozen = model_copy(b.model), *live = b.model;
	bool tasks[BIG_TASKS] = {false}, syms[BIG_FUNCTIONS] = {false};
	struct catalog_used used = {.tasks = tasks, .syms = syms, .tasks_n = BIG_TASKS, .syms_n = BIG_FUNCTIONS};
	for (int i = 0; i < 200; i++)
		big_tick(&b, 60, 500);
	uint32_t fold[BIG_TASKS];
	for (uint32_t i = 0; i < BIG_TASKS; i++)
		fold[i] = i > BIG_KERNEL_TASK ? BIG_KERNEL_TASK + 1 : CATALOG_NONE; /* 4 and later ones have ended */
	for (uint32_t i = 0; i < BIG_FUNCTIONS; i++)
		b.syms[i].resolved = i == 50 ? 51 : i; /* its name came late */
	model_rekey(b.model, &b.cat, &(struct catalog_fold){.tasks = fold, .tasks_n = BIG_TASKS});
	model_rekey(frozen, &b.cat, NULL);
	model_mark(b.model, &b.cat, true, &used);
	assert_true(tasks[7] && syms[51] && !syms[50]); /* 7: of the last two minutes */
	for (size_t i = 0; i < ARRAY_LEN(apart); i++) {
		if (apart[i].dims[0] == DIM_PID || apart[i].dims[0] == DIM_TID)
			continue; /* the newest are not folded */
		struct snapshot *thin = big_look(&b, all, &apart[i], 1), *sum = big_look(&b, total, &apart[i], 1);
		assert_same_rows(thin, &thin->pivots[0], &sum->pivots[0], 0);
		snapshot_destroy(thin);
		snapshot_destroy(sum);
		b.model = frozen;
		thin = big_look(&b, all, &apart[i], 1);
		assert_int_equal(thin->trust.samples, 200 * 500);
		snapshot_destroy(thin);
		b.model = live;
	}
	model_reset(b.model);
	struct model_stats stats;
	model_stats_get(b.model, &stats);
	assert_true(stats.intervals == 0 && stats.history_bytes == 0);
	big_tick(&b, 60, 500);
	model_stats_get(b.model, &stats);
	assert_int_equal(stats.intervals, 1);
	model_destroy(frozen);
	model_destroy(live);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(thin_intervals_have_the_same_sums),
		cmocka_unit_test(a_busy_machine_tells_60_refreshes_apart),
		cmocka_unit_test(turns_have_both_kinds_of_intervals),
		cmocka_unit_test(thin_intervals_are_rekeyed_and_folded),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
