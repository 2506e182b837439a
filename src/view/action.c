/* What the keys do, but for typing, zoom and mouse. */
#include "view/internal.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

void state_say(struct view_state *st, const char *fmt, ...)
{
	va_list args;
	va_start(args, fmt);
	vsnprintf(st->message, sizeof(st->message), fmt, args);
	va_end(args);
}

/* ---- moving ----------------------------------------------------------------------- */

void select_row(struct view_state *st, const struct sheet *sheet, size_t to)
{
	struct pane_state *ps = &st->panes[sheet->pane];
	if (sheet->n == 0)
		return;
	ps->cursor = to < sheet->n ? to : sheet->n - 1;
	ps->selected = sheet_row_id(sheet->pane, sheet->rows[ps->cursor]);
}

static int page_rows(const struct view_state *st, const struct view_input *in, const struct grid *g)
{
	struct layout l;
	layout_for(st, in, g->rows, g->cols, &l);
	for (int i = 0; i < l.boxes_n; i++) {
		if (l.boxes[i].pane == st->focus && l.boxes[i].rows > 1)
			return l.boxes[i].rows;
	}
	return 1;
}

/* Moves by rows, or by pages of the size on screen. */
static unsigned move(struct view_state *st, const struct view_input *in, const struct grid *g, long rows, long pages)
{
	if (!in->snap)
		return REACT_NONE;
	struct sheet *sheet = pane_sheet(st, in, st->focus);
	pane_follow(&st->panes[st->focus], sheet, page_rows(st, in, g));
	long to = (long)st->panes[st->focus].cursor + rows;
	if (pages)
		to += pages * page_rows(st, in, g);
	select_row(st, sheet, to < 0 ? 0 : (size_t)to);
	sheet_destroy(sheet);
	return REACT_REDRAW;
}

unsigned act_up(struct view_state *st, const struct view_input *in, const struct grid *g, const struct input_event *ev)
{
	(void)ev;
	return move(st, in, g, -1, 0);
}

unsigned act_down(struct view_state *st, const struct view_input *in, const struct grid *g,
		  const struct input_event *ev)
{
	(void)ev;
	return move(st, in, g, 1, 0);
}

unsigned act_page_up(struct view_state *st, const struct view_input *in, const struct grid *g,
		     const struct input_event *ev)
{
	(void)ev;
	return move(st, in, g, 0, -1);
}

unsigned act_page_down(struct view_state *st, const struct view_input *in, const struct grid *g,
		       const struct input_event *ev)
{
	(void)ev;
	return move(st, in, g, 0, 1);
}

unsigned act_home(struct view_state *st, const struct view_input *in, const struct grid *g,
		  const struct input_event *ev)
{
	(void)in, (void)g, (void)ev;
	struct pane_state *ps = &st->panes[st->focus];
	ps->selected = 0;
	ps->cursor = ps->top = 0;
	return REACT_REDRAW;
}

unsigned act_end(struct view_state *st, const struct view_input *in, const struct grid *g, const struct input_event *ev)
{
	(void)ev;
	return move(st, in, g, INT32_MAX, 0);
}

/* ---- panes ------------------------------------------------------------------------- */

void state_focus(struct view_state *st, enum pane pane)
{
	st->focus = pane;
	if (pane != PANE_SYMBOLS)
		st->show_cpus = pane == PANE_CPUS;
}

unsigned act_next_pane(struct view_state *st, const struct view_input *in, const struct grid *g,
		       const struct input_event *ev)
{
	(void)in, (void)g, (void)ev;
	state_focus(st, (enum pane)((st->focus + 1) % PANE_COUNT));
	return REACT_REDRAW;
}

unsigned act_prev_pane(struct view_state *st, const struct view_input *in, const struct grid *g,
		       const struct input_event *ev)
{
	(void)in, (void)g, (void)ev;
	state_focus(st, (enum pane)((st->focus + PANE_COUNT - 1) % PANE_COUNT));
	return REACT_REDRAW;
}

/* ---- sorting ------------------------------------------------------------------------ */

void state_sort(struct view_state *st, enum pane pane, const char *id)
{
	struct pane_state *ps = &st->panes[pane];
	snprintf(ps->sort, sizeof(ps->sort), "%s", id);
	ps->reverse = false;
}

static unsigned sort_step(struct view_state *st, const struct view_input *in, int step)
{
	struct pane_state *ps = &st->panes[st->focus];
	struct columns cols;
	view_columns(st->focus, in, &cols);
	const struct column *now = view_column_find(&cols, ps->sort);
	if (!now)
		now = view_column_find(&cols, column_default_sort(st->focus, in));
	long at = now ? now - cols.v : 0;
	at = (at + step + (long)cols.n) % (long)cols.n;
	state_sort(st, st->focus, cols.v[at].id);
	state_say(st, "Sorted by %s: %s", cols.v[at].title, cols.v[at].help ? cols.v[at].help : "");
	return REACT_REDRAW;
}

unsigned act_sort_left(struct view_state *st, const struct view_input *in, const struct grid *g,
		       const struct input_event *ev)
{
	(void)g, (void)ev;
	return sort_step(st, in, -1);
}

unsigned act_sort_right(struct view_state *st, const struct view_input *in, const struct grid *g,
			const struct input_event *ev)
{
	(void)g, (void)ev;
	return sort_step(st, in, 1);
}

unsigned act_reverse(struct view_state *st, const struct view_input *in, const struct grid *g,
		     const struct input_event *ev)
{
	(void)in, (void)g, (void)ev;
	st->panes[st->focus].reverse ^= true;
	return REACT_REDRAW;
}

/* ---- what is asked of the model -------------------------------------------------------- */

unsigned act_hide_kernel(struct view_state *st, const struct view_input *in, const struct grid *g,
			 const struct input_event *ev)
{
	(void)in, (void)g, (void)ev;
	st->query.hide_kernel ^= true;
	st->query.hide_user = false; /* hiding both would leave nothing */
	return REACT_QUERY | REACT_REDRAW;
}

unsigned act_hide_user(struct view_state *st, const struct view_input *in, const struct grid *g,
		       const struct input_event *ev)
{
	(void)in, (void)g, (void)ev;
	st->query.hide_user ^= true;
	st->query.hide_kernel = false;
	return REACT_QUERY | REACT_REDRAW;
}

unsigned act_hide_self(struct view_state *st, const struct view_input *in, const struct grid *g,
		       const struct input_event *ev)
{
	(void)in, (void)g, (void)ev;
	st->query.hide_self ^= true;
	state_say(st, st->query.hide_self ? "cyctop's own share is hidden." : "cyctop's own share is shown.");
	return REACT_QUERY | REACT_REDRAW;
}

unsigned act_threads(struct view_state *st, const struct view_input *in, const struct grid *g,
		     const struct input_event *ev)
{
	(void)in, (void)g, (void)ev;
	st->query.by_thread ^= true;
	state_say(st, st->query.by_thread ? "Tasks: each thread." : "Tasks: each process, with all its threads.");
	return REACT_QUERY | REACT_REDRAW;
}

unsigned act_window(struct view_state *st, const struct view_input *in, const struct grid *g,
		    const struct input_event *ev)
{
	(void)in, (void)g, (void)ev;
	static const char *const says[] = {
		[WINDOW_SLIDING] = "Numbers are about the last seconds.",
		[WINDOW_INTERVAL] = "Numbers are about the last interval alone.",
		[WINDOW_TOTAL] = "Numbers are about everything since the start (z starts over).",
	};
	st->query.window = (enum window)((st->query.window + 1) % ARRAY_LEN(says));
	state_say(st, "%s", says[st->query.window]);
	return REACT_QUERY | REACT_REDRAW;
}

/* ---- the rest ------------------------------------------------------------------------- */

unsigned act_reset(struct view_state *st, const struct view_input *in, const struct grid *g,
		   const struct input_event *ev)
{
	(void)in, (void)g, (void)ev;
	state_say(st, "Started over: what was measured before is forgotten.");
	return REACT_RESET | REACT_REDRAW;
}

unsigned act_freeze(struct view_state *st, const struct view_input *in, const struct grid *g,
		    const struct input_event *ev)
{
	(void)in, (void)g, (void)ev;
	st->frozen ^= true;
	if (st->frozen)
		state_say(st, "Frozen; measuring goes on. Space continues.");
	return REACT_REDRAW | (st->frozen ? 0 : REACT_QUERY);
}

unsigned act_error(struct view_state *st, const struct view_input *in, const struct grid *g,
		   const struct input_event *ev)
{
	(void)in, (void)g, (void)ev;
	st->show_error ^= true;
	return REACT_REDRAW;
}

unsigned act_repaint(struct view_state *st, const struct view_input *in, const struct grid *g,
		     const struct input_event *ev)
{
	(void)st, (void)in, (void)g, (void)ev;
	return REACT_REPAINT | REACT_REDRAW;
}

unsigned act_quit(struct view_state *st, const struct view_input *in, const struct grid *g,
		  const struct input_event *ev)
{
	(void)st, (void)in, (void)g, (void)ev;
	return REACT_QUIT;
}

unsigned act_write(struct view_state *st, const struct view_input *in, const struct grid *g,
		   const struct input_event *ev)
{
	(void)st, (void)in, (void)g, (void)ev;
	return REACT_WRITE | REACT_REDRAW;
}
