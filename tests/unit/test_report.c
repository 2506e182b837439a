/* Reports by any keys, for a small machine whose totals can be added up by hand. */
#include <cyctop/model.h>

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { CYCLES, INSTRUCTIONS, EVENTS };
enum { CPUS = 3 };
/* two processes with the same comm, one of which has a thread with another comm */
enum { IDLE, MAKE, CC, CC_THREAD, CC_AGAIN, SELF, TASKS };
enum { HOT_A, HOT_B, HOT_A_TWIN, SYS, PENDING, SYMS };
enum { APP, LIB, KERNEL, DSOS };

static const enum event_role roles[EVENTS] = {ROLE_CYCLES, ROLE_INSTRUCTIONS};

struct world {
	struct task_info tasks[TASKS];
	struct sym_info syms[SYMS];
	struct dso_info dsos[DSOS];
	struct catalog cat;
	struct model *model;
	struct counter_delta counters[EVENTS * CPUS];
	struct cpu_delta cpus[CPUS];
	uint64_t now_ns;
};

static void world_init(struct world *w)
{
	*w = (struct world){
		.tasks = {[IDLE] = {.comm = "swapper", .leader = IDLE, .idle = true},
			  [MAKE] = {.pid = 10, .tid = 10, .comm = "make", .leader = MAKE},
			  [CC] = {.pid = 20, .tid = 20, .comm = "cc", .leader = CC},
			  [CC_THREAD] = {.pid = 20, .tid = 21, .comm = "cc-io", .leader = CC},
			  [CC_AGAIN] = {.pid = 30, .tid = 30, .comm = "cc", .leader = CC_AGAIN},
			  [SELF] = {.pid = 99, .tid = 99, .comm = "cyctop", .leader = SELF, .self = true}},
		.syms = {[HOT_A] = {.dso = APP, .resolved = HOT_A, .row_sym = HOT_A, .name = "hot"},
			 [HOT_B] = {.dso = LIB, .resolved = HOT_B, .row_sym = HOT_B, .name = "hot"},
			 [HOT_A_TWIN] = {.dso = APP, .resolved = HOT_A_TWIN, .row_sym = HOT_A_TWIN, .name = "hot"},
			 [SYS] = {.dso = KERNEL, .resolved = SYS, .row_sym = SYS, .name = "sys", .kernel = true},
			 [PENDING] = {.dso = APP, .resolved = HOT_A, .row_sym = HOT_A, .name = "[app]"}},
		.dsos = {[APP] = {.path = "/bin/app"}, [LIB] = {.path = "/lib/app"}, [KERNEL] = {.path = "[kernel]"}},
		.now_ns = 1000000000,
	};
	w->cat = (struct catalog){w->tasks, w->syms, w->dsos, TASKS, SYMS, DSOS};
	struct model_config config = {
		.events_n = EVENTS, .cpus_n = CPUS, .keep_ns = 60000000000ull, .keep_bytes = 1 << 20};
	w->model = model_create(&config);
	for (size_t i = 0; i < EVENTS * CPUS; i++)
		w->counters[i] =
			(struct counter_delta){.value = 1000, .enabled_ns = 1000, .running_ns = 1000, .opened = true};
}

static void add(struct world *w, uint32_t task, uint32_t sym, uint32_t cpu, uint32_t event, int n)
{
	for (int i = 0; i < n; i++)
		model_add(w->model, task, sym, cpu, event, 10);
}

static void tick(struct world *w)
{
	struct interval_bounds b = {
		.start_ns = w->now_ns, .end_ns = w->now_ns + 1000000000, .counters = w->counters, .cpus = w->cpus};
	model_close(w->model, &b);
	w->now_ns = b.end_ns;
}

static void fill(struct world *w)
{
	world_init(w);
	add(w, IDLE, SYS, 0, CYCLES, 100);
	add(w, MAKE, HOT_A, 0, CYCLES, 1);
	add(w, CC, HOT_A, 0, CYCLES, 2);
	add(w, CC, HOT_A_TWIN, 1, CYCLES, 4);
	add(w, CC_THREAD, PENDING, 1, CYCLES, 8);
	add(w, CC_AGAIN, HOT_B, 2, CYCLES, 16);
	add(w, CC_AGAIN, SYS, 2, CYCLES, 32);
	add(w, SELF, HOT_B, 1, CYCLES, 64);
	add(w, CC, HOT_A, 2, INSTRUCTIONS, 3);
	add(w, CC_AGAIN, HOT_A, 2, INSTRUCTIONS, 5);
	tick(w);
}

static struct query query(void)
{
	return (struct query){.window = WINDOW_TOTAL, .roles = roles};
}

static struct snapshot *look(const struct world *w, const char *keys, struct query q)
{
	const struct model_names names = {.cat = &w->cat, .cpus_n = CPUS, .events_n = EVENTS};
	struct pivot_query report = {.by_name = true};
	struct error err;
	assert_int_equal(pivot_dims_parse(keys, NULL, &report, &err), 0);
	q.pivots = &report;
	q.pivots_n = 1;
	return snapshot_create(w->model, &names, &q);
}

/* Compares one row with a text: "comm=cc dso=/bin/app 6/3". */
static void assert_row(const struct world *w, const struct pivot *r, size_t at, const char *want)
{
	const struct model_names names = {.cat = &w->cat, .cpus_n = CPUS, .events_n = EVENTS};
	char got[200] = "";
	assert_true(at < r->n);
	const struct row *row = &r->rows[at];
	for (size_t i = 0; i < r->query.dims_n; i++) {
		const struct dimension *dim = &dimensions[r->query.dims[i]];
		struct key_value v = dim->value(&names, row_part(row, dim->part));
		char number[24];
		snprintf(number, sizeof(number), "%llu", (unsigned long long)v.number);
		size_t n = strlen(got);
		snprintf(got + n, sizeof(got) - n, "%s=%s ", dim->id, v.kind == KEY_TEXT ? v.text : number);
	}
	size_t n = strlen(got);
	snprintf(got + n, sizeof(got) - n, "%llu/%llu", (unsigned long long)row->sums[CYCLES].samples,
		 (unsigned long long)row->sums[INSTRUCTIONS].samples);
	assert_string_equal(got, want);
}

static void assert_rows(const char *keys, struct query q, const char *const *want, size_t n)
{
	struct world w;
	fill(&w);
	struct snapshot *snap = look(&w, keys, q);
	const struct pivot *r = &snap->pivots[0];
	assert_int_equal(r->n, n);
	for (size_t i = 0; i < n; i++)
		assert_row(&w, r, i, want[i]);
	snapshot_destroy(snap);
	model_destroy(w.model);
}

static void same_names_are_one_row(void **state)
{
	(void)state;
	static const char *const comm[] = {"comm=swapper 100/0", "comm=cyctop 64/0", "comm=cc 54/8", "comm=cc-io 8/0",
					   "comm=make 1/0"};
	assert_rows("comm", query(), comm, ARRAY_LEN(comm));
	static const char *const symbol[] = {"symbol=sys 132/0", "symbol=hot 95/8"};
	assert_rows("symbol", query(), symbol, ARRAY_LEN(symbol));
	static const char *const dso[] = {"dso=[kernel] 132/0", "dso=/lib/app 80/0", "dso=/bin/app 15/8"};
	assert_rows("dso", query(), dso, ARRAY_LEN(dso));
}

static void ids_are_told_apart_where_they_are_keys(void **state)
{
	(void)state;
	static const char *const pid[] = {"pid=0 100/0", "pid=99 64/0", "pid=30 48/5", "pid=20 14/3", "pid=10 1/0"};
	assert_rows("pid", query(), pid, ARRAY_LEN(pid));
	static const char *const tid[] = {"tid=0 100/0", "tid=99 64/0", "tid=30 48/5",
					  "tid=21 8/0",	 "tid=20 6/3",	"tid=10 1/0"};
	assert_rows("tid", query(), tid, ARRAY_LEN(tid));
	static const char *const cpu[] = {"cpu=0 103/0", "cpu=1 76/0", "cpu=2 48/8"};
	assert_rows("cpu", query(), cpu, ARRAY_LEN(cpu));
}

static void keys_combine_in_any_order(void **state)
{
	(void)state;
	static const char *const three[] = {
		"symbol=sys cpu=0 comm=swapper 100/0", "symbol=hot cpu=1 comm=cyctop 64/0",
		"symbol=sys cpu=2 comm=cc 32/0",       "symbol=hot cpu=2 comm=cc 16/8",
		"symbol=hot cpu=1 comm=cc-io 8/0",     "symbol=hot cpu=1 comm=cc 4/0",
		"symbol=hot cpu=0 comm=cc 2/0",	       "symbol=hot cpu=0 comm=make 1/0",
	};
	assert_rows("symbol,cpu,comm", query(), three, ARRAY_LEN(three));
	static const char *const two[] = {
		"comm=swapper dso=[kernel] 100/0", "comm=cyctop dso=/lib/app 64/0", "comm=cc dso=[kernel] 32/0",
		"comm=cc dso=/lib/app 16/0",	   "comm=cc-io dso=/bin/app 8/0",   "comm=cc dso=/bin/app 6/8",
		"comm=make dso=/bin/app 1/0",
	};
	assert_rows("comm,dso", query(), two, ARRAY_LEN(two));
}

static void rows_of_symbols_say_what_is_known_of_them(void **state)
{
	(void)state;
	struct world w;
	fill(&w);
	w.syms[SYS].state = SYM_UNRESOLVED;
	struct snapshot *snap = look(&w, "symbol", query());
	const struct pivot *r = &snap->pivots[0];
	assert_true(r->rows[0].kernel && r->rows[0].unresolved);
	assert_false(r->rows[1].kernel || r->rows[1].unresolved || r->rows[1].pending);
	snapshot_destroy(snap);
	snap = look(&w, "dso,comm", query());
	r = &snap->pivots[0];
	for (size_t i = 0; i < r->n; i++)
		assert_false(r->rows[i].unresolved);
	snapshot_destroy(snap);
	model_destroy(w.model);
}

static void every_sample_is_in_a_row(void **state)
{
	(void)state;
	static const char *const lists[] = {
		"symbol", "dso", "comm", "pid", "tid", "cpu", "comm,dso,symbol", "cpu,tid,pid,comm,dso,symbol",
	};
	struct world w;
	fill(&w);
	/* samples of a task that is not in the catalog are in the report, too */
	add(&w, 77, HOT_A, 0, CYCLES, 1);
	add(&w, MAKE, 88, 0, CYCLES, 1);
	tick(&w);
	for (size_t i = 0; i < ARRAY_LEN(lists); i++) {
		struct snapshot *snap = look(&w, lists[i], query());
		const struct pivot *r = &snap->pivots[0];
		uint64_t samples = 0;
		double share = 0;
		for (size_t k = 0; k < r->n; k++) {
			samples += r->rows[k].sums[CYCLES].samples;
			assert_true(r->rows[k].share_valid);
			share += r->rows[k].share;
		}
		assert_int_equal(samples, 227 + 2);
		assert_true(share > 0.999999 && share < 1.000001);
		snapshot_destroy(snap);
	}
	model_destroy(w.model);
}

static void hidden_parts_are_left_out(void **state)
{
	(void)state;
	struct query q = query();
	q.hide_kernel = q.hide_self = true;
	static const char *const user[] = {"comm=cc 22/8", "comm=cc-io 8/0", "comm=make 1/0"};
	assert_rows("comm", q, user, ARRAY_LEN(user));
	q = query();
	q.hide_user = true;
	static const char *const kernel[] = {"comm=swapper 100/0", "comm=cc 32/0"};
	assert_rows("comm", q, kernel, ARRAY_LEN(kernel));
}

static void windows_and_weights_are_those_of_snapshots(void **state)
{
	(void)state;
	struct world w;
	fill(&w);
	w.counters[CYCLES * CPUS].running_ns = 250;
	add(&w, MAKE, HOT_A, 0, CYCLES, 7);
	tick(&w);
	struct query q = query();
	q.window = WINDOW_INTERVAL;
	struct snapshot *snap = look(&w, "comm", q);
	const struct pivot *r = &snap->pivots[0];
	assert_int_equal(r->n, 1);
	assert_row(&w, r, 0, "comm=make 7/0");
	assert_true(r->rows[0].sums[CYCLES].weight == 7 * 10 * 4.0);
	assert_true(r->rows[0].sums[CYCLES].var == 7 * 40.0 * 40.0);
	snapshot_destroy(snap);
	snap = look(&w, "comm", query());
	r = &snap->pivots[0];
	assert_int_equal(r->n, 5);
	snapshot_destroy(snap);

	model_reset(w.model);
	snap = look(&w, "pid,symbol", query());
	r = &snap->pivots[0];
	assert_int_equal(r->n, 0);
	snapshot_destroy(snap);
	model_destroy(w.model);
}

static void keys_are_parsed_or_refused(void **state)
{
	(void)state;
	struct pivot_query q = {.by_name = true};
	struct error err;
	assert_int_equal(pivot_dims_parse("comm,dso,symbol", NULL, &q, &err), 0);
	assert_int_equal(q.dims_n, 3);
	assert_int_equal(q.dims[0], DIM_COMM);
	assert_int_equal(q.dims[1], DIM_DSO);
	assert_int_equal(q.dims[2], DIM_SYMBOL);
	assert_int_equal(pivot_dims_parse("cpu,tid,pid,comm,dso,symbol", NULL, &q, &err), 0);
	assert_int_equal(q.dims_n, 6);
	static const char *const bad[] = {"",
					  ",",
					  "comm,",
					  ",comm",
					  "comm,,dso",
					  "com",
					  "commx",
					  "ipc",
					  "COMM",
					  "comm, dso",
					  "-comm",
					  "pid,pid",
					  "cpu,tid,pid,comm,dso,symbol,cpu"};
	for (size_t i = 0; i < ARRAY_LEN(bad); i++)
		assert_int_equal(pivot_dims_parse(bad[i], NULL, &q, &err), -EINVAL);
	assert_int_equal(q.dims_n, 6); /* a refused list does not change the query */
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(same_names_are_one_row),
		cmocka_unit_test(ids_are_told_apart_where_they_are_keys),
		cmocka_unit_test(keys_combine_in_any_order),
		cmocka_unit_test(every_sample_is_in_a_row),
		cmocka_unit_test(rows_of_symbols_say_what_is_known_of_them),
		cmocka_unit_test(hidden_parts_are_left_out),
		cmocka_unit_test(windows_and_weights_are_those_of_snapshots),
		cmocka_unit_test(keys_are_parsed_or_refused),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
