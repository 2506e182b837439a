/* The screen of counted calls: the lines of a table, which can be scrolled, and a selected function.  No I/O. */
#include "base/alloc.h"

#include <cyctop/front.h>

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct calls_page {
	const struct calls_choice *choice; /* what the options chose */
	struct calls_choice shown;	   /* `choice`, but with the order and the function of this page */
	void (*write)(FILE *out, const struct calls_output *o); /* writes the page's table */
	char *text;						/* the table, each line ended by a NUL */
	VEC(const char *) lines;				/* lines in `text`; the first is the heading */
	/* [rows_n]: the function of each line that can be selected, in the table written last; rows_n 0: none can */
	const struct calls_line *const *rows;
	size_t rows_n;
	/* top: first line on the screen.  cursor: selected line; 0: the line below the headings. */
	size_t top, cursor;
	int left;	    /* characters by which lines are scrolled to the left */
	char *dso, *symbol; /* the selected function; NULL: the function in the first line, whichever it is */
	char message[480];  /* shown in the last row until the next key */
};

/* Headings of the columns by which functions can be sorted, from left to right, with the sort order of each. */
static const struct {
	const char *head;
	enum calls_order order;
} columns[] = {
	{"SELF ms", CALLS_BY_SELF},
	{"TOTAL ms", CALLS_BY_TOTAL},
	{"CALLS", CALLS_BY_CALLS},
	{"ns/CALL", CALLS_BY_CALL},
};

static bool is_functions(const struct calls_page *p)
{
	return p->write == calls_text;
}

struct calls_page *calls_page_create(const struct calls_choice *choice)
{
	struct calls_page *p = mem_calloc(1, sizeof(*p));
	*p = (struct calls_page){.choice = choice, .shown = *choice, .write = calls_text};
	return p;
}

void calls_page_say(struct calls_page *p, const char *fmt, ...)
{
	va_list args;
	va_start(args, fmt);
	vsnprintf(p->message, sizeof(p->message), fmt, args);
	va_end(args);
}

static void forget(struct calls_page *p)
{
	free(p->dso);
	free(p->symbol);
	p->dso = p->symbol = NULL;
}

void calls_page_destroy(struct calls_page *p)
{
	forget(p);
	free(p->text);
	free((void *)p->rows);
	vec_free(&p->lines);
	free(p);
}

static void select_row(struct calls_page *p)
{
	forget(p);
	if (p->cursor < p->rows_n) {
		p->dso = mem_strdup(p->rows[p->cursor]->dso);
		p->symbol = mem_strdup(p->rows[p->cursor]->symbol);
	}
}

static bool is_selected(const struct calls_page *p, size_t row)
{
	return strcmp(p->rows[row]->symbol, p->symbol) == 0 && strcmp(p->rows[row]->dso, p->dso) == 0;
}

/* Finds the line of the selected function.  If several functions have its name, prefers the one at the cursor. */
static void find_selected(struct calls_page *p)
{
	size_t i = 0;
	p->cursor = p->cursor < p->rows_n ? p->cursor : p->rows_n - 1;
	if (!p->symbol || is_selected(p, p->cursor))
		return;
	while (i < p->rows_n && !is_selected(p, i))
		i++;
	if (i < p->rows_n)
		p->cursor = i;
}

static void split_lines(struct calls_page *p, size_t n)
{
	p->lines.n = 0;
	for (char *line = p->text, *end; line < p->text + n; line = end + 1) {
		end = memchr(line, '\n', (size_t)(p->text + n - line));
		if (!end)
			break;
		*end = '\0';
		vec_push(&p->lines) = line;
	}
}

void calls_page_write(struct calls_page *p, const struct calls_table *t)
{
	struct calls_output o = {.n = 0};
	struct error err = {.text = ""};
	size_t n = 0;
	free(p->text);
	free((void *)p->rows);
	p->text = NULL;
	p->rows = NULL;
	p->rows_n = 0;
	if (calls_arrange(&p->shown, t, &o, &err) < 0) /* fails if the function has no calls yet */
		calls_page_say(p, "%.400s", err.text);
	FILE *out = open_memstream(&p->text, &n);
	if (!out)
		mem_exhausted();
	if (o.lines)
		p->write(out, &o);
	if (fclose(out) != 0)
		mem_exhausted();
	split_lines(p, n);
	p->rows = o.lines;
	p->rows_n = is_functions(p) && o.lines ? o.n : 0;
	if (p->rows_n)
		find_selected(p);
}

/* ---- drawing the page --------------------------------------------------------------------------------- */

/* Returns the text without its first `chars` characters. */
static const char *behind(const char *text, int chars)
{
	while (chars > 0 && *text) {
		text++;
		chars -= ((unsigned char)*text & 0xc0) != 0x80; /* counts first bytes of UTF-8 characters */
	}
	return text;
}

static void put_row(struct grid *g, int row, enum style style, const char *text)
{
	for (int col = grid_put(g, row, 0, g->cols, style, text); col < g->cols && style != STYLE_NORMAL; col++)
		grid_put(g, row, col, 1, style, " ");
}

/* Returns the position of a column's heading in characters; -1: the table has no such column. */
static int place_of(const struct calls_page *p, size_t column)
{
	const char *at = p->lines.n ? strstr(p->lines.data[0], columns[column].head) : NULL;
	return at ? (int)(at - p->lines.data[0]) - p->left : -1;
}

static void draw_heading(const struct calls_page *p, struct grid *g)
{
	put_row(g, 1, STYLE_TITLE, p->lines.n ? behind(p->lines.data[0], p->left) : "");
	for (size_t i = 0; is_functions(p) && i < ARRAY_LEN(columns); i++)
		if (columns[i].order == p->shown.order && place_of(p, i) >= 0)
			grid_put(g, 1, place_of(p, i), g->cols, STYLE_SORTED, columns[i].head);
}

static void draw_footer(const struct calls_page *p, struct grid *g)
{
	static const struct {
		const char *key, *word;
	} keys[] = {{"q", "Quit"},   {"Enter", "Callers"}, {"t", "Times"}, {"F5", "Tree"},
		    {"Esc", "Back"}, {"< >", "Sort"},	   {"s", "Save"},  {"Space", "Freeze"}};
	int row = g->rows - 1, col = 0;
	if (*p->message) {
		put_row(g, row, STYLE_WARN, p->message);
		return;
	}
	for (size_t i = 0; i < ARRAY_LEN(keys); i++) {
		if (col + (int)(strlen(keys[i].key) + 1 + strlen(keys[i].word)) > g->cols)
			break;
		col += grid_put(g, row, col, g->cols, STYLE_KEY, keys[i].key) + 1;
		col += grid_put(g, row, col, g->cols, STYLE_NORMAL, keys[i].word) + 2;
	}
}

void calls_page_draw(struct calls_page *p, const char *status, struct grid *g)
{
	size_t room = g->rows > 3 ? (size_t)g->rows - 3 : 1, n = p->lines.n ? p->lines.n - 1 : 0;
	if (p->rows_n && p->cursor < p->top)
		p->top = p->cursor;
	if (p->rows_n && p->cursor >= p->top + room)
		p->top = p->cursor - room + 1;
	if (p->top + room > n)
		p->top = n > room ? n - room : 0;
	put_row(g, 0, STYLE_STRONG, status);
	draw_heading(p, g);
	for (size_t i = 0; i < room && p->top + i < n; i++) {
		bool selected = p->rows_n && p->top + i == p->cursor;
		put_row(g, (int)i + 2, selected ? STYLE_SELECTED : STYLE_NORMAL,
			behind(p->lines.data[p->top + i + 1], p->left));
	}
	draw_footer(p, g);
}

/* ---- handling keys ------------------------------------------------------------------------------------ */

/* Moves the selection by `by` lines; scrolls if no line can be selected. */
static unsigned move(struct calls_page *p, long by)
{
	size_t *at = p->rows_n ? &p->cursor : &p->top, last = p->rows_n ? p->rows_n - 1 : p->lines.n;
	*at = by < 0 && *at < (size_t)-by ? 0 : *at + (size_t)by;
	*at = *at > last ? last : *at;
	if (p->rows_n)
		select_row(p);
	return CALLS_DRAW;
}

/* Switches to another table; `of_one`: to a table of the selected function alone. */
static unsigned open_table(struct calls_page *p, void (*write)(FILE *out, const struct calls_output *o), bool of_one)
{
	if (of_one && p->rows_n)
		select_row(p);
	if (of_one && !p->symbol)
		return 0;
	p->shown.function = of_one ? p->symbol : p->choice->function;
	p->write = write;
	p->top = 0;
	return CALLS_WRITE | CALLS_DRAW;
}

static unsigned sort_by(struct calls_page *p, size_t column)
{
	if (!is_functions(p) || column >= ARRAY_LEN(columns))
		return 0;
	p->shown.order = columns[column].order;
	return CALLS_WRITE | CALLS_DRAW;
}

static size_t sorted_column(const struct calls_page *p)
{
	size_t i = 0;
	while (columns[i].order != p->shown.order)
		i++;
	return i;
}

static unsigned click(struct calls_page *p, const struct input_event *ev)
{
	if (ev->wheel_up || ev->wheel_down)
		return move(p, ev->wheel_up ? -3 : 3);
	for (size_t i = 0; ev->row == 1 && i < ARRAY_LEN(columns); i++) {
		int at = place_of(p, i);
		if (at >= 0 && ev->col >= at && ev->col < at + (int)strlen(columns[i].head))
			return sort_by(p, i);
	}
	if (ev->row >= 2 && p->top + (size_t)ev->row - 2 < p->rows_n) {
		p->cursor = p->top + (size_t)ev->row - 2;
		return ev->double_click ? open_table(p, calls_callers, true) : move(p, 0);
	}
	return 0;
}

static unsigned scroll(struct calls_page *p, int by)
{
	p->left = p->left + by > 0 ? p->left + by : 0;
	return CALLS_DRAW;
}

/* Handles a key that moves or scrolls.  Returns false for all other keys. */
static bool move_key(struct calls_page *p, uint32_t key, int page)
{
	enum { ALL = 1 << 30 };
	static const struct {
		uint32_t key;
		int lines, pages;
	} moves[] = {
		{KEY_CYC_UP, -1, 0},   {'k', -1, 0},	     {KEY_CYC_DOWN, 1, 0},    {'j', 1, 0},
		{KEY_CYC_PGUP, 0, -1}, {KEY_CYC_PGDN, 0, 1}, {KEY_CYC_HOME, -ALL, 0}, {KEY_CYC_END, ALL, 0},
	};
	for (size_t i = 0; i < ARRAY_LEN(moves); i++)
		if (moves[i].key == key) {
			move(p, moves[i].lines + moves[i].pages * page);
			return true;
		}
	return false;
}

unsigned calls_page_key(struct calls_page *p, const struct grid *g, const struct input_event *ev)
{
	enum { SIDEWAYS = 10 };
	p->message[0] = '\0';
	if (move_key(p, ev->key, g->rows > 4 ? g->rows - 4 : 1))
		return CALLS_DRAW;
	switch (ev->key) {
	case 'q':
	case KEY_CYC_F10:
		return CALLS_QUIT;
	case KEY_CYC_LEFT:
		return scroll(p, -SIDEWAYS);
	case KEY_CYC_RIGHT:
		return scroll(p, SIDEWAYS);
	case KEY_CYC_ENTER:
		return open_table(p, calls_callers, true);
	case 't':
		return open_table(p, calls_histogram, true);
	case KEY_CYC_F5:
		return open_table(p, calls_tree, false);
	case KEY_CYC_ESC:
	case KEY_CYC_BACKSPACE:
		return open_table(p, calls_text, false);
	case '<':
	case ',':
		return sort_by(p, sorted_column(p) - 1);
	case '>':
	case '.':
		return sort_by(p, sorted_column(p) + 1);
	case 's':
		return CALLS_SAVE | CALLS_DRAW;
	case ' ':
		return CALLS_FREEZE | CALLS_DRAW;
	case KEY_CYC_CTRL_L:
		return CALLS_REPAINT | CALLS_DRAW;
	case KEY_CYC_MOUSE:
		return click(p, ev);
	default:
		return CALLS_DRAW; /* every key removes the message */
	}
}
