/* The line that is typed at the bottom of the screen: a search, a filter, a delay, a time. */
#include "base/unicode.h"
#include "view/screen.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { DELAY_MAX = 3600 };

static unsigned start(struct view_state *st, enum input_mode mode, const char *text)
{
	st->mode = mode;
	snprintf(st->input, sizeof(st->input), "%s", text);
	return REACT_REDRAW;
}

/* ---- searching rows ------------------------------------------------------------------ */

/* The view in which / searches: one that covers the others, or the focused pane. */
static struct view *searched(struct view_state *st)
{
	struct view *covering = view_covering(st);
	return covering && covering->ops->find ? covering : focused(st);
}

/* Selects the first match from the selected row on (see view_ops.find), or shows a message: that no row matches, or
 * that the regular expression is invalid. */
static void search(const struct press *p, int step, bool behind, const char *text)
{
	struct view *v = searched(p->st);
	struct match wanted;
	char why[80];
	if (!match_init(&wanted, text, why, sizeof(why))) {
		state_say(p->st, "The regular expression %s is wrong: %s.", text, why);
		return;
	}
	if (!v->ops->find || !v->ops->find(p, v, &wanted, step, behind))
		state_say(p->st, "No row has \"%s\" in it.", text);
	match_deinit(&wanted);
}

static unsigned search_step(const struct press *p, int step)
{
	if (!p->in->snap)
		return REACT_NONE;
	if (!p->st->search[0])
		return state_say(p->st, "No text was searched for yet: / starts a search.");
	search(p, step, true, p->st->search);
	return REACT_REDRAW;
}

unsigned act_search_next(const struct press *p)
{
	return search_step(p, 1);
}

unsigned act_search_prev(const struct press *p)
{
	return search_step(p, -1);
}

/* Searches for what has been typed so far, from the row that was selected when the search began. */
static void search_typed(const struct press *p)
{
	struct view *v = searched(p->st);
	v->selected = p->st->search_from;
	v->reveal = true;
	if (p->in->snap && p->st->input[0])
		search(p, 1, false, p->st->input);
}

unsigned act_search(const struct press *p)
{
	p->st->search_from = searched(p->st)->selected;
	return start(p->st, MODE_SEARCH, "");
}

/* ---- keys that begin a filter, a delay or a time --------------------------------------- */

unsigned act_filter(const struct press *p)
{
	return start(p->st, MODE_FILTER, focused(p->st)->filter);
}

unsigned act_go(const struct press *p)
{
	return start(p->st, MODE_TIME, "");
}

unsigned act_delay(const struct press *p)
{
	return start(p->st, MODE_DELAY, "");
}

static bool parse_delay(const char *s, uint64_t *ret)
{
	double seconds;
	bool fraction;
	if (!decimal_parse(&s, &seconds, &fraction) || *s || seconds < 0.1 || seconds > DELAY_MAX)
		return false;
	*ret = (uint64_t)llround(seconds * 1e9);
	return true;
}

static unsigned delay_done(struct view_state *st)
{
	if (!st->input[0])
		return REACT_REDRAW;
	if (!parse_delay(st->input, &st->delay_ns))
		return state_say(st, "A delay is 0.1 to %d seconds, not \"%s\".", DELAY_MAX, st->input);
	return REACT_REDRAW | REACT_DELAY;
}

/* ---- editing the line that is typed ------------------------------------------------------------ */

static void typed(const struct press *p)
{
	if (p->st->mode == MODE_SEARCH)
		search_typed(p);
	else if (p->st->mode == MODE_FILTER)
		memcpy(focused(p->st)->filter, p->st->input, sizeof(p->st->input));
}

static unsigned leave(const struct press *p, bool keep)
{
	struct view_state *st = p->st;
	enum input_mode mode = st->mode;
	st->mode = MODE_NORMAL;
	switch (mode) {
	case MODE_SEARCH:
		if (keep && st->input[0])
			memcpy(st->search, st->input, sizeof(st->search));
		else {
			searched(st)->selected = st->search_from;
			searched(st)->reveal = true;
		}
		break;
	case MODE_FILTER:
		if (!keep)
			focused(st)->filter[0] = '\0';
		break;
	case MODE_DELAY:
		return keep ? delay_done(st) : REACT_REDRAW;
	case MODE_TIME:
		return keep ? time_typed(p) : REACT_REDRAW;
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

/* [mode]: the characters that may be typed; NULL: all characters */
static const char *const numbers[] = {
	[MODE_SEARCH] = NULL,
	[MODE_FILTER] = NULL,
	[MODE_DELAY] = "0123456789.,",
	[MODE_TIME] = "0123456789.,:%-",
};

bool line_edit(char *line, size_t cap, uint32_t key)
{
	size_t n = strlen(line);
	char utf8[4];
	switch (key) {
	case KEY_CYC_BACKSPACE:
		if (n)
			erase_last(line);
		return n > 0;
	case 'U' & 0x1f:
		line[0] = '\0';
		return true;
	default:
		if (key < ' ' || (key >= 0xd800 && key < 0xe000) || key > 0x10ffff)
			return false;
		size_t len = unicode_encode(key, utf8);
		if (n + len >= cap)
			return false;
		memcpy(line + n, utf8, len);
		line[n + len] = '\0';
		return true;
	}
}

unsigned input_key(const struct press *p)
{
	struct view_state *st = p->st;
	const struct input_event *ev = p->ev;
	switch (ev->key) {
	case KEY_CYC_ENTER:
		return leave(p, true);
	case KEY_CYC_ESC:
		return leave(p, false);
	case KEY_CYC_CTRL_L:
		return REACT_REPAINT | REACT_REDRAW;
	default:
		if (numbers[st->mode] && ev->key >= ' ' && ev->key < 127 && !strchr(numbers[st->mode], (int)ev->key))
			return state_say(st, "A number is typed here; Esc cancels.");
		/* Backspace in an empty line does not cancel the typing. */
		if (!line_edit(st->input, sizeof(st->input), ev->key))
			return REACT_NONE;
	}
	typed(p);
	return REACT_REDRAW;
}
