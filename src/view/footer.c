/* The lowest lines of the screen: the keys, the line being typed, messages. */
#include "view/screen.h"

#include "base/fmt.h"
#include "base/index.h"

#include <stdio.h>
#include <string.h>

/* Finds the next binding that has a word for the footer, from binding *i on, and the word's width.  Returns false if
 * there is none, or if it does not fit from column *x on. */
static bool footer_next(const struct keymap *keys, size_t *i, int *x, int cols, int *width)
{
	const struct binding *b;
	for (; (b = binding_at(keys, *i)); (*i)++) {
		if (!b->footer)
			continue;
		size_t key = strcspn(b->names, " ");
		*width = (int)(key + 1 + strlen(b->footer));
		return *x + *width <= cols;
	}
	return false;
}

const struct binding *footer_hit(const struct view_state *st, const struct view_input *in, int cols, int at)
{
	cols -= fetch_width(in, cols);
	int width = 0, x = 0;
	for (size_t i = 0; footer_next(st->keys, &i, &x, cols, &width); i++, x += width + 2) {
		if (at >= x && at < x + width)
			return binding_at(st->keys, i);
	}
	return NULL;
}

static void draw_prompt(const struct view_state *st, const struct view_input *in, struct grid *g, int row)
{
	static const char *const prompts[] = {
		[MODE_SEARCH] = "Search for: ",
		[MODE_FILTER] = "Show only (a|b, /^a.*b/): ",
		[MODE_DELAY] = "Seconds between refreshes: ",
		[MODE_TIME] = "Go to (1:03, or 90%): ",
	};
	bool live = st->mode == MODE_TIME && !in->info->playable;
	int x = grid_put(g, row, 0, g->cols, STYLE_KEY, live ? "Go to (12:01:05, or -1:30 ago): " : prompts[st->mode]);
	if (st->mode == MODE_DELAY && !st->input[0]) {
		char now[32];
		fmt_exact(now, sizeof(now), (double)st->delay_ns / 1e9);
		x += grid_put(g, row, x, g->cols - x, STYLE_DIM, "now ");
		x += grid_put(g, row, x, g->cols - x, STYLE_DIM, now);
		x++;
	}
	/* Shows only the end of a line that is too long. */
	const char *input = st->input;
	while (*input && x + text_width(input) + 1 > g->cols)
		text_next(&input);
	x += grid_put(g, row, x, g->cols - x, STYLE_STRONG, input);
	grid_put(g, row, x, 1, STYLE_SELECTED, " ");
	x += 3;
	static const char hint[] = "Enter: done  Esc: cancel";
	if (x + (int)strlen(hint) <= g->cols)
		grid_put(g, row, x, g->cols - x, STYLE_DIM, hint);
}

void draw_footer(const struct view_state *st, const struct view_input *in, struct grid *g, int row)
{
	if (st->mode != MODE_NORMAL) {
		fill(g, row, 0, g->cols, STYLE_NORMAL);
		draw_prompt(st, in, g, row);
		return;
	}
	int width = 0, x = 0, cols = g->cols - fetch_width(in, g->cols);
	for (size_t i = 0; footer_next(st->keys, &i, &x, cols, &width); i++, x += width + 2) {
		const struct binding *b = binding_at(st->keys, i);
		int key = (int)strcspn(b->names, " ");
		grid_put(g, row, x, key, STYLE_KEY, b->names);
		grid_put(g, row, x + key + 1, width, STYLE_NORMAL, b->footer);
	}
	draw_fetch(in, g, row);
}

static const uint64_t reading_ns = 10000000000u; /* time to read a few lines */

/* Removes a message that was shown long enough, unless it asks the user to press F again (st->ask_explained). */
static bool message_elapsed(struct view_state *st, uint64_t ns)
{
	uint64_t hash = hash_bytes(st->message, strlen(st->message), 0);
	if (!st->message[0] || hash != st->message_hash) {
		st->message_hash = st->message[0] ? hash : 0;
		st->message_ns = ns;
		return false;
	}
	if (st->ask_explained.id != CATALOG_NONE || ns - st->message_ns < reading_ns)
		return false;
	st->message[0] = '\0';
	return true;
}

bool view_elapsed(struct view_state *st, uint64_t ns)
{
	bool goes = !st->notice_seen && ns >= reading_ns; /* the keys h and ! show the notice again */
	st->notice_seen |= goes;
	return message_elapsed(st, ns) || goes;
}

bool message_in_footer(const struct view_state *st, int cols)
{
	return st->message[0] && st->mode == MODE_NORMAL && !st->message[text_wrap(st->message, cols)];
}

/* Draws the message: one line replaces the footer; a longer one covers the lowest rows of the body.  Nothing else on
 * the screen moves. */
void draw_message(const struct view_state *st, const struct view_input *in, struct grid *g, int footer)
{
	char buf[512];
	enum { LINES_MAX = 8 };
	struct {
		const char *text;
		size_t n;
	} lines[LINES_MAX];
	bool notice = !st->message[0] && !st->notice_seen && in->info->notice[0];
	int bottom = footer >= 0 ? footer - 1 : g->rows - 1;
	int n = 0, room = bottom / 2 < LINES_MAX ? bottom / 2 : LINES_MAX;

	if (!notice && !st->message[0])
		return;
	if (room < 1)
		room = 1;
	const char *text = notice ? in->info->notice : st->message;
	while (*text && n < room) {
		lines[n].text = text;
		lines[n].n = text_wrap(text, g->cols);
		text += lines[n++].n;
		while (*text == ' ')
			text++;
	}
	if (n == 1 && footer >= 0 && !notice && st->mode == MODE_NORMAL)
		bottom = footer;
	for (int i = 0; i < n; i++) {
		int row = bottom - n + 1 + i;
		if (row < 0)
			continue;
		bool cut = i == n - 1 && *text;
		fill(g, row, 0, g->cols, STYLE_WARN);
		snprintf(buf, sizeof(buf), "%.*s", (int)lines[i].n, lines[i].text);
		int used = grid_put(g, row, 0, g->cols - cut, STYLE_WARN, buf);
		if (cut)
			grid_put(g, row, used, 1, STYLE_WARN, "…");
	}
}
