/* Handles clicks and the wheel of the mouse. */
#include "view/screen.h"

enum { WHEEL_ROWS = 3 };

/* Sorts by the clicked column; reverses the order if the table is sorted by it already. */
static void on_heading(const struct press *p, struct view *v, struct rect where)
{
	struct placed placed[COLUMNS_MAX];
	struct columns cols;
	view_columns(p->in, &v->pivot, &cols);
	size_t n = columns_place(&cols, where.cols, p->st->show_error ? CELL_WITH_ERROR : 0, placed);
	const struct column *now = table_sort_column(v, p->in, &cols);
	int x = p->ev->col - where.col;
	for (size_t i = 0; i < n; i++) {
		/* The gap before a column belongs to it. */
		if (x < placed[i].x - 1 || x >= placed[i].x + placed[i].width)
			continue;
		if (placed[i].col == now)
			v->reverse ^= true;
		else
			table_sort_by(v, placed[i].col->id);
		return;
	}
}

static unsigned on_row(const struct press *p, struct view *v, const struct table_box *box)
{
	const struct input_event *ev = p->ev;
	const struct sheet *sheet = table_sheet(p->in, v);
	table_follow(v, sheet);
	size_t at = v->top + (size_t)(ev->row - box->first);
	bool hit = at < sheet->n;
	if (ev->wheel_up)
		table_select(v, sheet, v->cursor > WHEEL_ROWS ? v->cursor - WHEEL_ROWS : 0);
	else if (ev->wheel_down)
		table_select(v, sheet, v->cursor + WHEEL_ROWS);
	else if (hit)
		table_select(v, sheet, at);
	return ev->double_click && hit ? act_zoom(p) : REACT_REDRAW;
}

unsigned table_mouse(const struct press *p, struct view *v, const struct layout *l, struct rect where)
{
	struct table_box box = table_box(where);
	bool wheel = p->ev->wheel_up || p->ev->wheel_down;
	if (!p->in->snap)
		return REACT_REDRAW;
	if (p->ev->row == box.title && !wheel) {
		tabs_click(p->st, l, v, where, p->ev->col);
		return REACT_REDRAW;
	}
	if (p->ev->row < box.first && wheel)
		return REACT_REDRAW;
	focus_set(p->st, view_index(p->st, v));
	if (p->ev->row == box.heading) {
		on_heading(p, v, where);
		return REACT_REDRAW;
	}
	return on_row(p, v, &box);
}

static bool inside(const struct rect *r, const struct input_event *ev)
{
	return ev->row >= r->row && ev->row < r->row + r->rows && ev->col >= r->col && ev->col < r->col + r->cols;
}

unsigned act_mouse(const struct press *p)
{
	struct layout l;
	layout_for(p->st, p->in, p->g->rows, p->g->cols, &l);
	if (l.footer >= 0 && p->ev->row == l.footer && !p->ev->wheel_up && !p->ev->wheel_down) {
		const struct binding *b = footer_hit(p->st, p->in, p->g->cols, p->ev->col);
		return b && !p->footer_covered ? binding_run(b, p) : REACT_REDRAW;
	}
	bool wheel = p->ev->wheel_up || p->ev->wheel_down;
	if (l.past >= 0 && p->ev->row >= l.past && p->ev->row < l.past + l.past_rows && !wheel)
		return past_click(p, p->ev->row - l.past);
	for (int i = 0; i < p->st->views_n; i++) {
		struct view *v = &p->st->views[i];
		if (inside(&l.views[i], p->ev) && v->ops->mouse)
			return v->ops->mouse(p, v, &l, l.views[i]);
	}
	return REACT_REDRAW;
}
