/* What runs of two commands differ in: metrics, and functions whose rows add up to the whole. */
#include <cyctop/comparison.h>

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { PAIRS = 8 };

/* ---- metrics --------------------------------------------------------------------------------------- */

struct made {
	struct command_run runs[2 * PAIRS];
	const struct command_run *pairs[2 * PAIRS];
	struct event_spec events[2];
	struct compare_runs_made of;
};

static const double noise[PAIRS] = {1.01, 0.99, 1.02, 0.985, 1.015, 1, 0.98, 1.005};

/* B takes 1.5 times as long; its user time is 0 in one run; the second event was not counted in the first pair. */
static void make_runs(struct made *m)
{
	memset(m, 0, sizeof(*m));
	strcpy(m->events[0].name, "cycles");
	strcpy(m->events[1].name, "instructions");
	for (size_t i = 0; i < 2 * PAIRS; i++) {
		struct command_run *run = &m->runs[i];
		double times = i % 2 ? 1.5 * noise[(i / 2 + 3) % PAIRS] : noise[i / 2];
		run->wall_ns = (uint64_t)(times * 2e9);
		run->usage.ru_utime.tv_sec = i == 3 ? 0 : 1;
		run->usage.ru_stime.tv_usec = (long)(times * 1000);
		run->usage.ru_maxrss = 1000;
		run->usage.ru_minflt = 70;
		run->usage.ru_majflt = 7;
		run->counts[0] = (struct tally_count){.known = true, .count = times * 1e9};
		run->counts[1] = (struct tally_count){.known = i != 1, .count = 5};
		m->pairs[i] = run;
	}
	m->of = (struct compare_runs_made){.events = m->events, .events_n = 2, .pairs = m->pairs, .n = PAIRS};
}

static const struct runs_metric *find(const struct runs_metric *all, size_t n, const char *name)
{
	for (size_t i = 0; i < n; i++)
		if (strcmp(all[i].name, name) == 0)
			return &all[i];
	fail_msg("there is no metric %s", name);
	return NULL;
}

static bool is_near(double v, double expected, double by)
{
	return fabs(v - expected) <= by;
}

static void every_metric_has_its_middles_and_its_ratio(void **state)
{
	(void)state;
	struct made m;
	struct runs_metric all[COMPARE_METRICS_MAX];
	make_runs(&m);
	size_t n = compare_metrics(&m.of, all);
	assert_int_equal(n, 9);
	const struct runs_metric *wall = find(all, n, "wall"), *rss = find(all, n, "peak-rss");
	assert_int_equal(wall->unit, RUNS_SECONDS);
	assert_true(is_near(wall->side[DIFF_BEFORE].value, 2, 0.05) && is_near(wall->side[DIFF_AFTER].value, 3, 0.05));
	assert_true(wall->side[DIFF_BEFORE].low < 2 && wall->side[DIFF_BEFORE].high > 2);
	assert_true(wall->ratio.low < 1.5 && wall->ratio.high > 1.5 && wall->ratio.p < 0.01);
	assert_true(is_near(find(all, n, "cycles")->ratio.change, 1.5, 0.03));
	assert_true(rss->side[DIFF_BEFORE].value == 1000 * 1024 && rss->ratio.change == 1);
	assert_true(is_near(find(all, n, "page-faults")->side[DIFF_AFTER].value, 77, 1e-9));
}

static void a_number_that_is_0_in_a_run_has_no_ratio(void **state)
{
	(void)state;
	struct made m;
	struct runs_metric all[COMPARE_METRICS_MAX];
	make_runs(&m);
	size_t n = compare_metrics(&m.of, all);
	const struct runs_metric *user = find(all, n, "user"), *switches = find(all, n, "context-switches");
	assert_true(is_near(user->side[DIFF_AFTER].value, 7 / 8., 1e-9) && !user->side[DIFF_AFTER].has_interval);
	assert_true(user->side[DIFF_BEFORE].has_interval);
	assert_false(user->ratio.tested);
	assert_true(switches->side[DIFF_BEFORE].known && switches->side[DIFF_BEFORE].value == 0);
	assert_false(switches->ratio.tested);
}

static void a_pair_without_a_count_is_left_out_of_that_metric(void **state)
{
	(void)state;
	struct made m;
	struct runs_metric all[COMPARE_METRICS_MAX];
	make_runs(&m);
	for (size_t i = 1; i < 2 * PAIRS; i++)
		m.runs[i].counts[1].known = i != 1;
	size_t n = compare_metrics(&m.of, all);
	assert_true(find(all, n, "instructions")->ratio.effective == PAIRS - 1);
	for (size_t i = 0; i < 2 * PAIRS; i++)
		m.runs[i].counts[1].known = false;
	assert_int_equal(compare_metrics(&m.of, all), n - 1);
}

static void one_pair_has_values_and_no_verdict(void **state)
{
	(void)state;
	struct made m;
	struct runs_metric all[COMPARE_METRICS_MAX];
	make_runs(&m);
	m.of.n = 1;
	const struct runs_metric *wall = find(all, compare_metrics(&m.of, all), "wall");
	assert_true(wall->side[DIFF_BEFORE].known && !wall->side[DIFF_BEFORE].has_interval);
	assert_true(is_near(wall->side[DIFF_BEFORE].value, 2.02, 1e-9));
	assert_false(wall->ratio.tested);
}

static void middles_are_in_the_unit_of_their_values(void **state)
{
	(void)state;
	double large[PAIRS], zero[3] = {1, 0, 2};
	for (size_t i = 0; i < PAIRS; i++)
		large[i] = 3e12 * noise[i];
	struct runs_middle m = compare_middle(large, PAIRS);
	assert_true(m.known && m.has_interval && m.low < m.value && m.value < m.high);
	assert_true(is_near(m.value / 3e12, 1, 0.01) && m.low > 2.9e12 && m.high < 3.1e12);
	m = compare_middle(zero, 3);
	assert_true(m.known && !m.has_interval && m.value == 1);
	assert_false(compare_middle(NULL, 0).known);
}

static void a_run_that_is_far_from_the_others_is_named(void **state)
{
	(void)state;
	static const size_t numbers[PAIRS] = {1, 2, 3, 5, 6, 7, 8, 9}; /* a run of the fourth pair failed */
	struct made m;
	struct runs_outlier found[2 * PAIRS];
	make_runs(&m);
	m.runs[3].usage.ru_utime.tv_sec = 1;
	assert_int_equal(compare_outliers(&m.of, numbers, found), 0);
	m.runs[2 * 6 + 1].wall_ns = 4200000000;
	m.runs[2 * 6 + 1].usage.ru_utime.tv_sec = 9; /* said once */
	m.runs[2 * 3].usage.ru_utime.tv_sec = 0;
	assert_int_equal(compare_outliers(&m.of, numbers, found), 2);
	/* the farthest first */
	assert_true(found[0].side == DIFF_BEFORE && found[0].run == 5 && strcmp(found[0].metric, "cpu") == 0);
	assert_true(found[1].side == DIFF_AFTER && found[1].run == 8 && strcmp(found[1].metric, "wall") == 0);
	assert_true(is_near(found[1].value, 4.2, 1e-9) && is_near(found[1].middle, 3, 0.05));
	m.runs[2 * 6 + 1].wall_ns = 42000000000000;
	assert_int_equal(compare_outliers(&m.of, numbers, found), 2);
	assert_true(found[0].run == 8 && found[1].run == 5);
	m.of.n = COMPARE_OUTLIERS_OF - 1;
	m.runs[1].wall_ns = 42000000000;
	assert_int_equal(compare_outliers(&m.of, numbers, found), 0);
}

/* ---- functions ------------------------------------------------------------------------------------- */

static const char *names[] = {"hot", "parse", "sort", "store"};
enum { FUNCTIONS = ARRAY_LEN(names) };

static struct diff_table *table_of(const double weights[FUNCTIONS])
{
	static const enum dimension_id dims[] = {DIM_DSO, DIM_SYMBOL};
	static const struct pmu_sibling siblings[1] = {{0}};
	static const struct row_sums sums = {.n = 1};
	static const double seconds[] = {0.25};
	struct diff_table *t = diff_table_empty(&(struct diff_shape){
		.dims = dims,
		.dims_n = 2,
		.events_n = 1,
		.intervals_n = 1,
		.seconds = seconds,
		.siblings = siblings,
		.sums = &sums,
	});
	for (size_t i = 0; i < FUNCTIONS; i++) {
		const struct key_value row[] = {{.kind = KEY_TEXT, .text = "load"},
						{.kind = KEY_TEXT, .text = names[i]}};
		if (weights[i] > 0)
			diff_table_add(t, diff_table_row(t, row), 0, (uint64_t)(weights[i] / 1e6), &weights[i]);
	}
	return t;
}

/* A run is 100 ms, of which hot has 40; in B hot is 1.5 times as slow.  In nanoseconds, some of them not sampled. */
struct functions {
	struct diff_table *tables[2 * PAIRS];
	double wholes[2 * PAIRS], unsampled[2 * PAIRS];
	struct compare_functions f;
};

static void make_functions(struct functions *m)
{
	for (size_t i = 0; i < 2 * PAIRS; i++) {
		double v = noise[(i * 5 + i / 2) % PAIRS], w = noise[(i * 3 + 1) % PAIRS];
		const double weights[FUNCTIONS] = {(i % 2 ? 60e6 : 40e6) * v, 30e6 * w, 20e6 * v * w, 10e6};
		m->tables[i] = table_of(weights);
		m->wholes[i] = (i % 2 ? 0.12 : 0.1) * w;
		m->unsampled[i] = 0.01;
	}
	m->f = (struct compare_functions){
		.tables = (const struct diff_table *const *)m->tables,
		.n = PAIRS,
		.wholes = m->wholes,
		.fdr = 0.05,
		.min_change = 0.01,
	};
}

static void unmake_functions(struct functions *m)
{
	for (size_t i = 0; i < 2 * PAIRS; i++)
		diff_table_destroy(m->tables[i]);
}

static const struct diff_row *row_of(const struct diff *d, const char *symbol)
{
	for (size_t i = 0; i < d->n; i++)
		if (strcmp(d->rows[i].names[1].text, symbol) == 0)
			return &d->rows[i];
	fail_msg("there is no row %s", symbol);
	return NULL;
}

static void assert_adds_up(const struct diff *d, const double wholes[2 * PAIRS], double more)
{
	for (enum diff_side side = 0; side < DIFF_SIDES; side++) {
		double rows = 0, whole = 0;
		for (size_t i = 0; i < d->n; i++)
			rows += d->rows[i].value.value[side];
		for (size_t k = 0; k < PAIRS; k++)
			whole += wholes[2 * k + side] / PAIRS;
		assert_true(is_near(rows, whole + more, 1e-9));
	}
}

static void the_function_that_is_slower_is_named_and_rows_add_up(void **state)
{
	(void)state;
	struct functions m;
	make_functions(&m);
	struct diff *d = compare_functions_create(&m.f);
	const struct diff_row **rows = compare_functions_order(d);
	assert_int_equal(d->n, FUNCTIONS);
	assert_adds_up(d, m.wholes, 0);
	assert_string_equal(rows[0]->names[1].text, "hot");
	assert_true(rows[0]->value.change.real && rows[0]->value.value[DIFF_AFTER] > rows[0]->value.value[DIFF_BEFORE]);
	for (size_t i = 1; i < d->n; i++)
		assert_true(fabs(rows[i]->value.value[1] - rows[i]->value.value[0]) <=
			    fabs(rows[i - 1]->value.value[1] - rows[i - 1]->value.value[0]));
	free(rows);
	diff_destroy(d);
	unmake_functions(&m);
}

static void what_has_no_samples_is_a_row(void **state)
{
	(void)state;
	struct functions m;
	make_functions(&m);
	diff_table_destroy(m.tables[2]);
	m.tables[2] = NULL;
	diff_table_destroy(m.tables[5]);
	m.tables[5] = table_of((const double[FUNCTIONS]){0});
	m.f.unsampled = m.unsampled;
	struct diff *d = compare_functions_create(&m.f);
	assert_adds_up(d, m.wholes, 0.01);
	assert_true(is_near(row_of(d, "[without samples]")->value.value[DIFF_BEFORE], m.wholes[2] / PAIRS, 1e-12));
	assert_true(is_near(row_of(d, "[without samples]")->value.value[DIFF_AFTER], m.wholes[5] / PAIRS, 1e-12));
	assert_true(is_near(row_of(d, "[not sampled]")->value.value[DIFF_AFTER], 0.01, 1e-12));
	assert_false(row_of(d, "[without samples]")->value.change.real);
	diff_destroy(d);
	unmake_functions(&m);
}

static void without_a_count_samples_weigh_what_they_say(void **state)
{
	(void)state;
	struct functions m;
	make_functions(&m);
	m.f.wholes = NULL;
	struct diff *d = compare_functions_create(&m.f);
	assert_true(is_near(row_of(d, "store")->value.value[DIFF_BEFORE], 10e6, 1e-3));
	assert_false(row_of(d, "store")->value.change.real);
	diff_destroy(d);
	unmake_functions(&m);
}

/* The run's table as it is made of a recording: by what names mean, with what they were. */
static void recorded(struct diff_table **t)
{
	static const enum dimension_id dims[] = {DIM_DSO, DIM_SYMBOL};
	struct diff_table *grouped = diff_table_group(*t, &(struct diff_grouping){.dims = dims, .dims_n = 2});
	diff_table_destroy(*t);
	*t = grouped;
}

static bool same_text(const char *pattern, const char *name)
{
	return strcmp(pattern, name) == 0;
}

static void a_bound_finds_a_function_by_the_name_that_reports_show(void **state)
{
	(void)state;
	struct functions m;
	const char *const plain = names[0];
	names[0] = "hot.isra.0";
	make_functions(&m);
	names[0] = plain;
	for (size_t i = 0; i < 2 * PAIRS; i++)
		recorded(&m.tables[i]);
	struct diff *d = compare_functions_create(&m.f);
	const struct diff_row *hot = row_of(d, "hot");
	const char *const known[] = {"hot.isra.0", "hot", "load"}, *const unknown[] = {"hot.isra.1", "parse", ""};
	for (size_t i = 0; i < ARRAY_LEN(known); i++) {
		struct diff_bound b = {.value = "cycles", .above = true, .bound = 0.1};
		strcpy(b.pattern, known[i]);
		assert_true(diff_bound_is_on(&b, d, hot) && diff_bound_exceeded(&b, &hot->value.change));
		assert_false(diff_row_matches(d, hot, unknown[i], same_text));
	}
	assert_string_equal(row_of(d, "parse")->aliases, "");
	diff_destroy(d);
	unmake_functions(&m);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_metric_has_its_middles_and_its_ratio),
		cmocka_unit_test(a_number_that_is_0_in_a_run_has_no_ratio),
		cmocka_unit_test(a_pair_without_a_count_is_left_out_of_that_metric),
		cmocka_unit_test(one_pair_has_values_and_no_verdict),
		cmocka_unit_test(middles_are_in_the_unit_of_their_values),
		cmocka_unit_test(a_run_that_is_far_from_the_others_is_named),
		cmocka_unit_test(the_function_that_is_slower_is_named_and_rows_add_up),
		cmocka_unit_test(what_has_no_samples_is_a_row),
		cmocka_unit_test(without_a_count_samples_weigh_what_they_say),
		cmocka_unit_test(a_bound_finds_a_function_by_the_name_that_reports_show),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
