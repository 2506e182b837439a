/* The tables beside those of a baseline. */
#include "../lib/view_fixture.h"
#include "view/screen.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static struct fixture *compared(int rows, int cols)
{
	struct fixture *f = fixture_create(rows, cols, 4);
	server_world_compare(f->w);
	f->w->in.snap_id = 1;
	fixture_press(f, KEY_CYC_RESIZE);
	return f;
}

static const struct sheet *sheet(struct fixture *f)
{
	return table_sheet(&f->w->in, fixture_table(f, BY_SYMBOL));
}

static void changes_are_written_with_what_is_known(void **state)
{
	(void)state;
	static const struct {
		struct compare_change c;
		const char *want;
	} cases[] = {
		{{.state = CHANGE_OK, .change = 1.2034, .tested = true, .real = true}, "+20.3%▲"},
		{{.state = CHANGE_OK, .change = 0.5, .tested = true, .real = true}, "-50.0%▼"},
		{{.state = CHANGE_BOUNDED, .change = 4.21, .tested = true, .real = true}, "+321%▲"},
		{{.state = CHANGE_OK, .change = 1.2, .smallest = 1.151, .tested = true}, "<16%"},
		{{.state = CHANGE_OK, .change = 1.2, .smallest = 1.999, .tested = true}, "<100%"},
		{{.state = CHANGE_OK, .change = 1.2, .smallest = 8.22, .tested = true}, "few"},
		{{.state = CHANGE_OK, .change = 1.2, .smallest = INFINITY, .tested = true}, "few"},
		{{.state = CHANGE_FEW_SAMPLES, .change = 1.2, .smallest = 1.1}, "few"},
		{{.state = CHANGE_NONE, .change = 1}, "-"},
		{{.state = CHANGE_NEW, .change = INFINITY, .tested = true, .real = true}, "new▲"},
		{{.state = CHANGE_NEW, .change = INFINITY}, "new"},
		{{.state = CHANGE_VANISHED, .change = 0, .tested = true, .real = true}, "gone▼"},
	};
	const struct column col = {.id = "change"};
	char buf[64];
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		const struct cell cell = {.kind = CELL_CHANGE, .change = &cases[i].c};
		cell_format(&col, &cell, 0, buf, sizeof(buf));
		assert_string_equal(buf, cases[i].want);
		assert_in_range(text_width(buf), 1, 8);
	}
	cell_format(&col, &(struct cell){.kind = CELL_CHANGE, .change = &cases[0].c}, CELL_ASCII, buf, sizeof(buf));
	assert_string_equal(buf, "+20.3%*");
}

static void what_moved_most_comes_first(void **state)
{
	(void)state;
	struct fixture *f = compared(35, 120);
	const struct sheet *s = sheet(f);
	const struct compared *t = &f->w->compared[BY_SYMBOL];
	assert_int_equal(s->n, t->pivot->n + 1); /* with the one that is gone */
	for (size_t i = 0; i + 1 < s->n; i++) {
		const struct diff *d;
		assert_ptr_equal(compared_row(&f->w->in, s->rows[i], &d), &t->diff->rows[i]);
	}
	assert_true(s->rows[s->n - 1]->idle);
	assert_ptr_equal(s->rows[3], &f->w->gone);
	size_t last = s->n - 2; /* before the idle time */
	fixture_type(f, "r");
	assert_ptr_equal(sheet(f)->rows[last - 3], &f->w->gone);
	fixture_type(f,
		     "r>>>>>>>>>>"); /* by other columns as without a comparison, with what is gone behind the rest */
	assert_true(sheet(f)->n == t->pivot->n + 1);
	fixture_destroy(f);
}

/* As the app does where symbol tables are at hand: the row's function is in no file any more. */
static void tell_gone(void *ctx, const struct diff_row *row)
{
	struct diff_row *told = (struct diff_row *)(uintptr_t)row;
	told->function = ctx;
	told->at[DIFF_AFTER] = UINT32_MAX;
}

static void the_panel_says_what_became_of_a_function(void **state)
{
	(void)state;
	struct diff_function function = {.known = {true, true}};
	struct fixture *f = compared(35, 120);
	fixture_type(f, "y");
	assert_false(fixture_screen_has(f, "By the symbol tables"));
	fixture_type(f, "y");
	f->w->comparison.tell = tell_gone;
	f->w->comparison.tell_ctx = &function;
	fixture_type(f, "y");
	assert_true(fixture_screen_has(f, "By the symbol tables: the NOW file names no such function: it was "));
	fixture_destroy(f);
}

static void a_filter_takes_rows_that_are_gone_as_well(void **state)
{
	(void)state;
	struct fixture *f = compared(35, 120);
	fixture_type(f, "\\memchr\n");
	assert_int_equal(sheet(f)->n, 1);
	assert_ptr_equal(sheet(f)->rows[0], &f->w->gone);
	assert_true(fixture_screen_has(f, "gone▼"));
	assert_true(fixture_screen_has(f, "memchr"));
	fixture_destroy(f);
}

static void without_a_baseline_there_are_no_columns_of_it(void **state)
{
	(void)state;
	struct fixture *f = fixture_create(35, 120, 4);
	assert_false(fixture_screen_has(f, "BEFORE"));
	fixture_type(f, "c");
	assert_true(fixture_screen_has(f, "b makes what is shown the baseline"));
	fixture_type(f, "B");
	assert_true(fixture_screen_has(f, "There is no baseline"));
	server_world_compare(f->w);
	assert_int_equal(fixture_press(f, 'B') & REACT_UNMARK, REACT_UNMARK);
	assert_true(fixture_screen_has(f, "BEFORE"));
	f->w->in.comparison = NULL;
	fixture_press(f, 'r');
	assert_false(fixture_screen_has(f, "BEFORE"));
	fixture_destroy(f);
}

static void a_key_changes_the_unit_to_those_that_there_are(void **state)
{
	(void)state;
	struct fixture *f = compared(35, 120);
	static const struct {
		enum diff_unit unit;
		const char *heading;
	} units[] = {
		{DIFF_UNIT_SHARE, "share of cycles: last 5 s against 12:01:10 to 12:02:10; 4 of 44 rows changed"},
		{DIFF_UNIT_RATE, "cycles/second: "},
		{DIFF_UNIT_INSTRUCTIONS, "cycles/instruction: "},
		{DIFF_UNIT_REFERENCE, "cycles/rows alike: "},
	};
	for (size_t i = 0; i < ARRAY_LEN(units); i++) {
		assert_true(fixture_press(f, 'c') & REACT_QUERY);
		assert_int_equal(f->st.unit, units[i].unit);
		f->w->comparison.unit = f->w->diffs[BY_SYMBOL].unit = f->st.unit;
		fixture_press(f, KEY_CYC_RESIZE);
		assert_true(fixture_screen_has(f, units[i].heading));
	}
	f->w->info.events[1].available = false; /* instructions */
	fixture_type(f, "ccc");
	assert_int_equal(f->st.unit, DIFF_UNIT_REFERENCE);
	f->w->comparison.per = "http:request"; /* --per */
	fixture_type(f, "ccc");
	assert_int_equal(f->st.unit, DIFF_UNIT_EVENT);
	f->w->comparison.unit = f->w->diffs[BY_SYMBOL].unit = f->st.unit;
	fixture_press(f, KEY_CYC_RESIZE);
	assert_true(fixture_screen_has(f, "cycles/http:request: "));
	fixture_press(f, 'c');
	assert_int_equal(f->st.unit, DIFF_UNIT_REFERENCE);
	fixture_destroy(f);
}

static void a_clock_per_second_is_a_part_of_a_cpu(void **state)
{
	(void)state;
	struct fixture *f = fixture_create(35, 120, 4);
	server_world_clock_only(f->w);
	server_world_compare(f->w);
	f->w->comparison.unit = f->w->diffs[BY_SYMBOL].unit = DIFF_UNIT_RATE;
	((struct diff_row *)(uintptr_t)f->w->compared[BY_SYMBOL].rows[0])->value.value[DIFF_BEFORE] = 182e6;
	fixture_press(f, KEY_CYC_RESIZE);
	assert_true(fixture_screen_has(f, "   18.2  "));
	assert_true(fixture_screen_has(f, "busy time/second: "));
	fixture_destroy(f);
}

static void a_stretch_that_overlaps_the_baseline_is_not_compared(void **state)
{
	(void)state;
	struct fixture *f = compared(35, 120);
	f->w->comparison.tables_n = 0;
	fixture_press(f, KEY_CYC_RESIZE);
	assert_true(fixture_screen_has(f, "compared from the next refresh on"));
	f->st.query.stretch = (struct stretch){1, 2};
	fixture_press(f, KEY_CYC_RESIZE);
	assert_true(fixture_screen_has(f, "what is shown overlaps it"));
	f->st.query.stretch = (struct stretch){0};
	f->w->info.playable = true; /* a recording, all of which is shown */
	fixture_press(f, KEY_CYC_RESIZE);
	assert_true(fixture_screen_has(f, "[ ] show a part to compare with it"));
	f->w->comparison.tables_n = 2;
	fixture_destroy(f);
}

static void turns_say_how_many_pairs_there_are(void **state)
{
	(void)state;
	struct fixture *f = compared(35, 120);
	f->w->comparison.turns = (struct comparison_turns){.on = true, .side = 1, .pairs = 7};
	fixture_press(f, KEY_CYC_RESIZE);
	assert_true(fixture_screen_has(f, "cycles/rows alike: B against A, 7 pairs; 4 of 44 rows changed"));
	assert_true(fixture_screen_has(f, "turn B is measured: t ends it"));
	f->w->comparison.turns = (struct comparison_turns){.on = true, .pairs = 1};
	fixture_press(f, KEY_CYC_RESIZE);
	assert_true(fixture_screen_has(f, "B against A, 1 pair; 5 pairs are needed"));
	assert_true(fixture_screen_has(f, "turn A is measured"));
	f->w->comparison.tables_n = 0;
	f->w->comparison.turns.pairs = 0;
	fixture_press(f, KEY_CYC_RESIZE);
	assert_true(fixture_screen_has(f, "B against A, 0 pairs; t ends this turn"));
	f->w->comparison.tables_n = 2;
	fixture_destroy(f);
}

static void turns_are_offered_where_phases_are_long(void **state)
{
	(void)state;
	struct fixture *f = compared(35, 120);
	assert_false(fixture_screen_has(f, "t compares turns"));
	f->w->diffs[BY_SYMBOL].summary.low_sensitivity = true;
	f->w->diffs[BY_SYMBOL].summary.effective = 2.4;
	fixture_press(f, KEY_CYC_RESIZE);
	assert_true(fixture_screen_has(
		f, "long phases: worth 2.4 intervals: only large changes are found; t compares turns"));
	assert_true(fixture_press(f, 't') & REACT_TURN);
	f->w->info.playable = true; /* a recording has no turns to come */
	fixture_press(f, KEY_CYC_RESIZE);
	assert_false(fixture_screen_has(f, "t compares turns"));
	assert_int_equal(fixture_press(f, 't') & REACT_TURN, 0);
	assert_true(fixture_screen_has(f, "A recording is as it was"));
	fixture_destroy(f);
}

/* Whatever panes were sorted by: now all are by what changed. */
static void a_baseline_sorts_all_panes_by_change(void **state)
{
	(void)state;
	struct fixture *f = fixture_create(35, 120, 8);
	fixture_press(f, '>');
	fixture_press(f, 'r');
	assert_true(f->st.views[f->st.focus].sort[0] && f->st.views[f->st.focus].reverse);
	assert_true(fixture_press(f, 'b') & REACT_MARK);
	for (int i = 0; i < f->st.views_n; i++)
		assert_true(!f->st.views[i].sort[0] && !f->st.views[i].reverse);
	fixture_destroy(f);
	f = compared(35, 120); /* what is chosen in a comparison stays when another baseline is taken */
	fixture_press(f, '<');
	assert_true(fixture_press(f, 'b') & REACT_MARK);
	assert_true(f->st.views[f->st.focus].sort[0]);
	fixture_destroy(f);
}

static void why_a_reference_is_doubtful_is_said(void **state)
{
	(void)state;
	struct fixture *f = compared(35, 120);
	struct diff *d = &f->w->diffs[BY_SYMBOL];
	struct compare_reference *r = &d->reference;
	d->reference_rows = 3;
	*r = (struct compare_reference){.bundles = 3, .change = 1, .share = {0.5, 0.53}};
	fixture_press(f, KEY_CYC_RESIZE);
	assert_true(fixture_screen_has(f, "rows alike: 3 (few), 53% of all: c changes the unit"));
	d->reference_rows = 30;
	*r = (struct compare_reference){.bundles = 30, .change = 1, .share = {0.5, 0.13}};
	fixture_press(f, KEY_CYC_RESIZE);
	assert_true(fixture_screen_has(f, "rows alike: 30, 13% of all (little): c changes"));
	*r = (struct compare_reference){.alike = 3, .change = 1, .share = {0.02, 0.02}};
	fixture_press(f, KEY_CYC_RESIZE);
	assert_true(fixture_screen_has(f, "too few rows changed alike, with little weight: shares are compared"));
	fixture_destroy(f);
}

static void only_shares_are_said_to_be_shares(void **state)
{
	(void)state;
	struct fixture *f = compared(35, 120);
	fixture_type(f, "y");
	assert_true(fixture_screen_has(f, "10.9% of all before, 13.1% by the rows alike now: +20.0%"));
	f->w->comparison.unit = f->w->diffs[BY_SYMBOL].unit = DIFF_UNIT_SHARE;
	fixture_press(f, KEY_CYC_RESIZE);
	assert_true(fixture_screen_has(f, "10.9% of all before, 13.1% of all now: +20.0%"));
	f->w->comparison.unit = f->w->diffs[BY_SYMBOL].unit = DIFF_UNIT_RATE;
	fixture_press(f, KEY_CYC_RESIZE);
	assert_false(fixture_screen_has(f, "of all before"));
	fixture_destroy(f);
}

static void the_heading_names_the_pane_it_is_of(void **state)
{
	(void)state;
	struct fixture *f = compared(35, 120);
	assert_true(
		fixture_screen_has(f, "Symbols: cycles/rows alike: last 5 s against 12:01:10 to 12:02:10; 4 of 44"));
	fixture_press(f, KEY_CYC_TAB);
	assert_true(fixture_screen_has(f, "Tasks: cycles/rows alike: last 5 s against 12:01:10 to 12:02:10; 1 of 25"));
	fixture_destroy(f);
	f = compared(35, 60); /* shortened, but named */
	assert_true(fixture_screen_has(f, "Symbols: "));
	assert_true(fixture_screen_has(f, "4 of 44 changed"));
	fixture_destroy(f);
	f = compared(24, 80); /* one pane: nothing else can be meant */
	assert_false(fixture_screen_has(f, "Symbols: cycles"));
	fixture_destroy(f);
}

static void a_file_of_another_machine_is_said_first(void **state)
{
	(void)state;
	static const struct diff_differences differs = {
		.text = "another CPU (Intel(R) Xeon(R) CPU E5-2680 v4), another kernel (5.10.0-28-amd64 x86_64)",
		.brief = "another CPU, kernel",
	};
	static const int sizes[][2] = {{35, 120}, {24, 80}, {15, 60}};
	for (size_t i = 0; i < ARRAY_LEN(sizes); i++) {
		struct fixture *f = compared(sizes[i][0], sizes[i][1]);
		f->w->comparison.differs = &differs;
		f->w->comparison.of_file = true;
		f->w->diffs[BY_SYMBOL].summary.low_sensitivity = true;
		f->w->diffs[BY_SYMBOL].summary.effective = 4.1;
		fixture_press(f, KEY_CYC_RESIZE);
		assert_true(fixture_screen_has(f, "another CPU, kernel: !  "));
		assert_true(fixture_screen_has(f, i < 2 ? "long phases" : "changed"));
		f->w->diffs[BY_SYMBOL].summary.low_sensitivity = false;
		fixture_press(f, KEY_CYC_RESIZE);
		assert_true(fixture_screen_has(f, i ? "another CPU, kernel: !" : differs.text));
		/* rates of it cannot be compared: no verdict */
		f->w->comparison.unit = DIFF_UNIT_RATE;
		f->w->comparison.refused = true;
		f->w->comparison.tables_n = 0;
		fixture_press(f, KEY_CYC_RESIZE);
		assert_true(fixture_screen_has(f, "of another machine: c changes the unit"));
		assert_false(fixture_screen_has(f, "moved"));
		f->w->comparison.tables_n = 2;
		fixture_destroy(f);
	}
}

static void a_session_without_samples_has_nothing_to_compare(void **state)
{
	(void)state;
	struct fixture *f = fixture_create(24, 80, 4);
	f->w->info.scope = SCOPE_PROC;
	assert_int_equal(fixture_press(f, 'b') & REACT_MARK, 0);
	assert_int_equal(fixture_press(f, 't') & REACT_TURN, 0);
	assert_true(fixture_screen_has(f, "no samples here to compare"));
	fixture_destroy(f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(changes_are_written_with_what_is_known),
		cmocka_unit_test(what_moved_most_comes_first),
		cmocka_unit_test(the_panel_says_what_became_of_a_function),
		cmocka_unit_test(a_filter_takes_rows_that_are_gone_as_well),
		cmocka_unit_test(without_a_baseline_there_are_no_columns_of_it),
		cmocka_unit_test(a_key_changes_the_unit_to_those_that_there_are),
		cmocka_unit_test(a_clock_per_second_is_a_part_of_a_cpu),
		cmocka_unit_test(a_stretch_that_overlaps_the_baseline_is_not_compared),
		cmocka_unit_test(turns_say_how_many_pairs_there_are),
		cmocka_unit_test(turns_are_offered_where_phases_are_long),
		cmocka_unit_test(a_baseline_sorts_all_panes_by_change),
		cmocka_unit_test(why_a_reference_is_doubtful_is_said),
		cmocka_unit_test(only_shares_are_said_to_be_shares),
		cmocka_unit_test(the_heading_names_the_pane_it_is_of),
		cmocka_unit_test(a_file_of_another_machine_is_said_first),
		cmocka_unit_test(a_session_without_samples_has_nothing_to_compare),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
