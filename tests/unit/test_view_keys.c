/* Actions of keys and mouse. */
#include "../lib/view_fixture.h"
#include "view/screen.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static void assert_selected(const struct fixture *f, const char *text)
{
	char *line = fixture_selected_line(f);
	assert_non_null(line);
	if (!strstr(line, text))
		fail_msg("selected: %s, without %s", line, text);
	free(line);
}

/* ---- selection ---------------------------------------------------------------------------- */

static void the_selection_follows_its_row(void **state)
{
	(void)state;
	struct fixture *f = fixture_create(24, 100, 4);
	for (int i = 0; i < 3; i++)
		fixture_press(f, KEY_CYC_DOWN);
	assert_selected(f, "heap_getnextslot");
	for (unsigned seed = 1; seed < 20; seed++) {
		server_world_jitter(f->w, seed);
		view_draw(&f->st, &f->w->in, f->g);
		assert_selected(f, "heap_getnextslot");
	}
	const uint64_t selected = fixture_table(f, BY_SYMBOL)->selected;
	for (int i = 0; i < 12; i++) { /* through all columns, both directions */
		fixture_press(f, '>');
		assert_true(fixture_table(f, BY_SYMBOL)->selected == selected);
		fixture_press(f, 'r');
		assert_true(fixture_table(f, BY_SYMBOL)->selected == selected);
	}
	fixture_press(f, 'j');
	fixture_press(f, 'k');
	assert_selected(f, "heap_getnextslot");
	fixture_destroy(f);
}

/* What is hottest stays in sight, wherever the selected row goes; only the user moves the rows. */
static void the_first_rows_stay(void **state)
{
	(void)state;
	struct fixture *f = fixture_create(24, 100, 4);
	for (int i = 0; i < 3; i++)
		fixture_press(f, KEY_CYC_DOWN);
	f->w->symbol_rows[3].share = 1e-9;
	view_draw(&f->st, &f->w->in, f->g);
	assert_true(fixture_screen_has(f, "ngx_http_parse_request_line"));
	assert_null(fixture_selected_line(f));
	assert_true(fixture_screen_has(f, "selected: row 44"));
	fixture_press(f, 'y'); /* a panel leaves less room for the rows */
	assert_true(fixture_screen_has(f, "ngx_http_parse_request_line"));
	fixture_press(f, 'y');
	fixture_press(f, 'k');
	assert_selected(f, "");
	assert_false(fixture_screen_has(f, "selected: row"));
	assert_true(fixture_screen_has(f, " of 45"));
	assert_false(fixture_screen_has(f, "ngx_http_parse_request_line"));
	fixture_press(f, KEY_CYC_HOME);
	assert_selected(f, "ngx_http_parse_request_line");
	assert_false(fixture_screen_has(f, " of 45"));
	/* a lower pane scrolls to a row that it had in sight */
	fixture_press(f, KEY_CYC_PGDN);
	fixture_press(f, 'y');
	assert_selected(f, "");
	fixture_destroy(f);
}

static void the_cursor_stays_where_a_row_is_gone(void **state)
{
	(void)state;
	struct fixture *f = fixture_create(24, 100, 4);
	for (int i = 0; i < 3; i++)
		fixture_press(f, 'j');
	memmove(&f->w->symbol_rows[3], &f->w->symbol_rows[4], (SERVER_SYMS - 3) * sizeof(struct row));
	f->w->pivots[BY_SYMBOL].n--;
	view_draw(&f->st, &f->w->in, f->g);
	assert_int_equal(fixture_table(f, BY_SYMBOL)->cursor, 3);
	assert_selected(f, "deflate_slow"); /* the next row */
	f->w->pivots[BY_SYMBOL].n = 2;
	view_draw(&f->st, &f->w->in, f->g);
	assert_int_equal(fixture_table(f, BY_SYMBOL)->cursor, 1);
	f->w->pivots[BY_SYMBOL].n = 0;
	view_draw(&f->st, &f->w->in, f->g);
	assert_int_equal(fixture_table(f, BY_SYMBOL)->cursor, 0);
	fixture_destroy(f);
}

static void an_untouched_selection_stays_on_top(void **state)
{
	(void)state;
	struct fixture *f = fixture_create(24, 100, 4);
	assert_selected(f, "ngx_http_parse_request_line");
	fixture_press(f, 'r');
	assert_selected(f, "memchr"); /* the row with the smallest share */
	fixture_press(f, 'G');
	assert_selected(f, "(idle)");
	fixture_press(f, 'r');
	assert_selected(f, "(idle)");
	fixture_press(f, KEY_CYC_HOME);
	assert_selected(f, "ngx_http_parse_request_line");
	fixture_destroy(f);
}

static void pages_and_ends_stay_in_the_table(void **state)
{
	(void)state;
	struct fixture *f = fixture_create(24, 100, 4);
	struct view *ps = fixture_table(f, BY_SYMBOL);
	fixture_press(f, KEY_CYC_UP);
	assert_int_equal(ps->cursor, 0);
	fixture_press(f, KEY_CYC_PGDN);
	assert_in_range(ps->cursor, 10, 20);
	size_t page = ps->cursor;
	fixture_press(f, KEY_CYC_PGUP);
	assert_int_equal(ps->cursor, 0);
	for (int i = 0; i < 20; i++)
		fixture_press(f, KEY_CYC_PGDN);
	assert_int_equal(ps->cursor, SERVER_SYMS);
	assert_int_equal(ps->top, SERVER_SYMS + 1 - page);
	fixture_press(f, KEY_CYC_DOWN);
	assert_int_equal(ps->cursor, SERVER_SYMS);
	fixture_press(f, KEY_CYC_HOME);
	assert_int_equal(ps->top, 0);
	fixture_destroy(f);
}

/* ---- panes, zoom, sorting -------------------------------------------------------------------- */

static void tab_goes_round_the_panes(void **state)
{
	(void)state;
	struct fixture *f = fixture_create(24, 80, 4);
	assert_true(fixture_screen_has(f, "[Symbols]"));
	fixture_press(f, KEY_CYC_TAB);
	assert_true(fixture_screen_has(f, "[Tasks]") && fixture_screen_has(f, "COMM "));
	fixture_press(f, KEY_CYC_TAB);
	assert_true(fixture_screen_has(f, "[CPUs]") && fixture_screen_has(f, "BUSY%"));
	fixture_press(f, KEY_CYC_TAB);
	assert_true(fixture_screen_has(f, "[Symbols]"));
	fixture_press(f, KEY_CYC_BACKTAB);
	assert_true(fixture_screen_has(f, "[CPUs]"));
	fixture_destroy(f);

	f = fixture_create(35, 120, 4); /* a tall screen shows two panes; Tab changes the lower one */
	assert_true(fixture_screen_has(f, "SYMBOL") && fixture_screen_has(f, "COMM "));
	fixture_press(f, KEY_CYC_TAB);
	fixture_press(f, KEY_CYC_TAB);
	assert_true(fixture_screen_has(f, "SYMBOL") && fixture_screen_has(f, "BUSY%") &&
		    !fixture_screen_has(f, "COMM "));
	fixture_press(f, KEY_CYC_TAB);
	assert_true(fixture_screen_has(f, "BUSY%"));
	fixture_press(f, KEY_CYC_TAB);
	assert_true(fixture_screen_has(f, "COMM "));
	fixture_destroy(f);
}

static void zoom_goes_in_and_comes_back(void **state)
{
	(void)state;
	struct fixture *f = fixture_create(24, 100, 4);
	fixture_press(f, KEY_CYC_TAB);
	fixture_press(f, 'j');
	assert_selected(f, "20731");
	assert_int_equal(fixture_press(f, KEY_CYC_ENTER), REACT_QUERY | REACT_REDRAW);
	assert_int_equal(fixture_table(f, BY_SYMBOL)->pivot.filters[0].key, 2);
	assert_int_equal(fixture_focus(f), BY_SYMBOL);
	assert_true(fixture_screen_has(f, "in process 20731 postgres"));
	fixture_press(f, 'j');
	fixture_press(f, KEY_CYC_ENTER);
	assert_int_equal(fixture_table(f, BY_PID)->pivot.filters[0].key, 1);
	assert_int_equal(fixture_focus(f), BY_PID);
	assert_true(fixture_screen_has(f, "in aes_gcm_enc_128_kernel"));
	assert_true(fixture_press(f, KEY_CYC_ESC) & REACT_QUERY);
	assert_int_equal(fixture_table(f, BY_PID)->pivot.filters_n, 0);
	assert_int_equal(fixture_table(f, BY_SYMBOL)->pivot.filters[0].key, 2);
	assert_int_equal(fixture_focus(f), BY_SYMBOL);
	assert_selected(f, "aes_gcm_enc_128_kernel");
	assert_true(fixture_press(f, KEY_CYC_BACKSPACE) & REACT_QUERY);
	assert_int_equal(fixture_table(f, BY_SYMBOL)->pivot.filters_n, 0);
	assert_int_equal(fixture_focus(f), BY_PID);
	assert_int_equal(fixture_press(f, KEY_CYC_ESC), REACT_REDRAW); /* Esc has nothing left to undo */
	for (int i = 0; i < 50; i++) {				       /* the list of zooms is bounded */
		fixture_press(f, KEY_CYC_ENTER);
		fixture_press(f, KEY_CYC_TAB);
	}
	assert_in_range(f->st.zooms_n, 0, 3);
	fixture_destroy(f);
}

static void zoom_needs_a_row(void **state)
{
	(void)state;
	struct fixture *f = fixture_create(24, 100, 4);
	fixture_press(f, 'G'); /* the idle row */
	assert_int_equal(fixture_press(f, KEY_CYC_ENTER) & REACT_QUERY, 0);
	f->w->pivots[BY_SYMBOL].n = 0;
	assert_int_equal(fixture_press(f, KEY_CYC_ENTER) & REACT_QUERY, 0);
	assert_int_equal(f->st.zooms_n, 0);
	fixture_destroy(f);
}

static void headings_sort_by_click(void **state)
{
	(void)state;
	struct fixture *f = fixture_create(24, 100, 4);
	struct layout l;
	struct columns all;
	struct placed placed[COLUMNS_MAX];
	layout_for(&f->st, &f->w->in, 24, 100, &l);
	view_columns(&f->w->in, &usual_pivots[BY_SYMBOL], &all);
	size_t n = columns_place(&all, 100, 0, placed);
	for (size_t i = 0; i < n; i++) {
		struct input_event click = {.key = KEY_CYC_MOUSE,
					    .row = table_box(l.views[0]).heading,
					    .col = placed[i].x + placed[i].width / 2};
		struct view *ps = fixture_table(f, BY_SYMBOL);
		bool again = i == 0; /* the pane is sorted by its first column by default */
		fixture_event(f, click);
		assert_true(ps->reverse == again);
		if (!again)
			assert_string_equal(ps->sort, placed[i].col->id);
		fixture_event(f, click);
		assert_true(ps->reverse == !again);
	}
	fixture_destroy(f);
}

static void rows_and_keys_of_the_footer_can_be_clicked(void **state)
{
	(void)state;
	struct fixture *f = fixture_create(35, 120, 4);
	struct layout l;
	layout_for(&f->st, &f->w->in, 35, 120, &l);
	struct input_event ev = {.key = KEY_CYC_MOUSE, .row = table_box(l.views[1]).first + 2, .col = 5};
	fixture_event(f, ev);
	assert_int_equal(fixture_focus(f), BY_PID);
	assert_selected(f, "31877");
	ev.double_click = true;
	assert_true(fixture_event(f, ev) & REACT_QUERY);
	assert_int_equal(fixture_table(f, BY_SYMBOL)->pivot.filters[0].key, 3);
	ev = (struct input_event){.key = KEY_CYC_MOUSE, .row = table_box(l.views[0]).first, .wheel_down = true};
	fixture_event(f, ev);
	assert_int_equal(fixture_table(f, BY_SYMBOL)->cursor, 3);
	ev.wheel_down = false;
	ev.wheel_up = true;
	fixture_event(f, ev);
	fixture_event(f, ev);
	assert_int_equal(fixture_table(f, BY_SYMBOL)->cursor, 0);
	ev = (struct input_event){.key = KEY_CYC_MOUSE, .row = l.footer, .col = 0};
	fixture_event(f, ev);
	assert_non_null(view_find(&f->st, &help_view));
	ev.row = 0;
	fixture_event(f, ev);
	assert_null(view_find(&f->st, &help_view));
	ev.row = l.footer;
	ev.col = 32;	       /* on "q Quit" in the footer */
	fixture_press(f, 'M'); /* says something in its place */
	assert_true(fixture_screen_has(f, "cyctop does not show memory"));
	assert_false(fixture_event(f, ev) & REACT_QUIT);
	assert_true(fixture_event(f, ev) & REACT_QUIT);
	ev = (struct input_event){.key = KEY_CYC_MOUSE, .row = l.views[1].row, .col = 3};
	focus_set(&f->st, 0);
	fixture_event(f, ev);
	assert_int_equal(fixture_focus(f), BY_PID);
	fixture_destroy(f);
	f = fixture_create(24, 80, 4); /* a small screen, which shows tabs */
	layout_for(&f->st, &f->w->in, 24, 80, &l);
	fixture_event(f, (struct input_event){.key = KEY_CYC_MOUSE, .row = l.views[0].row, .col = 22});
	assert_int_equal(fixture_focus(f), BY_CPU);
	fixture_destroy(f);
}

/* ---- typed lines
 * ------------------------------------------------------------------------------- */

static void search_moves_as_one_types(void **state)
{
	(void)state;
	struct fixture *f = fixture_create(24, 100, 4);
	fixture_press(f, 'j');
	fixture_type(f, "/post");
	assert_selected(f, "heap_getnextslot");
	fixture_type(f, "x");
	assert_true(fixture_screen_has(f, "No row has \"postx\""));
	assert_selected(f, "aes_gcm"); /* where the search began */
	fixture_press(f, KEY_CYC_BACKSPACE);
	assert_selected(f, "heap_getnextslot");
	fixture_press(f, KEY_CYC_ENTER);
	fixture_press(f, 'n');
	assert_selected(f, "hash_search_with_hash_value");
	fixture_press(f, 'N');
	fixture_press(f, 'N');
	assert_selected(f, "palloc"); /* the search continued from the start */
	fixture_type(f, "/malloc\033");
	/* the byte 033 is not a key code: room front decodes Esc as KEY_CYC_ESC */
	assert_int_equal(f->st.mode, MODE_SEARCH);
	fixture_press(f, KEY_CYC_ESC);
	assert_selected(f, "palloc");
	fixture_destroy(f);
}

/* Who erases more than there is goes on typing: that is text, and no command. */
static void erasing_too_much_leaves_the_line_open(void **state)
{
	(void)state;
	static const struct {
		const char *begin;
		enum input_mode mode;
	} lines[] = {{"/ab", MODE_SEARCH}, {"\\ab", MODE_FILTER}, {"d12", MODE_DELAY}};
	struct fixture *f = fixture_create(24, 100, 4);
	for (size_t i = 0; i < ARRAY_LEN(lines); i++) {
		fixture_type(f, lines[i].begin);
		for (int k = 0; k < 5; k++)
			assert_false(fixture_press(f, KEY_CYC_BACKSPACE) & ~(unsigned)REACT_REDRAW);
		assert_int_equal(f->st.mode, lines[i].mode);
		assert_int_equal(fixture_press(f, 't'), REACT_REDRAW); /* as a command it begins turns */
		assert_int_equal(f->st.mode, lines[i].mode);
		fixture_press(f, KEY_CYC_ESC);
		assert_int_equal(f->st.mode, MODE_NORMAL);
	}
	fixture_destroy(f);
}

static void filters_belong_to_their_pane(void **state)
{
	(void)state;
	struct fixture *f = fixture_create(35, 120, 4);
	fixture_type(f, "\\post");
	assert_false(fixture_screen_has(f, "deflate_slow"));
	fixture_press(f, KEY_CYC_ENTER);
	assert_string_equal(fixture_table(f, BY_SYMBOL)->filter, "post");
	assert_true(fixture_screen_has(f, "only post") && fixture_screen_has(f, "cc1plus"));
	fixture_press(f, KEY_CYC_ESC);
	assert_string_equal(fixture_table(f, BY_SYMBOL)->filter, "");
	fixture_type(f, "\\x|y");
	fixture_press(f, KEY_CYC_ESC);
	assert_string_equal(fixture_table(f, BY_SYMBOL)->filter, "");
	assert_true(fixture_screen_has(f, "deflate_slow"));
	fixture_destroy(f);
}

static void back_undoes_the_filter_before_the_zoom(void **state)
{
	(void)state;
	struct fixture *f = fixture_create(24, 100, 4);
	fixture_type(f, "\\malloc\n");
	fixture_press(f, KEY_CYC_ENTER);
	assert_int_equal(fixture_focus(f), BY_PID);
	fixture_type(f, "\\nginx\n");
	assert_int_equal(fixture_press(f, KEY_CYC_ESC), REACT_REDRAW);
	assert_string_equal(fixture_table(f, BY_PID)->filter, "");
	assert_true(fixture_press(f, KEY_CYC_ESC) & REACT_QUERY);
	assert_int_equal(fixture_focus(f), BY_SYMBOL);
	assert_string_equal(fixture_table(f, BY_SYMBOL)->filter, "malloc"); /* the filter survives zoom and Esc */
	fixture_press(f, KEY_CYC_ESC);
	assert_string_equal(fixture_table(f, BY_SYMBOL)->filter, "");
	fixture_destroy(f);
}

static void delays_are_checked(void **state)
{
	(void)state;
	static const struct {
		const char *typed;
		uint64_t ns; /* 0: the input is refused */
	} cases[] = {
		{"1", 1000000000u},
		{"0.1", 100000000u},
		{"2.5", 2500000000u},
		{"2,5", 2500000000u},
		{".5", 500000000u},
		{"3600", 3600000000000u},
		{"0", 0},
		{"0.09", 0},
		{"3601", 0},
		{".", 0},
		{"1.2.3", 0},
		{"99999999999999999999", 0},
		{"0.1000000000000000000000000001", 100000000u},
	};
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct fixture *f = fixture_create(24, 80, 4);
		fixture_press(f, 'd');
		fixture_type(f, cases[i].typed);
		unsigned react = fixture_press(f, KEY_CYC_ENTER);
		assert_int_equal(!!(react & REACT_DELAY), cases[i].ns != 0);
		assert_int_equal(f->st.delay_ns, cases[i].ns ? cases[i].ns : f->w->in.delay_ns);
		assert_int_equal(f->st.message[0] != 0, cases[i].ns == 0);
		fixture_destroy(f);
	}
}

static void a_number_takes_no_letters(void **state)
{
	(void)state;
	struct fixture *f = fixture_create(24, 80, 4);
	fixture_press(f, 'd');
	assert_true(fixture_screen_has(f, "refreshes: now 2"));
	fixture_press(f, '7');
	assert_false(fixture_screen_has(f, "now 2"));
	for (const char *s = "xs-q %"; *s; s++) {
		assert_int_equal(fixture_press(f, (uint32_t)*s), REACT_REDRAW);
		assert_true(fixture_screen_has(f, "A number is typed here"));
		assert_string_equal(f->st.input, "7");
	}
	assert_true(fixture_press(f, KEY_CYC_ENTER) & REACT_DELAY);
	assert_true(f->st.delay_ns == 7000000000u);
	fixture_destroy(f);
}

static void long_lines_stop_at_their_end(void **state)
{
	(void)state;
	struct fixture *f = fixture_create(24, 30, 4);
	fixture_press(f, '\\');
	for (int i = 0; i < 200; i++)
		fixture_press(f, i % 3 ? 0x4e2d : 'a');
	assert_true(strlen(f->st.input) < sizeof(f->st.input));
	for (int i = 0; i < 200; i++)
		fixture_press(f, KEY_CYC_BACKSPACE);
	assert_int_equal(f->st.mode, MODE_FILTER);
	assert_string_equal(fixture_table(f, BY_SYMBOL)->filter, "");
	fixture_destroy(f);
}

/* ---- the other keys ------------------------------------------------------------------------- */

static void keys_say_what_must_happen(void **state)
{
	(void)state;
	static const struct {
		uint32_t key;
		unsigned react;
	} cases[] = {
		{'K', REACT_QUERY},
		{'U', REACT_QUERY},
		{'S', REACT_QUERY},
		{'H', REACT_QUERY},
		{'i', REACT_QUERY},
		{'z', REACT_RESET},
		{'q', REACT_QUIT},
		{KEY_CYC_F10, REACT_QUIT},
		{'e', 0},
		{'r', 0},
		{KEY_CYC_TAB, 0},
		{KEY_CYC_CTRL_L, REACT_REPAINT},
		{' ', 0},
		{'X', REACT_QUERY},
		{'w', REACT_WRITE},
		{'b', REACT_MARK | REACT_QUERY},
		{'B', REACT_UNMARK}, /* without a baseline, too: see act_unmark() */
		{'c', 0},
		{0x1f600, 0},
		{1, 0},
		{KEY_CYC_F1 + 6, 0},
		{UINT32_MAX, 0},
	};
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct fixture *f = fixture_create(24, 80, 4);
		assert_int_equal(fixture_press(f, cases[i].key) & ~(unsigned)REACT_REDRAW, cases[i].react);
		fixture_destroy(f);
	}
}

static void kernel_and_user_are_never_both_hidden(void **state)
{
	(void)state;
	struct fixture *f = fixture_create(24, 80, 4);
	fixture_press(f, 'K');
	assert_true(f->st.query.hide_kernel);
	fixture_press(f, 'U');
	assert_true(f->st.query.hide_user && !f->st.query.hide_kernel);
	fixture_press(f, 'U');
	assert_false(f->st.query.hide_user || f->st.query.hide_kernel);
	assert_true(f->st.query.hide_self);
	fixture_press(f, 'S');
	assert_false(f->st.query.hide_self);
	fixture_destroy(f);
}

/* Without a key it goes after ten seconds. */
static void the_notice_goes_by_itself(void **state)
{
	(void)state;
	static const uint64_t second_ns = 1000000000;
	struct fixture *f = fixture_create(24, 80, 4);
	strcpy(f->w->info.notice, "Something must be said.");
	assert_false(view_elapsed(&f->st, 9 * second_ns));
	view_draw(&f->st, &f->w->in, f->g);
	assert_true(fixture_screen_has(f, "Something must be said."));
	assert_true(view_elapsed(&f->st, 10 * second_ns));
	assert_false(view_elapsed(&f->st, 11 * second_ns));
	view_draw(&f->st, &f->w->in, f->g);
	assert_false(fixture_screen_has(f, "Something must be said."));
	fixture_destroy(f);
}

static void a_message_goes_by_itself(void **state)
{
	(void)state;
	static const uint64_t second_ns = 1000000000;
	struct fixture *f = fixture_create(24, 80, 4);
	f->st.notice_seen = true;
	snprintf(f->st.message, sizeof(f->st.message), "The baseline is a long story, told in more than one line.");
	assert_false(view_elapsed(&f->st, 100 * second_ns));
	assert_false(view_elapsed(&f->st, 109 * second_ns));
	snprintf(f->st.message, sizeof(f->st.message), "Another one has its own time.");
	assert_false(view_elapsed(&f->st, 110 * second_ns));
	assert_false(view_elapsed(&f->st, 119 * second_ns));
	view_draw(&f->st, &f->w->in, f->g);
	assert_true(fixture_screen_has(f, "Another one has its own time."));
	assert_true(view_elapsed(&f->st, 120 * second_ns));
	assert_false(view_elapsed(&f->st, 121 * second_ns));
	view_draw(&f->st, &f->w->in, f->g);
	assert_false(fixture_screen_has(f, "Another one has its own time."));
	fixture_destroy(f);
}

static void the_notice_stands_until_a_key(void **state)
{
	(void)state;
	struct fixture *f = fixture_create(24, 80, 4);
	strcpy(f->w->info.notice, "Something must be said.");
	view_draw(&f->st, &f->w->in, f->g);
	assert_true(fixture_screen_has(f, "Something must be said."));
	fixture_press(f, KEY_CYC_RESIZE);
	assert_true(fixture_screen_has(f, "Something must be said."));
	fixture_press(f, KEY_CYC_UP);
	assert_false(fixture_screen_has(f, "Something must be said."));
	fixture_press(f, 'h');
	assert_true(fixture_screen_has(f, "Something must be said."));
	fixture_destroy(f);
}

static void help_scrolls_within_its_text(void **state)
{
	(void)state;
	struct fixture *f = fixture_create(16, 60, 4);
	fixture_press(f, KEY_CYC_F1);
	assert_true(fixture_screen_has(f, "this help"));
	for (int i = 0; i < 100; i++)
		fixture_press(f, KEY_CYC_PGDN);
	int last = view_find(&f->st, &help_view)->top;
	fixture_press(f, KEY_CYC_END);
	assert_int_equal((int)view_find(&f->st, &help_view)->top, last);
	assert_true(fixture_screen_has(f, "it never stands for 0"));
	fixture_press(f, KEY_CYC_HOME);
	assert_int_equal(view_find(&f->st, &help_view)->top, 0);
	fixture_press(f, KEY_CYC_ESC);
	assert_int_equal(f->st.mode, MODE_NORMAL);
	fixture_destroy(f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_selection_follows_its_row),
		cmocka_unit_test(the_first_rows_stay),
		cmocka_unit_test(the_cursor_stays_where_a_row_is_gone),
		cmocka_unit_test(an_untouched_selection_stays_on_top),
		cmocka_unit_test(pages_and_ends_stay_in_the_table),
		cmocka_unit_test(tab_goes_round_the_panes),
		cmocka_unit_test(zoom_goes_in_and_comes_back),
		cmocka_unit_test(zoom_needs_a_row),
		cmocka_unit_test(headings_sort_by_click),
		cmocka_unit_test(rows_and_keys_of_the_footer_can_be_clicked),
		cmocka_unit_test(search_moves_as_one_types),
		cmocka_unit_test(erasing_too_much_leaves_the_line_open),
		cmocka_unit_test(filters_belong_to_their_pane),
		cmocka_unit_test(back_undoes_the_filter_before_the_zoom),
		cmocka_unit_test(delays_are_checked),
		cmocka_unit_test(a_number_takes_no_letters),
		cmocka_unit_test(long_lines_stop_at_their_end),
		cmocka_unit_test(keys_say_what_must_happen),
		cmocka_unit_test(kernel_and_user_are_never_both_hidden),
		cmocka_unit_test(the_notice_stands_until_a_key),
		cmocka_unit_test(the_notice_goes_by_itself),
		cmocka_unit_test(a_message_goes_by_itself),
		cmocka_unit_test(help_scrolls_within_its_text),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
