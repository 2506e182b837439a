#include <cyctop/model.h>

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* Four events on two CPUs, three tasks (idle; a process of two threads), four
 * symbols of which one was pending and turned out to be another. */
enum { CYCLES, INSTRUCTIONS, REFERENCES, MISSES, EVENTS };
enum { CPUS = 2 };
enum { IDLE, APP, APP_THREAD, SELF, TASKS };
enum { HOT, COLD, KERNEL, PENDING, SYMS };

static const enum event_role roles[EVENTS] = {ROLE_CYCLES, ROLE_INSTRUCTIONS, ROLE_CACHE_REFERENCES, ROLE_CACHE_MISSES};

struct world {
	struct task_info tasks[TASKS];
	struct sym_info syms[SYMS];
	struct dso_info dsos[1];
	struct catalog cat;
	struct model *model;
	struct counter_delta counters[EVENTS * CPUS];
	struct cpu_delta cpus[CPUS];
	uint64_t now_ns;
};

static void world_init(struct world *w)
{
	*w = (struct world){
		.tasks = {[IDLE] = {.comm = "[idle]", .leader = IDLE, .idle = true},
			  [APP] = {.pid = 10, .tid = 10, .comm = "app", .leader = APP},
			  [APP_THREAD] = {.pid = 10, .tid = 11, .comm = "app", .leader = APP},
			  [SELF] = {.pid = 20, .tid = 20, .comm = "cyctop", .leader = SELF, .self = true}},
		.syms = {[HOT] = {.canonical = HOT, .name = "hot"},
			 [COLD] = {.canonical = COLD, .name = "cold"},
			 [KERNEL] = {.canonical = KERNEL, .name = "sys", .kernel = true},
			 [PENDING] = {.canonical = HOT, .name = "0x10"}},
		.dsos = {{.path = "/bin/app", .name = "app"}},
	};
	w->cat = (struct catalog){w->tasks, w->syms, w->dsos, TASKS, SYMS, 1};
	struct model_config config = {
		.events_n = EVENTS, .cpus_n = CPUS, .keep_ns = 60000000000ull, .keep_bytes = 1 << 20};
	w->model = model_create(&config);
	for (size_t i = 0; i < EVENTS * CPUS; i++)
		w->counters[i] =
			(struct counter_delta){.value = 1000, .enabled_ns = 1000, .running_ns = 1000, .opened = true};
	for (size_t i = 0; i < CPUS; i++)
		w->cpus[i] = (struct cpu_delta){.busy_ns = 400, .idle_ns = 600, .known = true, .online = true};
	w->now_ns = 1000000000;
}

static void tick(struct world *w)
{
	struct interval_bounds b = {.start_ns = w->now_ns,
				    .end_ns = w->now_ns + 1000000000,
				    .counters = w->counters,
				    .cpus = w->cpus,
				    .self_cpu_ns = 5000000};
	model_close(w->model, &b);
	w->now_ns = b.end_ns;
}

static void add(struct world *w, uint32_t task, uint32_t sym, uint32_t cpu, uint32_t event, int n, uint64_t period)
{
	for (int i = 0; i < n; i++)
		model_add(w->model, task, sym, cpu, event, period);
}

static struct query query(void)
{
	return (struct query){
		.window = WINDOW_INTERVAL,
		.sliding_ns = 5000000000ull,
		.only_task = CATALOG_NONE,
		.only_sym = CATALOG_NONE,
		.roles = roles,
	};
}

static struct snapshot *look(struct world *w, struct query q)
{
	return snapshot_create(w->model, &w->cat, &q);
}

static const struct row *find(const struct table *t, uint32_t sym, uint32_t task)
{
	for (size_t i = 0; i < t->n; i++)
		if (t->rows[i].sym == sym && t->rows[i].task == task && !t->rows[i].idle)
			return &t->rows[i];
	return NULL;
}

static const struct metric *metric(const char *id)
{
	for (size_t i = 0; i < metrics_n; i++)
		if (strcmp(metrics[i].id, id) == 0)
			return &metrics[i];
	fail_msg("no metric %s", id);
	return NULL;
}

/* cycles ran 25 % of the time, instructions 50 %, references always, misses never */
static void multiplexed_sums_and_errors_are_exact(void **state)
{
	(void)state;
	struct world w;
	world_init(&w);
	w.counters[CYCLES * CPUS].running_ns = 250;
	w.counters[INSTRUCTIONS * CPUS].running_ns = 500;
	for (int cpu = 0; cpu < CPUS; cpu++)
		w.counters[MISSES * CPUS + cpu] = (struct counter_delta){.enabled_ns = 1000, .opened = true};
	add(&w, APP, HOT, 0, CYCLES, 4, 100);
	add(&w, APP, HOT, 0, INSTRUCTIONS, 9, 200);
	add(&w, APP, HOT, 1, REFERENCES, 3, 7);
	tick(&w);
	struct snapshot *s = look(&w, query());

	const struct row *r = find(&s->symbols, HOT, CATALOG_NONE);
	assert_non_null(r);
	assert_int_equal(r->sums[CYCLES].samples, 4);
	assert_true(r->sums[CYCLES].weight == 4 * 100 * 4.0);
	assert_true(r->sums[CYCLES].var == 4 * 400.0 * 400.0);
	assert_true(r->sums[INSTRUCTIONS].weight == 9 * 200 * 2.0);
	assert_true(r->sums[INSTRUCTIONS].var == 9 * 400.0 * 400.0);
	assert_true(r->sums[REFERENCES].weight == 21);
	assert_true(r->sums[REFERENCES].var == 3 * 49.0);

	/* 3600/1600; relative error sqrt(1/9 + 1/4) since all weights are equal */
	struct ratio ipc = row_metric(s, r, metric("ipc"), roles);
	assert_true(ipc.valid);
	assert_true(ipc.value == 2.25);
	assert_true(fabs(ipc.error - 2.25 * sqrt(1 / 9.0 + 1 / 4.0)) < 1e-12);
	assert_false(ratio_supported(ipc));

	/* an event that never ran makes its ratios absent, not zero */
	assert_int_equal(s->events[MISSES].state, COUNT_NEVER);
	assert_false(row_metric(s, r, metric("cache-miss-ratio"), roles).valid);
	assert_false(total_metric(s, metric("mpki"), roles).valid);
	assert_int_equal(s->events[REFERENCES].state, COUNT_OK);

	/* counted totals: CPU 0 scaled by 4, CPU 1 as read */
	assert_true(s->events[CYCLES].count == 5000);
	assert_true(s->events[CYCLES].running == 1250 / 2000.0);
	assert_true(s->trust.running == 1250 / 2000.0);
	assert_true(s->cpus[0].counts[CYCLES] == 4000 && s->cpus[1].counts[CYCLES] == 1000);
	struct ratio total = total_metric(s, metric("ipc"), roles);
	assert_true(total.valid && total.value == 3000 / 5000.0 && total.error > 0);
	struct ratio cpu1 = cpu_metric(s, 1, metric("ipc"), roles);
	assert_true(cpu1.valid && cpu1.value == 1 && cpu1.error == 0);
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
	const struct row *r = find(&s->symbols, HOT, CATALOG_NONE);
	struct ratio ipc = row_metric(s, r, metric("ipc"), roles);
	assert_true(ipc.value == 1.5);
	assert_true(fabs(ipc.error - 1.5 * sqrt(2 / 100.0)) < 1e-12);
	assert_true(ratio_supported(ipc));
	/* counted, and not one sample: 0, with an error, and not supported by samples */
	struct ratio miss = row_metric(s, r, metric("cache-miss-ratio"), roles);
	assert_true(miss.valid && miss.value == 0 && miss.error == 2000 / 1000.0 && !ratio_supported(miss));
	assert_true(s->trust.explained_valid && s->trust.explained == 100000 / 2000.0);
	assert_true(s->trust.self == 0.005);
	snapshot_destroy(s);
	model_destroy(w.model);
}

static void nothing_to_divide_by_is_absent(void **state)
{
	(void)state;
	struct sum none = {0}, some = {.samples = 1, .weight = 5, .var = 25};
	assert_false(ratio_of(1, some, none, 1).valid);
	assert_false(ratio_of(1, none, none, 1).valid);
	struct ratio zero = ratio_of(1000, none, some, 2);
	assert_true(zero.valid && zero.value == 0 && zero.error == 400);
	struct ratio one = ratio_of(2, some, some, 1);
	assert_true(one.value == 2 && fabs(one.error - 2 * sqrt(2)) < 1e-12);
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
	const struct row *r = find(&s->symbols, HOT, CATALOG_NONE);
	assert_false(row_metric(s, r, metric("ipc"), roles).valid);
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
	add(&w, APP_THREAD, PENDING, 1, CYCLES, 2, 100); /* the same function in the end */
	add(&w, APP_THREAD, KERNEL, 1, CYCLES, 5, 100);
	add(&w, IDLE, KERNEL, 0, CYCLES, 50, 100);
	add(&w, SELF, COLD, 0, CYCLES, 10, 100);
	tick(&w);
	struct query q = query();
	q.hide_self = true;
	struct snapshot *s = look(&w, q);
	assert_true(s->busy_weight == 2000);
	assert_int_equal(s->symbols.n, 3); /* hot, sys, [idle] */
	const struct row *hot = find(&s->symbols, HOT, CATALOG_NONE);
	assert_true(hot->sums[CYCLES].weight == 500 && hot->share_valid && hot->share == 0.25);
	assert_null(find(&s->symbols, COLD, CATALOG_NONE));
	assert_int_equal(s->tasks.n, 2); /* app, [idle] */
	const struct row *app = find(&s->tasks, CATALOG_NONE, APP);
	assert_true(app->share == 0.5);
	/* 5 of 10 samples each: the smaller id wins a tie */
	assert_int_equal(app->top_sym, HOT);
	/* CPU 0: 300 of 1300 busy cycles in 400 ns; CPU 1: 700 of 700 */
	assert_true(app->cpu_valid && fabs(app->cpu_ns - (400 * 300 / 1300.0 + 400)) < 1e-9);
	assert_int_equal(s->by_cpu.n, 2);
	snapshot_destroy(s);

	q.by_thread = true;
	q.hide_self = false;
	s = look(&w, q);
	assert_int_equal(s->tasks.n, 4);
	assert_int_equal(find(&s->tasks, CATALOG_NONE, APP_THREAD)->top_sym, KERNEL);
	snapshot_destroy(s);
	model_destroy(w.model);
}

static void zoom_and_hiding_choose_rows_not_numbers(void **state)
{
	(void)state;
	struct world w;
	world_init(&w);
	add(&w, APP, HOT, 0, CYCLES, 3, 100);
	add(&w, APP, KERNEL, 0, CYCLES, 1, 100);
	add(&w, SELF, HOT, 0, CYCLES, 4, 100);
	add(&w, IDLE, KERNEL, 0, CYCLES, 9, 100);
	tick(&w);
	struct query q = query();
	q.only_task = APP;
	q.only_sym = KERNEL;
	struct snapshot *s = look(&w, q);
	assert_int_equal(s->symbols.n, 2);
	assert_true(find(&s->symbols, HOT, CATALOG_NONE)->share == 3 / 8.0);
	assert_int_equal(s->tasks.n, 2); /* app and [idle] run it */
	assert_true(find(&s->tasks, CATALOG_NONE, APP)->share == 1 / 8.0);
	snapshot_destroy(s);

	q = query();
	q.hide_kernel = true;
	s = look(&w, q);
	assert_null(find(&s->symbols, KERNEL, CATALOG_NONE));
	assert_true(find(&s->symbols, HOT, CATALOG_NONE)->share == 7 / 8.0);
	snapshot_destroy(s);

	q = query();
	q.only_task = IDLE; /* what runs on an idle CPU has its names there */
	s = look(&w, q);
	assert_int_equal(s->symbols.n, 1);
	assert_int_equal(s->symbols.rows[0].sym, KERNEL);
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
		assert_true(find(&s->symbols, HOT, CATALOG_NONE)->sums[CYCLES].weight == cases[i].weight);
		snapshot_destroy(s);
	}
	/* looking changes nothing */
	struct snapshot *a = look(&w, query()), *b = look(&w, query());
	assert_true(a->busy_weight == b->busy_weight && a->end_ns == b->end_ns);
	snapshot_destroy(a);
	snapshot_destroy(b);
	model_reset(w.model);
	struct snapshot *s = look(&w, query());
	assert_true(s->events[CYCLES].weight == 0 && s->symbols.n == 0);
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
	model_rekey(w.model, &w.cat, fold);
	struct query q = query();
	q.window = WINDOW_TOTAL;
	q.by_thread = true;
	struct snapshot *s = look(&w, q);
	assert_int_equal(s->tasks.n, 1);
	assert_true(s->tasks.rows[0].sums[CYCLES].weight == 4000);
	assert_true(s->tasks.rows[0].sums[CYCLES].var == 400 * 100.0);
	assert_int_equal(s->symbols.n, 1);
	snapshot_destroy(s);
	model_destroy(w.model);
}

static void clock_weight_is_time(void **state)
{
	(void)state;
	struct world w;
	world_init(&w);
	static const enum event_role clock_roles[EVENTS] = {ROLE_CLOCK};
	add(&w, APP, HOT, 0, 0, 300, 1000000);
	tick(&w);
	struct query q = query();
	q.roles = clock_roles;
	struct snapshot *s = look(&w, q);
	assert_true(find(&s->tasks, CATALOG_NONE, APP)->cpu_ns == 300e6);
	/* of 800 ns in steps of 10 ms nothing can be said */
	assert_false(s->trust.explained_valid);
	snapshot_destroy(s);
	w.cpus[0].busy_ns = w.cpus[1].busy_ns = 300000000;
	add(&w, APP, HOT, 0, 0, 300, 1000000);
	tick(&w);
	s = look(&w, q);
	assert_true(s->trust.explained_valid && s->trust.explained == 0.5);
	assert_false(row_metric(s, &s->tasks.rows[0], metric("ipc"), clock_roles).valid);
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
	static const struct event_kin kin[EVENTS] = {{10, 0}, {4, 0}, {10, 2}, {4, 2}};
	struct world w;
	world_init(&w);
	add(&w, APP, HOT, 0, 0, 10, 100);
	add(&w, APP, HOT, 1, 1, 10, 300);
	add(&w, APP, COLD, 1, 1, 10, 600);
	add(&w, APP, HOT, 0, 2, 10, 200);
	add(&w, APP, HOT, 1, 3, 10, 600);
	tick(&w);
	struct query q = query();
	q.roles = hybrid_roles;
	q.kin = kin;
	q.primary = 1;
	struct snapshot *s = look(&w, q);
	assert_int_equal(s->primary, 0);
	assert_true(s->busy_weight == 10000);
	const struct row *hot = find(&s->symbols, HOT, CATALOG_NONE);
	assert_true(hot->share == 0.4);
	assert_true(find(&s->symbols, COLD, CATALOG_NONE)->share == 0.6);
	assert_int_equal(find(&s->tasks, CATALOG_NONE, APP)->top_sym, COLD);
	assert_true(s->by_cpu.rows[0].share == 0.1 && s->by_cpu.rows[1].share == 0.9);
	assert_true(s->trust.explained_valid && s->trust.explained == 10000 / 4000.0);
	struct ratio ipc = row_metric(s, hot, metric("ipc"), hybrid_roles);
	assert_true(ipc.valid && ipc.value == 2);
	ipc = total_metric(s, metric("ipc"), hybrid_roles);
	assert_true(ipc.valid && ipc.value == 1 && ipc.error == 0);
	assert_true(snapshot_count(s, 1) == 4000 && snapshot_cpu_count(s, 1, 0) == 2000);

	struct report_keys keys;
	assert_int_equal(report_keys_parse("symbol", &keys, NULL), 0);
	struct report *r = report_create(w.model, &w.cat, &q, &keys);
	assert_int_equal(r->table.rows[0].sym, COLD);
	assert_true(r->table.rows[0].share == 0.6);
	report_destroy(r);
	snapshot_destroy(s);

	/* Only one PMU counts instructions: its cycles alone are what they are divided by. */
	static const enum event_role lopsided[EVENTS] = {ROLE_CYCLES, ROLE_CYCLES, ROLE_INSTRUCTIONS, ROLE_OTHER};
	q.roles = lopsided;
	static const struct event_kin apart[EVENTS] = {{10, 0}, {4, 0}, {10, 2}};
	q.kin = apart;
	s = look(&w, q);
	ipc = row_metric(s, find(&s->symbols, HOT, CATALOG_NONE), metric("ipc"), lopsided);
	assert_true(ipc.valid && ipc.value == 2000 / 1000.0);
	snapshot_destroy(s);
	model_destroy(w.model);
}

/* While its table is read, a DSO is one row, however many addresses wait for names;
 * afterwards each counts under its function. */
static void a_file_that_is_being_read_is_one_row(void **state)
{
	(void)state;
	struct world w;
	world_init(&w);
	w.syms[COLD].state = w.syms[PENDING].state = SYM_PENDING;
	w.syms[PENDING].canonical = PENDING;
	w.dsos[0].pending = COLD + 1;
	add(&w, APP, COLD, 0, CYCLES, 2, 100);
	add(&w, APP, PENDING, 0, CYCLES, 3, 100);
	add(&w, APP, HOT, 0, CYCLES, 5, 100);
	tick(&w);
	struct snapshot *s = look(&w, query());
	assert_int_equal(s->symbols.n, 2);
	const struct row *reading = find(&s->symbols, COLD, CATALOG_NONE);
	assert_true(reading->pending && reading->share == 0.5);
	snapshot_destroy(s);
	w.dsos[0].pending = 0;
	w.syms[COLD].state = SYM_NAMED;
	w.syms[PENDING] = w.syms[HOT];
	model_rekey(w.model, &w.cat, NULL);
	s = look(&w, query());
	assert_int_equal(s->symbols.n, 2);
	assert_true(find(&s->symbols, COLD, CATALOG_NONE)->share == 0.2);
	assert_true(find(&s->symbols, HOT, CATALOG_NONE)->share == 0.8);
	snapshot_destroy(s);
	model_destroy(w.model);
}

/* Its addresses without a name are one row, though names may be fetched for each of them. */
static void addresses_without_a_name_are_one_row(void **state)
{
	(void)state;
	struct world w;
	world_init(&w);
	w.syms[COLD].state = w.syms[PENDING].state = SYM_UNRESOLVED;
	w.syms[PENDING].canonical = PENDING;
	w.dsos[0].nameless = COLD + 1;
	add(&w, APP, COLD, 0, CYCLES, 2, 100);
	add(&w, APP, PENDING, 0, CYCLES, 3, 100);
	add(&w, APP, HOT, 0, CYCLES, 5, 100);
	tick(&w);
	model_rekey(w.model, &w.cat, NULL);
	struct snapshot *s = look(&w, query());
	assert_int_equal(s->symbols.n, 2);
	const struct row *nameless = find(&s->symbols, COLD, CATALOG_NONE);
	assert_true(nameless->unresolved && nameless->share == 0.5);
	snapshot_destroy(s);
	/* One of them gets a name. */
	w.syms[PENDING] = w.syms[HOT];
	model_rekey(w.model, &w.cat, NULL);
	s = look(&w, query());
	assert_true(find(&s->symbols, COLD, CATALOG_NONE)->share == 0.2);
	assert_true(find(&s->symbols, HOT, CATALOG_NONE)->share == 0.8);
	snapshot_destroy(s);
	model_destroy(w.model);
}

/* What a sample seems to be counts for that, and can still become something else: in what
 * was closed, and in what is still open. */
static void a_symbol_that_is_provisional(void **state)
{
	(void)state;
	struct world w;
	world_init(&w);
	w.syms[PENDING].provisional = true;
	add(&w, APP, PENDING, 0, CYCLES, 3, 100);
	add(&w, APP, COLD, 0, CYCLES, 1, 100);
	tick(&w);
	add(&w, APP, PENDING, 0, CYCLES, 4, 100);
	add(&w, APP, COLD, 0, CYCLES, 2, 100);
	model_rekey(w.model, &w.cat, NULL);
	struct snapshot *s = look(&w, query());
	assert_true(find(&s->symbols, HOT, CATALOG_NONE)->share == 0.75);
	snapshot_destroy(s);
	w.syms[PENDING].canonical = COLD;
	w.syms[PENDING].provisional = false;
	model_rekey(w.model, &w.cat, NULL);
	w.syms[PENDING].canonical = KERNEL; /* the id is another's now */
	struct model_stats st;
	model_stats_get(w.model, &st);
	assert_int_equal(st.facts, 2); /* closed, and open */
	struct query q = query();
	q.window = WINDOW_TOTAL;
	for (int round = 0; round < 2; round++, tick(&w)) {
		s = look(&w, q);
		assert_int_equal(s->symbols.n, 1);
		const struct row *row = find(&s->symbols, COLD, CATALOG_NONE);
		assert_int_equal(row->sums[CYCLES].samples, round ? 10 : 4);
		assert_true(row->sums[CYCLES].weight == (round ? 1000 : 400));
		assert_true(row->sums[CYCLES].var == (round ? 100000 : 40000));
		snapshot_destroy(s);
	}
	model_destroy(w.model);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(multiplexed_sums_and_errors_are_exact),
		cmocka_unit_test(fully_counted_ratio_is_plain),
		cmocka_unit_test(nothing_to_divide_by_is_absent),
		cmocka_unit_test(zero_period_does_not_divide),
		cmocka_unit_test(tables_group_the_same_facts),
		cmocka_unit_test(zoom_and_hiding_choose_rows_not_numbers),
		cmocka_unit_test(windows_go_by_event_time),
		cmocka_unit_test(history_is_bounded_and_rekeyed),
		cmocka_unit_test(clock_weight_is_time),
		cmocka_unit_test(events_of_both_pmus_count_as_one),
		cmocka_unit_test(a_file_that_is_being_read_is_one_row),
		cmocka_unit_test(addresses_without_a_name_are_one_row),
		cmocka_unit_test(a_symbol_that_is_provisional),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
