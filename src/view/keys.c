/* Finds what a key does, and does it: opens or closes a view, or runs an action. */
#include "view/screen.h"

/* Shows a panel on the whole screen if its text does not fit: at once or, if the text is about the selected row, when
 * the panel's key is pressed again (`again`).  Returns false if the panel stays as it is. */
static bool make_whole(const struct press *p, struct view *v, bool again)
{
	struct layout l;
	layout_for(p->st, p->in, p->g->rows, p->g->cols, &l);
	struct rect where = l.views[view_index(p->st, v)];
	if (!v->ops->text || v->whole || (where.rows && !again && v->ops->of_row))
		return false;
	v->whole = !where.rows || text_view_is_cut(p->st, p->in, v, where);
	return v->whole;
}

unsigned view_toggle(const struct press *p, const struct view_ops *ops)
{
	struct view_state *st = p->st;
	struct view *v = view_find(st, ops);
	if (v) {
		if (!make_whole(p, v, true))
			view_close(st, v);
		return REACT_REDRAW;
	}
	v = view_open(st, ops, st->views_n - 1);
	if (!v)
		return views_full(st);
	if (ops->start)
		ops->start(st, p->in, v);
	if (ops->has_pivot)
		zooms_apply_to(st, v);
	make_whole(p, v, false);
	return REACT_REDRAW;
}

const struct binding *binding_at(const struct keymap *keys, size_t i)
{
	for (size_t v = 0; v < keys->views_n; v++)
		if (keys->views[v]->open.keys[0] && i-- == 0)
			return &keys->views[v]->open;
	return i < keys->actions_n ? &keys->actions[i] : NULL;
}

unsigned binding_run(const struct binding *b, const struct press *p)
{
	struct view *v = focused(p->st);
	if (v->ops->takes && v->ops->takes(p, v, b))
		return REACT_REDRAW;
	return b->run ? b->run(p) : b->opens ? view_toggle(p, b->opens) : b->asks;
}

static bool has_key(const struct binding *b, uint32_t key)
{
	for (size_t k = 0; k < ARRAY_LEN(b->keys) && b->keys[k]; k++)
		if (b->keys[k] == key)
			return true;
	return false;
}

/* Keys of top, htop and perf top that cyctop lacks or binds to another action, and the messages that say so. */
static const struct habit {
	uint32_t key;
	const char *answer;
} habits[] = {
	{KEY_CYC_F2, "Nothing is set up here: v chooses what a pane shows, a adds a pane, o sorts."},
	{KEY_CYC_F7, "cyctop changes no priorities: use renice."},
	{KEY_CYC_F8, "cyctop changes no priorities: use renice."},
	{KEY_CYC_F9, "cyctop ends no processes: use kill PID."},
	{'M', "cyctop does not show memory. o chooses the column to sort by."},
	{'T', "o chooses the column to sort by."},
};

unsigned normal_key(const struct press *p)
{
	const struct binding *b;
	const char *answer = NULL;
	for (size_t i = 0; (b = binding_at(p->st->keys, i)); i++)
		if (has_key(b, p->ev->key))
			return binding_run(b, p);
	for (size_t i = 0; i < ARRAY_LEN(habits); i++)
		if (habits[i].key == p->ev->key)
			answer = habits[i].answer;
	if (answer)
		state_say(p->st, "%s", answer);
	else if (p->ev->key > ' ' && p->ev->key < 127)
		state_say(p->st, "The key %c does nothing; h shows those that do.", (int)p->ev->key);
	return REACT_REDRAW;
}
