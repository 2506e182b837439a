/* The history: what it keeps of older times, within which memory, and that no number is lost. */
#include "../lib/model_world.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static const uint64_t second_ns = 1000000000;

/* In the first table every fact is a row of its own; the others take those of all CPUs or functions together. */
static const struct pivot_query tables[] = {
	{.dims = {DIM_TID, DIM_SYMBOL, DIM_CPU}, .dims_n = 3},
	{.dims = {DIM_SYMBOL}, .dims_n = 1},
	{.dims = {DIM_TID}, .dims_n = 1, .top = DIM_SYMBOL},
	{.dims = {DIM_CPU}, .dims_n = 1},
};

static struct snapshot *whole(struct model *m, const struct model_names *names, enum window window)
{
	const struct query q = {
		.window = window,
		.sliding_ns = INT64_MAX,
		.pivots = tables,
		.pivots_n = ARRAY_LEN(tables),
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

static void assert_same_rows(const struct snapshot *s, struct pivot *p, struct pivot *q, double slack)
{
	assert_int_equal(p->n, q->n);
	qsort(p->rows, p->n, sizeof(*p->rows), by_id);
	qsort(q->rows, q->n, sizeof(*q->rows), by_id);
	for (size_t i = 0; i < p->n; i++) {
		assert_true(p->rows[i].id == q->rows[i].id && p->rows[i].top == q->rows[i].top);
		for (size_t e = 0; e < s->events_n; e++) {
			const struct sum *x = &p->rows[i].sums[e], *y = &q->rows[i].sums[e];
			assert_true(x->samples == y->samples);
			assert_true(fabs(x->weight - y->weight) <= slack * y->weight);
		}
		assert_true(fabs(p->rows[i].cpu_ns - q->rows[i].cpu_ns) <= 1e-5 * q->rows[i].cpu_ns);
	}
}

/* Row by row and counter by counter; `slack`: of sums of fractions, whose order matters. */
static void assert_same(struct snapshot *a, struct snapshot *b, double slack)
{
	assert_true(a->end_ns == b->end_ns);
	for (size_t i = 0; i < ARRAY_LEN(tables); i++)
		assert_same_rows(a, &a->pivots[i], &b->pivots[i], slack);
	for (size_t e = 0; e < a->events_n; e++)
		assert_true(fabs(a->events[e].count - b->events[e].count) <= slack * b->events[e].count);
	assert_true(a->busy_ns == b->busy_ns);
	assert_true(a->trust.lost == b->trust.lost && a->trust.samples == b->trust.samples);
}

/* Each interval is one tick, or within a cell of the grid that a neighbour does not reach into. */
static void assert_cells(const struct snapshot *s, uint64_t tick_ns, bool *seen)
{
	static const uint64_t cells[] = {1, 5, 10, 30, 60, 300, 600, 1800, 3600, 21600, 86400};
	assert_true(s->intervals_n > 8);
	for (size_t i = 0; i < s->intervals_n; i++) {
		const struct snapshot_interval *iv = &s->intervals[i];
		uint64_t length = iv->end_ns - iv->start_ns, age = s->end_ns - iv->start_ns;
		assert_true(i == 0 || iv->start_ns == s->intervals[i - 1].end_ns);
		if (i + 8 >= s->intervals_n)
			assert_true(length == tick_ns);
		if (length == tick_ns)
			continue;
		size_t c = 0;
		while (c < ARRAY_LEN(cells) &&
		       (iv->start_ns / second_ns / cells[c] != (iv->end_ns - 1) / second_ns / cells[c]))
			c++;
		assert_true(c < ARRAY_LEN(cells));
		assert_true(length <= cells[c] * second_ns && length <= age);
		seen[c] = true;
	}
	/* recent times are told apart better than old ones */
	assert_true(s->intervals[0].end_ns - s->intervals[0].start_ns >= 60 * second_ns);
}

static void every_level_has_the_same_sums(void **state)
{
	(void)state;
	for (int scaled = 0; scaled < 2; scaled++) {
		struct world w;
		world_init(&w);
		w.config.keep_ns = 120 * second_ns;
		world_model(&w, &w.config);
		model_keep(w.model, 1 << 14);
		w.now_ns = 7 * second_ns;
		const struct model_names names = {.cat = &w.cat, .cpus_n = CPUS, .events_n = EVENTS};
		bool seen[11] = {false};
		if (scaled)
			w.counters[0].running_ns = 300;
		for (int i = 0; i < 8000; i++) {
			add(&w, i % 7 ? APP : APP_THREAD, i % 3 ? HOT : COLD, (uint32_t)i % 2, CYCLES, 1 + i % 5, 7);
			add(&w, APP, HOT, 0, INSTRUCTIONS, 1, (uint64_t)i);
			tick(&w);
			if (i % 1000 != 999)
				continue;
			struct snapshot *history = whole(w.model, &names, WINDOW_SLIDING);
			struct snapshot *total = whole(w.model, &names, WINDOW_TOTAL);
			assert_true(history->start_ns == 7 * second_ns);
			assert_same(history, total, scaled ? 1e-12 : 0);
			assert_cells(history, second_ns, seen);
			snapshot_destroy(history);
			snapshot_destroy(total);
		}
		struct model_stats stats;
		model_stats_get(w.model, &stats);
		assert_int_equal(stats.dropped.intervals, 0);
		assert_true(seen[2] && seen[4]); /* 10 s, 1 min */
		model_destroy(w.model);
	}
}

/* A comparison takes up to 60 refreshes: they stay as they were measured while half of the bound holds them, and never
 * fewer than 8. */
static void the_newest_intervals_stay_whole(void **state)
{
	(void)state;
	for (int fits = 0; fits < 2; fits++) {
		struct world w;
		struct snapshot_interval of[60];
		world_init(&w);
		for (int i = 0; i < 3; i++) {
			add(&w, APP, HOT, 0, CYCLES, 1, 10);
			tick(&w);
		}
		struct model_stats stats;
		model_stats_get(w.model, &stats);
		size_t each = stats.history_bytes / 3, bound = (fits ? 2 * 60 : 30) * each;
		model_keep(w.model, bound);
		for (int i = 0; i < 1800; i++) {
			add(&w, APP, HOT, 0, CYCLES, 1, 10);
			tick(&w);
			model_stats_get(w.model, &stats);
			assert_true(stats.history_bytes <= bound && !stats.dropped.intervals);
		}
		size_t n = model_newest(w.model, model_unjoined_ns(w.model), 60, of);
		if (fits)
			assert_int_equal(n, 60);
		else
			assert_true(n >= 15 && n < 60);
		assert_true(stats.intervals > n);
		for (size_t i = 0; i < n; i++)
			assert_true(of[i].end_ns - of[i].start_ns == second_ns);
		const struct model_names names = {.cat = &w.cat, .cpus_n = CPUS, .events_n = EVENTS};
		struct snapshot *history = whole(w.model, &names, WINDOW_SLIDING);
		struct snapshot *total = whole(w.model, &names, WINDOW_TOTAL);
		assert_same(history, total, 0);
		snapshot_destroy(history);
		snapshot_destroy(total);
		model_destroy(w.model);
	}
}

/* Ticks of a tenth of a second become seconds. */
static void short_intervals_become_seconds(void **state)
{
	(void)state;
	struct world w;
	world_init(&w);
	model_keep(w.model, 1 << 14);
	uint64_t samples = 0;
	for (int i = 0; i < 3000; i++) {
		add(&w, APP, HOT, 0, CYCLES, 3, 10);
		samples += 3;
		struct interval_bounds b = {.start_ns = w.now_ns,
					    .end_ns = w.now_ns + second_ns / 10,
					    .counters = w.counters,
					    .cpus = w.cpus};
		model_close(w.model, &b);
		w.now_ns = b.end_ns;
	}
	const struct model_names names = {.cat = &w.cat, .cpus_n = CPUS, .events_n = EVENTS};
	struct snapshot *s = whole(w.model, &names, WINDOW_SLIDING);
	assert_true(s->events[CYCLES].samples == samples && s->events[CYCLES].weight == (double)samples * 10);
	bool second = false;
	for (size_t i = 0; i < s->intervals_n; i++)
		second |= s->intervals[i].end_ns - s->intervals[i].start_ns == second_ns;
	assert_true(second);
	snapshot_destroy(s);
	model_destroy(w.model);
}

/* A bound that even one interval of all older times exceeds. */
static void what_is_dropped_is_counted(void **state)
{
	(void)state;
	struct world w;
	world_init(&w);
	model_keep(w.model, 8000);
	for (int i = 0; i < 500; i++) {
		for (uint32_t fact = 0; fact < 12; fact++)
			add(&w, fact % 3, fact / 3 % 2, fact / 6, CYCLES, 1 + i % 3, 10);
		tick(&w);
		struct model_stats stats;
		model_stats_get(w.model, &stats);
		struct query q = query();
		q.window = WINDOW_TOTAL;
		struct snapshot *total = look(&w, q);
		q.window = WINDOW_SLIDING;
		q.sliding_ns = INT64_MAX;
		struct snapshot *history = look(&w, q);
		assert_true(total->events[CYCLES].samples ==
			    history->events[CYCLES].samples + stats.dropped.samples[CYCLES]);
		assert_true(total->events[CYCLES].weight ==
			    history->events[CYCLES].weight + stats.dropped.weight[CYCLES]);
		if (stats.dropped.intervals)
			assert_true(stats.dropped.end_ns == history->start_ns);
		else
			assert_true(history->start_ns == total->start_ns);
		assert_true((stats.dropped.intervals > 0) == (i >= 8));
		snapshot_destroy(total);
		snapshot_destroy(history);
	}
	model_destroy(w.model);
}

/* Ended tasks share a row in the total.  In the history they do so once they are older than keep_ns. */
static void old_history_is_folded_like_the_total(void **state)
{
	(void)state;
	struct world w;
	world_init(&w);
	model_keep(w.model, 1 << 20);
	for (int i = 0; i < 200; i++) {
		add(&w, APP_THREAD, HOT, 0, CYCLES, 1, 10);
		tick(&w);
	}
	bool tasks[TASKS] = {false}, syms[SYMS] = {false};
	struct catalog_used used = {.tasks = tasks, .syms = syms, .tasks_n = TASKS, .syms_n = SYMS};
	struct model *frozen = model_copy(w.model);
	assert_true(model_detailed_ns(w.model) == w.now_ns - 61 * second_ns);
	for (int i = 0; i < 100; i++) { /* APP_THREAD has ended */
		add(&w, APP, HOT, 0, CYCLES, 1, 10);
		tick(&w);
	}
	model_mark(w.model, &w.cat, false, &used);
	assert_true(!tasks[APP_THREAD] && tasks[APP]);
	uint32_t fold[TASKS] = {CATALOG_NONE, CATALOG_NONE, SELF, CATALOG_NONE};
	model_rekey(w.model, &w.cat, &(struct catalog_fold){.tasks = fold, .tasks_n = TASKS});
	model_mark(w.model, &w.cat, true, &used);
	assert_true(!tasks[APP_THREAD] && tasks[APP] && tasks[SELF]);

	const struct model_names names = {.cat = &w.cat, .cpus_n = CPUS, .events_n = EVENTS};
	struct snapshot *history = whole(w.model, &names, WINDOW_SLIDING);
	struct snapshot *total = whole(w.model, &names, WINDOW_TOTAL);
	assert_same(history, total, 0);
	assert_int_equal(history->pivots[0].n, 2);
	snapshot_destroy(history);
	snapshot_destroy(total);

	/* the copy shared the intervals, and has its own ids */
	struct snapshot *before = whole(frozen, &names, WINDOW_SLIDING);
	assert_int_equal(before->pivots[0].n, 1);
	assert_int_equal(before->pivots[0].rows[0].task, APP_THREAD);
	assert_true(before->pivots[0].rows[0].sums[CYCLES].weight == 2000);
	snapshot_destroy(before);
	model_destroy(frozen);
	model_destroy(w.model);
}

/* The intervals that a copy shares stay as they are for it when the model joins its own, and live as long as it. */
static void a_copy_is_not_coarsened_with_its_model(void **state)
{
	(void)state;
	struct world w;
	world_init(&w);
	model_keep(w.model, 1 << 20);
	for (int i = 0; i < 100; i++) {
		add(&w, APP, HOT, 0, CYCLES, 1, 10);
		tick(&w);
	}
	struct model *copy = model_copy(w.model);
	model_keep(w.model, 1 << 13);
	for (int i = 0; i < 100; i++) {
		add(&w, APP, COLD, 0, CYCLES, 1, 10);
		tick(&w);
	}
	const struct model_names names = {.cat = &w.cat, .cpus_n = CPUS, .events_n = EVENTS};
	struct snapshot *now = whole(w.model, &names, WINDOW_SLIDING);
	assert_true(now->intervals_n < 40 && now->events[CYCLES].weight == 2000);
	snapshot_destroy(now);
	model_destroy(w.model);
	struct snapshot *then = whole(copy, &names, WINDOW_SLIDING);
	assert_int_equal(then->intervals_n, 100);
	assert_true(then->events[CYCLES].weight == 1000);
	assert_int_equal(then->pivots[0].n, 1);
	snapshot_destroy(then);
	model_destroy(copy);
}

/* ---- a large machine ---------------------------------------------------------------------- */

enum { BIG_CPUS = 64, FUNCTIONS = 2000, MINUTES = 30, PROCESSES = 8, SAMPLES = 300 /* per second */ };

struct big {
	struct task_info tasks[PROCESSES];
	struct sym_info syms[FUNCTIONS];
	struct dso_info dsos[1];
	struct counter_delta counters[2 * BIG_CPUS];
	struct cpu_delta cpus[BIG_CPUS];
};

static void a_large_machine_stays_within_its_bound(void **state)
{
	(void)state;
	static struct big b;
	const size_t bound = 8 << 20;
	struct model_config config = {.events_n = 2, .cpus_n = BIG_CPUS, .keep_ns = 120 * second_ns};
	const struct catalog cat = {b.tasks, b.syms, b.dsos, PROCESSES, FUNCTIONS, 1};
	const struct model_names names = {.cat = &cat, .cpus_n = BIG_CPUS, .events_n = 2};
	struct model *m = model_create(&config);
	for (uint32_t i = 0; i < PROCESSES; i++)
		b.tasks[i] =
			(struct task_info){.pid = (int32_t)i + 1, .tid = (int32_t)i + 1, .comm = "app", .leader = i};
	for (uint32_t i = 0; i < FUNCTIONS; i++)
		b.syms[i] = (struct sym_info){.resolved = i, .same = i, .name = "function"};
	for (size_t i = 0; i < ARRAY_LEN(b.counters); i++)
		b.counters[i] = (struct counter_delta){.value = 3000, .enabled_ns = 1, .running_ns = 1, .opened = true};
	for (size_t i = 0; i < BIG_CPUS; i++)
		b.cpus[i] = (struct cpu_delta){.busy_ns = 900, .idle_ns = 100, .known = true, .online = true};
	model_keep(m, bound);
	uint64_t now_ns = second_ns, random = 1, samples = 0;
	for (int i = 0; i < MINUTES * 60; i++) {
		for (int k = 0; k < SAMPLES; k++) {
			random = random * 6364136223846793005ull + 1442695040888963407ull;
			uint32_t r = (uint32_t)(random >> 33);
			uint32_t function = (r % FUNCTIONS) * (r >> 16 & 255) / 255; /* some are hotter */
			model_add(m, function % PROCESSES, function, r >> 8 & (BIG_CPUS - 1), k & 1, 1000 + r % 100);
			samples++;
		}
		struct interval_bounds bounds = {
			.start_ns = now_ns, .end_ns = now_ns + second_ns, .counters = b.counters, .cpus = b.cpus};
		model_close(m, &bounds);
		now_ns = bounds.end_ns;
		struct model_stats stats;
		model_stats_get(m, &stats);
		assert_true(stats.history_bytes <= bound);
	}
	struct snapshot *history = whole(m, &names, WINDOW_SLIDING), *total = whole(m, &names, WINDOW_TOTAL);
	assert_true(history->start_ns == second_ns && total->trust.samples == samples);
	assert_true(total->pivots[0].n > 50000);
	assert_same(history, total, 0);
	snapshot_destroy(history);
	snapshot_destroy(total);
	model_destroy(m);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_level_has_the_same_sums),
		cmocka_unit_test(the_newest_intervals_stay_whole),
		cmocka_unit_test(short_intervals_become_seconds),
		cmocka_unit_test(what_is_dropped_is_counted),
		cmocka_unit_test(old_history_is_folded_like_the_total),
		cmocka_unit_test(a_copy_is_not_coarsened_with_its_model),
		cmocka_unit_test(a_large_machine_stays_within_its_bound),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
