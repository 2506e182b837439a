/* Panes of any dimension, and zooms between any two dimensions: tests send keys and read the
 * screen. */
#include "../lib/grid_text.h"
#include "../lib/zoom_world.h"
#include "view/screen.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static void choose(struct zoom_world *w, uint32_t menu, enum dimension_id dim)
{
	zoom_world_press(w, menu);
	zoom_world_press(w, KEY_CYC_HOME);
	for (int i = DIM_NONE + 1; i < (int)dim; i++)
		zoom_world_press(w, KEY_CYC_DOWN);
	zoom_world_press(w, KEY_CYC_ENTER);
}

static void search_for(struct zoom_world *w, const char *text)
{
	zoom_world_press(w, '/');
	for (; *text; text++)
		zoom_world_press(w, (unsigned char)*text);
	zoom_world_press(w, KEY_CYC_ENTER);
}

static const struct pivot *rows_of(struct zoom_world *w)
{
	const struct pivot *p = snapshot_pivot(w->snap, &focused(&w->st)->pivot);
	assert_non_null(p);
	return p;
}

/* Sum of the primary event's weight in all rows. */
static double weight_of(const struct pivot *p)
{
	double sum = 0;
	for (size_t i = 0; i < p->n; i++)
		sum += p->rows[i].sums[0].weight;
	return sum;
}

static void assert_shows(const struct zoom_world *w, const char *text)
{
	if (!zoom_world_shows(w, text)) {
		char *all = grid_text(w->g);
		fail_msg("no \"%s\" on\n%s", text, all);
	}
}

/* ---- one pane --------------------------------------------------------------------------- */

static void a_pane_shows_any_dimension(void **state)
{
	(void)state;
	static const size_t rows[DIM_COUNT] = {
		[DIM_SYMBOL] = 5, [DIM_DSO] = 3,  [DIM_MODE] = 2,	  [DIM_PID] = 3,
		[DIM_TID] = 4,	  [DIM_COMM] = 3, [DIM_COMM_NODIGIT] = 3, [DIM_PARENT] = 2,
		[DIM_CGROUP] = 2, [DIM_USER] = 2, [DIM_CPU] = 4,	  [DIM_CORE] = 4,
		[DIM_SOCKET] = 2, [DIM_NODE] = 2, [DIM_PMU] = 1,	  [DIM_ORIGIN] = 2,
	};
	struct zoom_world *w = zoom_world_create(30, 100);
	double all = weight_of(rows_of(w));
	for (enum dimension_id d = DIM_NONE + 1; d < DIM_FIELD1; d++) {
		char title[64];
		choose(w, 'v', d);
		assert_int_equal(table_dim(focused(&w->st)), d);
		snprintf(title, sizeof(title), "%s", dimensions[d].name);
		assert_shows(w, title);
		assert_shows(w, dimensions[d].title);
		if (rows[d]) {
			assert_int_equal(rows_of(w)->n, rows[d]);
			assert_true(fabs(weight_of(rows_of(w)) - all) < 1e-6 * all);
		}
		assert_true(rows_of(w)->n >= 1);
	}
	zoom_world_destroy(w);
}

static void the_menu_can_be_left(void **state)
{
	(void)state;
	struct zoom_world *w = zoom_world_create(24, 80);
	zoom_world_press(w, 'v');
	assert_shows(w, "View by");
	assert_shows(w, "Commands <N>");
	zoom_world_press(w, 'u'); /* by letter */
	assert_false(zoom_world_press(w, KEY_CYC_ESC) & REACT_QUERY);
	assert_int_equal(table_dim(focused(&w->st)), DIM_SYMBOL);
	zoom_world_press(w, 'v');
	zoom_world_press(w, 'u');
	assert_true(zoom_world_press(w, KEY_CYC_ENTER) & REACT_QUERY);
	assert_int_equal(table_dim(focused(&w->st)), DIM_USER);
	assert_shows(w, "[Users]");
	assert_shows(w, "postgres");
	zoom_world_press(w, 'v'); /* by mouse: the row below the heading */
	struct layout l;
	layout_for(&w->st, &w->in, 24, 80, &l);
	struct rect r = l.views[view_index(&w->st, view_covering(&w->st))];
	view_key(&w->st, &w->in, w->g, &(struct input_event){.key = KEY_CYC_MOUSE, .row = r.row + 1, .col = 4});
	assert_int_equal(table_dim(focused(&w->st)), DIM_SYMBOL);
	zoom_world_destroy(w);
}

/* ---- several panes
 * --------------------------------------------------------------------------- */

static int shown(struct zoom_world *w)
{
	struct layout l;
	int n = 0;
	layout_for(&w->st, &w->in, w->g->rows, w->g->cols, &l);
	for (int i = 0; i < w->st.views_n; i++)
		n += l.views[i].rows > 0;
	return n;
}

static void panes_are_opened_and_closed(void **state)
{
	(void)state;
	struct zoom_world *w = zoom_world_create(50, 100);
	assert_int_equal(shown(w), 2);
	choose(w, 'a', DIM_USER);
	assert_int_equal(shown(w), 3);
	assert_int_equal(table_dim(focused(&w->st)), DIM_USER);
	assert_shows(w, "▶ Users");
	assert_shows(w, "  Symbols");
	assert_shows(w, "[Tasks]   CPUs");
	choose(w, 'a', DIM_DSO);
	assert_int_equal(shown(w), 4);
	zoom_world_press(w, 'X');
	zoom_world_press(w, 'X');
	assert_int_equal(shown(w), 2);
	assert_false(zoom_world_shows(w, "Users"));
	for (int i = 0; i < 2; i++)
		zoom_world_press(w, 'X');
	assert_int_equal(panes_n(&w->st), 1);
	assert_int_equal(zoom_world_press(w, 'X') & REACT_QUERY, 0);
	assert_shows(w, "the only pane");
	for (int i = 0; i < VIEWS_MAX + 3; i++)
		choose(w, 'a', DIM_CPU);
	assert_in_range(panes_n(&w->st), VIEWS_MAX - 1, VIEWS_MAX);
	for (int i = 0; i < VIEWS_MAX; i++)
		zoom_world_press(w, KEY_CYC_TAB);
	zoom_world_destroy(w);
}

/* ---- zooms ---------------------------------------------------------------------------------- */

/* In any dimension, the rows after a zoom add up to the row that was zoomed into. */
static void zoom_and_look(enum dimension_id from, enum dimension_id to)
{
	struct zoom_world *w = zoom_world_create(30, 140);
	choose(w, 'v', from);
	zoom_world_press(w, KEY_CYC_DOWN);
	struct selection sel;
	selection_get(&w->st, &w->in, &sel);
	double row = sel.row->sums[0].weight;
	uint64_t selected = focused(&w->st)->selected;
	assert_true(row > 0);
	assert_true(zoom_world_press(w, KEY_CYC_ENTER) & REACT_QUERY);
	assert_int_equal(w->st.zooms_n, 1);
	assert_int_equal(table_dim(focused(&w->st)), from == DIM_SYMBOL ? DIM_PID : DIM_SYMBOL);
	choose(w, 'v', to);
	if (!(fabs(weight_of(rows_of(w)) - row) < 1e-6 * row))
		fail_msg("from %s (%s) to %s: %g, not %g", dimensions[from].id, w->st.zooms[0].name, dimensions[to].id,
			 weight_of(rows_of(w)), row);
	char crumb[160];
	snprintf(crumb, sizeof(crumb), "%s%s", w->st.zooms[0].filter.under ? "" : "in ", w->st.zooms[0].name);
	assert_shows(w, crumb);
	zoom_world_press(w, KEY_CYC_ESC);
	assert_int_equal(w->st.zooms_n, 0);
	assert_false(zoom_world_shows(w, crumb));
	if (table_dim(focused(&w->st)) == from)
		assert_true(focused(&w->st)->selected == selected);
	zoom_world_destroy(w);
}

static void zooms_lead_from_any_dimension_to_any_other(void **state)
{
	(void)state;
	for (enum dimension_id from = DIM_NONE + 1; from < DIM_FIELD1; from++)
		for (enum dimension_id to = DIM_NONE + 1; to < DIM_FIELD1; to++)
			/* a zoom on the only PMU shows everything; contexts are unknown without call chains, and no
			 * sample is of a memory access or has branches */
			if (from != to && from != DIM_PMU && from != DIM_SYMBOL_TO &&
			    (from < DIM_CONTEXT || from > DIM_PHYS_PAGE))
				zoom_and_look(from, to);
}

static void zooms_stand_in_the_heading_and_go_one_by_one(void **state)
{
	(void)state;
	struct zoom_world *w = zoom_world_create(24, 120);
	choose(w, 'v', DIM_USER);
	search_for(w, "www");
	zoom_world_press(
		w, KEY_CYC_ENTER); /* after the zoom no pane shows symbols, so this pane becomes that of symbols */
	assert_shows(w, "in user www");
	assert_int_equal(table_dim(focused(&w->st)), DIM_SYMBOL);
	search_for(w, "copy");
	zoom_world_press(w, KEY_CYC_ENTER);
	assert_shows(w, "[Tasks]");
	assert_shows(w, "in user www › copy_user");
	assert_shows(w, "bash");
	assert_false(zoom_world_shows(w, "20 ")); /* pid of the database */
	zoom_world_press(w, KEY_CYC_ENTER);	  /* zoom on a process of the user */
	assert_shows(w, "› process 10 nginx");
	assert_int_equal(w->st.zooms_n, 3);
	zoom_world_press(w, KEY_CYC_ESC);
	assert_shows(w, "in user www › copy_user");
	assert_false(zoom_world_shows(w, "› process"));
	zoom_world_press(w, KEY_CYC_ESC);
	assert_shows(w, "in user www");
	assert_false(zoom_world_shows(w, "copy_user ›"));
	zoom_world_press(w, KEY_CYC_ESC);
	assert_shows(w, "[Users]");
	assert_false(zoom_world_shows(w, "in user"));
	zoom_world_destroy(w);
}

/* What the percentages refer to is more important than the end of a long name. */
static void a_narrow_heading_says_what_a_zoom_has_of_all(void **state)
{
	(void)state;
	struct zoom_world *w = zoom_world_create(24, 60);
	choose(w, 'v', DIM_PID);
	zoom_world_press(w, KEY_CYC_ENTER);
	assert_shows(w, "% of all");
	zoom_world_destroy(w);
}

static void the_row_of_idle_time_has_a_name_in_every_pane_by_code(void **state)
{
	(void)state;
	struct zoom_world *w = zoom_world_create(30, 100);
	w->tasks[Z_TASKS - 1].idle = true;
	choose(w, 'v', DIM_MODE);
	assert_shows(w, "(idle)");
	zoom_world_destroy(w);
}

static void a_second_zoom_of_a_dimension_takes_the_place_of_the_first(void **state)
{
	(void)state;
	struct zoom_world *w = zoom_world_create(24, 120);
	for (int i = 0; i < 3; i++) {
		zoom_world_press(w, KEY_CYC_TAB);
		zoom_world_press(w, KEY_CYC_DOWN);
		zoom_world_press(w, KEY_CYC_ENTER);
		assert_int_equal(w->st.zooms_n, 1);
		assert_int_equal(table_dim(focused(&w->st)), DIM_SYMBOL);
	}
	zoom_world_destroy(w);
}

/* If a pid and a task id are reused, the zoom does not show the new process as the old one. */
static void a_zoom_on_a_task_that_is_gone_stays_empty(void **state)
{
	(void)state;
	struct zoom_world *w = zoom_world_create(24, 120);
	zoom_world_press(w, KEY_CYC_TAB);
	search_for(w, "postgres");
	zoom_world_press(w, KEY_CYC_ENTER);
	assert_shows(w, "in process 20 postgres");
	assert_true(rows_of(w)->n > 0);
	struct task_info *reused = NULL;
	for (int i = 0; i < Z_TASKS; i++)
		if (w->tasks[i].pid == 20)
			reused = &w->tasks[i];
	reused->generation++;
	reused->pid = reused->tid = 400;
	reused->comm = "cron";
	zoom_world_measure(w);
	zoom_world_refresh(w);
	assert_shows(w, "in process 20 postgres (ended)");
	assert_int_equal(rows_of(w)->n, 0);
	assert_shows(w, "Nothing was seen");
	zoom_world_press(w, KEY_CYC_ESC);
	assert_shows(w, "cron");
	zoom_world_destroy(w);
}

/* The same for a selection. */
static void the_selection_leaves_a_task_that_is_gone(void **state)
{
	(void)state;
	struct zoom_world *w = zoom_world_create(24, 120);
	zoom_world_press(w, KEY_CYC_TAB);
	zoom_world_press(w, KEY_CYC_DOWN);
	struct selection sel;
	selection_get(&w->st, &w->in, &sel);
	uint64_t before = sel.row->id;
	w->tasks[sel.row->task].generation++;
	w->tasks[sel.row->task].pid = 500;
	zoom_world_refresh(w);
	selection_get(&w->st, &w->in, &sel);
	assert_true(sel.row->id != before);
	zoom_world_destroy(w);
}

/* ---- lists of dimensions
 * ----------------------------------------------------------------------- */

static void threads_and_processes_change_with_a_key(void **state)
{
	(void)state;
	struct zoom_world *w = zoom_world_create(35, 120);
	zoom_world_press(w, 'H');
	assert_int_equal(table_dim(&w->st.views[1]), DIM_TID);
	assert_shows(w, "TID");
	zoom_world_press(w, 'H');
	assert_int_equal(table_dim(&w->st.views[1]), DIM_PID);
	zoom_world_press(w, KEY_CYC_TAB);
	choose(w, 'v', DIM_DSO);
	zoom_world_press(w, 'H');
	assert_shows(w, "No pane shows tasks");
	zoom_world_destroy(w);
}

/* A snapshot is sorted once; keys that move the selection do not sort it again. */
static void keys_do_not_sort_again(void **state)
{
	(void)state;
	struct zoom_world *w = zoom_world_create(24, 80);
	const struct sheet *sheet = focused(&w->st)->sheet;
	assert_non_null(sheet);
	for (int i = 0; i < 5; i++)
		zoom_world_press(w, i % 2 ? KEY_CYC_UP : KEY_CYC_DOWN);
	uint64_t version = focused(&w->st)->sheet_version;
	assert_ptr_equal(focused(&w->st)->sheet, sheet);
	zoom_world_press(w, 'r');
	assert_true(focused(&w->st)->sheet_version != version);
	zoom_world_destroy(w);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_pane_shows_any_dimension),
		cmocka_unit_test(the_menu_can_be_left),
		cmocka_unit_test(panes_are_opened_and_closed),
		cmocka_unit_test(zooms_lead_from_any_dimension_to_any_other),
		cmocka_unit_test(zooms_stand_in_the_heading_and_go_one_by_one),
		cmocka_unit_test(a_narrow_heading_says_what_a_zoom_has_of_all),
		cmocka_unit_test(the_row_of_idle_time_has_a_name_in_every_pane_by_code),
		cmocka_unit_test(a_second_zoom_of_a_dimension_takes_the_place_of_the_first),
		cmocka_unit_test(a_zoom_on_a_task_that_is_gone_stays_empty),
		cmocka_unit_test(the_selection_leaves_a_task_that_is_gone),
		cmocka_unit_test(threads_and_processes_change_with_a_key),
		cmocka_unit_test(keys_do_not_sort_again),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
