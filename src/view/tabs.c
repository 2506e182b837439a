/* Draws the name of a pane, with the names of the panes that share its place as tabs. */
#include "view/screen.h"

#include <stdio.h>

const char *view_name(const struct view_state *st, const struct view *v, char buf[static VIEW_NAME_CAP])
{
	unsigned same = 1;
	if (v->ops->title)
		return v->ops->title;
	for (const struct view *before = st->views; before < v; before++)
		same += before->ops->is_table && table_dim(before) == table_dim(v);
	const char *name = dimension_word(st->fields, table_dim(v), dimensions[table_dim(v)].name);
	if (same == 1)
		return name;
	snprintf(buf, VIEW_NAME_CAP, "%s %u", name, same);
	return buf;
}

int visible_panes(const struct view_state *st, const struct layout *l)
{
	int n = 0;
	for (int i = 0; i < st->views_n; i++)
		n += st->views[i].ops->place == PLACE_PANE && l->views[i].rows > 0;
	return n;
}

static bool shares_place(const struct view_state *st, const struct layout *l, int index)
{
	return index >= l->first_in_last && st->views[index].ops->place == PLACE_PANE;
}

/* Finds the cells [*x, *x + *width) of the tab of pane `index`.  Returns false if `shown` is in another place. */
static bool tab_place(const struct view_state *st, const struct layout *l, int shown, int index, int *x, int *width)
{
	if (!shares_place(st, l, shown) || !shares_place(st, l, index))
		return false;
	/* The only pane on the screen always has the focus, and needs no mark. */
	char name[VIEW_NAME_CAP];
	*x = visible_panes(st, l) > 1 ? 2 : 0;
	for (int i = l->first_in_last; i < index; i++)
		if (shares_place(st, l, i))
			*x += text_width(view_name(st, &st->views[i], name)) + 4;
	*width = text_width(view_name(st, &st->views[index], name)) + 2;
	return true;
}

/* Draws "[Symbols] Tasks CPUs" if panes share a place, otherwise only "Symbols". */
int tabs_draw(struct frame *f, const struct view *v, struct rect where)
{
	int shown = view_index(f->st, v), end = 0, tabs = 0, x, width;
	char name[VIEW_NAME_CAP];
	bool here = f->st->focus == shown;
	enum style style = here ? STYLE_STRONG : STYLE_DIM;
	for (int i = 0; i < f->st->views_n; i++)
		tabs += tab_place(f->st, &f->layout, shown, i, &x, &width);
	bool lone = visible_panes(f->st, &f->layout) == 1;
	if (!lone || tabs < 2)
		end = grid_put(f->g, where.row, where.col, where.cols, style, here ? "▶ " : "  ");
	if (tabs < 2)
		return end +
		       grid_put(f->g, where.row, where.col + end, where.cols - end, style, view_name(f->st, v, name));
	for (int i = 0; i < f->st->views_n; i++) {
		char tab[40];
		if (!tab_place(f->st, &f->layout, shown, i, &x, &width))
			continue;
		snprintf(tab, sizeof(tab), i == shown ? "[%s]" : " %s ", view_name(f->st, &f->st->views[i], name));
		grid_put(f->g, where.row, where.col + x, where.cols - x, i == shown ? style : STYLE_DIM, tab);
		end = x + width;
	}
	return end < where.cols ? end : where.cols;
}

void tabs_click(struct view_state *st, const struct layout *l, const struct view *v, struct rect where, int col)
{
	int shown = view_index(st, v), x, width;
	for (int i = 0; i < st->views_n; i++) {
		if (!tab_place(st, l, shown, i, &x, &width) || col < where.col + x || col >= where.col + x + width)
			continue;
		focus_set(st, i);
		return;
	}
	focus_set(st, shown);
}
