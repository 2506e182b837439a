/* The help, made of the tables it is about. */
#include "view/internal.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { WORD = 16 };

static void entry(struct strbuf *b, const char *word, const char *text)
{
	int pad = WORD - text_width(word);
	strbuf_addf(b, "  %s%*s %s\n", word, pad > 0 ? pad : 0, "", text);
}

/* Those of an earlier pane are not said again. */
static void add_columns(struct strbuf *b)
{
	struct columns cols[PANE_COUNT];
	for (int p = 0; p < PANE_COUNT; p++) {
		strbuf_addf(b, p ? "\nMore columns of %s\n" : "\nColumns of %s\n", pane_name((enum pane)p));
		view_columns((enum pane)p, NULL, &cols[p]);
		for (size_t i = 0; i < cols[p].n; i++) {
			const struct column *col = &cols[p].v[i];
			bool said = false;
			for (int before = 0; before < p; before++)
				said |= view_column_find(&cols[before], col->id) != NULL;
			if (!said && col->help)
				entry(b, col->title, col->help);
		}
	}
}

void help_add(struct strbuf *b)
{
	strbuf_add(b, "Keys\n");
	for (size_t i = 0; i < bindings_n; i++)
		entry(b, bindings[i].names, bindings[i].help);
	add_columns(b);
	strbuf_add(b, "\nHow to read it\n");
	entry(b, "IPC", "below about 0.7 the CPU mostly waits, for memory as a rule; above 2 it computes");
	entry(b, "MISS% and MPKI", "a high miss ratio matters where misses per 1000 instructions are many, too");
	entry(b, "~1.23", "a ratio its few samples do not carry: its standard error is above 20 %");
	entry(b, "1.23±0.05", "a ratio and its standard error (key e)");
	entry(b, "-", "not known: not counted, or nothing to divide by; never a zero");
	entry(b, "k", "kernel code");
	entry(b, "[x.so+0x15a20]", "a function whose name was stripped, by where it begins in its file");
	entry(b, "[no symbol]", "code of a file that no name and no function of its tables covers; y says why");
	entry(b, "[anon], [heap]", "code without a file, made at run time; [unknown]: in no known mapping");
	entry(b, "name@plt", "the stub through which a library's function is called");
	entry(b, "(deleted), (del)", "the file was deleted or replaced since it was started");
	entry(b, "reading symbols", "the file's names are being read; its samples join their functions then");
	entry(b, "<…>, (…)", "template arguments and parameters left out for want of room; y shows all");
	entry(b, "cycles ... (62%)", "the event was counted 62 % of the time, and scaled up");
	entry(b, "CPU strip", "per CPU its number, how busy it was, its IPC; of many CPUs a character each, or one");
	entry(b, "", "for some of them; for IPC a full block is 4 or more");
	strbuf_add(b, "\nThe trust line\n");
	for (size_t i = 0; i < trust_help_n; i++)
		entry(b, trust_help[i].word, trust_help[i].help);
}

char *help_text(void)
{
	struct strbuf b = {0};
	help_add(&b);
	return b.data;
}

/* What leaves most of the screen without names, and why. */
static void add_nameless(struct strbuf *b, const struct view_input *in)
{
	struct nameless most[3];
	char text[256];
	size_t n = in->snap ? view_nameless(&in->snap->symbols, in->cat, most, ARRAY_LEN(most)) : 0;
	for (size_t i = 0; i < n; i++) {
		const struct dso_info *dso = &in->cat->dsos[most[i].dso];
		snprintf(text, sizeof(text), "%.0f%% are in it without names: %s", most[i].share * 100,
			 dso->why ? dso->why : "no table it has names them");
		entry(b, dso->name, text);
	}
}

void help_add_session(struct strbuf *b, const struct view_input *in)
{
	size_t before = b->n;
	strbuf_add(b, "This session\n");
	size_t head = b->n;
	if (in->info->notice[0])
		entry(b, "notice", in->info->notice);
	for (size_t e = 0; e < in->info->events_n && e < EVENTS_MAX; e++) {
		const struct source_event *ev = &in->info->events[e];
		if (!ev->available)
			entry(b, ev->spec.name, ev->why);
	}
	add_nameless(b, in);
	if (b->n == head) {
		b->n = before;
		return;
	}
	strbuf_add(b, "\n");
}

/* ---- on the screen ---------------------------------------------------------------- */

/* Lines [top, top + room) of the whole text go to the screen from `row` on. */
struct window_of {
	struct grid *g; /* NULL: only count */
	int row, top, room, at;
};

static void emit(struct window_of *w, enum style style, int x, const char *word, int text_x, const char *text, size_t n)
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

/* A line of the text: a title, or a word with its text wrapped beside it. */
static void emit_line(struct window_of *w, int cols, const char *line)
{
	char word[4 * WORD + 1];
	if (line[0] != ' ') {
		emit(w, STYLE_STRONG, 0, line, 0, "", 0);
		return;
	}
	/* The word is WORD cells, or longer and ends at two blanks at most. */
	const char *p = line + 2;
	size_t n = 0;
	for (int cell = 0; *p && (cell < WORD || *p != ' '); cell++) {
		const char *from = p;
		text_next(&p);
		if (n + (size_t)(p - from) < sizeof(word)) {
			memcpy(word + n, from, (size_t)(p - from));
			n += (size_t)(p - from);
		}
	}
	word[n] = '\0';
	while (*p == ' ')
		p++;
	int x = cols >= 3 * WORD ? WORD + 3 : 4;
	bool below = x < text_width(word) + 3 && cols < 3 * WORD;
	if (below)
		emit(w, STYLE_KEY, 2, word, 0, "", 0);
	bool first = !below;
	do {
		size_t take = text_wrap(p, cols - x > 4 ? cols - x : 4);
		emit(w, STYLE_KEY, 2, first ? word : "", x, p, take);
		first = false;
		p += take;
		while (*p == ' ')
			p++;
	} while (*p);
}

static void emit_all(struct window_of *w, int cols, const char *text)
{
	while (*text) {
		char line[1024];
		size_t n = strcspn(text, "\n");
		snprintf(line, sizeof(line), "%.*s", (int)n, text);
		emit_line(w, cols, line);
		text += n + (text[n] == '\n');
	}
}

void draw_help(struct view_state *st, const struct view_input *in, struct grid *g)
{
	struct strbuf b = {0};
	struct window_of w = {.row = 1, .room = g->rows - 1};
	char where[48];

	help_add_session(&b, in);
	help_add(&b);
	emit_all(&w, g->cols, b.data);
	int total = w.at, last = total > w.room ? total - w.room : 0;
	if (st->help_top > last)
		st->help_top = last;
	if (st->help_top < 0)
		st->help_top = 0;
	w.g = g;
	w.at = 0;
	w.top = st->help_top;
	emit_all(&w, g->cols, b.data);
	strbuf_deinit(&b);

	fill(g, 0, 0, g->cols, STYLE_TITLE);
	grid_put(g, 0, 0, g->cols, STYLE_TITLE, "cyctop help");
	int end = w.top + w.room < total ? w.top + w.room : total;
	snprintf(where, sizeof(where), "  Esc back   PgDn more   %d-%d of %d", w.top + 1, end, total);
	if (text_width(where) + 11 <= g->cols)
		put_right(g, 0, 0, g->cols, STYLE_TITLE, where);
	else if (g->cols >= 24)
		put_right(g, 0, 0, g->cols, STYLE_TITLE, "Esc back");
}

unsigned help_key(struct view_state *st, const struct view_input *in, const struct grid *g,
		  const struct input_event *ev)
{
	static const struct {
		uint32_t key;
		int lines, pages;
	} moves[] = {
		{KEY_CYC_UP, -1, 0},	 {'k', -1, 0},
		{KEY_CYC_DOWN, 1, 0},	 {'j', 1, 0},
		{KEY_CYC_ENTER, 1, 0},	 {KEY_CYC_PGUP, 0, -1},
		{KEY_CYC_PGDN, 0, 1},	 {' ', 0, 1},
		{'g', 0, -10000},	 {KEY_CYC_HOME, 0, -10000},
		{KEY_CYC_END, 0, 10000}, {'G', 0, 10000},
	};
	(void)in;
	if (ev->key == KEY_CYC_MOUSE) {
		st->help_top += ev->wheel_down ? 3 : ev->wheel_up ? -3 : 0;
	} else if (ev->key == KEY_CYC_CTRL_L) {
		return REACT_REPAINT | REACT_REDRAW;
	} else {
		size_t i = 0;
		while (i < ARRAY_LEN(moves) && moves[i].key != ev->key)
			i++;
		if (i == ARRAY_LEN(moves)) /* Esc, q, h and all that means nothing here */
			st->mode = MODE_NORMAL;
		else
			st->help_top += moves[i].lines + moves[i].pages * (g->rows - 2 > 0 ? g->rows - 2 : 1);
	}
	st->help_top = st->help_top < 0 ? 0 : st->help_top > 100000 ? 100000 : st->help_top;
	return REACT_REDRAW;
}

unsigned act_help(struct view_state *st, const struct view_input *in, const struct grid *g,
		  const struct input_event *ev)
{
	(void)in, (void)g, (void)ev;
	st->mode = MODE_HELP;
	st->help_top = 0;
	return REACT_REDRAW;
}
