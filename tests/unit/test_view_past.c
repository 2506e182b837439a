/* The past on the screen: what the keys make of the stretch, and what the strip asks for and draws. */
#include "../lib/view_fixture.h"
#include "view/screen.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define SECOND UINT64_C(1000000000)

/* 90 s were measured, of which the snapshot is the end. */
static struct fixture *measured(int rows, int cols)
{
	struct fixture *f = fixture_create(rows, cols, 4);
	f->w->in.past.extent = (struct stretch){1000 * SECOND, 1090 * SECOND};
	f->w->in.delay_ns = SECOND;
	f->w->snap.start_ns = 1085 * SECOND;
	f->w->snap.end_ns = 1090 * SECOND;
	return f;
}

static void assert_stretch(struct fixture *f, uint64_t from_s, uint64_t to_s)
{
	assert_true(f->st.query.stretch.from_ns == from_s * SECOND);
	assert_true(f->st.query.stretch.to_ns == to_s * SECOND);
	/* the next snapshot shows it */
	f->w->snap.start_ns = to_s ? from_s * SECOND : 1085 * SECOND;
	f->w->snap.end_ns = to_s ? to_s * SECOND : 1090 * SECOND;
}

static void brackets_move_the_stretch(void **state)
{
	(void)state;
	struct fixture *f = measured(24, 100);
	assert_true(fixture_press(f, '[') & REACT_QUERY);
	assert_stretch(f, 1080, 1085);
	fixture_press(f, '[');
	assert_stretch(f, 1075, 1080);
	fixture_press(f, ']');
	assert_stretch(f, 1080, 1085);
	fixture_press(f, ']');
	assert_stretch(f, 1085, 1090);
	assert_true(fixture_press(f, ']') & REACT_QUERY); /* there is nothing later than now */
	assert_stretch(f, 0, 0);
	assert_true(fixture_screen_has(f, "now"));
	for (int i = 0; i < 40; i++) {
		fixture_press(f, '[');
		f->w->snap.start_ns = f->st.query.stretch.from_ns;
		f->w->snap.end_ns = f->st.query.stretch.to_ns;
	}
	assert_stretch(f, 1000, 1005);
	assert_true(fixture_screen_has(f, "the oldest that is kept"));
	assert_true(fixture_press(f, '0') & REACT_QUERY);
	assert_stretch(f, 0, 0);
	fixture_destroy(f);
}

static void braces_change_its_length(void **state)
{
	(void)state;
	struct fixture *f = measured(24, 100);
	fixture_press(f, '{'); /* the window of now, which is no stretch */
	assert_stretch(f, 0, 0);
	fixture_press(f, '[');
	assert_stretch(f, 1070, 1080);
	fixture_press(f, '{'); /* others keep their middle */
	assert_stretch(f, 1065, 1085);
	fixture_press(f, '}');
	assert_stretch(f, 1070, 1080);
	fixture_press(f, '{');
	fixture_press(f, '{');
	assert_stretch(f, 1060, 1090);
	fixture_press(f, '{');
	fixture_press(f, '{');
	assert_stretch(f, 1000, 1090); /* all there is */
	assert_false(fixture_press(f, '{') & REACT_QUERY);
	/* a time that is kept as one interval of a minute is not narrowed further */
	fixture_press(f, '}');
	f->w->snap.start_ns = 1000 * SECOND;
	f->w->snap.end_ns = 1090 * SECOND;
	f->st.query.stretch = (struct stretch){1050 * SECOND, 1055 * SECOND};
	assert_false(fixture_press(f, '}') & REACT_QUERY);
	assert_true(fixture_screen_has(f, "No shorter time"));
	fixture_destroy(f);
}

/* Braces change the window of now, which stays live. */
static void windows_of_now_have_many_lengths(void **state)
{
	(void)state;
	static const uint64_t longer[] = {10, 20, 30, 60, 120}, shorter[] = {60, 30, 20, 10, 5, 2, 1};
	struct fixture *f = measured(24, 100);
	for (size_t i = 0; i < ARRAY_LEN(longer); i++) {
		assert_true(fixture_press(f, '{') & REACT_QUERY);
		assert_true(f->st.query.sliding_ns == longer[i] * SECOND && !f->st.query.stretch.to_ns);
	}
	f->w->in.delay_ns = SECOND;
	for (size_t i = 0; i < ARRAY_LEN(shorter); i++) {
		assert_true(fixture_press(f, '}') & REACT_QUERY);
		assert_true(f->st.query.sliding_ns == shorter[i] * SECOND && !f->st.query.stretch.to_ns);
	}
	assert_false(fixture_press(f, '}') & REACT_QUERY);
	assert_true(fixture_screen_has(f, "No shorter window"));
	fixture_press(f, 'i'); /* the last interval */
	assert_true(fixture_press(f, '{') & REACT_QUERY);
	assert_true(f->st.query.window == WINDOW_SLIDING && f->st.query.sliding_ns == SECOND);
	for (int i = 0; i < 40; i++)
		fixture_press(f, '{');
	assert_true(fixture_screen_has(f, "No longer window") && f->st.query.sliding_ns == 3600 * SECOND);
	fixture_destroy(f);
}

static void assert_goes(struct fixture *f, const char *time, uint64_t from_s, uint64_t to_s)
{
	fixture_press(f, ':');
	fixture_type(f, time);
	if (!(fixture_press(f, KEY_CYC_ENTER) & REACT_QUERY))
		fail_msg("\"%s\" is not gone to", time);
	assert_stretch(f, from_s, to_s);
	f->w->in.utc_ns = (12 * 3600 + to_s - 1090) * SECOND; /* of the end of the snapshot: now is 12:00:00 */
}

/* A live measurement's past, by the clock or by how long ago it was. */
static void a_time_of_the_past_is_gone_to(void **state)
{
	(void)state;
	static const char *const wrong[] = {"63", "25:00", "1:2:3:4", "12:00:0x:", "-", "50%"};
	struct fixture *f = measured(24, 100);
	f->w->in.utc_ns = 12 * 3600 * SECOND;
	assert_goes(f, "11:59:20", 1050, 1055);
	assert_goes(f, "11:59", 1030, 1035);
	assert_goes(f, "-60", 1030, 1035);
	assert_goes(f, "-1:10", 1020, 1025);
	assert_goes(f, "12:00", 1085, 1090);	/* no later than now */
	assert_goes(f, "11:00:00", 1000, 1005); /* nothing that old is kept */
	assert_true(fixture_screen_has(f, "So far back nothing is kept"));
	assert_goes(f, "12:00:01", 1000, 1005); /* that was yesterday */
	f->w->in.local_s = -3600;
	assert_goes(f, "10:59:20", 1050, 1055);
	for (size_t i = 0; i < ARRAY_LEN(wrong); i++) {
		fixture_press(f, ':');
		fixture_type(f, wrong[i]);
		assert_false(fixture_press(f, KEY_CYC_ENTER) & REACT_QUERY);
		assert_true(fixture_screen_has(f, "A time is 12:01 or"));
	}
	f->w->in.utc_ns = 0; /* nothing tells the time of day: since the start, 90 s ago */
	f->w->in.uptime_ns = 90 * SECOND;
	fixture_press(f, ':');
	fixture_type(f, "0:50\n");
	assert_stretch(f, 1050, 1055);
	fixture_destroy(f);
}

static struct view_past plan(struct fixture *f)
{
	struct view_past p = f->w->in.past;
	view_past_plan(&f->st, &f->w->in, f->g->rows, f->g->cols, &p);
	if (p.n)
		assert_true(p.from_ns % p.column_ns == 0);
	return p;
}

/* A click on the strip shows the time under it. */
static void the_strip_can_be_clicked(void **state)
{
	(void)state;
	struct fixture *f = measured(30, 80);
	struct layout l;
	f->w->in.past = plan(f);
	layout_for(&f->st, &f->w->in, 30, 80, &l);
	const struct view_past *past = &f->w->in.past;
	assert_true(l.past >= 0 && past->n > 20);
	size_t column = (1050 * SECOND - past->from_ns) / past->column_ns;
	struct input_event ev = {.key = KEY_CYC_MOUSE, .row = l.past, .col = 14 + (int)column};
	assert_true(fixture_event(f, ev) & REACT_QUERY);
	const struct stretch *s = &f->st.query.stretch;
	assert_true(s->from_ns <= 1050 * SECOND && s->to_ns >= 1050 * SECOND && s->to_ns - s->from_ns == 5 * SECOND);
	ev.col = 3; /* the label */
	assert_false(fixture_event(f, ev) & REACT_QUERY);
	ev.col = 14;
	ev.wheel_up = true;
	assert_false(fixture_event(f, ev) & REACT_QUERY);
	fixture_destroy(f);
}

static void the_heading_says_that_it_is_the_past(void **state)
{
	(void)state;
	static const struct {
		int rows, cols;
	} sizes[] = {{35, 120}, {24, 80}, {15, 60}, {5, 40}};
	for (size_t i = 0; i < ARRAY_LEN(sizes); i++) {
		struct fixture *f = measured(sizes[i].rows, sizes[i].cols);
		fixture_press(f, '0');
		assert_false(fixture_screen_has(f, "PAST"));
		fixture_press(f, '[');
		f->w->in.utc_ns = (86400 + 12 * 3600 + 60 + 10) * SECOND; /* of the snapshot's end */
		f->w->in.local_s = 7200;
		f->w->snap.start_ns = 1080 * SECOND;
		f->w->snap.end_ns = 1085 * SECOND;
		fixture_press(f, KEY_CYC_UP);
		assert_true(fixture_screen_has(f, "PAST"));
		if (sizes[i].rows > 5)
			assert_true(fixture_screen_has(f, "14:01:05 to 14:01:10 (5 s)"));
		f->w->in.utc_ns = 0; /* nothing tells the time of day: since the start */
		f->w->in.uptime_ns = 90 * SECOND;
		fixture_press(f, KEY_CYC_UP);
		if (sizes[i].rows > 5)
			assert_true(fixture_screen_has(f, "1:20 to 1:25 (5 s)"));
		fixture_press(f, 'i'); /* a window is of now */
		assert_true(f->st.query.stretch.to_ns == 0 && f->st.query.window == WINDOW_SLIDING);
		fixture_destroy(f);
	}
}

static void starting_over_forgets_the_stretch(void **state)
{
	(void)state;
	struct fixture *f = measured(24, 100);
	fixture_press(f, '[');
	fixture_press(f, 'z');
	assert_true(f->st.query.stretch.to_ns == 0);
	f->w->in.past.extent = (struct stretch){0};
	assert_false(fixture_press(f, '[') & REACT_QUERY);
	assert_false(fixture_press(f, '{') & REACT_QUERY);
	assert_true(f->st.query.stretch.to_ns == 0);
	assert_true(fixture_screen_has(f, "Nothing was measured yet"));
	fixture_destroy(f);
}

/* [ and ] move what is played; a stretch of what was played can be shown besides. */
static struct fixture *whole_recording(int rows, int cols)
{
	struct fixture *f = measured(rows, cols);
	f->w->info.playable = true;
	f->w->in.play_at_ns = f->w->in.play_of_ns = 90 * SECOND;
	f->w->snap.start_ns = 1000 * SECOND;
	f->st.play.speed = 0;
	f->st.query.window = WINDOW_TOTAL;
	return f;
}

static void parts_of_a_whole_recording_are_shown(void **state)
{
	(void)state;
	struct fixture *f = whole_recording(24, 110);
	fixture_press(f, KEY_CYC_UP);
	assert_true(fixture_screen_has(f, "all of it  length 90.0 s"));
	assert_false(fixture_screen_has(f, "PART"));
	fixture_press(f, ']'); /* its first part, about a tenth */
	assert_stretch(f, 1000, 1005);
	fixture_press(f, KEY_CYC_UP);
	assert_true(fixture_screen_has(f, "0:00 to 0:05 (5 s)"));
	assert_true(fixture_screen_has(f, "PART"));
	fixture_press(f, '[');
	assert_true(fixture_screen_has(f, "the beginning of the recording"));
	fixture_press(f, ']');
	assert_stretch(f, 1005, 1010);
	fixture_press(f, '{');
	fixture_press(f, '0');
	assert_stretch(f, 0, 0);
	fixture_press(f, '['); /* its last part */
	assert_stretch(f, 1085, 1090);
	fixture_press(f, ']'); /* behind the last part comes all of it */
	assert_stretch(f, 0, 0);
	fixture_press(f, '{');
	assert_true(fixture_screen_has(f, "This is all of the recording."));
	fixture_press(f, '}'); /* narrower than all of it */
	assert_true(f->st.query.stretch.to_ns == 1090 * SECOND);
	fixture_press(f, ':');
	fixture_type(f, "0:30");
	fixture_press(f, KEY_CYC_ENTER);
	assert_true(f->st.query.stretch.from_ns == 1030 * SECOND);
	assert_false(f->st.play.seek);
	fixture_press(f, 'z'); /* what was recorded cannot be forgotten */
	assert_true(f->st.query.stretch.from_ns == 1030 * SECOND);
	fixture_destroy(f);
}

static void a_part_can_be_played(void **state)
{
	(void)state;
	struct fixture *f = whole_recording(24, 110);
	fixture_press(f, ']');
	fixture_press(f, ']');
	assert_true(fixture_press(f, ' ') & REACT_PLAY);
	assert_true(f->st.play.seek && f->st.play.to_ns == 5 * SECOND);
	assert_true(f->st.play.speed == 1 && !f->st.play.paused);
	assert_true(f->st.query.stretch.to_ns == 0 && f->st.query.window == WINDOW_SLIDING);
	fixture_destroy(f);
}

/* The strip has all of it, to the last column. */
static void the_strip_spans_the_recording(void **state)
{
	(void)state;
	static const int widths[] = {60, 80, 120, 200};
	for (size_t i = 0; i < ARRAY_LEN(widths); i++) {
		struct fixture *f = whole_recording(30, widths[i]);
		struct view_past past = {.extent = f->w->in.past.extent};
		view_past_plan(&f->st, &f->w->in, 30, widths[i], &past);
		assert_true(past.n > 0 && past.from_ns == past.extent.from_ns);
		assert_true(past.from_ns + past.n * past.column_ns >= past.extent.to_ns);
		assert_true(past.from_ns + (past.n - 1) * past.column_ns < past.extent.to_ns);
		fixture_destroy(f);
	}
}

/* Both edges of the stretch are seen, also at the begin and at the end of the recording; the strip is there on the
 * screens that most terminals have, with as many panes as without it. */
static void the_first_and_the_last_part_have_both_edges(void **state)
{
	(void)state;
	static const struct {
		int rows, cols;
	} sizes[] = {{30, 80}, {30, 100}, {30, 120}, {40, 80}};
	for (size_t i = 0; i < ARRAY_LEN(sizes); i++) {
		for (int key = 0; key < 2; key++) {
			struct fixture *f = whole_recording(sizes[i].rows, sizes[i].cols);
			struct view_past *past = &f->w->in.past;
			struct timeline_column columns[200] = {{0}};
			view_past_plan(&f->st, &f->w->in, sizes[i].rows, sizes[i].cols, past);
			assert_true(past->n > 0 && past->n < ARRAY_LEN(columns));
			for (size_t k = 0; k < past->n; k++)
				columns[k].measured = columns[k].rate_known = true;
			past->columns = columns;
			fixture_press(f, key ? '[' : ']'); /* the last part, the first one */
			f->w->snap.start_ns = f->st.query.stretch.from_ns;
			f->w->snap.end_ns = f->st.query.stretch.to_ns;
			assert_true(f->w->snap.start_ns == 1000 * SECOND || f->w->snap.end_ns == 1090 * SECOND);
			fixture_press(f, KEY_CYC_UP);
			assert_true(fixture_screen_has(f, key ? "▁[▁" : " [▁"));
			assert_true(fixture_screen_has(f, "▁]"));
			assert_true(fixture_screen_has(f, "▁]▁") == !key);
			past->columns = NULL;
			fixture_destroy(f);
		}
	}
}

static void a_recording_is_still_played(void **state)
{
	(void)state;
	struct fixture *f = measured(24, 100);
	f->w->info.playable = true;
	f->w->in.play_at_ns = 90 * SECOND;
	f->w->in.play_of_ns = 600 * SECOND;
	f->st.play.speed = 1;
	fixture_press(f, '[');
	assert_true(f->st.play.seek && f->st.query.stretch.to_ns == 0);
	f->st.play.seek = false;
	fixture_press(f, '{');
	assert_stretch(f, 1080, 1090);
	fixture_press(f, '[');
	assert_stretch(f, 1070, 1080);
	assert_false(f->st.play.seek);
	fixture_destroy(f);
}

static void the_strip_spans_the_stretch_and_now(void **state)
{
	(void)state;
	struct fixture *f = measured(24, 80);
	struct view_past p = plan(f);
	assert_true(p.column_ns == SECOND && p.n == 66);
	assert_true(p.from_ns + p.n * p.column_ns == 1090 * SECOND);
	/* wider than it: longer columns */
	f->st.query.stretch = (struct stretch){1030 * SECOND, 1090 * SECOND};
	p = plan(f);
	assert_true(p.column_ns == 10 * SECOND);
	/* longer ago than it spans: it moves there */
	f->w->in.past.extent.from_ns = 10 * SECOND;
	f->st.query.stretch = (struct stretch){500 * SECOND, 505 * SECOND};
	p = plan(f);
	assert_true(p.from_ns < 490 * SECOND && p.from_ns + p.n * p.column_ns > 515 * SECOND);
	/* intervals are not shorter than the time between two refreshes */
	f->st.query.stretch = (struct stretch){0};
	f->w->in.delay_ns = 10 * SECOND;
	assert_true(plan(f).column_ns == 10 * SECOND);
	fixture_destroy(f);
	f = measured(15, 60);
	assert_int_equal(plan(f).n, 0); /* a low screen has no room for it */
	fixture_destroy(f);
	f = measured(24, 100);
	f->w->in.past.extent = (struct stretch){0};
	assert_int_equal(plan(f).n, 0);
	fixture_destroy(f);
}

/* Two panes are worth more than the strip. */
static void the_strip_does_not_cost_a_pane(void **state)
{
	(void)state;
	for (int rows = 10; rows < 60; rows++) {
		struct fixture *f = measured(rows, 100);
		struct layout with, without;
		layout_for(&f->st, &f->w->in, rows, 100, &with);
		f->w->in.past.extent = (struct stretch){0};
		layout_for(&f->st, &f->w->in, rows, 100, &without);
		int shown = 0, before = 0;
		for (int i = 0; i < f->st.views_n; i++) {
			shown += with.views[i].rows > 0;
			before += without.views[i].rows > 0;
		}
		assert_int_equal(shown, before);
		assert_true(without.past < 0 && (with.past >= 0) == (with.past_rows > 0));
		if (rows == 24 || rows >= 30) /* a low screen has a line of it, so that rows are left for the panes */
			assert_int_equal(with.past_rows, rows == 24 ? 1 : 2);
		fixture_destroy(f);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(brackets_move_the_stretch),
		cmocka_unit_test(braces_change_its_length),
		cmocka_unit_test(windows_of_now_have_many_lengths),
		cmocka_unit_test(a_time_of_the_past_is_gone_to),
		cmocka_unit_test(the_strip_can_be_clicked),
		cmocka_unit_test(the_heading_says_that_it_is_the_past),
		cmocka_unit_test(starting_over_forgets_the_stretch),
		cmocka_unit_test(a_recording_is_still_played),
		cmocka_unit_test(the_first_and_the_last_part_have_both_edges),
		cmocka_unit_test(parts_of_a_whole_recording_are_shown),
		cmocka_unit_test(a_part_can_be_played),
		cmocka_unit_test(the_strip_spans_the_recording),
		cmocka_unit_test(the_strip_spans_the_stretch_and_now),
		cmocka_unit_test(the_strip_does_not_cost_a_pane),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
