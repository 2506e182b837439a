/* Two sides are compared row by row, or refused. */
#include "../lib/model_world.h"

#include <cyctop/diff.h>

#include <errno.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { INTERVALS = 40 };

/* A side: in each interval some samples of each symbol, more or less in turn. */
struct load {
	int hot, cold, irq, instructions_of_hot;
	int self;      /* samples of another process in "hot" */
	int intervals; /* 0: INTERVALS */
};

static struct diff_table *side(const struct load *load, const char *path, const char *hot_name,
			       const enum dimension_id *dims, size_t dims_n)
{
	struct world w;
	world_init(&w);
	w.dsos[0].path = path;
	w.syms[HOT].name = hot_name;
	for (int i = 0; i < (load->intervals ? load->intervals : INTERVALS); i++) {
		int wave = i % 3;
		add(&w, APP, HOT, 0, CYCLES, load->hot + wave, 100);
		add(&w, APP, HOT, 0, INSTRUCTIONS, load->instructions_of_hot + wave, 200);
		add(&w, APP, COLD, 0, CYCLES, load->cold ? load->cold + (i % 2) : 0, 100);
		add(&w, APP_THREAD, IRQ, 1, CYCLES, load->irq + wave, 100);
		add(&w, SELF, HOT, 1, CYCLES, load->self, 100);
		add(&w, IDLE, KERNEL, 1, CYCLES, 50, 100);
		tick(&w);
	}
	struct pivot_query pivot;
	diff_pivot(dims, dims_n, &pivot);
	struct query q = query();
	q.window = WINDOW_SLIDING;
	q.sliding_ns = INT64_MAX;
	q.pivots = &pivot;
	q.pivots_n = 1;
	q.hide_self = false;
	q.series = true;
	struct snapshot *s = look(&w, q);
	const struct model_names names = {.cat = &w.cat, .cpus_n = CPUS, .events_n = EVENTS};
	struct diff_table *t = diff_table_create(s, &s->pivots[0], dims_n, &names, NULL, NULL);
	snapshot_destroy(s);
	model_destroy(w.model);
	return t;
}

static const enum dimension_id usual[] = {DIM_DSO, DIM_SYMBOL};

static struct diff *compare(struct diff_table *before, struct diff_table *after, enum diff_unit unit)
{
	const struct diff_config config = {
		.unit = unit,
		.event = {CYCLES, CYCLES},
		.per = {INSTRUCTIONS, INSTRUCTIONS},
		.fdr = 0.05,
		.min_change = 0.01,
	};
	struct diff *d = diff_create(before, after, &config);
	diff_table_destroy(before);
	diff_table_destroy(after);
	return d;
}

static const struct diff_row *row_of(const struct diff *d, const char *symbol)
{
	for (size_t i = 0; i < d->n; i++)
		if (strcmp(d->rows[i].names[d->dims_n - 1].text, symbol) == 0)
			return &d->rows[i];
	fail_msg("there is no row %s", symbol);
	return NULL;
}

static void assert_near(double have, double want)
{
	if (fabs(have - want) > 1e-9 * fabs(want))
		fail_msg("%.12g, not %.12g", have, want);
}

static void a_row_that_moved_comes_first_with_its_size(void **state)
{
	(void)state;
	const struct load before = {.hot = 20, .cold = 30, .irq = 40, .instructions_of_hot = 20};
	const struct load after = {.hot = 41, .cold = 30, .irq = 40, .instructions_of_hot = 20};
	struct diff *d = compare(side(&before, "/a/app", "hot", usual, 2),
				 side(&after, "/b/c/app (deleted)", "hot.constprop.0", usual, 2), DIFF_UNIT_SHARE);
	assert_int_equal(d->n, 3); /* one row each, whatever the compiler called it and wherever it is */
	const struct diff_row *hot = &d->rows[0];
	assert_string_equal(hot->names[0].text, "app");
	assert_string_equal(hot->names[1].text, "hot");
	double sums[] = {20 * 40 + 39, 30 * 40 + 20, 40 * 40 + 39, 41 * 40 + 39}; /* the waves add 39, or 20 */
	assert_int_equal(hot->samples[DIFF_BEFORE], 839);
	assert_near(hot->value.value[DIFF_BEFORE], sums[0] / (sums[0] + sums[1] + sums[2]));
	assert_near(hot->value.value[DIFF_AFTER], sums[3] / (sums[3] + sums[1] + sums[2]));
	assert_near(hot->value.change.change, hot->value.value[DIFF_AFTER] / hot->value.value[DIFF_BEFORE]);
	assert_true(hot->value.change.real && hot->value.change.change > 1);
	double by, error;
	assert_true(diff_difference(&hot->value, &by, &error));
	assert_near(by, hot->value.value[DIFF_AFTER] - hot->value.value[DIFF_BEFORE]);
	assert_true(error > 0 && error < by / 10);
	/* shares of a whole that grew */
	assert_true(row_of(d, "cold")->value.change.change < 0.9);
	/* its instructions did not grow with its cycles */
	assert_true(d->has_metric[0]);
	assert_true(hot->metrics[0].change.real && hot->metrics[0].change.change < 0.6);
	assert_near(hot->metrics[0].value[DIFF_BEFORE], 2 * 839.0 / 839);
	diff_destroy(d);
}

static void the_reference_is_what_moved_alike(void **state)
{
	(void)state;
	const struct load before = {.hot = 20, .cold = 30, .irq = 40, .self = 25};
	const struct load after = {.hot = 60, .cold = 45, .irq = 60, .self = 38}; /* all but hot: half as much again */
	static const enum dimension_id dims[] = {DIM_PID, DIM_SYMBOL};
	struct diff *d = compare(side(&before, "/a/app", "hot", dims, 2), side(&after, "/a/app", "hot", dims, 2),
				 DIFF_UNIT_REFERENCE);
	assert_int_equal(d->n, 4);
	assert_int_equal(d->reference_rows, 3);
	assert_true(d->reference.change > 1.4 && d->reference.change < 1.6);
	const struct diff_row *hot = &d->rows[0];
	assert_int_equal(hot->names[0].number, 10);
	assert_true(hot->value.change.real && !hot->carries);
	assert_true(hot->value.change.change > 1.8 && hot->value.change.change < 2.1);
	/* before is the share; after is on its scale */
	double sums[] = {839, 1220, 1639, 1000};
	assert_near(hot->value.value[DIFF_BEFORE], sums[0] / (sums[0] + sums[1] + sums[2] + sums[3]));
	assert_near(hot->value.value[DIFF_AFTER], hot->value.value[DIFF_BEFORE] * hot->value.change.change);
	for (size_t i = 1; i < d->n; i++)
		assert_true(d->rows[i].carries && fabs(d->rows[i].value.change.change - 1) < 0.03);
	diff_destroy(d);
}

static void the_reference_moves_by_the_second(void **state)
{
	(void)state;
	const struct load before = {.hot = 20, .cold = 30, .irq = 40, .self = 25, .intervals = 12};
	const struct load after = {
		.hot = 60, .cold = 45, .irq = 60, .self = 38, .intervals = 108}; /* nine times as long */
	static const enum dimension_id dims[] = {DIM_PID, DIM_SYMBOL};
	struct diff *d = compare(side(&before, "/a/app", "hot", dims, 2), side(&after, "/a/app", "hot", dims, 2),
				 DIFF_UNIT_REFERENCE);
	assert_int_equal(d->reference_rows, 3);
	assert_true(d->reference.change > 1.4 && d->reference.change < 1.6);
	diff_destroy(d);
}

static void other_units_divide_by_time_and_instructions(void **state)
{
	(void)state;
	const struct load before = {.hot = 20, .cold = 30, .irq = 40, .instructions_of_hot = 20};
	const struct load after = {.hot = 41, .cold = 30, .irq = 40, .instructions_of_hot = 40};
	struct diff *d = compare(side(&before, "/a/app", "hot", usual, 2), side(&after, "/a/app", "hot", usual, 2),
				 DIFF_UNIT_RATE);
	assert_near(row_of(d, "hot")->value.value[DIFF_BEFORE], 839 * 100.0 / INTERVALS); /* an interval is a second */
	assert_near(row_of(d, "cold")->value.change.change, 1);
	diff_destroy(d);
	d = compare(side(&before, "/a/app", "hot", usual, 2), side(&after, "/a/app", "hot", usual, 2),
		    DIFF_UNIT_INSTRUCTIONS);
	assert_near(row_of(d, "hot")->value.value[DIFF_BEFORE], 839 * 100.0 / (839 * 200.0));
	assert_near(row_of(d, "cold")->value.change.change, (1220.0 / (40 * 40 + 39)) / (1220.0 / 839));
	diff_destroy(d);
	/* the same by the event's number, as --per has it */
	d = compare(side(&before, "/a/app", "hot", usual, 2), side(&after, "/a/app", "hot", usual, 2), DIFF_UNIT_EVENT);
	assert_near(row_of(d, "hot")->value.value[DIFF_BEFORE], 839 * 100.0 / (839 * 200.0));
	diff_destroy(d);
}

static void rows_may_be_new_or_gone(void **state)
{
	(void)state;
	const struct load before = {.hot = 20, .cold = 0, .irq = 40}, after = {.hot = 20, .cold = 30, .irq = 40};
	struct diff *d = compare(side(&before, "/a/app", "hot", usual, 2), side(&after, "/a/app", "warm", usual, 2),
				 DIFF_UNIT_RATE);
	assert_int_equal(d->n, 4);
	assert_int_equal(row_of(d, "cold")->value.change.state, CHANGE_NEW);
	assert_int_equal(row_of(d, "warm")->value.change.state, CHANGE_NEW);
	assert_int_equal(row_of(d, "hot")->value.change.state, CHANGE_VANISHED);
	assert_true(row_of(d, "hot")->value.change.real);
	assert_true(row_of(d, "hot")->value.value[DIFF_AFTER] == 0);
	diff_destroy(d);
}

/* Rows by CPU have no idle time in them either. */
static bool is_app(const void *ctx, const char *name)
{
	return strcmp(name, ctx) == 0;
}

static void an_address_in_another_build_is_not_compared(void **state)
{
	(void)state;
	const struct load load = {.hot = 20, .cold = 30, .irq = 40, .instructions_of_hot = 20};
	const struct load more = {.hot = 90, .cold = 30, .irq = 40, .instructions_of_hot = 20};
	for (int rebuilt = 0; rebuilt < 2; rebuilt++) {
		struct diff_table *before = side(&load, "/a/app", "[app+0x115f]", usual, 2);
		struct diff_table *after = side(&more, "/a/app", "[app+0x115f]", usual, 2);
		struct diff *d = diff_create(before, after,
					     &(struct diff_config){.unit = DIFF_UNIT_RATE,
								   .fdr = 0.05,
								   .min_change = 0.01,
								   .rebuilt = is_app,
								   .rebuilt_ctx = rebuilt ? "app" : "other"});
		struct diff_notes notes = {.n = 0};
		diff_note_worth(d, &notes);
		const struct diff_row *hot = row_of(d, "[app+0x115f]");
		assert_int_equal(d->n, rebuilt ? 4 : 3);
		assert_int_equal(d->not_compared, rebuilt ? 2 : 0);
		assert_int_equal(d->summary.real, !rebuilt);
		assert_int_equal(hot->not_compared, rebuilt);
		assert_int_equal(hot->value.change.state, rebuilt ? CHANGE_NONE : CHANGE_OK);
		assert_int_equal(hot->value.known[DIFF_BEFORE] + hot->value.known[DIFF_AFTER], rebuilt ? 1 : 2);
		assert_int_equal(hot->metrics[0].change.state, rebuilt ? CHANGE_NONE : CHANGE_OK);
		assert_int_equal(notes.n, rebuilt);
		if (rebuilt)
			assert_non_null(strstr(notes.text[0], "app has functions without symbols, and was rebuilt"));
		diff_destroy(d);
		diff_table_destroy(before);
		diff_table_destroy(after);
	}
}

static void idle_time_is_in_no_row(void **state)
{
	(void)state;
	const struct load load = {.hot = 20, .cold = 30, .irq = 40};
	static const enum dimension_id cpu[] = {DIM_CPU}, mode[] = {DIM_CPU, DIM_MODE};
	struct diff_table *t = side(&load, "/a/app", "hot", cpu, 1);
	size_t intervals;
	assert_int_equal(diff_table_samples(t, CYCLES, &intervals), 839 + 1220 + 1639);
	assert_int_equal(intervals, INTERVALS);
	assert_int_equal(diff_table_samples(t, MISSES, &intervals), 0);
	assert_int_equal(intervals, 0);
	struct diff *d = compare(t, side(&load, "/a/app", "hot", cpu, 1), DIFF_UNIT_SHARE);
	assert_int_equal(d->dims_n, 1);
	assert_int_equal(d->n, 2);
	assert_int_equal(d->rows[0].samples[DIFF_BEFORE], 839 + 1220);
	assert_int_equal(d->rows[1].names[0].number, 1);
	diff_destroy(d);
	d = compare(side(&load, "/a/app", "hot", mode, 2), side(&load, "/a/app", "hot", mode, 2), DIFF_UNIT_SHARE);
	assert_int_equal(d->dims_n, 2);
	assert_int_equal(d->n, 2);
	diff_destroy(d);
}

/* ---- bounds ------------------------------------------------------------------------------------------ */

static void bounds_have_a_grammar(void **state)
{
	(void)state;
	static const struct {
		const char *text, *value, *pattern;
		bool above;
		double bound;
	} good[] = {
		{"cycles > +3%", "cycles", "", true, 0.03},
		{"cycles>3%", "cycles", "", true, 0.03},
		{"  ipc < -5 %  ", "ipc", "", false, -0.05},
		{"ipc of parse* < -5%", "ipc", "parse*", false, -0.05},
		{"cycles of a of b > 0%", "cycles", "a of b", true, 0},
		{"cycles of vec<int>::get > 12.5%", "cycles", "vec<int>::get", true, 0.125},
	};
	static const char *const bad[] = {"",
					  "cycles",
					  "cycles >",
					  "> 3%",
					  "cycles > 3",
					  "cycles > x%",
					  "cycles of > 3%",
					  "cycles in a > 3%",
					  "cycles > 3% x",
					  "cycles > -3%",
					  "cycles < 3%",
					  "cycles < -100%",
					  "cycles > nan%"};
	struct diff_bound b;
	struct error err;
	for (size_t i = 0; i < ARRAY_LEN(good); i++) {
		if (diff_bound_parse(good[i].text, &b, &err) < 0)
			fail_msg("'%s': %s", good[i].text, err.text);
		assert_string_equal(b.value, good[i].value);
		assert_string_equal(b.pattern, good[i].pattern);
		assert_int_equal(b.above, good[i].above);
		assert_near(b.bound, good[i].bound);
	}
	for (size_t i = 0; i < ARRAY_LEN(bad); i++)
		if (diff_bound_parse(bad[i], &b, &err) != -EINVAL)
			fail_msg("'%s' was taken", bad[i]);
}

static bool exceeds(const char *text, const struct diff *d, const struct diff_row *row)
{
	const struct diff_event event = {.name = "cycles:u", .role = ROLE_CYCLES};
	struct diff_bound b;
	struct error err;
	size_t on;
	assert_int_equal(diff_bound_parse(text, &b, &err), 0);
	assert_int_equal(diff_bound_find(&b, d, &event, &on, &err), 0);
	return diff_bound_is_on(&b, d, row) &&
	       diff_bound_exceeded(&b, on == DIFF_ON_EVENT ? &row->value.change : &row->metrics[on].change);
}

static void bounds_are_for_real_changes(void **state)
{
	(void)state;
	const struct load before = {.hot = 20, .cold = 30, .irq = 40, .instructions_of_hot = 20};
	const struct load after = {.hot = 30, .cold = 30, .irq = 40, .instructions_of_hot = 20};
	struct diff *d = compare(side(&before, "/a/app", "hot", usual, 2), side(&after, "/a/app", "hot", usual, 2),
				 DIFF_UNIT_RATE);
	const struct diff_row *hot = row_of(d, "hot");
	assert_true(exceeds("cycles > 40%", d, hot));
	assert_true(exceeds("cycles:u > 40%", d, hot));
	assert_false(exceeds("cycles > 60%", d, hot));
	assert_false(exceeds("cycles < -1%", d, hot));
	assert_false(exceeds("cycles > 0%", d, row_of(d, "cold")));
	assert_true(exceeds("cycles of hot > 40%", d, hot));
	assert_true(exceeds("cycles of app > 40%", d, hot));
	assert_false(exceeds("cycles of cold > 40%", d, hot));
	assert_true(exceeds("ipc < -30%", d, hot));
	assert_false(exceeds("ipc < -40%", d, hot));
	struct diff_bound b;
	struct error err;
	size_t on;
	assert_int_equal(diff_bound_parse("mpki > 3%", &b, &err), 0);
	for (size_t m = 0; m < metrics_builtin.n; m++)
		d->has_metric[m] = m == 0;
	const struct diff_event event = {.name = "cycles:u", .role = ROLE_CYCLES};
	assert_int_equal(diff_bound_find(&b, d, &event, &on, &err), -ENOENT);
	assert_non_null(strstr(err.text, "'mpki' is not compared here; there is cycles:u, ipc"));
	diff_destroy(d);
}

static void a_row_of_a_snapshot_finds_its_row(void **state)
{
	(void)state;
	struct world w;
	world_init(&w);
	for (int i = 0; i < 10; i++) {
		add(&w, APP, HOT, 0, CYCLES, 5, 100);
		add(&w, APP, COLD, 0, CYCLES, 3, 100);
		add(&w, IDLE, KERNEL, 1, CYCLES, 50, 100);
		tick(&w);
	}
	const struct pivot_query pane = {.dims = {DIM_SYMBOL}, .dims_n = 1};
	struct query q = query();
	q.window = WINDOW_SLIDING;
	q.sliding_ns = INT64_MAX;
	q.pivots = &pane;
	q.pivots_n = 1;
	q.series = true;
	struct snapshot *s = look(&w, q);
	const struct model_names names = {.cat = &w.cat, .cpus_n = CPUS, .events_n = EVENTS};
	/* a pane by function alone, compared by file and function, which follow from it */
	struct diff_table *t = diff_table_create_by(s, &s->pivots[0], usual, 2, &names, NULL, NULL);
	assert_int_equal(diff_table_rows(t), 2);
	struct diff *d =
		compare(t, diff_table_create_by(s, &s->pivots[0], usual, 2, &names, NULL, NULL), DIFF_UNIT_SHARE);
	t = diff_table_create_by(s, &s->pivots[0], usual, 2, &names, NULL, NULL);
	for (size_t i = 0; i < s->pivots[0].n; i++) {
		const struct row *row = &s->pivots[0].rows[i];
		uint32_t at = diff_table_find(t, row, &names, NULL, NULL);
		assert_int_equal(at == UINT32_MAX, row->idle);
		for (size_t k = 0; !row->idle && k < d->n; k++)
			if (d->rows[k].at[DIFF_BEFORE] == at)
				assert_int_equal(d->rows[k].samples[DIFF_AFTER], row->sums[CYCLES].samples);
	}
	diff_table_destroy(t);
	diff_destroy(d);
	snapshot_destroy(s);
	model_destroy(w.model);
}

/* ---- work -------------------------------------------------------------------------------------------- */

static size_t rows_compared; /* by compare_rows() */
void __real_compare_rows(const struct compare_series *before, const struct compare_series *after, size_t n,
			 struct compare_change *ret);
void __wrap_compare_rows(const struct compare_series *before, const struct compare_series *after, size_t n,
			 struct compare_change *ret);
void __wrap_compare_rows(const struct compare_series *before, const struct compare_series *after, size_t n,
			 struct compare_change *ret)
{
	rows_compared += n;
	__real_compare_rows(before, after, n, ret);
}

/* A table of `large` rows of which each changed by another factor, and `small` ones, all with samples enough. */
static struct diff_table *many_rows(size_t large, size_t small, enum diff_side side)
{
	double seconds[INTERVALS], series[INTERVALS];
	static const struct row_sums sums = {.n = 1};
	static const struct pmu_sibling siblings[1];
	static const enum dimension_id dims[] = {DIM_SYMBOL};
	for (size_t k = 0; k < INTERVALS; k++)
		seconds[k] = 1;
	struct diff_table *t = diff_table_empty(&(struct diff_shape){.dims = dims,
								     .dims_n = 1,
								     .events_n = 1,
								     .intervals_n = INTERVALS,
								     .seconds = seconds,
								     .siblings = siblings,
								     .sums = &sums});
	for (size_t i = 0; i < large + small; i++) {
		char name[32];
		snprintf(name, sizeof(name), "f%zu", i);
		double factor = i < large && side == DIFF_AFTER ? 0.9 + 0.2 * (double)i / (double)large : 1;
		double noise = i < large ? 0.0005 : 0.2;
		for (size_t k = 0; k < INTERVALS; k++)
			series[k] = (i < large ? 1e6 : 1e3) * factor * (1 + noise * (double)((k * 7 + i) % 5));
		struct key_value key = {.kind = KEY_TEXT, .text = name};
		diff_table_add(t, diff_table_row(t, &key), 0, i < large ? 40000 : 40, series);
	}
	return t;
}

/* Of rows that moved apart each is taken out of the reference, which must not compare the whole table each time. */
static void the_work_does_not_grow_with_what_moved(void **state)
{
	(void)state;
	enum { LARGE = 100, SMALL = 1000 };
	struct diff_table *before = many_rows(LARGE, SMALL, DIFF_BEFORE), *after = many_rows(LARGE, SMALL, DIFF_AFTER);
	rows_compared = 0;
	struct diff *d = diff_create(before, after, &(struct diff_config){.fdr = 0.05, .min_change = 0.01});
	/* and of a few that are left with little weight nothing hangs */
	assert_true(d->n == LARGE + SMALL && !d->reference.bundles && !d->reference_rows && d->reference.alike < 5);
	assert_true(d->summary.tested == LARGE + SMALL);
	if (rows_compared > LARGE + SMALL + 20 * LARGE)
		fail_msg("%zu rows were compared for a table of %d", rows_compared, LARGE + SMALL);
	diff_destroy(d);
	diff_table_destroy(before);
	diff_table_destroy(after);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_row_of_a_snapshot_finds_its_row),
		cmocka_unit_test(a_row_that_moved_comes_first_with_its_size),
		cmocka_unit_test(the_reference_is_what_moved_alike),
		cmocka_unit_test(the_reference_moves_by_the_second),
		cmocka_unit_test(other_units_divide_by_time_and_instructions),
		cmocka_unit_test(rows_may_be_new_or_gone),
		cmocka_unit_test(an_address_in_another_build_is_not_compared),
		cmocka_unit_test(idle_time_is_in_no_row),
		cmocka_unit_test(bounds_have_a_grammar),
		cmocka_unit_test(bounds_are_for_real_changes),
		cmocka_unit_test(the_work_does_not_grow_with_what_moved),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
