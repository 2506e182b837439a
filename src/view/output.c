/* The pane with the output of a measured command: its last lines, or those that the user scrolled to. */
#include "view/screen.h"

#include "base/clean.h"
#include "base/unicode.h"

#include <stdio.h>
#include <string.h>

/* LINE_BYTES: a longer line is cut, as no screen shows more of it */
enum { LINE_BYTES = 4096, TAB_CELLS = 8 };

/* ---- finding lines in the output ------------------------------------------------------------------ */

/* Returns the beginning of the line that contains the byte before `at`. */
static size_t line_before(const struct view_output *o, size_t at)
{
	const char *end = at > 1 ? memrchr(o->data, '\n', at - 1) : NULL;
	return end ? (size_t)(end - o->data) + 1 : 0;
}

/* Returns the end of the line that begins at `at`: its newline, or the end of the output. */
static size_t line_end(const struct view_output *o, size_t at)
{
	const char *end = at < o->n ? memchr(o->data + at, '\n', o->n - at) : NULL;
	return end ? (size_t)(end - o->data) : o->n;
}

static size_t next_line(const struct view_output *o, size_t at)
{
	size_t end = line_end(o, at);
	return end < o->n ? end + 1 : o->n;
}

/* Returns the beginning of the first complete line, because `data` may begin within a line. */
static size_t first_line(const struct view_output *o)
{
	return o->base ? next_line(o, 0) : 0;
}

/* Returns the beginning of the line that is `lines` lines before `at`. */
static size_t back(const struct view_output *o, size_t at, long lines)
{
	size_t first = first_line(o);
	while (lines-- > 0 && at > first)
		at = line_before(o, at);
	return at > first ? at : first;
}

/* Returns the beginning of the last `rows` lines. */
static size_t last_page(const struct view_output *o, int rows)
{
	return back(o, o->n, rows);
}

/* Returns the beginning of the first line to show.  If the user scrolled to the last line, the view follows the
 * output again. */
static size_t top_line(const struct view_output *o, struct view *v, int rows)
{
	size_t last = last_page(o, rows), first = first_line(o);
	if (v->held && v->offset < o->base + last)
		return v->offset > o->base + first ? (size_t)(v->offset - o->base) : first;
	v->held = false;
	return last;
}

/* ---- making the text of a line ------------------------------------------------------------------- */

/* Returns the length of the escape sequence that begins at `s` with ESC; `n`: bytes up to the end of the line. */
static size_t escape_length(const char *s, size_t n)
{
	size_t i = 2;
	if (n < 2)
		return n;
	if (s[1] == '[') {
		while (i < n && (unsigned char)s[i] >= 0x20 && (unsigned char)s[i] < 0x40)
			i++;
		return i < n ? i + 1 : n;
	}
	if (s[1] != ']')
		return i;
	while (i < n && s[i] != '\a' && s[i] != 033)
		i++;
	return i < n && s[i] == '\a' ? i + 1 : i;
}

void output_line(const char *s, size_t n, struct strbuf *ret)
{
	struct strbuf raw = {0};
	size_t end = n;
	while (end && s[end - 1] == '\r')
		end--;
	const char *again = end ? memrchr(s, '\r', end) : NULL; /* a terminal would overwrite the text before it */
	/* stop: byte of `raw` at which the text after the last tab begins */
	size_t i = again ? (size_t)(again - s) + 1 : 0, stop = 0;
	if (end - i > LINE_BYTES)
		end = i + LINE_BYTES;
	strbuf_add(&raw, "");
	while (i < end) {
		if (s[i] == 033) {
			i += escape_length(s + i, end - i);
		} else if (s[i] == '\t') {
			int width = text_width(raw.data + stop) % TAB_CELLS;
			strbuf_addf(&raw, "%*s", TAB_CELLS - width, "");
			stop = raw.n;
			i++;
		} else {
			strbuf_add_bytes(&raw, s[i] ? s + i : "?", 1);
			i++;
		}
	}
	clean_add(ret, raw.data, CLEAN_LINE);
	strbuf_deinit(&raw);
}

/* ---- drawing the pane ---------------------------------------------------------------------------- */

static void draw_title(struct frame *f, const struct view *v, struct rect where, const struct view_output *o)
{
	char text[500];
	int x = tabs_draw(f, v, where) + 3;
	const char *part = v->held ? "scrolled back: End goes to its end   " : o->base ? "the last part   " : "";
	snprintf(text, sizeof(text), "%s%s   in %.250s", part, o->state, o->path);
	put_clipped(f->g, where.row, where.col + x, where.cols - x, STYLE_DIM, text);
}

static void output_draw(struct frame *f, struct view *v, struct rect where)
{
	const struct view_output *o = &f->in->output;
	int rows = where.rows - 1;
	draw_title(f, v, where, o);
	v->rows = rows;
	if (rows > 0 && !o->n)
		put_clipped(f->g, where.row + 1, where.col, where.cols, STYLE_DIM, "It has printed nothing yet.");
	size_t at = top_line(o, v, rows);
	for (int i = 0; i < rows && at < o->n; i++) {
		struct strbuf b = {0};
		strbuf_add(&b, "");
		output_line(o->data + at, line_end(o, at) - at, &b);
		const char *text = b.data;
		for (int skip = v->scroll; skip > 0 && *text;)
			skip -= unicode_width(text_next(&text));
		put_clipped(f->g, where.row + 1 + i, where.col, where.cols, STYLE_NORMAL, text);
		strbuf_deinit(&b);
		at = next_line(o, at);
	}
}

/* ---- scrolling the pane -------------------------------------------------------------------------- */

static void move_lines(const struct view_output *o, struct view *v, long lines)
{
	int rows = v->rows > 0 ? v->rows : 1;
	size_t at = top_line(o, v, rows);
	if (lines < 0)
		at = back(o, at, -lines);
	while (lines-- > 0 && at < o->n)
		at = next_line(o, at);
	v->held = true;
	v->offset = o->base + at;
	(void)top_line(o, v, rows);
}

static unsigned output_mouse(const struct press *p, struct view *v, const struct layout *l, struct rect where)
{
	enum { WHEEL_LINES = 3 };
	if (p->ev->wheel_up || p->ev->wheel_down)
		move_lines(&p->in->output, v, p->ev->wheel_up ? -WHEEL_LINES : WHEEL_LINES);
	else if (p->ev->row == where.row)
		tabs_click(p->st, l, v, where, p->ev->col);
	else
		focus_set(p->st, view_index(p->st, v));
	return REACT_REDRAW;
}

/* Scrolls if `run` is an action that moves; else returns false. */
static bool moved(const struct press *p, struct view *v, action_fn *run)
{
	enum { ALL = 1 << 30 };
	const long page = v->rows > 1 ? v->rows - 1 : 1;
	const struct {
		action_fn *run;
		long lines;
	} moves[] = {
		{act_up, -1},	       {act_down, 1},	 {act_page_up, -page},
		{act_page_down, page}, {act_home, -ALL}, {act_end, ALL},
	};
	for (size_t i = 0; i < ARRAY_LEN(moves); i++) {
		if (moves[i].run != run)
			continue;
		move_lines(&p->in->output, v, moves[i].lines);
		return true;
	}
	return false;
}

static bool output_takes(const struct press *p, struct view *v, const struct binding *b)
{
	if (moved(p, v, b->run))
		return true;
	if (!b->of_table)
		return false;
	state_say(p->st, "This pane is what the command prints: Tab goes on to the tables.");
	return true;
}

void view_add_output(struct view_state *st)
{
	(void)view_open(st, &output_view, st->views_n - 1);
}

const struct view_ops output_view = {
	.place = PLACE_PANE,
	.title = "Output",
	.draw = output_draw,
	.takes = output_takes,
	.mouse = output_mouse,
};
