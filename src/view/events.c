/* The picker of events, key C: the user chooses among the events of this machine which to measure. */
#include "view/screen.h"

#include <stdio.h>
#include <string.h>

/* A line of the picker: an event, and what it means. */
struct pick {
	const char *name, *source, *means;
	bool measured;
};

/* The lines [from, from + n) of the picker; n is at most `room`. */
struct picks {
	struct pick *data; /* array of `room` elements */
	size_t from, room, n;
	size_t all; /* number of all lines of the picker */
	const char *typed;
	bool typed_is_there; /* a line has exactly the name that was typed */
};

static void add(struct picks *to, const struct pick *pick)
{
	if (!text_matches(pick->name, to->typed) && !text_matches(pick->means, to->typed) &&
	    !text_matches(pick->source, to->typed))
		return;
	to->typed_is_there |= strcmp(pick->name, to->typed) == 0;
	if (to->all++ >= to->from && to->n < to->room)
		to->data[to->n++] = *pick;
}

static bool is_measured(const struct source_info *info, const char *name)
{
	for (size_t e = 0; e < info->events_n; e++)
		if (info->events[e].available && strcmp(info->events[e].spec.name, name) == 0)
			return true;
	return false;
}

/* How near an event is to what was typed: lines of a nearer kind stand first. */
enum nearness { NEAR_NAME, NEAR_PART, NEAR_MEANING, NEARNESSES };

static enum nearness nearness(const char *name, const char *typed)
{
	return strcmp(name, typed) == 0 ? NEAR_NAME : text_matches(name, typed) ? NEAR_PART : NEAR_MEANING;
}

/* Finds the lines: first the events that are measured, then the machine's other events, then, if no event has the typed
 * name, this name itself. */
static void find_picks(const struct view_input *in, struct picks *to)
{
	const struct source_info *info = in->info;
	for (size_t e = 0; e < info->events_n; e++)
		if (info->events[e].available)
			add(to, &(struct pick){info->events[e].spec.name, "", "measured now", true});
	for (int near = 0; near < NEARNESSES; near++)
		for (size_t i = 0; i < in->known_n; i++) {
			const struct event_known *k = &in->known[i];
			if ((int)nearness(k->name, to->typed) == near && !is_measured(info, k->name))
				add(to, &(struct pick){k->name, k->source, k->means, false});
		}
	if (to->typed[0] && !to->typed_is_there && to->all++ >= to->from && to->n < to->room)
		to->data[to->n++] = (struct pick){to->typed, "as typed", "in the syntax of -e", false};
}

static void draw_title(struct grid *g, const struct view *v, struct rect where, size_t all)
{
	char text[160], count[24];
	snprintf(text, sizeof(text), "Events: %s▏", v->filter);
	fill(g, where.row, where.col, where.cols, STYLE_TITLE);
	grid_put(g, where.row, where.col, where.cols, STYLE_TITLE, text);
	snprintf(count, sizeof(count), "%zu", all);
	snprintf(text, sizeof(text), "type to find, Enter measures it or stops, Esc closes   %s", count);
	bool fits = 12 + text_width(v->filter) + text_width(text) < where.cols;
	put_right(g, where.row, where.col, where.cols, STYLE_TITLE, fits ? text : count);
}

enum { PICKS_MAX = 200 };

static void events_draw(struct frame *f, struct view *v, struct rect where)
{
	struct pick rows[PICKS_MAX];
	struct picks picks = {.data = rows, .typed = v->filter};
	size_t room = where.rows > 1 ? (size_t)where.rows - 1 : 0;
	picks.room = room < PICKS_MAX ? room : PICKS_MAX;
	if (v->top > v->cursor)
		v->top = v->cursor;
	if (picks.room && v->cursor - v->top >= picks.room)
		v->top = v->cursor - picks.room + 1;
	picks.from = v->top;
	find_picks(f->in, &picks);
	draw_title(f->g, v, where, picks.all);
	int name = where.cols * 2 / 5, source = where.cols >= 70 ? 12 : 0;
	for (size_t i = 0; i < picks.n; i++) {
		const struct pick *p = &rows[i];
		int row = where.row + 1 + (int)i, col = where.col + 6;
		bool here = v->top + i == v->cursor;
		enum style plain = here ? STYLE_SELECTED : STYLE_NORMAL;
		if (here)
			fill(f->g, row, where.col, where.cols, STYLE_SELECTED);
		grid_put(f->g, row, where.col + 2, 3, here ? plain : STYLE_GOOD, p->measured ? "[x]" : "[ ]");
		put_clipped(f->g, row, col, name, here ? plain : STYLE_KEY, p->name);
		put_clipped(f->g, row, col + name + 1, source, plain, p->source);
		col += name + 1 + (source ? source + 1 : 0);
		put_clipped(f->g, row, col, where.col + where.cols - col, plain, p->means);
	}
}

static void move(struct view *v, size_t all, long by)
{
	long to = (long)v->cursor + by;
	v->cursor = to < 0 || !all ? 0 : to >= (long)all ? all - 1 : (size_t)to;
}

static unsigned choose(const struct press *p, const struct view *v)
{
	struct pick at;
	struct picks picks = {.data = &at, .room = 1, .from = v->cursor, .typed = v->filter};
	find_picks(p->in, &picks);
	if (!picks.n)
		return REACT_NONE;
	snprintf(p->st->event, sizeof(p->st->event), "%s", at.name);
	return REACT_EVENT | REACT_QUERY | REACT_REDRAW;
}

static unsigned events_key(const struct press *p, struct view *v)
{
	struct picks picks = {.typed = v->filter};
	long page = p->g->rows > 8 ? p->g->rows / 2 : 4;
	find_picks(p->in, &picks);
	switch (p->ev->key) {
	case KEY_CYC_ENTER:
		return choose(p, v);
	case KEY_CYC_ESC:
		view_close(p->st, v);
		return REACT_REDRAW;
	case KEY_CYC_UP:
	case KEY_CYC_BACKTAB:
		move(v, picks.all, -1);
		return REACT_REDRAW;
	case KEY_CYC_DOWN:
	case KEY_CYC_TAB:
		move(v, picks.all, 1);
		return REACT_REDRAW;
	case KEY_CYC_PGUP:
		move(v, picks.all, -page);
		return REACT_REDRAW;
	case KEY_CYC_PGDN:
		move(v, picks.all, page);
		return REACT_REDRAW;
	case KEY_CYC_MOUSE:
		move(v, picks.all, p->ev->wheel_down ? 3 : p->ev->wheel_up ? -3 : 0);
		return REACT_REDRAW;
	default:
		if (line_edit(v->filter, sizeof(v->filter), p->ev->key))
			v->cursor = v->top = 0;
		return REACT_REDRAW;
	}
}

static void events_start(const struct view_state *st, const struct view_input *in, struct view *v)
{
	(void)st;
	(void)in;
	v->filter[0] = '\0';
}

unsigned act_events(const struct press *p)
{
	if (!p->in->events_change)
		return state_say(p->st, p->in->info->live
						? "Only CPU times are known here: there are no events to choose."
						: "The events are those that were recorded.");
	return view_toggle(p, &events_menu) | REACT_KNOWN;
}

const struct view_ops events_menu = {
	.place = PLACE_OVER,
	.title = "Events",
	.start = events_start,
	.draw = events_draw,
	.key = events_key,
};
