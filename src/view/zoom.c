/* Zoom: a task's symbols, a symbol's tasks, and the way back. */
#include "view/internal.h"

#include <string.h>

static void forget(struct view_state *st, uint32_t kind)
{
	int n = 0;
	for (int i = 0; i < st->zoom_n; i++) {
		if (st->zoom[i] != kind)
			st->zoom[n++] = st->zoom[i];
	}
	st->zoom_n = n;
}

/* A table that shows something else starts at its top; the way back finds the
 * other pane as it was left. */
static void enter(struct view_state *st, uint32_t kind, enum pane to)
{
	forget(st, kind);
	st->zoom[st->zoom_n++] = kind;
	st->panes[to].selected = 0;
	st->panes[to].cursor = st->panes[to].top = 0;
	st->panes[to].filter[0] = '\0';
	state_focus(st, to);
}

unsigned act_zoom(struct view_state *st, const struct view_input *in, const struct grid *g,
		  const struct input_event *ev)
{
	(void)g, (void)ev;
	if (!in->snap)
		return REACT_NONE;
	struct pane_state *ps = &st->panes[st->focus];
	struct sheet *sheet = pane_sheet(st, in, st->focus);
	pane_follow(ps, sheet, 1 << 20);
	const struct row *row = sheet->n ? sheet->rows[ps->cursor] : NULL;
	unsigned react = REACT_REDRAW;

	if (!row) {
		state_say(st, "There is no row to zoom into.");
	} else if (st->focus == PANE_TASKS && in->info->scope == SCOPE_PROC) {
		state_say(st, "Functions cannot be seen without perf events.");
	} else if (st->focus == PANE_TASKS) {
		st->query.only_task = row->task;
		enter(st, ZOOM_TASK, PANE_SYMBOLS);
		react |= REACT_QUERY;
	} else if (st->focus == PANE_SYMBOLS && !row->idle) {
		st->query.only_sym = row->sym;
		enter(st, ZOOM_SYM, PANE_TASKS);
		react |= REACT_QUERY;
	} else
		state_say(st, "Enter zooms into a function or a task.");
	sheet_destroy(sheet);
	return react;
}

unsigned act_back(struct view_state *st, const struct view_input *in, const struct grid *g,
		  const struct input_event *ev)
{
	(void)g, (void)ev;
	struct pane_state *ps = &st->panes[st->focus];
	if (in->fetch.running) {
		st->fetch_dso = CATALOG_NONE;
		return REACT_FETCH | REACT_REDRAW;
	}
	if (st->why) {
		st->why = false;
		return REACT_REDRAW;
	}
	/* A filter was typed after the zoom: a zoom starts its pane without one. */
	if (ps->filter[0]) {
		ps->filter[0] = '\0';
		return REACT_REDRAW;
	}
	if (st->zoom_n == 0)
		return REACT_REDRAW;
	uint32_t kind = st->zoom[--st->zoom_n];
	if (kind == ZOOM_TASK)
		st->query.only_task = CATALOG_NONE;
	else
		st->query.only_sym = CATALOG_NONE;
	state_focus(st, kind == ZOOM_TASK ? PANE_TASKS : PANE_SYMBOLS);
	return REACT_QUERY | REACT_REDRAW;
}
