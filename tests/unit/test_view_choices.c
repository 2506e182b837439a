/* What keys choose and answer: columns by name, names in full, users, habits of other tools, formats to
 * export. */
#include "../lib/view_fixture.h"
#include "view/screen.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static void columns_are_chosen_from_a_list(void **state)
{
	(void)state;
	struct fixture *f = fixture_create(24, 80, 4);
	fixture_press(f, 'o');
	assert_true(fixture_screen_has(f, "Sort by"));
	assert_true(fixture_screen_has(f, "MISS%"));
	assert_true(fixture_screen_has(f, "share of all cycles"));
	for (int i = 0; i < 4; i++) /* by letter: of MISS%, MPKI the second */
		fixture_press(f, 'm');
	struct view *table = fixture_table(f, BY_SYMBOL);
	fixture_press(f, KEY_CYC_ENTER);
	assert_true(fixture_screen_has(f, "by MPKI"));
	fixture_press(f, KEY_CYC_F6);
	fixture_press(f, KEY_CYC_HOME);
	fixture_press(f, KEY_CYC_ESC);
	assert_true(fixture_screen_has(f, "by MPKI"));
	assert_string_equal(table->sort, "mpki");
	fixture_destroy(f);
}

/* Names of dimensions stand apart from what they mean. */
static void names_are_apart_from_meanings(void **state)
{
	(void)state;
	struct fixture *f = fixture_create(60, 120, 4);
	size_t found = 0;
	fixture_press(f, 'v');
	for (size_t d = DIM_NONE + 1; d < DIM_FIELD1; d++) {
		char apart[80];
		snprintf(apart, sizeof(apart), "  %s  ", dimensions[d].name);
		found += fixture_screen_has(f, dimensions[d].name);
		assert_true(fixture_screen_has(f, apart) || !fixture_screen_has(f, dimensions[d].name));
	}
	assert_true(found > 20);
	fixture_destroy(f);
}

/* What is between slashes is a regular expression; all else is text, whatever characters it has. */
static void expressions_are_between_slashes(void **state)
{
	(void)state;
	static const struct {
		const char *text, *wanted;
		bool has;
	} cases[] = {
		{"tcp_sendmsg_locked", "/^tcp_.*lock/", true},
		{"TCP_SENDMSG_LOCKED", "/^tcp_.*lock/", true},
		{"my_tcp_lock", "/^tcp_.*lock/", false},
		{"a.c", "/a\\.c|x/", true},
		{"abc", "/a\\.c|x/", false},
		{"abc", "a.c", false}, /* plain */
		{"std::map<int, char>::operator[](int*)", "operator[](int*)", true},
		{"/usr/lib/x", "/usr/lib", true}, /* a path is plain */
		{"usr", "/usr/lib", false},
		{"a", "/", false},
		{"a//b", "//", true},
		{"f(a))+", "/\\)+\\+/", true},
		{"baab", "/ba+b/", true},
		{"a", "/(/", false}, /* wrong */
	};
	static const char *const wrong[] = {"/(/",   "/[a/",  "/a{1,99}/", "/(a)\\1/", "/((a+)+)+/",
					    "/a++/", "/a*+/", "/a?+/",	   "/*\\/"};
	char why[80];
	for (size_t i = 0; i < ARRAY_LEN(cases); i++)
		if (text_matches(cases[i].text, cases[i].wanted) != cases[i].has)
			fail_msg("%s in %s", cases[i].wanted, cases[i].text);
	for (size_t i = 0; i < ARRAY_LEN(wrong) - 1; i++)
		assert_true(view_filter_is_wrong(wrong[i], why, sizeof(why)) && why[0]);
	(void)view_filter_is_wrong(wrong[ARRAY_LEN(wrong) - 1], why, sizeof(why)); /* ends in a backslash */
	assert_false(view_filter_is_wrong("(", why, sizeof(why)));
	struct fixture *f = fixture_create(24, 100, 4);
	fixture_type(f, "\\/^(heap|hash)_/");
	assert_true(fixture_screen_has(f, "heap_getnextslot") && fixture_screen_has(f, "2 rows"));
	fixture_press(f, KEY_CYC_ESC);
	fixture_type(f, "\\/(/\n");
	assert_true(fixture_screen_has(f, "The regular expression /(/ is wrong: "));
	fixture_press(f, KEY_CYC_ESC);
	fixture_type(f, "//^hash_/");
	char *line = fixture_selected_line(f);
	assert_true(line && strstr(line, "hash_search_with_hash_value"));
	free(line);
	fixture_type(f, "|[/"); /* now it has no slash at its end: plain text */
	assert_true(fixture_screen_has(f, "is wrong") || fixture_screen_has(f, "No row has"));
	fixture_press(f, KEY_CYC_ESC);
	fixture_destroy(f);
}

/* The picker, key C. */
static void events_are_found_by_typing(void **state)
{
	(void)state;
	static const struct event_known known[] = {
		{"preset", "faults", "page-faults,minor-faults"},
		{"hardware", "cycles", ""},
		{"software", "page-faults", ""},
		{"software", "minor-faults", "faults without I/O"},
		{"tracepoint", "sched:sched_switch", ""},
	};
	struct fixture *f = fixture_create(30, 100, 4);
	fixture_press(f, 'C');
	assert_true(fixture_screen_has(f, "there are no events to choose"));
	f->w->in.events_change = true;
	assert_true(fixture_press(f, 'C') & REACT_KNOWN);
	f->w->in.known = known;
	f->w->in.known_n = ARRAY_LEN(known);
	fixture_type(f, "page-f"); /* the event of that name, before a preset that has it */
	assert_true(fixture_press(f, KEY_CYC_ENTER) & REACT_EVENT);
	assert_string_equal(f->st.event, "page-faults");
	for (int i = 0; i < 6; i++)
		fixture_press(f, KEY_CYC_BACKSPACE);
	fixture_type(f, "fault");
	assert_true(fixture_screen_has(f, "Events: fault") && fixture_screen_has(f, "[ ] page-faults"));
	assert_true(fixture_screen_has(f, "minor-faults") && !fixture_screen_has(f, "sched_switch"));
	assert_true(fixture_screen_has(f, "[ ] fault ")); /* as typed */
	fixture_press(f, KEY_CYC_DOWN);
	fixture_press(f, KEY_CYC_DOWN);
	assert_true(fixture_press(f, KEY_CYC_ENTER) & REACT_EVENT);
	assert_string_equal(f->st.event, "minor-faults");
	fixture_press(f, KEY_CYC_END); /* no key but those named does anything */
	for (int i = 0; i < 9; i++)
		fixture_press(f, KEY_CYC_BACKSPACE);
	assert_true(fixture_screen_has(f, "[x] cycles")); /* it is measured, and is listed once */
	assert_false(fixture_screen_has(f, "[ ] cycles"));
	fixture_type(f, "r1a8");
	assert_true(fixture_press(f, KEY_CYC_ENTER) & REACT_EVENT);
	assert_string_equal(f->st.event, "r1a8");
	for (int i = 0; i < 300; i++)
		fixture_type(f, "x");
	fixture_press(f, KEY_CYC_PGDN);
	fixture_press(f, KEY_CYC_ENTER);
	fixture_press(f, KEY_CYC_ESC);
	assert_false(fixture_screen_has(f, "Events:"));
	f->w->in.known_n = 0;
	fixture_destroy(f);
}

/* When all that was to be measured has ended, no key promises what is measured from now on, nor forgets what was. */
static void keys_know_that_all_has_ended(void **state)
{
	(void)state;
	static const uint32_t keys[] = {'b', 't', 'z', '+', '-'};
	for (size_t i = 0; i < ARRAY_LEN(keys); i++) {
		struct fixture *f = fixture_create(24, 80, 4);
		f->w->in.over = f->w->in.rate_change = true;
		assert_int_equal(fixture_press(f, keys[i]) & ~(unsigned)REACT_REDRAW, 0);
		assert_non_null(strstr(f->st.message, "has ended"));
		fixture_destroy(f);
	}
	struct fixture *f = fixture_create(24, 80, 4); /* a time before the end can be compared with the rest */
	f->w->in.over = true;
	f->st.query.stretch = (struct stretch){1, 2};
	assert_int_equal(fixture_press(f, 'b') & REACT_MARK, REACT_MARK);
	fixture_destroy(f);
}

static const char *command_of_id(void *ctx, uint32_t leader)
{
	static const char *const commands[] = {"make -j8 all", "cc -c a.c", "cc -c b.c"};
	(void)ctx;
	return leader < ARRAY_LEN(commands) ? commands[leader] : NULL;
}

/* A row of children has the command line of the process that started them, not that of a child, and how many it
 * started. */
static void parents_have_command_lines(void **state)
{
	(void)state;
	const struct pivot_query query = {.dims = {DIM_PARENT}, .dims_n = 1, .top = DIM_SYMBOL};
	struct fixture *f = fixture_create(24, 100, 4);
	struct view_input *in = &f->w->in;
	struct columns cols;
	in->command = command_of_id;
	struct task_info *make = &f->w->tasks[0], *cc = &f->w->tasks[1];
	make->leader = 0;
	cc->leader = 1;
	cc->parent = "make (4711)";
	cc->ppid = (uint32_t)(make->pid = 4711);
	make->start_ns = 10;
	cc->start_ns = 20;
	make->exit_ns = 0;
	view_columns(in, &query, &cols);
	const struct column *command = view_column_find(&cols, "command");
	assert_non_null(command);
	const struct row row = {.task = 1};
	assert_string_equal(command->value(in, command, &row).s, "make -j8 all");
	const struct column *started = view_column_find(&cols, "started");
	make->started = 1234;
	assert_non_null(started);
	assert_int_equal(started->value(in, started, &row).u, 1234);
	make->start_ns = 30; /* another process, which has the number of the parent now */
	assert_int_equal(command->value(in, command, &row).kind, CELL_ABSENT);
	make->start_ns = 10;
	make->exit_ns = 40;
	assert_int_equal(command->value(in, command, &row).kind, CELL_ABSENT);
	assert_int_equal(started->value(in, started, &row).kind, CELL_ABSENT);
	cc->parent = NULL;
	assert_int_equal(command->value(in, command, &row).kind, CELL_ABSENT);
	fixture_destroy(f);
}

/* A list that is longer than its place says which part of it is shown. */
static void long_lists_say_where_they_are(void **state)
{
	(void)state;
	char all[32];
	snprintf(all, sizeof(all), " of %d", DIM_FIELD1 - 1);
	struct fixture *f = fixture_create(20, 80, 4);
	fixture_press(f, 'v');
	assert_true(fixture_screen_has(f, "View by") && fixture_screen_has(f, all));
	assert_true(fixture_screen_has(f, "1-"));
	fixture_press(f, KEY_CYC_END);
	assert_false(fixture_screen_has(f, " 1-"));
	fixture_press(f, KEY_CYC_ESC);
	fixture_destroy(f);
	f = fixture_create(70, 80, 4);
	fixture_press(f, 'v');
	assert_true(fixture_screen_has(f, "View by") && !fixture_screen_has(f, all));
	fixture_destroy(f);
}

/* Panes of one kind have names of their own. */
static void panes_have_different_names(void **state)
{
	(void)state;
	struct fixture *f = fixture_create(24, 100, 4);
	assert_false(fixture_screen_has(f, "CPUs 2"));
	fixture_type(f, "acc"); /* add a pane by CPU */
	fixture_press(f, KEY_CYC_DOWN);
	while (table_dim(focused(&f->st)) != DIM_CPU) {
		fixture_press(f, 'v');
		fixture_press(f, KEY_CYC_DOWN);
		fixture_press(f, KEY_CYC_ENTER);
	}
	assert_true(fixture_screen_has(f, "CPUs 2"));
	fixture_destroy(f);
}

static void long_names_are_scrolled(void **state)
{
	(void)state;
	struct fixture *f = fixture_create(24, 60, 4);
	assert_true(fixture_screen_has(f, "__introsort_loop"));
	assert_false(fixture_screen_has(f, "(unsigned long*, long)"));
	for (int i = 0; i < 40; i++)
		fixture_press(f, KEY_CYC_RIGHT);
	assert_true(fixture_screen_has(f, "(unsigned long*, long)")); /* the end of the long name ... */
	assert_true(fixture_screen_has(f, "heap_getnextslot"));	      /* ... and all of the short ones */
	for (int i = 0; i < 40; i++)
		fixture_press(f, KEY_CYC_LEFT);
	assert_false(fixture_screen_has(f, "(unsigned long*, long)"));
	assert_true(fixture_screen_has(f, "Names begin here"));
	fixture_destroy(f);
}

static void habits_of_other_tools_are_answered(void **state)
{
	(void)state;
	static const struct {
		uint32_t key;
		const char *answer;
	} habits[] = {
		{KEY_CYC_F2, "v chooses what a pane shows"},
		{'*', "* folds rows of a tree"},
		{KEY_CYC_F7, "renice"},
		{KEY_CYC_F8, "renice"},
		{KEY_CYC_F9, "kill PID"},
		{'M', "memory"},
		{'T', "o chooses"},
		{'@', "does nothing"},
	};
	for (size_t i = 0; i < ARRAY_LEN(habits); i++) {
		struct fixture *f = fixture_create(24, 80, 4);
		assert_int_equal(fixture_press(f, habits[i].key), REACT_REDRAW);
		if (!fixture_screen_has(f, habits[i].answer))
			fail_msg("%s", f->st.message);
		fixture_destroy(f);
	}
	struct fixture *f = fixture_create(24, 80, 4);
	assert_true(fixture_press(f, 'u') & REACT_QUERY);
	assert_int_equal(table_dim(focused(&f->st)), DIM_USER);
	assert_true(fixture_screen_has(f, "Enter on a user"));
	fixture_destroy(f);
}

static void errors_need_samples(void **state)
{
	(void)state;
	struct fixture *f = fixture_create(24, 80, 4);
	f->w->in.roles = NULL;
	for (size_t e = 1; e < f->w->info.events_n; e++)
		f->w->info.events[e].available = false;
	fixture_press(f, 'e'); /* without ratios there are shares */
	assert_true(f->st.show_error);
	assert_true(fixture_screen_has(f, "\u00b1"));
	f->w->info.scope = SCOPE_PROC;
	fixture_press(f, 'e');
	assert_true(f->st.show_error);
	assert_true(fixture_screen_has(f, "no samples here"));
	fixture_destroy(f);
}

static void shares_say_what_they_are_of(void **state)
{
	(void)state;
	struct fixture *f = fixture_create(24, 100, 4);
	assert_false(fixture_screen_has(f, "of all"));
	fixture_press(f, '\\');
	fixture_type(f, "postgres");
	fixture_press(f, KEY_CYC_ENTER);
	assert_true(fixture_screen_has(f, "only postgres   18% of all"));
	assert_true(fixture_press(f, '%') & REACT_QUERY);
	assert_true(focused(&f->st)->pivot.relative);
	assert_true(fixture_press(f, '%') & REACT_QUERY);
	assert_false(focused(&f->st)->pivot.relative);
	fixture_destroy(f);
}

/* What the screen says to each format, and which of them is written. */
static void exports_need_their_library_and_call_chains(void **state)
{
	(void)state;
	static const struct view_format formats[] = {
		{"csv", "the rows", NULL, false},
		{"json", "the rows", "built without a library", false},
		{"svg", "a flame graph", NULL, true},
	};
	struct fixture *f = fixture_create(24, 120, 4);
	f->w->in.formats = formats;
	f->w->in.formats_n = ARRAY_LEN(formats);
	fixture_press(f, 'E');
	assert_true(fixture_screen_has(f, "Export as") && fixture_screen_has(f, "a flame graph"));
	assert_true(fixture_screen_has(f, "built without a library"));
	assert_int_equal(fixture_press(f, KEY_CYC_ENTER), REACT_EXPORT | REACT_REDRAW);
	assert_int_equal(f->st.exported, 0);
	fixture_type(f, "Ej");
	assert_int_equal(fixture_press(f, KEY_CYC_ENTER), REACT_REDRAW);
	assert_true(fixture_screen_has(f, "Not exported as json: built without a library"));
	f->w->in.chains_change = true;
	fixture_type(f, "Es");
	assert_int_equal(fixture_press(f, KEY_CYC_ENTER), REACT_REDRAW);
	assert_true(fixture_screen_has(f, "no call chains yet: g begins with them"));
	f->st.chains = true;
	fixture_type(f, "Es");
	assert_int_equal(fixture_press(f, KEY_CYC_ENTER), REACT_EXPORT | REACT_REDRAW);
	assert_int_equal(f->st.exported, 2);
	fixture_destroy(f);
}

/* Call chains are exported within all zooms, whichever pane has the focus. */
static void exports_are_within_zooms(void **state)
{
	(void)state;
	struct fixture *f = fixture_create(24, 100, 4);
	assert_int_equal(view_export_chains(&f->st).filters_n, 0);
	fixture_press(f, KEY_CYC_ENTER);
	struct pivot_query chains = view_export_chains(&f->st);
	assert_int_equal(chains.filters_n, 1);
	assert_int_equal(chains.filters[0].dim, DIM_SYMBOL);
	assert_int_equal(chains.dims_n, 2);
	assert_true(chains.by_name);
	assert_ptr_equal(view_export_pane(&f->st), focused(&f->st));
	fixture_destroy(f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(columns_are_chosen_from_a_list),
		cmocka_unit_test(names_are_apart_from_meanings),
		cmocka_unit_test(expressions_are_between_slashes),
		cmocka_unit_test(parents_have_command_lines),
		cmocka_unit_test(long_lists_say_where_they_are),
		cmocka_unit_test(panes_have_different_names),
		cmocka_unit_test(long_names_are_scrolled),
		cmocka_unit_test(habits_of_other_tools_are_answered),
		cmocka_unit_test(errors_need_samples),
		cmocka_unit_test(shares_say_what_they_are_of),
		cmocka_unit_test(events_are_found_by_typing),
		cmocka_unit_test(keys_know_that_all_has_ended),
		cmocka_unit_test(exports_need_their_library_and_call_chains),
		cmocka_unit_test(exports_are_within_zooms),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
