/* The list of open views: which of them has the focus, which covers the others, and what is selected. */
#include "view/screen.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

unsigned state_say(struct view_state *st, const char *fmt, ...)
{
	va_list args;
	va_start(args, fmt);
	vsnprintf(st->message, sizeof(st->message), fmt, args);
	va_end(args);
	return REACT_REDRAW;
}

struct view *focused(struct view_state *st)
{
	return &st->views[st->focus];
}

int view_index(const struct view_state *st, const struct view *v)
{
	return (int)(v - st->views);
}

struct view *view_open(struct view_state *st, const struct view_ops *ops, int at)
{
	int i = at + 1;
	if (st->views_n == VIEWS_MAX)
		return NULL;
	memmove(&st->views[i + 1], &st->views[i], (size_t)(st->views_n - i) * sizeof(st->views[0]));
	st->views[i] = (struct view){.ops = ops};
	st->views_n++;
	st->focus += st->focus >= i && st->views_n > 1;
	st->last += st->last >= i && st->views_n > 1;
	return &st->views[i];
}

unsigned views_full(struct view_state *st)
{
	return state_say(st, "No more than %d panes can be open: X closes one.", VIEWS_MAX);
}

void view_free(struct view *v)
{
	sheet_destroy(v->sheet);
	free(v->folded.ids);
}

void view_close(struct view_state *st, struct view *v)
{
	int i = view_index(st, v);
	view_free(v);
	st->views_n--;
	memmove(v, v + 1, (size_t)(st->views_n - i) * sizeof(st->views[0]));
	st->last -= st->last > i;
	if (st->focus > i)
		st->focus--;
	else if (st->focus == i && panes_n(st))
		focus_set(st, pane_step(st, i, -1));
}

struct view *view_find(struct view_state *st, const struct view_ops *ops)
{
	for (int i = 0; i < st->views_n; i++)
		if (st->views[i].ops == ops)
			return &st->views[i];
	return NULL;
}

struct view *view_covering(struct view_state *st)
{
	for (int i = st->views_n; i-- > 0;)
		if (st->views[i].whole || st->views[i].ops->place == PLACE_SCREEN ||
		    st->views[i].ops->place == PLACE_OVER)
			return &st->views[i];
	return NULL;
}

/* ---- finding panes and moving the focus ------------------------------------------------------ */

int pane_place(const struct view_state *st, int index)
{
	int place = 0;
	for (int i = 0; i < index; i++)
		place += st->views[i].ops->place == PLACE_PANE;
	return place;
}

int panes_n(const struct view_state *st)
{
	return pane_place(st, st->views_n);
}

int pane_step(const struct view_state *st, int at, int step)
{
	for (int i = 0; i < st->views_n; i++) {
		at = (at + step + st->views_n) % st->views_n;
		if (st->views[at].ops->place == PLACE_PANE)
			return at;
	}
	return 0;
}

/* Gives the focus to the pane at `index`.  If it shares the last place with other panes, it is now shown there. */
void focus_set(struct view_state *st, int index)
{
	st->focus = index;
	if (pane_place(st, index) >= st->panes - 1)
		st->last = index;
}

void selection_get(struct view_state *st, const struct view_input *in, struct selection *ret)
{
	struct view *v = focused(st);
	*ret = (struct selection){.sym = CATALOG_NONE, .dso = CATALOG_NONE};
	if (v->ops->selected && in->snap)
		v->ops->selected(in, v, ret);
}
