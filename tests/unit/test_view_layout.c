/* The layout of any list of views fits on any screen. */
#include "view/screen.h"

#include <limits.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static uint64_t next_random(uint64_t *state)
{
	*state = *state * 6364136223846793005ull + 1442695040888963407ull;
	return *state >> 33;
}

static int views_of(const struct layout_input *li, enum view_place place)
{
	int n = 0;
	for (int i = 0; i < li->views_n; i++)
		n += li->views[i].place == place;
	return n;
}

static bool overlap(const struct rect *a, const struct rect *b)
{
	return a->rows && b->rows && a->row < b->row + b->rows && b->row < a->row + a->rows;
}

static void check(const struct layout_input *li)
{
	struct layout l;
	layout_compute(li, &l);
	const int lines[] = {l.title, l.events, l.summary, l.trust, l.footer};
	bool covered = views_of(li, PLACE_SCREEN) && li->rows > 2;
	int visible = 0;
	for (int i = 0; i < li->views_n; i++) {
		const struct rect *r = &l.views[i];
		if (!r->rows)
			continue;
		visible++;
		assert_true(r->rows > 0 && r->cols > 0 && r->row >= 0 && r->col >= 0);
		assert_true(r->row + r->rows <= li->rows && r->col + r->cols <= li->cols);
		for (int k = 0; k < i; k++)
			assert_false(overlap(r, &l.views[k]));
		for (size_t k = 0; k < ARRAY_LEN(lines); k++)
			assert_false(lines[k] >= r->row && lines[k] < r->row + r->rows);
		assert_true(l.strip < 0 || l.strip + l.strip_rows <= r->row);
		assert_true(!covered || li->views[i].place == PLACE_SCREEN);
	}
	for (size_t k = 0; k < ARRAY_LEN(lines); k++)
		assert_true(lines[k] < li->rows);
	if (!covered && l.trust + 1 + (l.footer >= 0) < li->rows && views_of(li, PLACE_PANE)) {
		assert_true(visible >= 1);
		/* the focused pane is visible, unless a view covers it */
		assert_true(l.views[li->focus].rows > 0 || views_of(li, PLACE_OVER));
	}
}

static void any_list_fits_any_screen(void **state)
{
	(void)state;
	uint64_t seed = 8;
	for (int round = 0; round < 60000; round++) {
		struct layout_view views[VIEWS_MAX];
		struct layout_input li = {.rows = 1 + (int)(next_random(&seed) % 90), .views = views, .focus = -1};
		li.cols = 1 + (int)(next_random(&seed) % 250);
		li.events = next_random(&seed) % 2;
		li.strip_rows = li.rows >= 14 ? (int)(next_random(&seed) % 4) : 0;
		li.views_n = 1 + (int)(next_random(&seed) % VIEWS_MAX);
		li.panes = 1 + (int)(next_random(&seed) % 6);
		for (int i = 0; i < li.views_n; i++) {
			uint64_t kind = next_random(&seed) % 10;
			views[i].place = kind == 9   ? PLACE_SCREEN
					 : kind == 8 ? PLACE_OVER
					 : kind == 7 ? PLACE_PANEL
						     : PLACE_PANE;
			views[i].want = kind == 0 ? INT_MAX : (int)(next_random(&seed) % 60);
			if (views[i].place == PLACE_PANE && (li.focus < 0 || next_random(&seed) % 3 == 0))
				li.focus = i;
		}
		if (li.focus < 0) {
			views[0].place = PLACE_PANE;
			li.focus = 0;
		}
		li.last = (int)(next_random(&seed) % VIEWS_MAX);
		check(&li);
	}
}

static void spare_rows_go_to_the_pane_that_fills_them(void **state)
{
	(void)state;
	struct layout_view views[] = {{PLACE_PANE, 100}, {PLACE_PANE, 12}, {PLACE_PANE, 100}};
	struct layout_input li = {.rows = 60, .cols = 100, .views = views, .views_n = 2, .panes = 2};
	struct layout l;
	layout_compute(&li, &l);
	assert_int_equal(l.views[1].rows, 12);
	assert_int_equal(l.views[0].rows + 1 + 12, l.footer - l.views[0].row);
	assert_int_equal(l.views[1].row + 12, l.footer);
	views[0].want = 12; /* the same with the panes exchanged */
	views[1].want = 100;
	layout_compute(&li, &l);
	assert_int_equal(l.views[0].rows, 12);
	assert_int_equal(l.views[1].row + l.views[1].rows, l.footer);
	views[0].want = views[1].want = 100; /* each pane gets half of the rows */
	layout_compute(&li, &l);
	assert_in_range(l.views[0].rows - l.views[1].rows, 0, 1);
	li.views_n = li.panes = 3; /* each pane gets a third of the rows */
	layout_compute(&li, &l);
	assert_in_range(l.views[0].rows - l.views[2].rows, 0, 1);
	assert_true(l.views[1].rows > 0);
}

static void panes_take_turns_in_the_last_place(void **state)
{
	(void)state;
	struct layout_view views[] = {{PLACE_PANE, 50}, {PLACE_PANE, 50}, {PLACE_PANE, 50}, {PLACE_PANEL, 0}};
	struct layout_input li = {.rows = 35, .cols = 100, .views = views, .views_n = 4, .panes = 2};
	struct layout l;
	for (li.focus = 0; li.focus < 3; li.focus++) {
		for (li.last = 0; li.last < 3; li.last++) {
			layout_compute(&li, &l);
			int shown = li.focus ? li.focus : li.last ? li.last : 1;
			assert_true(l.views[0].rows && l.views[shown].rows && !l.views[3 - shown].rows);
			assert_int_equal(l.first_in_last, 1);
			assert_int_equal(l.views[3].row + l.views[3].rows, l.footer); /* the panel is at the bottom */
		}
	}
	li.rows = 20; /* room for one pane only */
	for (li.focus = 0; li.focus < 3; li.focus++) {
		layout_compute(&li, &l);
		for (int i = 0; i < 3; i++)
			assert_int_equal(l.views[i].rows > 0, i == li.focus);
		assert_int_equal(l.first_in_last, 0);
	}
}

static bool is_among(const struct pivot_query *list, size_t n, const struct pivot_query *one)
{
	for (size_t i = 0; i < n; i++)
		if (list[i].dims[0] == one->dims[0])
			return true;
	return false;
}

/* The snapshot has the pivots of all panes that the layout shows, and not of those that it never does. */
static void panes_of_the_screen_are_asked_for(void **state)
{
	(void)state;
	enum { PANES = 4 };
	static struct view_state st;
	struct layout_view views[PANES];
	struct pivot_query shown[VIEWS_MAX];
	st.views_n = PANES;
	for (int i = 0; i < PANES; i++) {
		st.views[i].ops = &table_view;
		st.views[i].pivot = (struct pivot_query){.dims = {(enum dimension_id)i}, .dims_n = 1};
		views[i] = (struct layout_view){PLACE_PANE, 50};
	}
	for (st.panes = 1; st.panes <= PANES + 1; st.panes++)
		for (int at = 0; at < PANES * PANES; at++) {
			bool seen[PANES] = {false};
			st.focus = at / PANES;
			st.last = at % PANES;
			size_t n = view_shown_pivots(&st, shown);
			for (int rows = 5; rows <= 90; rows++) {
				struct layout_input li = {.rows = rows,
							  .cols = 100,
							  .views = views,
							  .views_n = PANES,
							  .panes = st.panes,
							  .focus = st.focus,
							  .last = st.last};
				struct layout l;
				layout_compute(&li, &l);
				for (int i = 0; i < PANES; i++)
					seen[i] |= l.views[i].rows > 0;
			}
			for (int i = 0; i < PANES; i++)
				assert_true(is_among(shown, n, &st.views[i].pivot) >= seen[i]);
			assert_true(n <= (size_t)st.panes + 1);
			assert_int_equal(view_pivots(&st, shown), PANES);
		}
}

/* A pane of few rows below does not leave a panel without room. */
static void a_panel_takes_rows_where_they_are(void **state)
{
	(void)state;
	static const int rows[] = {35, 30, 28, 24};
	for (int small = 0; small < 2; small++) {
		struct layout_view views[] = {{PLACE_PANE, 100}, {PLACE_PANE, 100}, {PLACE_PANEL, 0}};
		views[small].want = 5;
		for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
			struct layout_input li = {.rows = rows[i], .cols = 100, .views = views, .panes = 2};
			struct layout without, l;
			li.views_n = 2;
			layout_compute(&li, &without);
			li.views_n = 3;
			layout_compute(&li, &l);
			assert_int_equal(l.views[2].rows, rows[i] >= 30 ? 7 : 6);
			assert_int_equal(l.views[2].row + l.views[2].rows, l.footer);
			assert_int_equal(l.views[small].rows, without.views[small].rows);
			assert_int_equal(l.views[!small].rows, without.views[!small].rows - l.views[2].rows);
			assert_int_equal(l.views[1].row + l.views[1].rows, l.views[2].row);
		}
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(any_list_fits_any_screen),
		cmocka_unit_test(spare_rows_go_to_the_pane_that_fills_them),
		cmocka_unit_test(panes_take_turns_in_the_last_place),
		cmocka_unit_test(panes_of_the_screen_are_asked_for),
		cmocka_unit_test(a_panel_takes_rows_where_they_are),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
