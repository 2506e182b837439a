/* Grouping and filtering facts by dimensions. */
#include "../lib/model_world.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

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
	static const struct pivot_query zoomed[] = {
		{.dims = {DIM_SYMBOL}, .dims_n = 1, .filters = {{DIM_PID, APP}}, .filters_n = 1},
		{.dims = {DIM_PID}, .dims_n = 1, .filters = {{DIM_SYMBOL, KERNEL}}, .filters_n = 1},
	};
	q.pivots = zoomed;
	q.pivots_n = ARRAY_LEN(zoomed);
	struct snapshot *s = look(&w, q);
	assert_int_equal(s->pivots[BY_SYMBOL].n, 2);
	assert_true(find(&s->pivots[BY_SYMBOL], HOT, CATALOG_NONE)->share == 3 / 8.0);
	assert_int_equal(s->pivots[BY_PID].n, 2); /* the app and the idle task run this symbol */
	assert_true(find(&s->pivots[BY_PID], CATALOG_NONE, APP)->share == 1 / 8.0);
	snapshot_destroy(s);

	q = query();
	q.hide_kernel = true;
	s = look(&w, q);
	assert_null(find(&s->pivots[BY_SYMBOL], KERNEL, CATALOG_NONE));
	assert_true(find(&s->pivots[BY_SYMBOL], HOT, CATALOG_NONE)->share == 7 / 8.0);
	snapshot_destroy(s);

	q = query();
	/* by name, the symbols that the idle task runs are rows */
	static const struct pivot_query idle = {
		.dims = {DIM_SYMBOL}, .dims_n = 1, .filters = {{DIM_PID, IDLE}}, .filters_n = 1};
	q.pivots = &idle;
	q.pivots_n = 1;
	s = look(&w, q);
	assert_int_equal(s->pivots[BY_SYMBOL].n, 1);
	assert_int_equal(s->pivots[BY_SYMBOL].rows[0].sym, KERNEL);
	snapshot_destroy(s);
	model_destroy(w.model);
}

/* Of code without a name, a row knows the process that has most of it; of other code, none. */
static void rows_without_a_name_know_whose_they_are(void **state)
{
	(void)state;
	struct world w;
	world_init(&w);
	w.syms[COLD].state = SYM_UNRESOLVED;
	add(&w, APP, HOT, 0, CYCLES, 3, 100);
	add(&w, APP, COLD, 0, CYCLES, 2, 100);
	add(&w, APP_THREAD, COLD, 1, CYCLES, 2, 100);
	add(&w, SELF, COLD, 0, CYCLES, 3, 100);
	tick(&w);
	struct snapshot *s = look(&w, query());
	assert_int_equal(find(&s->pivots[BY_SYMBOL], COLD, CATALOG_NONE)->top, APP);
	assert_int_equal(find(&s->pivots[BY_SYMBOL], HOT, CATALOG_NONE)->top, CATALOG_NONE);
	snapshot_destroy(s);
	model_destroy(w.model);
}

static bool is_this_task(const void *ctx, const struct model_names *names, uint32_t id)
{
	return names->cat->tasks[id].pid == *(const int32_t *)ctx;
}

static bool is_this_cpu(const void *ctx, const struct model_names *names, uint32_t id)
{
	(void)names;
	return id == *(const uint32_t *)ctx;
}

/* The filters of a query apply to all its pivots, and leave totals and shares as they are. */
static void a_query_leaves_out_rows_of_all_pivots(void **state)
{
	(void)state;
	struct world w;
	world_init(&w);
	add(&w, APP, HOT, 0, CYCLES, 3, 100);
	add(&w, APP_THREAD, KERNEL, 1, CYCLES, 1, 100);
	add(&w, SELF, HOT, 0, CYCLES, 4, 100);
	tick(&w);
	const int32_t pid = w.tasks[APP].pid;
	const uint32_t cpu = 0;
	const struct filter only[] = {{.dim = DIM_PID, .accepts = is_this_task, .ctx = &pid},
				      {.dim = DIM_CPU, .accepts = is_this_cpu, .ctx = &cpu}};
	struct query q = query();
	q.hide_self = false;
	q.only = only;
	q.only_n = 1;
	struct snapshot *s = look(&w, q);
	assert_int_equal(s->events[CYCLES].samples, 8);
	assert_int_equal(s->pivots[BY_SYMBOL].n, 2);
	assert_true(find(&s->pivots[BY_SYMBOL], HOT, CATALOG_NONE)->share == 3 / 8.0);
	assert_true(find(&s->pivots[BY_SYMBOL], KERNEL, CATALOG_NONE)->share == 1 / 8.0);
	assert_int_equal(s->pivots[BY_PID].n, 1);
	assert_int_equal(s->pivots[BY_CPU].n, 2);
	snapshot_destroy(s);

	q.only_n = 2; /* both */
	s = look(&w, q);
	assert_int_equal(s->pivots[BY_SYMBOL].n, 1);
	assert_int_equal(s->pivots[BY_CPU].n, 1);
	snapshot_destroy(s);

	q.only = &only[1]; /* the CPU alone: no row for the others, sampled or not */
	q.only_n = 1;
	s = look(&w, q);
	assert_int_equal(s->pivots[BY_CPU].n, 1);
	assert_int_equal(s->pivots[BY_CPU].rows[0].cpu, 0);
	assert_true(find(&s->pivots[BY_SYMBOL], HOT, CATALOG_NONE)->share == 7 / 8.0);
	snapshot_destroy(s);
	model_destroy(w.model);
}

/* Every dimension groups, filters and names its keys. */
static void facts_are_grouped_by_any_dimension(void **state)
{
	(void)state;
	struct world w;
	world_init(&w);
	w.tasks[APP].uid = w.tasks[APP_THREAD].uid = 1000;
	w.tasks[SELF].uid = 1000;
	w.tasks[IDLE].uid = CATALOG_NONE;
	static const struct cpu_place places[CPUS] = {{"0:0", 0, 0}, {"1:0", 1, 0}};
	static const char *const pmus[EVENTS] = {"cpu", "cpu", "cpu", "software"};
	const struct model_names names = {
		.cat = &w.cat, .places = places, .cpus_n = CPUS, .pmus = pmus, .events_n = EVENTS};
	struct cgroup_info cgroup = {.id = 7, .path = "/web"};
	struct fields_info values[] = {
		{{NULL}},
		{{[FIELDS_MAX] = "L1 hit", "LOAD", "None", "L1 or L2 hit", "No", "N/A", "0x1000", "0x2000"}},
	};
	struct ctx_info hot_in_web = {
		.sym = HOT, .cgroup = 0, .parallelism = 3, .fields = 1, .caller = COLD, .settled = CTX_EXTENDED};
	w.cat.fields = values;
	w.cat.fields_n = ARRAY_LEN(values);
	w.cat.cgroups = &cgroup;
	w.cat.contexts = &hot_in_web;
	w.cat.cgroups_n = w.cat.contexts_n = 1;
	w.tasks[SELF].comm_nodigit = "cyc<N>";
	add(&w, APP, CTX_EXTENDED, 0, CYCLES, 1, 100);
	add(&w, APP_THREAD, KERNEL, 1, CYCLES, 2, 100);
	add(&w, SELF, COLD, 1, CYCLES, 4, 100);
	add(&w, IDLE, KERNEL, 0, CYCLES, 8, 100);
	add(&w, APP, HOT, 0, MISSES, 16, 100);
	tick(&w);
	static const struct {
		enum dimension_id dim;
		const char *rows; /* by descending samples of all events */
	} cases[] = {
		{DIM_SYMBOL, "hot 17, idle 8, cold 4, sys 2, "},
		{DIM_DSO, "/bin/app 23, idle 8, "},
		{DIM_MODE, "user 21, idle 8, kernel 2, "},
		{DIM_ORIGIN, "jvm 17, idle 8, ? 6, "},
		{DIM_CHAIN, "hot 16, idle 8, cold 4, sys 2, hot<cold 1, "},
		{DIM_PID, "10 19, idle 8, 20 4, "},
		{DIM_TID, "10 17, idle 8, 20 4, 11 2, "},
		{DIM_COMM, "app 19, idle 8, cyctop 4, "},
		{DIM_COMM_NODIGIT, "app 19, idle 8, cyc<N> 4, "},
		{DIM_USER, "1000 23, idle 8, "},
		{DIM_PARENT, "sh (9) 19, idle 8, bash (8) 4, "},
		{DIM_CGROUP, "? 22, idle 8, /web 1, "},
		{DIM_PARALLELISM, "? 22, idle 8, 3 1, "},
		{DIM_CONTEXT, "task 21, idle 8, ? 2, "},
		{DIM_MEM_LEVEL, "? 22, idle 8, L1 hit 1, "},
		{DIM_MEM_OP, "? 22, idle 8, LOAD 1, "},
		{DIM_SNOOP, "? 22, idle 8, None 1, "},
		{DIM_TLB, "? 22, idle 8, L1 or L2 hit 1, "},
		{DIM_LOCKED, "? 22, idle 8, No 1, "},
		{DIM_BLOCKED, "? 22, idle 8, N/A 1, "},
		{DIM_DATA_PAGE, "? 22, idle 8, 0x1000 1, "},
		{DIM_PHYS_PAGE, "? 22, idle 8, 0x2000 1, "},
		{DIM_CPU, "0 25, 1 6, "},
		{DIM_CORE, "0:0 25, 1:0 6, "},
		{DIM_SOCKET, "0 25, 1 6, "},
		{DIM_NODE, "0 31, "},
		{DIM_PMU, "software 16, cpu 15, "},
	};
	_Static_assert(ARRAY_LEN(cases) == DIM_FIELD1 - 3, "a case for each, but callers and branches");
	for (size_t c = 0; c < ARRAY_LEN(cases); c++) {
		const struct pivot_query by = {.dims = {cases[c].dim}, .dims_n = 1};
		struct query q = query();
		q.pivots = &by;
		q.pivots_n = 1;
		struct snapshot *s = snapshot_create(w.model, &names, &q);
		char got[200] = "";
		bool done[8] = {false};
		for (size_t n = 0; n < s->pivots[0].n; n++) {
			uint64_t most = 0, samples[8] = {0};
			size_t at = 0;
			for (size_t i = 0; i < s->pivots[0].n; i++) {
				for (size_t e = 0; e < EVENTS; e++)
					samples[i] += s->pivots[0].rows[i].sums[e].samples;
				if (!done[i] && samples[i] > most) {
					most = samples[i];
					at = i;
				}
			}
			done[at] = true;
			const struct row *row = &s->pivots[0].rows[at];
			enum fact_part part = dimensions[cases[c].dim].part;
			struct key_value v = dimension_value(&names, cases[c].dim, row_part(row, part));
			char number[24];
			snprintf(number, sizeof(number), "%llu", (unsigned long long)v.number);
			if (cases[c].dim == DIM_CHAIN) /* whose value is a hash */
				snprintf(number, sizeof(number), "%s%s", row->idle ? "" : w.syms[row->sym].name,
					 row->ctx == CTX_EXTENDED ? "<cold" : "");
			snprintf(got + strlen(got), sizeof(got) - strlen(got), "%s %llu, ",
				 row->idle		 ? "idle"
				 : v.kind == KEY_TEXT	 ? v.text
				 : v.kind == KEY_UNKNOWN ? "?"
							 : number,
				 (unsigned long long)most);
			/* a zoom into a row shows the samples of that row */
			struct pivot_query zoom = {
				.dims = {DIM_CPU},
				.dims_n = 1,
				.filters = {{cases[c].dim, dimension_key(&names, cases[c].dim, row_part(row, part))}},
				.filters_n = 1};
			if (row->idle)
				continue;
			q.pivots = &zoom;
			struct snapshot *z = snapshot_create(w.model, &names, &q);
			uint64_t zoomed = 0;
			for (size_t i = 0; i < z->pivots[0].n; i++)
				for (size_t e = 0; e < EVENTS; e++)
					zoomed += z->pivots[0].rows[i].sums[e].samples;
			/* a zoom to kernel code also shows the samples of the idle task in it */
			if (part != PART_CONTEXT)
				assert_int_equal(zoomed, most);
			snapshot_destroy(z);
		}
		assert_string_equal(got, cases[c].rows);
		snapshot_destroy(s);
	}
	model_destroy(w.model);
}

/* The key of a zoom contains the generation of its id, so a reused id does not match it. */
static void a_reused_id_is_another_key(void **state)
{
	(void)state;
	struct world w;
	world_init(&w);
	add(&w, APP, HOT, 0, CYCLES, 3, 100);
	tick(&w);
	const struct model_names names = {.cat = &w.cat, .cpus_n = CPUS, .events_n = EVENTS};
	static const enum dimension_id dims[] = {DIM_PID, DIM_TID, DIM_SYMBOL, DIM_DSO};
	static const uint32_t ids[] = {APP, APP, HOT, HOT};
	struct pivot_query zooms[ARRAY_LEN(dims)];
	for (size_t i = 0; i < ARRAY_LEN(dims); i++)
		zooms[i] = (struct pivot_query){.dims = {DIM_CPU},
						.dims_n = 1,
						.filters = {{dims[i], dimension_key(&names, dims[i], ids[i])}},
						.filters_n = 1};
	struct query q = query();
	q.pivots = zooms;
	q.pivots_n = ARRAY_LEN(zooms);
	for (int reused = 0; reused < 2; reused++) {
		struct snapshot *s = look(&w, q);
		for (size_t i = 0; i < ARRAY_LEN(dims); i++)
			assert_int_equal(s->pivots[i].n, reused ? 0 : 1);
		snapshot_destroy(s);
		w.tasks[APP].generation++;
		w.syms[HOT].generation++;
		w.dsos[0].generation++;
	}
	model_destroy(w.model);
}

/* The row of a task in a tree, and the index of the row above it. */
static const struct row *in_tree(const struct pivot *p, uint32_t task, uint32_t *above_ret)
{
	const struct row *row = find(p, CATALOG_NONE, task);
	assert_non_null(row);
	*above_ret = row->parent == ROW_ROOT ? CATALOG_NONE : p->rows[row->parent].task;
	return &p->trees[row - p->rows];
}

static struct snapshot *look_at_tree(struct world *w, enum dimension_id dim)
{
	struct pivot_query tree = {.dims = {dim}, .dims_n = 1, .top = DIM_SYMBOL, .tree = true};
	struct query q = query();
	q.pivots = &tree;
	q.pivots_n = 1;
	return look(w, q);
}

/* The app started cyctop. */
static void world_of_family(struct world *w)
{
	world_init(w);
	w->tasks[SELF].parent = "app (10)";
	w->tasks[SELF].ppid = 10;
}

static void tasks_are_below_those_that_started_them(void **state)
{
	(void)state;
	struct world w;
	uint32_t above;
	world_of_family(&w);
	add(&w, APP, HOT, 0, CYCLES, 1, 100);
	add(&w, APP_THREAD, HOT, 0, CYCLES, 2, 100);
	add(&w, SELF, COLD, 1, CYCLES, 5, 100);
	tick(&w);
	struct snapshot *s = look_at_tree(&w, DIM_PID);
	const struct pivot *p = &s->pivots[0];
	const struct row *app = in_tree(p, APP, &above);
	assert_int_equal(above, CATALOG_NONE);
	assert_int_equal(app->sums[CYCLES].samples, 8);
	assert_true(fabs(app->share - 1) < 1e-9);
	assert_int_equal(app->top, COLD);
	assert_int_equal(find(p, CATALOG_NONE, APP)->sums[CYCLES].samples, 3);
	assert_int_equal(find(p, CATALOG_NONE, APP)->top, HOT);
	assert_int_equal(in_tree(p, SELF, &above)->sums[CYCLES].samples, 5);
	assert_int_equal(above, APP);
	assert_int_equal(find(p, CATALOG_NONE, SELF)->depth, 1);
	snapshot_destroy(s);

	s = look_at_tree(&w, DIM_TID); /* a thread is below its process's first */
	p = &s->pivots[0];
	assert_int_equal(in_tree(p, APP, &above)->sums[CYCLES].samples, 8);
	assert_int_equal(in_tree(p, APP_THREAD, &above)->sums[CYCLES].samples, 2);
	assert_int_equal(above, APP);
	snapshot_destroy(s);
	model_destroy(w.model);
}

/* A process without samples has a row if it started one that has some; unless it has ended. */
static void who_started_them_has_a_row(void **state)
{
	(void)state;
	struct world w;
	uint32_t above;
	world_of_family(&w);
	add(&w, SELF, COLD, 1, CYCLES, 5, 100);
	tick(&w);
	struct snapshot *s = look_at_tree(&w, DIM_PID);
	assert_int_equal(s->pivots[0].n, 2);
	assert_int_equal(find(&s->pivots[0], CATALOG_NONE, APP)->sums[CYCLES].samples, 0);
	assert_int_equal(in_tree(&s->pivots[0], APP, &above)->sums[CYCLES].samples, 5);
	snapshot_destroy(s);
	w.tasks[APP].exit_ns = 1;
	s = look_at_tree(&w, DIM_PID);
	assert_int_equal(s->pivots[0].n, 1);
	in_tree(&s->pivots[0], SELF, &above);
	assert_int_equal(above, CATALOG_NONE);
	snapshot_destroy(s);
	model_destroy(w.model);
}

static void a_circle_of_parents_is_cut(void **state)
{
	(void)state;
	struct world w;
	uint32_t above_app, above_self;
	world_of_family(&w);
	w.tasks[APP].parent = "cyctop (20)";
	w.tasks[APP].ppid = 20;
	add(&w, APP, HOT, 0, CYCLES, 1, 100);
	add(&w, SELF, COLD, 1, CYCLES, 5, 100);
	tick(&w);
	struct snapshot *s = look_at_tree(&w, DIM_PID);
	const struct row *app = in_tree(&s->pivots[0], APP, &above_app);
	const struct row *self = in_tree(&s->pivots[0], SELF, &above_self);
	assert_true((above_app == CATALOG_NONE) != (above_self == CATALOG_NONE));
	assert_int_equal(app->sums[CYCLES].samples + self->sums[CYCLES].samples, above_app == CATALOG_NONE ? 11 : 7);
	snapshot_destroy(s);
	model_destroy(w.model);
}

/* Contexts of call chains: main (COLD) calls hot, which calls itself and the kernel. */
enum { HOT_BY_COLD, HOT_BY_HOT, KERNEL_BY_HOT, CHAINS };
static void world_of_chains(struct world *w, struct ctx_info contexts[static CHAINS])
{
	const uint32_t syms[CHAINS] = {HOT, HOT, KERNEL};
	const uint32_t callers[CHAINS] = {COLD, CTX_EXTENDED | HOT_BY_COLD, CTX_EXTENDED | HOT_BY_HOT};
	world_init(w);
	for (uint32_t i = 0; i < CHAINS; i++)
		contexts[i] = (struct ctx_info){
			.sym = syms[i], .cgroup = CATALOG_NONE, .caller = callers[i], .settled = CTX_EXTENDED | i};
	w->cat.contexts = contexts;
	w->cat.contexts_n = CHAINS;
	add(w, APP, CTX_EXTENDED | HOT_BY_COLD, 0, CYCLES, 1, 100);
	add(w, APP, CTX_EXTENDED | HOT_BY_HOT, 0, CYCLES, 2, 100);
	add(w, APP_THREAD, CTX_EXTENDED | KERNEL_BY_HOT, 1, CYCLES, 4, 100);
	add(w, APP, CTX_EXTENDED | HOT_BY_COLD, 0, INSTRUCTIONS, 2, 150);
	add(w, APP, CTX_EXTENDED | HOT_BY_HOT, 0, INSTRUCTIONS, 8, 150);
	add(w, SELF, HOT, 0, CYCLES, 1, 100);
	tick(w);
}

/* A total is of all samples in whose chain the row is, each once; IPC with callees is of such sums. */
static void totals_have_all_callees_once(void **state)
{
	(void)state;
	struct world w;
	struct ctx_info contexts[CHAINS];
	world_of_chains(&w, contexts);
	static const struct pivot_query with[] = {
		{.dims = {DIM_SYMBOL}, .dims_n = 1, .callees = true},
		{.dims = {DIM_COMM, DIM_SYMBOL}, .dims_n = 2, .callees = true, .by_name = true},
		{.dims = {DIM_PID}, .dims_n = 1, .callees = true}};
	struct query q = query();
	q.pivots = with;
	q.pivots_n = ARRAY_LEN(with);
	struct snapshot *s = look(&w, q);
	const struct row *hot = find(&s->pivots[0], HOT, CATALOG_NONE);
	const struct row *cold = find(&s->pivots[0], COLD, CATALOG_NONE);
	const struct row *kernel = find(&s->pivots[0], KERNEL, CATALOG_NONE);
	assert_int_equal(s->pivots[0].n, 3);
	assert_int_equal(hot->sums[CYCLES].samples, 4);
	assert_int_equal(hot->total->sums[CYCLES].samples, 8);
	assert_int_equal(cold->sums[CYCLES].samples, 0);
	assert_int_equal(cold->total->sums[CYCLES].samples, 7);
	assert_true(fabs(cold->total->share - 7 / 8.0) < 1e-9 && cold->share_valid && cold->share == 0);
	assert_int_equal(kernel->total->sums[CYCLES].samples, 4);
	struct ratio ipc = row_metric(s, cold->total, metric("ipc"));
	assert_true(ipc.valid && ipc.error > 0 && fabs(ipc.value - 1500 / 700.0) < 1e-9);
	assert_false(row_metric(s, cold, metric("ipc")).valid);
	/* in a report as well, whose rows are in the order of totals; cyctop itself calls nobody */
	const struct pivot *report = &s->pivots[1];
	assert_int_equal(report->n, 4);
	assert_int_equal(report->rows[0].total->sums[CYCLES].samples, 7);
	assert_int_equal(report->rows[3].total->sums[CYCLES].samples, 1);
	/* a table that has no functions has the same totals as rows */
	for (size_t i = 0; i < s->pivots[2].n; i++)
		assert_true(s->pivots[2].rows[i].total->share == s->pivots[2].rows[i].share);
	snapshot_destroy(s);
	model_destroy(w.model);
}

/* Rows of chains are below those of their callers, also of callers without samples of their own. */
static void chains_are_a_tree(void **state)
{
	(void)state;
	struct world w;
	struct ctx_info contexts[CHAINS];
	world_of_chains(&w, contexts);
	struct snapshot *s = look_at_tree(&w, DIM_CHAIN);
	const struct pivot *p = &s->pivots[0];
	uint64_t samples[CHAINS] = {0};
	assert_int_equal(p->n, 5); /* and COLD, and HOT of SELF */
	for (size_t i = 0; i < p->n; i++) {
		const struct row *row = &p->rows[i];
		if (row->sym == COLD) {
			assert_int_equal(row->depth, 0);
			assert_int_equal(p->trees[i].sums[CYCLES].samples, 7);
		}
		if (row->ctx & CTX_EXTENDED) {
			samples[row->ctx & ~CTX_EXTENDED] = p->trees[i].sums[CYCLES].samples;
			assert_int_equal(row->depth, 1 + (row->ctx & ~CTX_EXTENDED));
			assert_int_equal(p->rows[row->parent].ctx, contexts[row->ctx & ~CTX_EXTENDED].caller);
		}
	}
	assert_int_equal(samples[HOT_BY_COLD], 7);
	assert_int_equal(samples[HOT_BY_HOT], 6);
	assert_int_equal(samples[KERNEL_BY_HOT], 4);
	snapshot_destroy(s);
	model_destroy(w.model);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(rows_without_a_name_know_whose_they_are),
		cmocka_unit_test(zoom_and_hiding_choose_rows_not_numbers),
		cmocka_unit_test(a_query_leaves_out_rows_of_all_pivots),
		cmocka_unit_test(facts_are_grouped_by_any_dimension),
		cmocka_unit_test(a_reused_id_is_another_key),
		cmocka_unit_test(tasks_are_below_those_that_started_them),
		cmocka_unit_test(who_started_them_has_a_row),
		cmocka_unit_test(a_circle_of_parents_is_cut),
		cmocka_unit_test(totals_have_all_callees_once),
		cmocka_unit_test(chains_are_a_tree),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
