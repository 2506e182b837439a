/* The history: what it keeps of older times, within which memory, and that no number is lost. */
#include "../lib/big_world.h"
#include "../lib/model_world.h"
#include "../lib/same_sums.h"
#include "model/history.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

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

static void add_cost(struct world *w, uint16_t cpu, uint64_t cost, struct sample_costs *sum)
{
	const struct model_sample s = {.task = APP, .ctx = HOT, .cpu = cpu, .event = CYCLES};
	add(w, APP, HOT, cpu, CYCLES, 1, 7);
	model_add_cost(w->model, &s, cost);
	if (cost)
		*sum = (struct sample_costs){sum->n + 1, sum->sum + (double)cost,
					     sum->squares + (double)cost * (double)cost};
}

/* All costs are of one function. */
static void assert_costs(const struct snapshot *s, const struct sample_costs *costs)
{
	const struct pivot *functions = &s->pivots[1];
	assert_true(s->numbers >> NUMBER_COSTS & 1);
	for (size_t i = 0; i < functions->n; i++) {
		const struct sample_costs *of = &functions->rows[i].costs;
		assert_int_equal(of->n, functions->rows[i].sym == HOT ? costs->n : 0);
		assert_true(!of->n || (of->sum == costs->sum && of->squares == costs->squares));
	}
}

/* A total since the start has a sum for each interval: of a day, with random times up to a second. */
static void a_total_of_many_times_is_not_too_small(void **state)
{
	(void)state;
	enum { DAY = 86400 };
	fact_time total = time_make(0, TIME_EXACT);
	double exact = 0;
	uint64_t random = 1;
	for (int i = 0; i < DAY; i++) {
		random = random * 6364136223846793005ull + 1442695040888963407ull;
		double ns = (double)(random >> 33) / 2.147483648;
		total = time_add(total, time_make(ns, TIME_EXACT));
		exact += ns;
	}
	assert_true(fabs(time_ns(total) / exact - 1) < 1e-4);
	assert_int_equal(time_mark(total), TIME_EXACT);
}

static void a_mean_cost_has_an_error(void **state)
{
	(void)state;
	struct ratio none = costs_mean(&(struct sample_costs){0}), one = costs_mean(&(struct sample_costs){1, 20, 400});
	struct ratio equal = costs_mean(&(struct sample_costs){3, 60, 1200});
	struct ratio r = costs_mean(&(struct sample_costs){3, 60, 100 + 400 + 900});
	assert_false(none.valid);
	assert_true(one.valid && one.value == 20 && one.error == 20);
	assert_true(equal.valid && equal.value == 20 && equal.error == 0);
	assert_true(r.valid && r.value == 20 && fabs(r.error - 10 / sqrt(3)) < 1e-12);
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
		struct sample_costs costs = {0};
		for (int i = 0; i < 8000; i++) {
			add(&w, i % 7 ? APP : APP_THREAD, i % 3 ? HOT : COLD, (uint32_t)i % 2, CYCLES, 1 + i % 5, 7);
			if (i > 100 && i % 6 < 4) /* in some intervals none has a cost */
				add_cost(&w, (uint16_t)(i % 4 / 2), (uint64_t)i % 5 * 100, &costs);
			add(&w, APP, HOT, 0, INSTRUCTIONS, 1, (uint64_t)i);
			tick(&w);
			if (i % 1000 != 999)
				continue;
			struct snapshot *history = whole(w.model, &names, WINDOW_SLIDING);
			struct snapshot *total = whole(w.model, &names, WINDOW_TOTAL);
			assert_true(history->start_ns == 7 * second_ns);
			assert_same(history, total, scaled ? 1e-12 : 0);
			assert_cells(history, second_ns, seen);
			assert_costs(history, &costs);
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

enum { FUNCTIONS = 2000, MINUTES = 30, SAMPLES = 300 /* per second */ };

static void a_large_machine_stays_within_its_bound(void **state)
{
	(void)state;
	static struct big b;
	const size_t bound = 8 << 20;
	for (int thin = 0; thin < 2; thin++) {
		big_init(&b, bound, thin);
		struct model_stats stats = {0};
		for (int i = 0; i < MINUTES * 60; i++) {
			big_tick(&b, FUNCTIONS, SAMPLES);
			model_stats_get(b.model, &stats);
			assert_true(stats.history_bytes <= bound);
		}
		assert_int_equal(stats.dropped.intervals, 0);
		struct snapshot *h = whole(b.model, &b.names, WINDOW_SLIDING);
		struct snapshot *t = whole(b.model, &b.names, WINDOW_TOTAL);
		assert_true(h->start_ns == second_ns && t->trust.samples == b.samples);
		assert_true(t->pivots[0].n > 50000);
		assert_same(h, t, 0);
		snapshot_destroy(h);
		snapshot_destroy(t);
		model_destroy(b.model);
	}
}

/* After months of one function on one CPU the count of its samples stands still, and says so; the errors, which rest on
 * the squared weights, and the weights go on. */
static void a_count_of_samples_that_is_full_is_told(void **state)
{
	(void)state;
	struct world w;
	world_init(&w);
	add(&w, APP, HOT, 0, CYCLES, 10, 3);
	for (int i = 0; i < 3; i++) {
		tick(&w);
		struct limit_set none = model_limits(w.model);
		assert_false(limit_any(&none));
		add(&w, APP, HOT, 0, CYCLES, 10, 3);
	}
	assert_int_equal(w.model->total[0].all.n, 1);
	struct fact *f = &w.model->total[0].all.data[0];
	f->samples = LIMIT_FACT_SAMPLES - 5;
	double weight = f->weight;
	for (int i = 0; i < 3; i++) {
		tick(&w);
		add(&w, APP, HOT, 0, CYCLES, 10, 3);
	}
	struct limit_set told = model_limits(w.model);
	assert_true(limit_is_reached(&told, REACHED_FACT_SAMPLES));
	told = model_limits(w.model);
	assert_false(limit_any(&told));
	f = &w.model->total[0].all.data[0];
	assert_int_equal(f->samples, LIMIT_FACT_SAMPLES);
	assert_true(f->weight > weight);
	/* of equal periods: 9 a sample, also of those that were not counted */
	f->edges = 3e10f * 2 * 9;
	f->weight = 3e10 * 3;
	assert_true(fabs(fact_var(f) / (3e10 * 9) - 1) < 1e-6);
	model_destroy(w.model);
}

/* An event that was opened while measuring had no counter before: what it counts since then stands for that time, as
 * long as a window has some of it. */
static void an_added_event_has_no_counter_before(void **state)
{
	(void)state;
	struct world w;
	struct counter_delta wide[(EVENTS + 1) * CPUS] = {0};
	const enum event_role one_more[EVENTS + 1] = {ROLE_CYCLES, ROLE_INSTRUCTIONS};
	struct query q = query();
	q.roles = one_more;
	world_init(&w);
	add(&w, APP, HOT, 0, CYCLES, 3, 100);
	tick(&w);
	struct model *copy = model_copy(w.model);
	model_add_event(w.model);
	model_add_event(copy);
	struct snapshot *s = look(&w, q);
	assert_int_equal(s->events_n, EVENTS + 1);
	assert_int_equal(s->events[EVENTS].state, COUNT_NEVER);
	assert_int_equal(s->events[CYCLES].state, COUNT_OK);
	snapshot_destroy(s);
	memcpy(wide, w.counters, sizeof(w.counters));
	for (size_t i = EVENTS * CPUS; i < ARRAY_LEN(wide); i++)
		wide[i] = (struct counter_delta){.value = 50, .enabled_ns = 1000, .running_ns = 1000, .opened = true};
	add(&w, APP, HOT, 0, EVENTS, 5, 10);
	struct interval_bounds b = {w.now_ns, w.now_ns + 1000000000, .counters = wide, .cpus = w.cpus, .cat = &w.cat};
	model_close(w.model, &b);
	q.window = WINDOW_SLIDING;
	s = look(&w, q);
	assert_true(s->events[EVENTS].count == 2 * 2 * 50); /* two CPUs; one of the two intervals was counted */
	assert_true(s->events[EVENTS].running == 0.5);
	assert_true(s->events[CYCLES].running == 1);
	const struct row *row = find(&s->pivots[BY_SYMBOL], HOT, CATALOG_NONE);
	assert_true(!row || row->sums[EVENTS].weight == 100);
	snapshot_destroy(s);
	const struct model_names names = {.cat = &w.cat, .cpus_n = CPUS, .events_n = EVENTS + 1};
	s = snapshot_create(copy, &names, &q); /* shares the first interval */
	assert_int_equal(s->events[EVENTS].state, COUNT_NEVER);
	snapshot_destroy(s);
	model_destroy(copy);
	model_destroy(w.model);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_level_has_the_same_sums),
		cmocka_unit_test(a_total_of_many_times_is_not_too_small),
		cmocka_unit_test(a_mean_cost_has_an_error),
		cmocka_unit_test(the_newest_intervals_stay_whole),
		cmocka_unit_test(short_intervals_become_seconds),
		cmocka_unit_test(what_is_dropped_is_counted),
		cmocka_unit_test(old_history_is_folded_like_the_total),
		cmocka_unit_test(a_copy_is_not_coarsened_with_its_model),
		cmocka_unit_test(a_large_machine_stays_within_its_bound),
		cmocka_unit_test(a_count_of_samples_that_is_full_is_told),
		cmocka_unit_test(an_added_event_has_no_counter_before),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
