#include "view/internal.h"

#include <string.h>

enum { WHEEL_ROWS = 3 };

static unsigned on_heading(struct view_state *st, const struct view_input *in, const struct grid *g, enum pane pane,
			   int x)
{
	struct pane_state *ps = &st->panes[pane];
	struct placed placed[COLUMNS_MAX];
	struct columns cols;
	view_columns(pane, in, &cols);
	size_t n = columns_place(&cols, g->cols, st->show_error ? CELL_WITH_ERROR : 0, placed);
	const struct column *now = view_column_find(&cols, ps->sort);
	if (!now)
		now = view_column_find(&cols, column_default_sort(pane, in));
	for (size_t i = 0; i < n; i++) {
		/* The gap before a column belongs to it. */
		if (x < placed[i].x - 1 || x >= placed[i].x + placed[i].width)
			continue;
		if (placed[i].col == now)
			ps->reverse ^= true;
		else
			state_sort(st, pane, placed[i].col->id);
		break;
	}
	return REACT_REDRAW;
}

static unsigned on_row(struct view_state *st, const struct view_input *in, const struct grid *g,
		       const struct pane_box *box, const struct input_event *ev)
{
	struct pane_state *ps = &st->panes[box->pane];
	struct sheet *sheet = pane_sheet(st, in, box->pane);
	pane_follow(ps, sheet, box->rows);
	size_t at = ps->top + (size_t)(ev->row - box->first);
	bool hit = at < sheet->n;
	if (ev->wheel_up)
		select_row(st, sheet, ps->cursor > WHEEL_ROWS ? ps->cursor - WHEEL_ROWS : 0);
	else if (ev->wheel_down)
		select_row(st, sheet, ps->cursor + WHEEL_ROWS);
	else if (hit)
		select_row(st, sheet, at);
	sheet_destroy(sheet);
	if (ev->double_click && hit)
		return act_zoom(st, in, g, ev);
	return REACT_REDRAW;
}

static unsigned on_title(struct view_state *st, const struct layout *l, const struct pane_box *box, int x)
{
	int tab, width;
	if (l->boxes_n > 1) {
		state_focus(st, box->pane);
		return REACT_REDRAW;
	}
	for (int p = 0; p < PANE_COUNT; p++) {
		pane_tab((enum pane)p, &tab, &width);
		if (x >= tab && x < tab + width)
			state_focus(st, (enum pane)p);
	}
	return REACT_REDRAW;
}

unsigned act_mouse(struct view_state *st, const struct view_input *in, const struct grid *g,
		   const struct input_event *ev)
{
	struct layout l;
	layout_for(st, in, g->rows, g->cols, &l);
	bool wheel = ev->wheel_up || ev->wheel_down;
	if (l.footer >= 0 && ev->row == l.footer && !wheel) {
		const struct binding *b = footer_hit(in, g->cols, ev->col);
		return b ? b->run(st, in, g, ev) : REACT_REDRAW;
	}
	for (int i = 0; i < l.boxes_n && in->snap; i++) {
		const struct pane_box *box = &l.boxes[i];
		if (ev->row == box->title && !wheel)
			return on_title(st, &l, box, ev->col);
		if (ev->row == box->heading && !wheel) {
			state_focus(st, box->pane);
			return on_heading(st, in, g, box->pane, ev->col);
		}
		if (ev->row >= box->first && ev->row < box->first + box->rows) {
			state_focus(st, box->pane);
			return on_row(st, in, g, box, ev);
		}
	}
	return REACT_REDRAW;
}
