/* The state of a table: the dimension of its rows, their order, the selected row. */
#include "view/screen.h"

#include "base/index.h"

#include <stdio.h>
#include <string.h>

enum dimension_id table_dim(const struct view *v)
{
	return v->pivot.dims[0];
}

struct view *table_by(struct view_state *st, enum dimension_id dim)
{
	for (int i = 0; i < st->views_n; i++)
		if (st->views[i].ops->is_table && table_dim(&st->views[i]) == dim)
			return &st->views[i];
	return NULL;
}

void table_turn(struct view *v, enum dimension_id dim)
{
	v->pivot = (struct pivot_query){.dims = {dim}, .dims_n = 1};
	if (dimensions[dim].part == PART_TASK)
		v->pivot.top = DIM_SYMBOL;
	v->pivot.tree = dim == DIM_CHAIN || dim == DIM_CALLERS;
	if (dim == DIM_SYMBOL) { /* how unnamed code can get names depends on its process */
		v->pivot.top = DIM_PID;
		v->pivot.top_unnamed = true;
	}
	v->filter[0] = '\0';
	v->selected = 0;
	v->cursor = v->top = 0;
}

size_t view_pivots(const struct view_state *st, struct pivot_query ret[VIEWS_MAX])
{
	size_t n = 0;
	for (int i = 0; i < st->views_n; i++)
		if (st->views[i].ops->has_pivot)
			ret[n++] = st->views[i].pivot;
	return n;
}

const struct view *view_export_pane(const struct view_state *st)
{
	const struct view *v = &st->views[st->focus];
	for (int i = 0; i < st->views_n && !v->ops->is_table; i++)
		v = &st->views[i];
	return v;
}

/* Returns true if the pane can get a place on a screen of some height; choose_panes() in layout.c chooses the panes. */
static bool may_be_shown(const struct view_state *st, int index)
{
	int last = st->panes - 1, place = pane_place(st, index);
	bool other_in_last = pane_place(st, st->focus) >= last || pane_place(st, st->last) >= last;
	return index == st->focus || index == st->last || place < last || (place == last && !other_in_last);
}

size_t view_shown_pivots(const struct view_state *st, struct pivot_query ret[VIEWS_MAX])
{
	size_t n = 0;
	for (int i = 0; i < st->views_n; i++)
		if (st->views[i].ops->has_pivot && (!st->views[i].ops->is_table || may_be_shown(st, i)))
			ret[n++] = st->views[i].pivot;
	return n;
}

const struct pivot *table_pivot(const struct view_input *in, const struct view *v)
{
	static const struct pivot none = {.query = {.dims = {DIM_SYMBOL}, .dims_n = 1}};
	const struct pivot *found = snapshot_pivot(in->snap, &v->pivot);
	return found ? found : &none;
}

/* Returns a hash of everything that decides the rows of the sheet and their order. */
static uint64_t sheet_version(const struct view_input *in, const struct view *v, const struct pivot *pivot)
{
	uint64_t h = hash_u64(in->snap_id);
	h = hash_u64(h ^ ((uint64_t)(uintptr_t)pivot << 2 | (uint64_t)v->reverse << 1 | in->raw_names));
	h ^= hash_bytes(v->sort, strlen(v->sort), 0);
	h = hash_u64(h) ^ hash_bytes(v->filter, strlen(v->filter), 0);
	h = hash_u64(h) ^ tree_hash(v);
	return h ? h : 1;
}

const struct sheet *table_sheet(const struct view_input *in, struct view *v)
{
	const struct pivot *pivot = table_pivot(in, v);
	uint64_t version = sheet_version(in, v, pivot);
	if (v->sheet_version == version && in->snap_id)
		return v->sheet;
	struct sheet_query q = {.pivot = pivot, .sort = v->sort, .reverse = v->reverse, .filter = v->filter};
	q.folded = v->pivot.tree ? &v->folded : NULL;
	sheet_destroy(v->sheet);
	v->sheet = sheet_create(in, &q);
	v->sheet_version = version;
	return v->sheet;
}

void table_follow(struct view *v, const struct sheet *sheet)
{
	if (sheet->n == 0) {
		v->cursor = v->top = 0;
		return;
	}
	if (v->selected == 0)
		v->cursor = 0;
	else {
		size_t i = 0;
		while (i < sheet->n && sheet->rows[i]->id != v->selected)
			i++;
		if (i < sheet->n)
			v->cursor = i;
		else { /* the row is gone: select the row at the cursor */
			if (v->cursor >= sheet->n)
				v->cursor = sheet->n - 1;
			v->selected = sheet->rows[v->cursor]->id;
		}
	}
}

void table_select(struct view *v, const struct sheet *sheet, size_t to)
{
	if (sheet->n == 0)
		return;
	v->cursor = to < sheet->n ? to : sheet->n - 1;
	v->selected = sheet->rows[v->cursor]->id;
	v->reveal = true;
}

const struct column *table_sort_column(const struct view *v, const struct view_input *in, const struct columns *cols)
{
	const struct column *col = view_column_find(cols, v->sort);
	return col ? col : view_column_find(cols, column_default_sort(in, &v->pivot));
}

void table_sort_by(struct view *v, const char *column)
{
	snprintf(v->sort, sizeof(v->sort), "%s", column);
	v->reverse = false;
}

struct table_box table_box(struct rect where)
{
	struct table_box box = {.title = -1, .heading = -1, .first = where.row};
	if (where.rows >= 4)
		box.title = box.first++;
	if (where.rows >= 2)
		box.heading = box.first++;
	box.rows = where.row + where.rows - box.first;
	return box;
}
