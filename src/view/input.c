/* Lines typed at the bottom of the screen: search, filter, delay. */
#include "view/internal.h"

#include <stdio.h>
#include <string.h>

enum { DELAY_MAX = 3600 };

static unsigned start(struct view_state *st, enum input_mode mode, const char *text)
{
	st->mode = mode;
	snprintf(st->input, sizeof(st->input), "%s", text);
	return REACT_REDRAW;
}

/* ---- search -------------------------------------------------------------------------- */

/* Selects the first match from `from` on, going round; `step` is 1 or -1. */
static bool search(struct view_state *st, const struct view_input *in, const struct sheet *sheet, size_t from, int step,
		   const char *text)
{
	struct columns cols;
	view_columns(sheet->pane, in, &cols);
	for (size_t i = 0; i < sheet->n && *text; i++) {
		size_t at = step > 0 ? (from + i) % sheet->n : (from + sheet->n - i) % sheet->n;
		if (row_matches(in, &cols, sheet->rows[at], text)) {
			select_row(st, sheet, at);
			return true;
		}
	}
	return false;
}

static unsigned search_step(struct view_state *st, const struct view_input *in, int step)
{
	struct pane_state *ps = &st->panes[st->focus];
	if (!in->snap)
		return REACT_NONE;
	if (!st->search[0]) {
		state_say(st, "Nothing was searched for yet: / starts a search.");
		return REACT_REDRAW;
	}
	struct sheet *sheet = pane_sheet(st, in, st->focus);
	pane_follow(ps, sheet, 1 << 20);
	if (!search(st, in, sheet, sheet->n ? (ps->cursor + sheet->n + (size_t)step) % sheet->n : 0, step, st->search))
		state_say(st, "No row has \"%s\" in it.", st->search);
	sheet_destroy(sheet);
	return REACT_REDRAW;
}

unsigned act_search_next(struct view_state *st, const struct view_input *in, const struct grid *g,
			 const struct input_event *ev)
{
	(void)g, (void)ev;
	return search_step(st, in, 1);
}

unsigned act_search_prev(struct view_state *st, const struct view_input *in, const struct grid *g,
			 const struct input_event *ev)
{
	(void)g, (void)ev;
	return search_step(st, in, -1);
}

/* While typing: from the row where the search began. */
static void search_typed(struct view_state *st, const struct view_input *in)
{
	struct pane_state *ps = &st->panes[st->focus];
	ps->selected = st->search_from;
	if (!in->snap || !st->input[0])
		return;
	struct sheet *sheet = pane_sheet(st, in, st->focus);
	pane_follow(ps, sheet, 1 << 20);
	if (!search(st, in, sheet, ps->cursor, 1, st->input))
		state_say(st, "No row has \"%s\" in it.", st->input);
	sheet_destroy(sheet);
}

unsigned act_search(struct view_state *st, const struct view_input *in, const struct grid *g,
		    const struct input_event *ev)
{
	(void)in, (void)g, (void)ev;
	st->search_from = st->panes[st->focus].selected;
	return start(st, MODE_SEARCH, "");
}

/* ---- filter and delay ------------------------------------------------------------------ */

unsigned act_filter(struct view_state *st, const struct view_input *in, const struct grid *g,
		    const struct input_event *ev)
{
	(void)in, (void)g, (void)ev;
	return start(st, MODE_FILTER, st->panes[st->focus].filter);
}

unsigned act_delay(struct view_state *st, const struct view_input *in, const struct grid *g,
		   const struct input_event *ev)
{
	(void)in, (void)g, (void)ev;
	return start(st, MODE_DELAY, "");
}

/* Decimal seconds, with a point or a comma; independent of the locale. */
static bool parse_delay(const char *s, uint64_t *ret)
{
	uint64_t ns = 0, unit = 1000000000u;
	bool digits = false, fraction = false;
	for (; *s; s++) {
		if ((*s == '.' || *s == ',') && !fraction) {
			fraction = true;
			continue;
		}
		if (*s < '0' || *s > '9')
			return false;
		digits = true;
		if (fraction)
			unit /= 10;
		ns = fraction ? ns + (uint64_t)(*s - '0') * unit : ns * 10 + (uint64_t)(*s - '0') * unit;
		if (ns > DELAY_MAX * 1000000000ull)
			return false;
	}
	if (!digits || ns < 100000000u)
		return false;
	*ret = ns;
	return true;
}

static unsigned delay_done(struct view_state *st)
{
	if (!st->input[0])
		return REACT_REDRAW;
	if (!parse_delay(st->input, &st->delay_ns)) {
		state_say(st, "A delay is 0.1 to %d seconds, not \"%s\".", DELAY_MAX, st->input);
		return REACT_REDRAW;
	}
	return REACT_REDRAW | REACT_DELAY;
}

/* ---- the line ----------------------------------------------------------------------------- */

static void typed(struct view_state *st, const struct view_input *in)
{
	if (st->mode == MODE_SEARCH)
		search_typed(st, in);
	else if (st->mode == MODE_FILTER)
		memcpy(st->panes[st->focus].filter, st->input, sizeof(st->input));
}

static unsigned leave(struct view_state *st, bool keep)
{
	enum input_mode mode = st->mode;
	st->mode = MODE_NORMAL;
	switch (mode) {
	case MODE_SEARCH:
		if (keep && st->input[0])
			memcpy(st->search, st->input, sizeof(st->search));
		else
			st->panes[st->focus].selected = st->search_from;
		break;
	case MODE_FILTER:
		if (!keep)
			st->panes[st->focus].filter[0] = '\0';
		break;
	case MODE_DELAY:
		return keep ? delay_done(st) : REACT_REDRAW;
	default:
		break;
	}
	return REACT_REDRAW;
}

static void erase_last(char *s)
{
	size_t n = strlen(s);
	while (n > 0 && ((unsigned char)s[n - 1] & 0xc0) == 0x80)
		n--;
	s[n > 0 ? n - 1 : 0] = '\0';
}

unsigned input_key(struct view_state *st, const struct view_input *in, const struct grid *g,
		   const struct input_event *ev)
{
	(void)g;
	size_t n = strlen(st->input);
	char utf8[4];
	switch (ev->key) {
	case KEY_CYC_ENTER:
	case '\n':
	case '\r':
		return leave(st, true);
	case KEY_CYC_ESC:
		return leave(st, false);
	case KEY_CYC_CTRL_L:
		return REACT_REPAINT | REACT_REDRAW;
	case KEY_CYC_BACKSPACE:
	case 127:
	case '\b':
		if (!n)
			return leave(st, false);
		erase_last(st->input);
		break;
	case 'U' & 0x1f:
		st->input[0] = '\0';
		break;
	default:
		if (ev->key < ' ' || (ev->key >= 0xd800 && ev->key < 0xe000) || ev->key > 0x10ffff)
			return REACT_NONE;
		size_t len = text_encode(ev->key, utf8);
		if (n + len >= sizeof(st->input))
			return REACT_NONE;
		memcpy(st->input + n, utf8, len);
		st->input[n + len] = '\0';
	}
	typed(st, in);
	return REACT_REDRAW;
}
