/* Draws views of text: a heading and wrapped lines, in a panel or on the whole screen, where they can be scrolled. */
#include "view/screen.h"

#include <stdio.h>
#include <string.h>

void text_emit(struct text_window *w, enum style style, int x, const char *word, int text_x, const char *text, size_t n)
{
	int row = w->row + w->at - w->top;
	bool seen = w->g && w->at >= w->top && w->at < w->top + w->room;
	w->at++;
	if (!seen)
		return;
	char buf[512];
	grid_put(w->g, row, x, w->g->cols - x, style, word);
	snprintf(buf, sizeof(buf), "%.*s", (int)n, text);
	grid_put(w->g, row, text_x, w->g->cols - text_x, STYLE_NORMAL, buf);
}

/* Draws paragraphs: the first line begins at the left edge, the others are indented.  The very first line is strong. */
static void emit_paragraphs(struct text_window *w, int cols, const char *text)
{
	enum { INDENT = 2 };
	char line[512];
	while (*text) {
		size_t all = strcspn(text, "\n");
		char paragraph[4096];
		snprintf(paragraph, sizeof(paragraph), "%.*s", (int)all, text);
		text += all + (text[all] == '\n');
		int indent = 0;
		for (const char *p = paragraph; *p;) {
			size_t n = text_wrap(p, cols - indent);
			snprintf(line, sizeof(line), "%.*s", (int)n, p);
			p += n;
			while (*p == ' ')
				p++;
			text_emit(w, w->at ? STYLE_NORMAL : STYLE_STRONG, indent, line, 0, "", 0);
			indent = cols > 40 ? INDENT : 0;
		}
	}
}

/* Returns the number of lines of a text, wrapped to `cols` cells. */
static int count_lines(text_lines_fn *lines, int cols, const char *text)
{
	struct text_window w = {.g = NULL};
	lines(&w, cols, text);
	return w.at;
}

void text_screen_draw(struct frame *f, struct view *v, struct rect where, const char *title, const char *text,
		      text_lines_fn *lines)
{
	struct grid *g = f->g;
	int total = count_lines(lines, g->cols, text), room = where.rows - 1;
	int last = total > room ? total - room : 0;
	char place[48];
	if (v->top > (size_t)last)
		v->top = (size_t)last;
	struct text_window w = {.g = g, .row = where.row + 1, .top = (int)v->top, .room = room};
	lines(&w, g->cols, text);

	fill(g, where.row, 0, g->cols, STYLE_TITLE);
	grid_put(g, where.row, 0, g->cols, STYLE_TITLE, title);
	int end = w.top + room < total ? w.top + room : total;
	snprintf(place, sizeof(place), "  Esc back   %s%d-%d of %d", last ? "PgDn more   " : "", w.top + 1, end, total);
	if (text_width(place) + text_width(title) <= g->cols)
		put_right(g, where.row, 0, g->cols, STYLE_TITLE, place);
	else if (text_width(title) + 10 <= g->cols)
		put_right(g, where.row, 0, g->cols, STYLE_TITLE, "Esc back");
}

unsigned text_screen_key(const struct press *p, struct view *v)
{
	enum { ALL = 10000 };
	static const struct {
		uint32_t key;
		int lines, pages;
	} moves[] = {
		{KEY_CYC_UP, -1, 0},   {'k', -1, 0},
		{KEY_CYC_DOWN, 1, 0},  {'j', 1, 0},
		{KEY_CYC_ENTER, 1, 0}, {KEY_CYC_PGUP, 0, -1},
		{KEY_CYC_PGDN, 0, 1},  {' ', 0, 1},
		{'g', -ALL, 0},	       {KEY_CYC_HOME, -ALL, 0},
		{KEY_CYC_END, ALL, 0}, {'G', ALL, 0},
	};
	int page = p->g->rows > 3 ? p->g->rows - 2 : 1, by = 0;
	if (p->ev->key == KEY_CYC_CTRL_L)
		return REACT_REPAINT | REACT_REDRAW;
	if (p->ev->key == KEY_CYC_MOUSE) {
		by = p->ev->wheel_down ? 3 : p->ev->wheel_up ? -3 : 0;
		if (!by && !p->ev->row) { /* a click on the title row, which says that Esc closes the view */
			view_close(p->st, v);
			return REACT_REDRAW;
		}
	} else {
		size_t i = 0;
		while (i < ARRAY_LEN(moves) && moves[i].key != p->ev->key)
			i++;
		if (i == ARRAY_LEN(moves)) { /* Esc, q, the view's own key, and every other key that does not scroll */
			view_close(p->st, v);
			return REACT_REDRAW;
		}
		by = moves[i].lines + moves[i].pages * page;
	}
	v->top = by < 0 && v->top < (size_t)-by ? 0 : v->top + (size_t)by;
	return REACT_REDRAW;
}

bool text_view_is_cut(struct view_state *st, const struct view_input *in, const struct view *v, struct rect where)
{
	struct strbuf b = {0};
	v->ops->text(st, in, &b);
	bool cut = count_lines(emit_paragraphs, where.cols, b.data ? b.data : "") > where.rows - 1;
	strbuf_deinit(&b);
	return cut;
}

/* Draws a panel, whose last row ends in "…" if there is more text. */
static void draw_panel(struct frame *f, const struct view *v, struct rect where, const char *text)
{
	struct text_window w = {.g = f->g, .row = where.row + 1, .room = where.rows - 1};
	char title[48];
	emit_paragraphs(&w, where.cols, text);
	bool cut = w.at > w.room;
	fill(f->g, where.row, where.col, where.cols, STYLE_TITLE);
	grid_put(f->g, where.row, where.col, where.cols, STYLE_TITLE, v->ops->title);
	snprintf(title, sizeof(title), "%.16s %s", v->ops->open.names, cut ? "shows all" : "closes");
	if (where.cols >= 30)
		put_right(f->g, where.row, where.col, where.cols, STYLE_TITLE, title);
	if (cut)
		grid_put(f->g, where.row + where.rows - 1, where.col + where.cols - 1, 1, STYLE_DIM, "…");
}

void text_view_draw(struct frame *f, struct view *v, struct rect where)
{
	struct strbuf b = {0};
	v->ops->text(f->st, f->in, &b);
	const char *text = b.data ? b.data : "";
	if (v->whole)
		text_screen_draw(f, v, where, v->ops->title, text, emit_paragraphs);
	else
		draw_panel(f, v, where, text);
	strbuf_deinit(&b);
}
