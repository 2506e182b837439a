/* What the files of room view share. */
#ifndef VIEW_INTERNAL_H
#define VIEW_INTERNAL_H

#include <cyctop/view.h>

#include "base/strbuf.h"

/* ---- text.c: characters and cells ------------------------------------------------- */

/* Takes one character off *s, which is not at its end.  Control characters, what
 * is not UTF-8, and characters that have no cell of their own (combining, bidi
 * control) come back as '?'. */
uint32_t text_next(const char **s);
int text_char_width(uint32_t ch); /* 1 or 2 */
int text_width(const char *s);
/* Encodes `ch`; returns the bytes, at most 4. */
size_t text_encode(uint32_t ch, char buf[4]);
bool text_has(const char *text, const char *part, size_t part_n); /* ASCII letters of any case */
/* Does `text` have one of the parts of "a|b"?  No part at all: yes. */
bool text_matches(const char *text, const char *parts);
/* Bytes of `s` that make a line of at most `width` cells, cut at a blank where there
 * is one; at least one of a text that is not empty. */
size_t text_wrap(const char *s, int width);

/* ---- shorten.c: long names ------------------------------------------------------------ */

/* A name in at most `width` cells where it can be: what a function returns, template
 * arguments, parameters, Rust's "<Type as Trait>" and leading scopes shrink to "…", in
 * that order; the function's own name stays to the last, and brackets in pairs.
 * Returns `name` where it fits as it is or is none of that, else `buf`. */
const char *text_shorten(const char *name, int width, char *buf, size_t cap);

/* ---- column.c ------------------------------------------------------------------------ */

const char *column_default_sort(enum pane pane, const struct view_input *in);
/* The event with that role that is open; EVENTS_MAX where there is none. */
/* What shares refer to. */
size_t primary_event(const struct view_input *in);
size_t event_of_role(const struct view_input *in, enum event_role role);
bool metric_available(const struct view_input *in, const struct metric *metric);
const struct metric *ipc_metric(const struct view_input *in); /* NULL: this session has none */
int column_width(const struct column *col, unsigned flags);   /* enum cell_flag */
const char *row_symbol_name(const struct view_input *in, const struct row *row);
const char *pane_name(enum pane pane);
const struct table *pane_table(enum pane pane, const struct snapshot *snap);
double event_rate(const struct view_input *in, double count);
double window_ns(const struct snapshot *snap);
/* May cycles over busy time be called a frequency? */
bool ghz_known(const struct view_input *in);

/* ---- sheet.c ------------------------------------------------------------------------- */

/* Does a text of the row, or a number that names it, match (see text_matches)? */
bool row_matches(const struct view_input *in, const struct columns *cols, const struct row *row, const char *parts);

/* ---- layout.c ------------------------------------------------------------------------ */

struct pane_box {
	enum pane pane;
	int title, heading; /* screen rows, -1: not shown */
	int first, rows;    /* the table's rows */
};
struct layout {
	int title, events, summary, strip, trust, why, footer; /* -1: not shown */
	int strip_rows, why_rows;
	struct pane_box boxes[2];
	int boxes_n;
};
/* Rectangles from numbers alone. */
struct layout_input {
	int rows;
	bool events;	/* there are events to have a line */
	int strip_rows; /* what the CPU strip would like, 0: none */
	enum pane focus;
	bool show_cpus;
	bool why; /* the panel is asked for */
};
void layout_compute(const struct layout_input *li, struct layout *ret);
void layout_for(const struct view_state *st, const struct view_input *in, int rows, int cols, struct layout *ret);

/* A column's place; [0, n) in display order. */
struct placed {
	const struct column *col;
	int x, width;
};
size_t columns_place(const struct columns *cols, int width, unsigned flags, struct placed ret[COLUMNS_MAX]);

/* ---- trust.c ------------------------------------------------------------------------- */

struct trust_item {
	char text[96];
	enum style style;
};
enum { TRUST_ITEMS_MAX = 16 };
size_t trust_items(const struct view_input *in, struct trust_item ret[TRUST_ITEMS_MAX]);
extern const struct trust_help {
	const char *word, *help;
} trust_help[];
extern const size_t trust_help_n;

/* ---- line.c: whole items side by side ------------------------------------------------- */

struct line {
	struct grid *g;
	int row, x, end, gap;
	bool any, full;
};
struct line line_start(struct grid *g, int row, int end, int gap);
/* Label (may be "") and value, one blank between; false: no room, and none for
 * what comes after it either.  The value takes at least `width` cells. */
bool line_item(struct line *l, const char *label, enum style style, const char *value, int width);
/* Clipped to `width` with "…" where it is longer. */
void put_clipped(struct grid *g, int row, int x, int width, enum style style, const char *text);
void put_right(struct grid *g, int row, int x, int width, enum style style, const char *text);
void fill(struct grid *g, int row, int x, int width, enum style style);

/* What of the state decides how values and names are made. */
void state_to_input(const struct view_state *st, struct view_input *in);

/* ---- parts of the screen ----------------------------------------------------------------- */

/* header.c */
void draw_title(const struct view_state *st, const struct view_input *in, struct grid *g, int row);
void draw_events(const struct view_input *in, struct grid *g, int row);
void draw_summary(const struct view_input *in, struct grid *g, int row);
/* `frozen`: said here where there is no title line. */
void draw_trust(const struct view_input *in, struct grid *g, int row, bool frozen);
void window_text(const struct view_state *st, const struct view_input *in, char *buf, size_t cap);
/* strip.c */
int strip_rows(const struct view_input *in, int cols, int max);
void draw_strip(const struct view_input *in, struct grid *g, int row, int rows, bool ascii);
/* panes.c */
void draw_pane(struct view_state *st, const struct view_input *in, struct grid *g, const struct pane_box *box,
	       bool alone);
/* Puts the cursor on the selected row, or keeps its place where that is gone. */
void pane_follow(struct pane_state *ps, const struct sheet *sheet, int rows);
struct sheet *pane_sheet(const struct view_state *st, const struct view_input *in, enum pane pane);
/* The tab of a pane in the title line of a lone pane: cells [*x_ret, *x_ret + *width_ret). */
void pane_tab(enum pane pane, int *x_ret, int *width_ret);
/* footer.c */
void draw_footer(const struct view_state *st, const struct view_input *in, struct grid *g, int row);
void draw_message(const struct view_state *st, const struct view_input *in, struct grid *g, int footer);
/* fetch.c: what is being fetched, at the end of the footer; the cells it takes off the
 * footer's keys, 0: nothing. */
int fetch_width(const struct view_input *in, int cols);
void draw_fetch(const struct view_input *in, struct grid *g, int row);
/* Where the code of the focused pane's selected row is; NULL: no row, or no code. */
const struct sym_info *selected_symbol(const struct view_state *st, const struct view_input *in);
/* The footer's binding at a column of the screen, or NULL. */
const struct binding *footer_hit(const struct view_input *in, int cols, int x);

/* why.c: where a symbol's name came from, or why it has none, in paragraphs that end
 * with '\n', the most telling one first. */
void why_add(const struct view_input *in, uint32_t sym, struct strbuf *b);
void draw_why(const struct view_state *st, const struct view_input *in, struct grid *g, int row, int rows);

/* help.c: the text's lines, for the screen with what this session has to say. */
void help_add(struct strbuf *b);
void help_add_session(struct strbuf *b, const struct view_input *in);
void draw_help(struct view_state *st, const struct view_input *in, struct grid *g);

/* ---- keys ---------------------------------------------------------------------------------- */

typedef unsigned action_fn(struct view_state *st, const struct view_input *in, const struct grid *g,
			   const struct input_event *ev);
/* action.c, zoom.c, input.c, mouse.c; keymap.c names them all */
action_fn act_up, act_down, act_page_up, act_page_down, act_home, act_end, act_next_pane, act_prev_pane, act_zoom,
	act_back, act_sort_left, act_sort_right, act_reverse, act_search, act_search_next, act_search_prev, act_filter,
	act_hide_kernel, act_hide_user, act_hide_self, act_threads, act_window, act_reset, act_freeze, act_delay,
	act_error, act_help, act_repaint, act_quit, act_mouse, act_pause, act_seek_back, act_seek_on, act_slower,
	act_faster, act_write, act_raw_names, act_why, act_fetch;

/* How a recording is being played: "0:12 of 1:03  x10". */
void play_text(const struct view_state *st, const struct view_input *in, char *buf, size_t cap);
/* A key while a line is typed. */
unsigned input_key(struct view_state *st, const struct view_input *in, const struct grid *g,
		   const struct input_event *ev);
unsigned help_key(struct view_state *st, const struct view_input *in, const struct grid *g,
		  const struct input_event *ev);
/* Chooses a row of the focused pane; `to` is clamped. */
void select_row(struct view_state *st, const struct sheet *sheet, size_t to);
void state_sort(struct view_state *st, enum pane pane, const char *id);
void state_focus(struct view_state *st, enum pane pane);
void state_say(struct view_state *st, const char *fmt, ...) CYC_PRINTF(2, 3);

#endif
