/* Zooms: a zoom is a filter (dimension, key) for all panes of other dimensions. */
#include "view/screen.h"

#include <stdio.h>

/* ---- naming zooms --------------------------------------------------------------------------- */

/* Names a zoom: "process 17 bash", "user anna", "malloc".  The name is what the row's key column shows, preceded by a
 * word for the dimension; `under`: by "under". */
static void zoom_name(const struct view_input *in, const struct view *v, const struct row *row, bool under, char *buf,
		      size_t cap)
{
	const char *one =
		under ? "under" : dimension_word(in->names->fields, table_dim(v), dimensions[table_dim(v)].one);
	char key[512] = "[unknown]", word[24];
	struct pivot_query query = {.dims = {table_dim(v)}, .dims_n = 1};
	struct columns cols;
	view_columns(in, &query, &cols);
	for (size_t i = 0; i < cols.n; i++) {
		if (!cols.v[i].own)
			continue;
		struct cell cell = cols.v[i].value(in, &cols.v[i], row);
		cell_format(&cols.v[i], &cell, 0, key, sizeof(key));
		break;
	}
	snprintf(word, sizeof(word), "%s%s", one, *one ? " " : "");
	bool task = table_dim(v) == DIM_PID || table_dim(v) == DIM_TID;
	if (task && (row->idle || row->interrupts))
		snprintf(buf, cap, "the idle task");
	else if (task && row->task < in->cat->tasks_n && in->cat->tasks[row->task].comm)
		snprintf(buf, cap, "%s%.20s %.40s", word, key, in->cat->tasks[row->task].comm);
	else
		snprintf(buf, cap, "%s%.100s", word, key);
}

/* Returns true if the task, symbol or DSO of the zoom is no longer in the catalog, so that its id may be reused. */
static bool zoom_ended(const struct view_input *in, const struct filter *f)
{
	uint32_t id = (uint32_t)f->key, generation = (uint32_t)(f->key >> 32);
	if (f->dim == DIM_DSO)
		return id >= in->cat->dsos_n || in->cat->dsos[id].generation != generation;
	return dimensions[f->dim].key_is_id && dimension_key(in->names, f->dim, id) != f->key;
}

void zoom_text(const struct view_state *st, const struct view_input *in, const struct view *v, char *buf, size_t cap)
{
	size_t n = 0;
	buf[0] = '\0';
	for (int i = 0; i < st->zooms_n && n < cap; i++) {
		const struct zoom *z = &st->zooms[i];
		if (z->filter.dim != table_dim(v))
			n += (size_t)snprintf(buf + n, cap - n, "%s%s%s",
					      n			? " › "
					      : z->filter.under ? ""
								: "in ",
					      z->name, zoom_ended(in, &z->filter) ? " (ended)" : "");
	}
}

uint32_t zoomed_task(const struct view_state *st, const struct view_input *in)
{
	for (int i = 0; i < st->zooms_n; i++) {
		const struct filter *f = &st->zooms[i].filter;
		uint32_t id = (uint32_t)f->key;
		if ((f->dim == DIM_PID || f->dim == DIM_TID) && id < in->cat->tasks_n && !zoom_ended(in, f))
			return id;
	}
	return CATALOG_NONE;
}

void zooms_apply_to(const struct view_state *st, struct view *v)
{
	struct pivot_query *q = &v->pivot;
	q->filters_n = 0;
	q->relative = st->relative;
	q->callees = st->chains && dimensions[q->dims[0]].part == PART_CONTEXT;
	for (int k = 0; k < st->zooms_n; k++)
		if (st->zooms[k].filter.dim != q->dims[0] || st->zooms[k].filter.under)
			q->filters[q->filters_n++] = st->zooms[k].filter;
}

void zooms_apply(struct view_state *st)
{
	for (int i = 0; i < st->views_n; i++)
		zooms_apply_to(st, &st->views[i]);
}

struct pivot_query view_export_chains(const struct view_state *st)
{
	struct pivot_query q = {.dims = {DIM_COMM, DIM_CHAIN}, .dims_n = 2, .by_name = true};
	for (int i = 0; i < st->zooms_n; i++)
		q.filters[q.filters_n++] = st->zooms[i].filter;
	return q;
}

/* ---- zooming in ----------------------------------------------------------------------------- */

static void forget(struct view_state *st, enum dimension_id dim)
{
	int n = 0;
	for (int i = 0; i < st->zooms_n; i++)
		if (st->zooms[i].filter.dim != dim)
			st->zooms[n++] = st->zooms[i];
	st->zooms_n = n;
}

/* Returns the pane that gets the focus after zooming: a pane of tasks if the zoom is into a function, else a pane of
 * functions.  If there is no such pane, the focused pane is switched to that dimension. */
static struct view *zoom_target(struct view_state *st, struct zoom *z)
{
	enum dimension_id dim = z->filter.dim == DIM_SYMBOL ? DIM_PID : DIM_SYMBOL;
	struct view *to = table_by(st, dim);
	if (!to && dim == DIM_PID)
		to = table_by(st, DIM_TID);
	if (to)
		return to;
	table_turn(focused(st), dim);
	z->dim_before = z->filter.dim;
	z->dim_within = dim;
	return focused(st);
}

unsigned act_zoom(const struct press *p)
{
	struct view_state *st = p->st;
	struct view *v = focused(st);
	struct selection sel;
	if (!p->in->snap)
		return REACT_NONE;
	selection_get(st, p->in, &sel);
	if (!sel.row)
		return state_say(st, "There is no row to zoom into.");
	if (p->in->info->scope == SCOPE_PROC && table_dim(v) != DIM_SYMBOL)
		return state_say(st, "Functions cannot be seen without perf events.");
	enum fact_part part = dimensions[table_dim(v)].part;
	struct zoom z = {.filter = {table_dim(v), dimension_key(p->in->names, table_dim(v), row_part(sel.row, part))}};
	if (z.filter.key == KEY_NONE || (sel.row->idle && part != PART_TASK))
		return state_say(st, "There is nothing to zoom into in this row.");
	z.filter.under = z.filter.dim == DIM_CHAIN || z.filter.dim == DIM_CALLERS;
	z.selected = v->selected;
	zoom_name(p->in, v, sel.row, z.filter.under, z.name, sizeof(z.name));
	forget(st, table_dim(v));
	struct view *to = zoom_target(st, &z);
	st->zooms[st->zooms_n++] = z;
	zooms_apply(st);
	/* The pane that gets the focus has other rows now, so it starts at the top. */
	to->selected = 0;
	to->cursor = to->top = 0;
	to->filter[0] = '\0';
	focus_set(st, view_index(st, to));
	return REACT_QUERY | REACT_REDRAW;
}

/* Returns the pane that shows callers for the focused pane: a pane that shows callers already, or the next pane. */
static struct view *pane_of_callers(struct view_state *st)
{
	struct view *found = table_by(st, DIM_CALLERS);
	for (int i = 1; i < st->views_n && !found; i++) {
		struct view *v = &st->views[(st->focus + i) % st->views_n];
		if (v->ops->is_table)
			found = v;
	}
	return found;
}

unsigned act_around(const struct press *p)
{
	struct view_state *st = p->st;
	struct view *v = focused(st);
	struct selection sel;
	selection_get(st, p->in, &sel);
	bool of_code = v->ops->is_table && dimensions[table_dim(v)].part == PART_CONTEXT;
	if (!st->chains || !of_code || !sel.row || sel.row->sym == CATALOG_NONE)
		return state_say(st, "%s",
				 st->chains ? "f is about a function: select one in the pane of symbols or call chains."
					    : without_chains(p->in,
							     "Who calls a function is known with call chains: g begins "
							     "with them."));
	struct zoom z = {.filter = {.dim = DIM_SYMBOL, .under = true},
			 .selected = v->selected,
			 .dim_before = table_dim(v),
			 .dim_within = DIM_CHAIN};
	z.filter.key = dimension_key(p->in->names, DIM_SYMBOL, row_part(sel.row, PART_CONTEXT));
	snprintf(z.name, sizeof(z.name), "under %.100s", view_symbol_name(p->in, sel.row->sym));
	struct view *other = pane_of_callers(st);
	z.callers_dim_before = other ? table_dim(other) : DIM_NONE;
	forget(st, DIM_SYMBOL);
	table_turn(v, DIM_CHAIN);
	if (other)
		table_turn(other, DIM_CALLERS);
	st->zooms[st->zooms_n++] = z;
	zooms_apply(st);
	state_say(st, "What it calls, and who calls it; Esc goes back.");
	return REACT_QUERY | REACT_REDRAW;
}

/* ---- zooming out (Esc) ---------------------------------------------------------------------- */

/* Returns the panel that was opened last, or NULL. */
static struct view *last_panel(struct view_state *st)
{
	for (int i = st->views_n; i-- > 0;)
		if (st->views[i].ops->place == PLACE_PANEL)
			return &st->views[i];
	return NULL;
}

static unsigned zoom_out(struct view_state *st)
{
	const struct zoom *z = &st->zooms[--st->zooms_n];
	struct view *from = table_by(st, z->filter.dim);
	if (!from && z->dim_within) {
		from = table_by(st, z->dim_within);
		if (from)
			table_turn(from, z->dim_before);
	}
	struct view *other = z->callers_dim_before ? table_by(st, DIM_CALLERS) : NULL;
	if (other)
		table_turn(other, z->callers_dim_before);
	zooms_apply(st);
	if (from) {
		from->selected = z->selected;
		from->reveal = true;
		focus_set(st, view_index(st, from));
	}
	return REACT_QUERY | REACT_REDRAW;
}

unsigned act_back(const struct press *p)
{
	struct view_state *st = p->st;
	if (p->in->fetch.running) {
		st->fetch_dso = CATALOG_NONE;
		return REACT_FETCH | REACT_REDRAW;
	}
	if (last_panel(st)) {
		view_close(st, last_panel(st));
		return REACT_REDRAW;
	}
	/* The filter is removed first.  It is more recent than the zoom, since zooming clears the filter of the pane
	 * that it gives the focus to. */
	if (focused(st)->filter[0]) {
		focused(st)->filter[0] = '\0';
		return REACT_REDRAW;
	}
	return st->zooms_n ? zoom_out(st) : REACT_REDRAW;
}
