#include "../lib/model_world.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* cycles ran 25 % of the time, instructions 50 %, references always, misses never */
static void multiplexed_sums_and_errors_are_exact(void **state)
{
	(void)state;
	struct world w;
	world_init(&w);
	w.counters[CYCLES * CPUS].running_ns = 250;
	w.counters[INSTRUCTIONS * CPUS].running_ns = 500;
	w.counters[REFERENCES * CPUS].scale = 0x1p-10;
	for (int cpu = 0; cpu < CPUS; cpu++)
		w.counters[MISSES * CPUS + cpu] = (struct counter_delta){.enabled_ns = 1000, .opened = true};
	add(&w, APP, HOT, 0, CYCLES, 4, 100);
	add(&w, APP, HOT, 0, INSTRUCTIONS, 9, 200);
	add(&w, APP, HOT, 1, REFERENCES, 3, 7);
	tick(&w);
	struct snapshot *s = look(&w, query());

	const struct row *r = find(&s->pivots[BY_SYMBOL], HOT, CATALOG_NONE);
	assert_non_null(r);
	assert_int_equal(r->sums[CYCLES].samples, 4);
	assert_true(r->sums[CYCLES].weight == 4 * 100 * 4.0);
	assert_true(r->sums[CYCLES].var == 4 * 400.0 * 400.0);
	assert_true(r->sums[INSTRUCTIONS].weight == 9 * 200 * 2.0);
	assert_true(r->sums[INSTRUCTIONS].var == 9 * 400.0 * 400.0);
	assert_true(r->sums[REFERENCES].weight == 21);
	assert_true(r->sums[REFERENCES].var == 3 * 49.0);

	/* 3600/1600; relative variance 1/n of each, times the part of the time in which it was not counted */
	struct ratio ipc = row_metric(s, r, metric("ipc"));
	assert_true(ipc.valid);
	assert_true(ipc.value == 2.25);
	assert_true(fabs(ipc.error - 2.25 * sqrt(0.5 / 9 + 0.75 / 4)) < 1e-12);
	assert_false(ratio_supported(ipc));

	/* an event that never ran makes its ratios absent, not zero */
	assert_int_equal(s->events[MISSES].state, COUNT_NEVER);
	assert_false(row_metric(s, r, metric("cache-miss-ratio")).valid);
	assert_false(total_metric(s, metric("mpki")).valid);
	assert_int_equal(s->events[REFERENCES].state, COUNT_OK);

	/* counted totals: CPU 0 is scaled by 4, CPU 1 is not scaled */
	assert_true(s->events[CYCLES].count == 5000);
	assert_true(s->events[CYCLES].running == 1250 / 2000.0);
	assert_true(s->trust.running == 0); /* of MISSES */
	assert_true(s->cpus[0].counts[CYCLES] == 4000 && s->cpus[1].counts[CYCLES] == 1000);
	/* of what is counted in units of 1/1024, on CPU 0 alone; no scale is 1 */
	assert_true(s->cpus[0].counts[REFERENCES] == 1000 / 1024.0 && s->cpus[1].counts[REFERENCES] == 1000);
	struct ratio total = total_metric(s, metric("ipc"));
	assert_true(total.valid && total.value == 3000 / 5000.0 && total.error > 0);
	struct ratio cpu1 = cpu_metric(s, 1, metric("ipc"));
	assert_true(cpu1.valid && cpu1.value == 1 && cpu1.error == 0);
	snapshot_destroy(s);
	model_destroy(w.model);
}

/* The counts of a target that is sampled system-wide are its share of those of the CPU. */
static void an_estimated_count_has_the_error_of_its_samples(void **state)
{
	(void)state;
	struct world w;
	world_init(&w);
	for (size_t i = 0; i < EVENTS * CPUS; i++)
		w.counters[i].estimated = true;
	for (unsigned cpu = 0; cpu < CPUS; cpu++) {
		add(&w, APP, HOT, cpu, CYCLES, 10, 100);
		add(&w, APP, HOT, cpu, INSTRUCTIONS, 10, 100);
	}
	tick(&w);
	w.counters[CYCLES].estimated = false;
	tick(&w);
	struct query q = query();
	q.window = WINDOW_TOTAL;
	struct snapshot *s = look(&w, q);
	struct ratio total = total_metric(s, metric("ipc")), cpu = cpu_metric(s, 0, metric("ipc"));
	assert_true(total.valid && total.value == 1);
	assert_float_equal(total.error, sqrt(1.0 / 20 + 1.0 / 20), 1e-9);
	assert_true(cpu.valid && cpu.value == 1);
	assert_float_equal(cpu.error, sqrt(1.0 / 10 + 1.0 / 10), 1e-9);
	snapshot_destroy(s);
	model_destroy(w.model);
}

static void fully_counted_ratio_is_plain(void **state)
{
	(void)state;
	struct world w;
	world_init(&w);
	add(&w, APP, HOT, 0, CYCLES, 100, 1000);
	add(&w, APP, HOT, 0, INSTRUCTIONS, 100, 1500);
	add(&w, APP, HOT, 0, REFERENCES, 100, 10);
	tick(&w);
	struct snapshot *s = look(&w, query());
	const struct row *r = find(&s->pivots[BY_SYMBOL], HOT, CATALOG_NONE);
	struct ratio ipc = row_metric(s, r, metric("ipc"));
	assert_true(ipc.value == 1.5);
	/* the row has all: of what happened only what is rarer than one sample may be missing */
	assert_true(fabs(ipc.error - 1.5 * sqrt(2 * 0.01 / 100)) < 1e-12);
	assert_true(ratio_supported(ipc));
	/* counted but never sampled: the ratio is 0 with an error, and not supported */
	struct ratio miss = row_metric(s, r, metric("cache-miss-ratio"));
	assert_true(miss.valid && miss.value == 0 && miss.error == 2000 / 1000.0 && !ratio_supported(miss));
	assert_true(s->trust.explained_valid && s->trust.explained == 100000 / 2000.0);
	assert_true(s->trust.self == 0.005);
	snapshot_destroy(s);
	model_destroy(w.model);
}

/* A recording shows that it was made in a pid namespace when it has samples already: what they called the idle task
 * was a task of another namespace, but for the code of the idle loop. */
static void what_was_idle_becomes_busy_in_a_pid_namespace(void **state)
{
	(void)state;
	struct world w;
	world_init(&w);
	for (int i = 0; i < 2; i++) {
		add(&w, IDLE, IRQ, 0, CYCLES, 30, 1);
		add(&w, IDLE, KERNEL, 0, CYCLES, 50, 1);
		add(&w, APP, HOT, 0, CYCLES, 20, 1);
		if (!i)
			tick(&w);
	}
	w.cat.namespaced = true;
	w.cat.idle = IDLE;
	w.cat.outside_task = SELF;
	w.tasks[SELF].self = false;
	model_rekey(w.model, &w.cat, NULL);
	tick(&w);
	for (int whole = 0; whole < 2; whole++) {
		struct query q = query();
		q.window = whole ? WINDOW_TOTAL : WINDOW_INTERVAL;
		struct snapshot *s = look(&w, q);
		const struct row *outside = find(&s->pivots[BY_PID], CATALOG_NONE, SELF);
		assert_non_null(outside);
		assert_true(fabs(outside->share - 0.6) < 1e-9);
		assert_true(s->busy_weight == s->events[CYCLES].weight / 2);
		snapshot_destroy(s);
	}
	model_destroy(w.model);
}

static void zero_period_does_not_divide(void **state)
{
	(void)state;
	struct world w;
	world_init(&w);
	add(&w, APP, HOT, 0, CYCLES, 3, 0);
	add(&w, APP, HOT, 0, INSTRUCTIONS, 1, UINT64_MAX);
	add(&w, APP, HOT, 0, INSTRUCTIONS, 1, UINT64_MAX);
	tick(&w);
	struct snapshot *s = look(&w, query());
	const struct row *r = find(&s->pivots[BY_SYMBOL], HOT, CATALOG_NONE);
	assert_false(row_metric(s, r, metric("ipc")).valid);
	assert_false(r->share_valid);
	assert_true(r->sums[INSTRUCTIONS].weight == (double)UINT64_MAX);
	snapshot_destroy(s);
	model_destroy(w.model);
}

static void tables_group_the_same_facts(void **state)
{
	(void)state;
	struct world w;
	world_init(&w);
	add(&w, APP, HOT, 0, CYCLES, 3, 100);
	add(&w, APP_THREAD, PENDING, 1, CYCLES, 2, 100); /* resolves to the same function later */
	add(&w, APP_THREAD, KERNEL, 1, CYCLES, 5, 100);
	add(&w, IDLE, KERNEL, 0, CYCLES, 50, 100);
	add(&w, SELF, COLD, 0, CYCLES, 10, 100);
	tick(&w);
	struct query q = query();
	q.hide_self = true;
	struct snapshot *s = look(&w, q);
	assert_true(s->busy_weight == 2000);
	assert_int_equal(s->pivots[BY_SYMBOL].n, 3); /* hot, sys, [idle] */
	const struct row *hot = find(&s->pivots[BY_SYMBOL], HOT, CATALOG_NONE);
	assert_true(hot->sums[CYCLES].weight == 500 && hot->share_valid && hot->share == 0.25);
	assert_null(find(&s->pivots[BY_SYMBOL], COLD, CATALOG_NONE));
	assert_int_equal(s->pivots[BY_PID].n, 2); /* app, [idle] */
	const struct row *app = find(&s->pivots[BY_PID], CATALOG_NONE, APP);
	assert_true(app->share == 0.5);
	/* 5 of 10 samples each: the smaller id wins a tie */
	assert_int_equal(app->top, HOT);
	/* CPU 0: 300 of 1300 busy cycles in 400 ns; CPU 1: 700 of 700 */
	assert_true(app->cpu_valid && fabs(app->cpu_ns - (400 * 300 / 1300.0 + 400)) < 1e-3);
	assert_int_equal(s->pivots[BY_CPU].n, 2);
	snapshot_destroy(s);

	static const struct pivot_query threads[] = {
		{.dims = {DIM_SYMBOL}, .dims_n = 1},
		{.dims = {DIM_TID}, .dims_n = 1, .top = DIM_SYMBOL},
	};
	q.pivots = threads;
	q.pivots_n = ARRAY_LEN(threads);
	q.hide_self = false;
	s = look(&w, q);
	assert_int_equal(s->pivots[BY_PID].n, 4);
	assert_int_equal(find(&s->pivots[BY_PID], CATALOG_NONE, APP_THREAD)->top, KERNEL);
	snapshot_destroy(s);
	model_destroy(w.model);
}

static void windows_go_by_event_time(void **state)
{
	(void)state;
	struct world w;
	world_init(&w);
	for (int i = 0; i < 10; i++) {
		add(&w, APP, HOT, 0, CYCLES, 1 << i, 1);
		tick(&w);
	}
	static const struct {
		enum window window;
		uint64_t sliding_s;
		double weight;
	} cases[] = {{WINDOW_INTERVAL, 5, 512}, {WINDOW_SLIDING, 1, 512},    {WINDOW_SLIDING, 3, 512 + 256 + 128},
		     {WINDOW_SLIDING, 5, 992},	{WINDOW_SLIDING, 100, 1023}, {WINDOW_TOTAL, 5, 1023}};
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct query q = query();
		q.window = cases[i].window;
		q.sliding_ns = cases[i].sliding_s * 1000000000;
		struct snapshot *s = look(&w, q);
		assert_true(s->events[CYCLES].weight == cases[i].weight);
		assert_true(find(&s->pivots[BY_SYMBOL], HOT, CATALOG_NONE)->sums[CYCLES].weight == cases[i].weight);
		snapshot_destroy(s);
	}
	/* taking a snapshot does not change the model */
	struct snapshot *a = look(&w, query()), *b = look(&w, query());
	assert_true(a->busy_weight == b->busy_weight && a->end_ns == b->end_ns);
	snapshot_destroy(a);
	snapshot_destroy(b);
	model_reset(w.model);
	struct snapshot *s = look(&w, query());
	assert_true(s->events[CYCLES].weight == 0 && s->pivots[BY_SYMBOL].n == 0);
	snapshot_destroy(s);
	model_destroy(w.model);
}

static void history_is_bounded_and_rekeyed(void **state)
{
	(void)state;
	struct world w;
	world_init(&w);
	for (int i = 0; i < 200; i++) {
		add(&w, APP_THREAD, PENDING, 0, CYCLES, 1, 10);
		add(&w, APP, HOT, 0, CYCLES, 1, 10);
		tick(&w);
	}
	struct model_stats st;
	model_stats_get(w.model, &st);
	assert_in_range(st.intervals, 60, 62);
	uint32_t fold[TASKS] = {CATALOG_NONE, CATALOG_NONE, APP, CATALOG_NONE};
	model_rekey(w.model, &w.cat, &(struct catalog_fold){.tasks = fold, .tasks_n = TASKS});
	struct query q = query();
	q.window = WINDOW_TOTAL;
	static const struct pivot_query threads[] = {{.dims = {DIM_SYMBOL}, .dims_n = 1},
						     {.dims = {DIM_TID}, .dims_n = 1}};
	q.pivots = threads;
	q.pivots_n = ARRAY_LEN(threads);
	struct snapshot *s = look(&w, q);
	assert_int_equal(s->pivots[BY_PID].n, 1);
	assert_true(s->pivots[BY_PID].rows[0].sums[CYCLES].weight == 4000);
	assert_true(s->pivots[BY_PID].rows[0].sums[CYCLES].var == 400 * 100.0);
	assert_int_equal(s->pivots[BY_SYMBOL].n, 1);
	snapshot_destroy(s);
	model_destroy(w.model);
}

static void clock_weight_is_time(void **state)
{
	(void)state;
	struct world w;
	world_init(&w);
	static const enum event_role clock_roles[EVENTS] = {ROLE_CLOCK};
	w.config.time.basis = TIME_BASIS_CLOCK;
	world_model(&w, &w.config);
	add(&w, APP, HOT, 0, 0, 300, 1000000);
	tick(&w);
	struct query q = query();
	q.roles = clock_roles;
	struct snapshot *s = look(&w, q);
	assert_true(find(&s->pivots[BY_PID], CATALOG_NONE, APP)->cpu_ns == 300e6);
	/* 800 ns are too short for CPU times with a resolution of 10 ms */
	assert_false(s->trust.explained_valid);
	snapshot_destroy(s);
	w.cpus[0].busy_ns = w.cpus[1].busy_ns = 300000000;
	add(&w, APP, HOT, 0, 0, 300, 1000000);
	tick(&w);
	s = look(&w, q);
	assert_true(s->trust.explained_valid && s->trust.explained == 0.5);
	assert_false(row_metric(s, &s->pivots[BY_PID].rows[0], metric("ipc")).valid);
	snapshot_destroy(s);
	q.partial = true;
	s = look(&w, q);
	assert_false(s->trust.explained_valid);
	snapshot_destroy(s);
	model_destroy(w.model);
}

/* cycles and instructions, each on the two PMUs of a hybrid machine. */
static void events_of_both_pmus_count_as_one(void **state)
{
	(void)state;
	static const enum event_role hybrid_roles[EVENTS] = {ROLE_CYCLES, ROLE_CYCLES, ROLE_INSTRUCTIONS,
							     ROLE_INSTRUCTIONS};
	static const struct pmu_sibling siblings[EVENTS] = {{10, 0}, {4, 0}, {10, 2}, {4, 2}};
	struct world w;
	world_init(&w);
	add(&w, APP, HOT, 0, 0, 20, 50);
	add(&w, APP, HOT, 1, 1, 20, 150);
	add(&w, APP, COLD, 1, 1, 20, 300);
	add(&w, APP, HOT, 0, 2, 10, 200);
	add(&w, APP, HOT, 1, 3, 10, 600);
	tick(&w);
	struct query q = query();
	q.roles = hybrid_roles;
	q.siblings = siblings;
	q.primary = 1;
	struct snapshot *s = look(&w, q);
	assert_int_equal(s->primary, 0);
	assert_true(s->busy_weight == 10000);
	const struct row *hot = find(&s->pivots[BY_SYMBOL], HOT, CATALOG_NONE);
	assert_true(hot->share == 0.4);
	assert_true(find(&s->pivots[BY_SYMBOL], COLD, CATALOG_NONE)->share == 0.6);
	assert_int_equal(find(&s->pivots[BY_PID], CATALOG_NONE, APP)->top, COLD);
	assert_true(s->pivots[BY_CPU].rows[0].share == 0.1 && s->pivots[BY_CPU].rows[1].share == 0.9);
	assert_true(s->trust.explained_valid && s->trust.explained == 10000 / 4000.0);
	struct ratio ipc = row_metric(s, hot, metric("ipc"));
	assert_true(ipc.valid && ipc.value == 2);
	ipc = total_metric(s, metric("ipc"));
	assert_true(ipc.valid && ipc.value == 1 && ipc.error == 0);
	assert_true(snapshot_count(s, 1) == 4000 && fabs(snapshot_cpu_ghz(s, 1, 0).value - 2000 / 400.0) < 1e-9);

	static const struct pivot_query report = {.dims = {DIM_SYMBOL}, .dims_n = 1, .by_name = true};
	q.pivots = &report;
	q.pivots_n = 1;
	struct snapshot *r = look(&w, q);
	assert_int_equal(r->pivots[0].rows[0].sym, COLD);
	assert_true(r->pivots[0].rows[0].share == 0.6);
	snapshot_destroy(r);
	q = query();
	snapshot_destroy(s);

	/* Only one PMU counts instructions, so IPC uses only the cycles of that PMU. */
	static const enum event_role lopsided[EVENTS] = {ROLE_CYCLES, ROLE_CYCLES, ROLE_INSTRUCTIONS, ROLE_OTHER};
	q.roles = lopsided;
	static const struct pmu_sibling apart[EVENTS] = {{10, 0}, {4, 0}, {10, 2}};
	q.siblings = apart;
	s = look(&w, q);
	ipc = row_metric(s, find(&s->pivots[BY_SYMBOL], HOT, CATALOG_NONE), metric("ipc"));
	assert_true(ipc.valid && ipc.value == 2000 / 1000.0);
	snapshot_destroy(s);
	model_destroy(w.model);
}

/* While the symbol table of a DSO is read, all its addresses are one row; afterwards each is in
 * the row of its function. */
static void a_dso_that_is_being_read_is_one_row(void **state)
{
	(void)state;
	struct world w;
	world_init(&w);
	w.syms[COLD].state = w.syms[PENDING].state = SYM_PENDING;
	w.syms[PENDING].resolved = PENDING;
	w.syms[PENDING].row_sym = COLD;
	add(&w, APP, COLD, 0, CYCLES, 2, 100);
	add(&w, APP, PENDING, 0, CYCLES, 3, 100);
	add(&w, APP, HOT, 0, CYCLES, 5, 100);
	tick(&w);
	struct snapshot *s = look(&w, query());
	assert_int_equal(s->pivots[BY_SYMBOL].n, 2);
	const struct row *reading = find(&s->pivots[BY_SYMBOL], COLD, CATALOG_NONE);
	assert_true(reading->pending && reading->share == 0.5);
	snapshot_destroy(s);
	w.syms[COLD].state = SYM_NAMED;
	w.syms[PENDING] = w.syms[HOT];
	model_rekey(w.model, &w.cat, NULL);
	s = look(&w, query());
	assert_int_equal(s->pivots[BY_SYMBOL].n, 2);
	assert_true(find(&s->pivots[BY_SYMBOL], COLD, CATALOG_NONE)->share == 0.2);
	assert_true(find(&s->pivots[BY_SYMBOL], HOT, CATALOG_NONE)->share == 0.8);
	snapshot_destroy(s);
	model_destroy(w.model);
}

/* What a handful of samples stands for says nothing of what was counted. */
static void few_samples_are_not_held_against_the_count(void **state)
{
	(void)state;
	for (unsigned n = 1; n <= 25; n += 24) {
		struct world w;
		world_init(&w);
		add(&w, APP, HOT, 0, CYCLES, n, 1000);
		tick(&w);
		struct snapshot *s = look(&w, query());
		assert_true(s->trust.explained_valid == (n == 25));
		snapshot_destroy(s);
		model_destroy(w.model);
	}
}

/* Functions without a name are counted apart from code of which not even the function is known. */
static void what_has_no_name_is_counted(void **state)
{
	(void)state;
	struct world w;
	world_init(&w);
	w.syms[COLD].state = SYM_GROUP;
	w.syms[PENDING].state = SYM_UNRESOLVED;
	w.syms[PENDING].resolved = w.syms[PENDING].row_sym = PENDING;
	add(&w, APP, HOT, 0, CYCLES, 1, 100);
	add(&w, APP, COLD, 0, CYCLES, 4, 100);
	add(&w, APP, PENDING, 0, CYCLES, 5, 100);
	tick(&w);
	struct snapshot *s = look(&w, query());
	assert_true(s->trust.grouped == 0.4 && s->trust.unresolved == 0.5 && s->trust.pending == 0);
	snapshot_destroy(s);
	model_destroy(w.model);
}

/* All addresses of a DSO without a name are one row, even if each may get a name from a server. */
static void addresses_without_a_name_are_one_row(void **state)
{
	(void)state;
	struct world w;
	world_init(&w);
	w.syms[COLD].state = w.syms[PENDING].state = SYM_UNRESOLVED;
	w.syms[PENDING].resolved = PENDING;
	w.syms[PENDING].row_sym = COLD;
	add(&w, APP, COLD, 0, CYCLES, 2, 100);
	add(&w, APP, PENDING, 0, CYCLES, 3, 100);
	add(&w, APP, HOT, 0, CYCLES, 5, 100);
	tick(&w);
	model_rekey(w.model, &w.cat, NULL);
	struct snapshot *s = look(&w, query());
	assert_int_equal(s->pivots[BY_SYMBOL].n, 2);
	const struct row *nameless = find(&s->pivots[BY_SYMBOL], COLD, CATALOG_NONE);
	assert_true(nameless->unresolved && nameless->share == 0.5);
	snapshot_destroy(s);
	/* one of the addresses gets a name */
	w.syms[PENDING] = w.syms[HOT];
	model_rekey(w.model, &w.cat, NULL);
	s = look(&w, query());
	assert_true(find(&s->pivots[BY_SYMBOL], COLD, CATALOG_NONE)->share == 0.2);
	assert_true(find(&s->pivots[BY_SYMBOL], HOT, CATALOG_NONE)->share == 0.8);
	snapshot_destroy(s);
	model_destroy(w.model);
}

/* A sample counts for the current guess of its symbol, and the guess may still change, in
 * closed intervals and in the open one. */
static void a_symbol_that_may_change(void **state)
{
	(void)state;
	struct world w;
	world_init(&w);
	w.syms[PENDING].may_change = true;
	add(&w, APP, PENDING, 0, CYCLES, 3, 100);
	add(&w, APP, COLD, 0, CYCLES, 1, 100);
	tick(&w);
	add(&w, APP, PENDING, 0, CYCLES, 4, 100);
	add(&w, APP, COLD, 0, CYCLES, 2, 100);
	model_rekey(w.model, &w.cat, NULL);
	struct snapshot *s = look(&w, query());
	assert_true(find(&s->pivots[BY_SYMBOL], HOT, CATALOG_NONE)->share == 0.75);
	snapshot_destroy(s);
	w.syms[PENDING].resolved = COLD;
	w.syms[PENDING].may_change = false;
	model_rekey(w.model, &w.cat, NULL);
	w.syms[PENDING].resolved = KERNEL; /* the id now belongs to another symbol */
	struct model_stats st;
	model_stats_get(w.model, &st);
	assert_int_equal(st.facts, 2); /* one fact in a closed interval, one in the open one */
	struct query q = query();
	q.window = WINDOW_TOTAL;
	for (int round = 0; round < 2; round++, tick(&w)) {
		s = look(&w, q);
		assert_int_equal(s->pivots[BY_SYMBOL].n, 1);
		const struct row *row = find(&s->pivots[BY_SYMBOL], COLD, CATALOG_NONE);
		assert_int_equal(row->sums[CYCLES].samples, round ? 10 : 4);
		assert_true(row->sums[CYCLES].weight == (round ? 1000 : 400));
		assert_true(row->sums[CYCLES].var == (round ? 100000 : 40000));
		snapshot_destroy(s);
	}
	model_destroy(w.model);
}

/* A history that exceeds its memory limit is coarsened; no count is lost. */
static void a_large_history_keeps_every_number(void **state)
{
	(void)state;
	struct world w;
	world_init(&w);
	model_destroy(w.model);
	struct model_config config = {
		.events_n = EVENTS, .cpus_n = CPUS, .keep_ns = 120000000000ull, .keep_bytes = 1 << 14};
	w.model = model_create(&config);
	for (int i = 0; i < 200; i++) {
		add(&w, APP, HOT, 0, CYCLES, 3, 1);
		add(&w, APP_THREAD, COLD, 1, CYCLES, 2, 1);
		tick(&w);
	}
	struct model_stats stats;
	model_stats_get(w.model, &stats);
	assert_in_range(stats.intervals, 9, 60);
	for (uint64_t seconds = 1; seconds <= 119; seconds++) {
		struct query q = query();
		q.window = WINDOW_SLIDING;
		q.sliding_ns = seconds * 1000000000;
		struct snapshot *s = look(&w, q);
		double length = (double)(s->end_ns - s->start_ns) / 1e9;
		assert_true(s->events[CYCLES].weight == length * 5);
		assert_true(s->events[CYCLES].count == length * 2000);
		assert_true(fabs(length - (double)seconds) <= 1 + (double)seconds / 4);
		snapshot_destroy(s);
	}
	model_destroy(w.model);
}

/* CPUs 0, 1 and 3 are of one socket, and CPU 3 counted nothing; CPU 2 counted a half of the time.  The first socket has
 * two NUMA nodes. */
static void counts_of_a_socket_are_those_of_its_cpus(void **state)
{
	(void)state;
	enum { N = 4 };
	const struct cpu_place places[N] = {
		{.socket = 0}, {.socket = 0}, {.socket = 1, .node = 2}, {.socket = 0, .node = 1}};
	const struct model_names names = {.places = places, .cpus_n = N};
	double counts[N] = {100, 20, 7, 1000}, running[N] = {1, 1, .5, 1}, count, error;
	enum count_state states[N] = {COUNT_OK, COUNT_OK, COUNT_OK, COUNT_ABSENT};
	struct sum sums[N] = {{.samples = 0}, {.samples = 0}, {.samples = 2, .var = 18}, {.samples = 0}};
	struct cpu_total cpus[N];
	struct snapshot s = {.cpus = cpus, .cpus_n = N, .events_n = 1};
	s.events[0].state = COUNT_OK;
	for (size_t i = 0; i < N; i++)
		cpus[i] = (struct cpu_total){
			.counts = &counts[i], .running = &running[i], .states = &states[i], .sums = &sums[i]};
	assert_true(snapshot_count_there(&s, &names, DIM_SOCKET, 1, 0, true, &count, &error));
	assert_true(count == 120 && error == 0);
	assert_true(snapshot_count_there(&s, &names, DIM_SOCKET, 3, 0, true, &count, &error));
	assert_true(count == 120);
	assert_true(snapshot_count_there(&s, &names, DIM_SOCKET, 2, 0, true, &count, &error));
	assert_true(count == 7 && fabs(error - 3) < 1e-9);
	assert_true(snapshot_count_there(&s, &names, DIM_NODE, 1, 0, false, &count, &error));
	assert_true(count == 120);
	assert_false(snapshot_count_there(&s, &names, DIM_NODE, 3, 0, false, &count, &error));
	assert_false(snapshot_count_there(&s, &names, DIM_NODE, 1, 0, true, &count, &error)); /* of a whole socket */
	assert_true(snapshot_count_there(&s, &names, DIM_NODE, 2, 0, true, &count, &error));
	assert_true(count == 7);
	assert_true(snapshot_count_there(&s, &names, DIM_CPU, 1, 0, true, &count, &error));
	assert_true(count == 20);
	assert_false(snapshot_count_there(&s, &names, DIM_CPU, 3, 0, true, &count, &error));
	assert_false(snapshot_count_there(&s, &names, DIM_SOCKET, N, 0, true, &count, &error));
	assert_false(snapshot_count_there(&s, &names, DIM_SOCKET, 0, 1, true, &count, &error));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(multiplexed_sums_and_errors_are_exact),
		cmocka_unit_test(an_estimated_count_has_the_error_of_its_samples),
		cmocka_unit_test(fully_counted_ratio_is_plain),
		cmocka_unit_test(what_was_idle_becomes_busy_in_a_pid_namespace),
		cmocka_unit_test(zero_period_does_not_divide),
		cmocka_unit_test(tables_group_the_same_facts),
		cmocka_unit_test(windows_go_by_event_time),
		cmocka_unit_test(a_large_history_keeps_every_number),
		cmocka_unit_test(history_is_bounded_and_rekeyed),
		cmocka_unit_test(clock_weight_is_time),
		cmocka_unit_test(counts_of_a_socket_are_those_of_its_cpus),
		cmocka_unit_test(events_of_both_pmus_count_as_one),
		cmocka_unit_test(a_dso_that_is_being_read_is_one_row),
		cmocka_unit_test(few_samples_are_not_held_against_the_count),
		cmocka_unit_test(what_has_no_name_is_counted),
		cmocka_unit_test(addresses_without_a_name_are_one_row),
		cmocka_unit_test(a_symbol_that_may_change),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
