/* Tasks as a tree: tests send keys and read the screen. */
#include "../lib/grid_text.h"
#include "../lib/zoom_world.h"
#include "view/screen.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* nginx started postgres, and postgres bash. */
static struct zoom_world *family(void)
{
	struct zoom_world *w = zoom_world_create(40, 120);
	for (uint32_t i = 0; i < Z_TASKS; i++) {
		struct task_info *t = &w->tasks[i];
		bool bash = t->comm && strcmp(t->comm, "bash") == 0,
		     postgres = t->comm && strcmp(t->comm, "postgres") == 0;
		for (uint32_t j = 0; (bash || postgres) && j < Z_TASKS; j++)
			if (w->tasks[j].leader == j && w->tasks[j].comm &&
			    strcmp(w->tasks[j].comm, bash ? "postgres" : "nginx") == 0) {
				t->parent = bash ? "postgres" : "nginx";
				t->ppid = (uint32_t)w->tasks[j].pid;
			}
	}
	zoom_world_press(w, KEY_CYC_TAB); /* the pane of tasks */
	return w;
}

static void assert_line(const struct zoom_world *w, const char *text, bool there)
{
	char *all = grid_text(w->g);
	if (!!strstr(all, text) != there)
		fail_msg("%s \"%s\" on\n%s", there ? "no" : "there is", text, all);
	free(all);
}

static void children_stand_below_their_parents(void **state)
{
	(void)state;
	struct zoom_world *w = family();
	zoom_world_press(w, KEY_CYC_F5);
	zoom_world_refresh(w);
	assert_line(w, "└─postgres", true);
	assert_line(w, "  └─bash", true);
	zoom_world_press(w, KEY_CYC_F5);
	zoom_world_refresh(w);
	assert_line(w, "└─", false);
	zoom_world_destroy(w);
}

static void a_folded_row_has_the_sums_of_all_below(void **state)
{
	(void)state;
	struct zoom_world *w = family();
	zoom_world_press(w, KEY_CYC_F5);
	zoom_world_refresh(w);
	struct view *v = focused(&w->st);
	const struct sheet *sheet = table_sheet(&w->in, v);
	size_t n = sheet->n, at = 0;
	double all = 0;
	for (size_t i = 0; i < n; i++)
		all += sheet->rows[i]->share;
	while (strcmp(w->tasks[sheet->rows[at]->task].comm, "nginx") != 0)
		at++;
	assert_int_equal(sheet->branches[at].depth, 0);
	assert_int_equal(sheet->branches[at + 1].depth, 1);
	assert_int_equal(sheet->branches[at + 2].depth, 2);
	double below = sheet->rows[at]->share + sheet->rows[at + 1]->share + sheet->rows[at + 2]->share;
	uint64_t id = sheet->rows[at]->id;
	table_select(v, sheet, at);
	zoom_world_press(w, '*');
	sheet = table_sheet(&w->in, v);
	assert_int_equal(sheet->n, n - 2);
	assert_int_equal(sheet->rows[v->cursor]->id, id);
	assert_true(sheet->branches[v->cursor].folded);
	assert_true(sheet->rows[v->cursor]->share > 0.999 * below && sheet->rows[v->cursor]->share < 1.001 * below);
	double folded = 0;
	for (size_t i = 0; i < sheet->n; i++)
		folded += sheet->rows[i]->share;
	assert_true(folded > 0.999 * all && folded < 1.001 * all);
	assert_line(w, "+nginx", true);
	zoom_world_press(w, '*');
	assert_int_equal(table_sheet(&w->in, v)->n, n);
	zoom_world_destroy(w);
}

static void a_row_with_none_below_is_not_folded(void **state)
{
	(void)state;
	struct zoom_world *w = family();
	zoom_world_press(w, KEY_CYC_F5);
	zoom_world_refresh(w);
	struct view *v = focused(&w->st);
	const struct sheet *sheet = table_sheet(&w->in, v);
	size_t at = 0;
	while (strcmp(w->tasks[sheet->rows[at]->task].comm, "bash") != 0)
		at++;
	table_select(v, sheet, at);
	zoom_world_press(w, '*');
	assert_line(w, "Nothing is below this row", true);
	assert_int_equal(v->folded.n, 0);
	zoom_world_destroy(w);
}

static void threads_are_a_tree_where_processes_were(void **state)
{
	(void)state;
	struct zoom_world *w = family();
	zoom_world_press(w, KEY_CYC_F5);
	zoom_world_press(w, 'H');
	zoom_world_refresh(w);
	assert_line(w, "[Threads]", true);
	assert_line(w, "─nginx", true); /* the second thread, below the first */
	assert_line(w, "└─bash", true);
	zoom_world_destroy(w);
}

/* A filter keeps the rows above those that it finds, in which these can be placed. */
static void a_filter_keeps_the_way_to_what_it_finds(void **state)
{
	(void)state;
	struct zoom_world *w = family();
	zoom_world_press(w, KEY_CYC_F5);
	zoom_world_refresh(w);
	struct view *v = focused(&w->st);
	snprintf(v->filter, sizeof(v->filter), "bash");
	const struct sheet *sheet = table_sheet(&w->in, v);
	assert_int_equal(sheet->n, 3);
	for (uint32_t i = 0; i < 3; i++)
		assert_int_equal(sheet->branches[i].depth, i);
	zoom_world_destroy(w);
}

static void only_tables_of_tasks_have_trees(void **state)
{
	(void)state;
	struct zoom_world *w = family();
	zoom_world_press(w, '*');
	assert_line(w, "F5 shows tasks as one", true);
	zoom_world_press(w, KEY_CYC_TAB);
	zoom_world_press(w, KEY_CYC_TAB);
	zoom_world_press(w, KEY_CYC_F5); /* from another pane: that of tasks is meant */
	zoom_world_refresh(w);
	assert_line(w, "└─postgres", true);
	zoom_world_destroy(w);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(children_stand_below_their_parents),
		cmocka_unit_test(a_folded_row_has_the_sums_of_all_below),
		cmocka_unit_test(a_row_with_none_below_is_not_folded),
		cmocka_unit_test(threads_are_a_tree_where_processes_were),
		cmocka_unit_test(a_filter_keeps_the_way_to_what_it_finds),
		cmocka_unit_test(only_tables_of_tasks_have_trees),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
