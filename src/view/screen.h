/* The screen: header, views, footer, and the keys.
 *
 * A view is a part of the screen: a table, the help, a menu, a panel; struct view_ops is a kind of view.
 * views.c keeps the list of open views, layout.c computes a rectangle for each, screen.c calls
 * their draw functions.  A key goes to the view that covers others; if there is none, keys.c looks
 * the key up in the table of key bindings, keymap.c. */
#ifndef VIEW_SCREEN_H
#define VIEW_SCREEN_H

#include "view/internal.h"

/* Code of a key pressed with Ctrl. */
#define CTRL(c) ((c)&0x1f)

/* A key press: the argument of all actions. */
struct press {
	struct view_state *st;
	const struct view_input *in;
	const struct grid *g; /* the screen; actions use only its size */
	const struct input_event *ev;
	bool footer_covered; /* a message covers the footer's keys */
};
typedef unsigned action_fn(const struct press *p); /* returns enum reaction */

/* ---- layout.c: rectangles for the views ------------------------------------------------ */

struct rect {
	int row, col, rows, cols; /* rows 0: the view is not on the screen */
};

enum view_place {
	PLACE_PANE,   /* shares the body with other panes and can have the focus */
	PLACE_PANEL,  /* a few lines at the lower end of the body, about the focused pane */
	PLACE_OVER,   /* covers the focused pane and gets all keys */
	PLACE_SCREEN, /* covers the whole screen and gets all keys */
};

struct layout_view {
	enum view_place place;
	int want; /* PLACE_PANE: rows of the screen that the view could fill */
};
struct layout_input {
	int rows, cols;
	bool events;			 /* the header has a line of events if there is room */
	int past_rows;			 /* rows that the timeline needs */
	int strip_rows;			 /* rows that the CPU strip needs */
	int comparison_rows;		 /* number of header lines about a comparison */
	const struct layout_view *views; /* array of views_n elements */
	int views_n;
	int focus, last, panes; /* see struct view_state */
};
struct layout {
	/* rows of the screen in which these lines begin; -1: not shown */
	int title, events, summary, past, strip, trust, comparison, footer;
	int past_rows, strip_rows, comparison_rows;
	struct rect views[VIEWS_MAX]; /* the first views_n are set */
	/* Panes with this index or a higher one share the last place as tabs; one of them is shown. */
	int first_in_last;
};
/* Computes the layout, which depends only on `li`. */
void layout_compute(const struct layout_input *li, struct layout *ret);
/* Computes the layout of the views of `st` on a screen of rows * cols cells. */
void layout_for(struct view_state *st, const struct view_input *in, int rows, int cols, struct layout *ret);

/* ---- kinds of views, and their functions ---------------------------------------------- */

/* A screen that is being drawn: the argument of draw functions. */
struct frame {
	struct view_state *st;
	const struct view_input *in;
	struct grid *g;
	struct layout layout;
};

/* The selected row of a view. */
struct selection {
	const struct row *row; /* NULL: the view has no rows */
	enum dimension_id dim; /* dimension of the view's rows */
	/* function of the row; if the row is not of one function, its hottest function; CATALOG_NONE: unknown */
	uint32_t sym;
	uint32_t dso; /* DSO of `sym`, or CATALOG_NONE */
};

/* A kind of view.  Either `text` or `draw` is set; every function below these two may be NULL. */
struct view_ops {
	enum view_place place;
	struct binding open; /* the key that opens and closes the view; keys[0] == 0: there is none */
	const char *title;
	/* PLACE_PANEL: the text is about the selected row, so the panel must leave rows visible */
	bool of_row;
	bool has_pivot; /* the view has rows: those of view.pivot */
	bool is_table;	/* with has_pivot: the rows are drawn as a table */
	/* Adds the paragraphs of the view, each ended by '\n'. */
	void (*text)(struct view_state *st, const struct view_input *in, struct strbuf *ret);
	/* Draws the view into `where`, whose cells are blank before the call. */
	void (*draw)(struct frame *f, struct view *v, struct rect where);
	/* Prepares a view that was just opened. */
	void (*start)(const struct view_state *st, const struct view_input *in, struct view *v);
	/* PLACE_OVER, PLACE_SCREEN: handles a key; if `key` is NULL, any key closes the view. */
	unsigned (*key)(const struct press *p, struct view *v);
	/* Tables, PLACE_SCREEN: selects the first match forwards (step 1) or backwards (-1), wrapping around, beginning
	 * with the selected item or (`behind`) the one after it.  Returns false if there is no match.  If `find` is
	 * NULL, the key / searches the focused pane. */
	bool (*find)(const struct press *p, struct view *v, const struct match *wanted, int step, bool behind);
	const struct menu *menu; /* menu.c: the items, if the view is a menu */
	/* PLACE_PANE without a table: handles a key; false: the view does not use the key, so its binding runs. */
	bool (*takes)(const struct press *p, struct view *v, const struct binding *b);
	/* PLACE_PANE: returns how many rows of the screen the view can fill. */
	int (*want)(const struct view_input *in, struct view *v);
	/* PLACE_PANE: gets the selected row. */
	void (*selected)(const struct view_input *in, struct view *v, struct selection *ret);
	/* Handles a mouse click or a turn of the mouse wheel inside of `where`. */
	unsigned (*mouse)(const struct press *p, struct view *v, const struct layout *l, struct rect where);
};

/* All kinds of views, in the order in which the footer shows their keys.  To add a view: add
 * its file, the file's name to meson.build, and the name of its view_ops to this list. */
#define VIEW_KINDS(X)                                                                                                  \
	X(table_view)                                                                                                  \
	X(output_view)                                                                                                 \
	X(help_view)                                                                                                   \
	X(change_menu)                                                                                                 \
	X(sort_menu)                                                                                                   \
	X(add_menu)                                                                                                    \
	X(export_menu)                                                                                                 \
	X(events_menu)                                                                                                 \
	X(why_view)                                                                                                    \
	X(probe_view)                                                                                                  \
	X(notices_view)                                                                                                \
	X(annotate_view)                                                                                               \
	X(flame_view)                                                                                                  \
	X(stacks_view)                                                                                                 \
	X(about_view)
#define VIEW_DECLARE(name) extern const struct view_ops name;
VIEW_KINDS(VIEW_DECLARE)
#undef VIEW_DECLARE

/* views.c: the list of open views */

/* Sets st->message, which is shown until the next key, or for 10 s.  Returns REACT_REDRAW, so that an action that only
 * shows a message can return it. */
unsigned state_say(struct view_state *st, const char *fmt, ...) CYC_PRINTF(2, 3);
/* Returns the pane that has the focus. */
struct view *focused(struct view_state *st);
/* Opens a view at index at + 1 of the list.  Pointers to views become invalid.  Returns NULL if VIEWS_MAX views are
 * open. */
struct view *view_open(struct view_state *st, const struct view_ops *ops, int at);
/* Frees what a view owns; the view stays in the list. */
void view_free(struct view *v);
/* Closes a view.  Pointers to views become invalid. */
void view_close(struct view_state *st, struct view *v);
/* Returns the first open view of the kind `ops`; NULL: there is none. */
struct view *view_find(struct view_state *st, const struct view_ops *ops);
/* Returns the open view that gets all keys; NULL: there is none. */
struct view *view_covering(struct view_state *st);
int view_index(const struct view_state *st, const struct view *v);
/* Returns the index of the next (step 1) or the previous (step -1) pane after index `at`, wrapping around. */
int pane_step(const struct view_state *st, int at, int step);
int panes_n(const struct view_state *st);		/* number of open panes */
int pane_place(const struct view_state *st, int index); /* number of panes before the view at `index` */
void focus_set(struct view_state *st, int index);
/* Shows the message that no more views can be opened; returns the reaction. */
unsigned views_full(struct view_state *st);
/* Gets the selected row of the focused pane; ret->row is NULL if it has none. */
void selection_get(struct view_state *st, const struct view_input *in, struct selection *ret);

/* tabs.c: names of panes; those that share a place are tabs */

/* Names a pane; the second pane of processes is "Tasks 2".  Returns `buf`, or a constant. */
enum { VIEW_NAME_CAP = 40 };
const char *view_name(const struct view_state *st, const struct view *v, char buf[static VIEW_NAME_CAP]);
/* Returns the number of panes that are visible; tabs that share a place count as one. */
int visible_panes(const struct view_state *st, const struct layout *l);
/* Draws the names of the pane and of those that share its place into the first row of `where`; returns the cells
 * used. */
int tabs_draw(struct frame *f, const struct view *v, struct rect where);
/* Gives the focus to the pane whose tab is at column `col` of the screen; to `v` if no tab is there. */
void tabs_click(struct view_state *st, const struct layout *l, const struct view *v, struct rect where, int col);

/* text_view.c: draws a view that has `text`, as a panel or on the whole screen */
void text_view_draw(struct frame *f, struct view *v, struct rect where);
/* Returns true if the text of the panel does not fit into `where`. */
bool text_view_is_cut(struct view_state *st, const struct view_input *in, const struct view *v, struct rect where);
/* Lines [top, top + room) of a text, which are drawn from row `row` of the screen on. */
struct text_window {
	struct grid *g; /* NULL: lines are only counted */
	int row, top, room;
	int at; /* number of the next line */
};
/* Adds a line: `word` at cell `x`, and the first `n` bytes of `text` at cell text_x. */
void text_emit(struct text_window *w, enum style style, int x, const char *word, int text_x, const char *text,
	       size_t n);
/* Adds all lines of a text, wrapped to `cols` cells. */
typedef void text_lines_fn(struct text_window *w, int cols, const char *text);
/* Draw a text on the whole screen, scrolled by v->top lines, and handle the keys that scroll it. */
void text_screen_draw(struct frame *f, struct view *v, struct rect where, const char *title, const char *text,
		      text_lines_fn *lines);
unsigned text_screen_key(const struct press *p, struct view *v);

/* table.c: the state of a table */

/* The rows of the screen that a table uses: one for the title and one for the headings (-1: not
 * shown), and [first, first + rows) for its rows. */
struct table_box {
	int title, heading, first, rows;
};
struct table_box table_box(struct rect where);
/* Returns the pivot of a view's rows.  If the snapshot was taken before the view asked for this pivot, it is empty. */
const struct pivot *table_pivot(const struct view_input *in, const struct view *v);
/* Returns the table's rows in order, sorted only once for the same snapshot, order and filter.  They are owned by the
 * view, and valid until the next call for this view. */
const struct sheet *table_sheet(const struct view_input *in, struct view *v);
/* Returns the dimension of a table's rows. */
enum dimension_id table_dim(const struct view *v);
/* Returns the first table with rows of dimension `dim`; NULL: there is none. */
struct view *table_by(struct view_state *st, enum dimension_id dim);
/* Switches a table to another dimension; the caller calls zooms_apply() afterwards. */
void table_turn(struct view *v, enum dimension_id dim);
/* Moves the cursor to the selected row; if this row is gone, selects the row at the cursor. */
void table_follow(struct view *v, const struct sheet *sheet);
/* Selects row `to`, or the last row if there are fewer, and scrolls to it in the next drawing. */
void table_select(struct view *v, const struct sheet *sheet, size_t to);
/* Returns the column by which a table is sorted. */
const struct column *table_sort_column(const struct view *v, const struct view_input *in, const struct columns *cols);
void table_sort_by(struct view *v, const char *column);

/* zoom.c: zooms, each of which filters all tables */

/* Sets the filters of all tables to those of the zooms. */
void zooms_apply(struct view_state *st);
void zooms_apply_to(const struct view_state *st, struct view *v); /* for one view */
/* Returns the process or thread into which the user zoomed; CATALOG_NONE: none. */
uint32_t zoomed_task(const struct view_state *st, const struct view_input *in);
/* Writes which zooms apply to the table: "in process 17 bash › malloc"; "": none applies. */
void zoom_text(const struct view_state *st, const struct view_input *in, const struct view *v, char *buf, size_t cap);

/* ---- times.c: times as text ------------------------------------------------------------------- */

/* A step of playback is 10 s, or a tenth of a recording that is shorter than 100 s. */
#define PLAY_STEP_NS UINT64_C(10000000000)
/* Returns true if the whole recording, or a time range of it, is shown at once rather than played. */
bool play_whole(const struct view_state *st, const struct view_input *in);
/* Returns true if playback has reached the end of a recording. */
bool play_at_end(const struct view_input *in);
/* Writes which time is shown: "last 5 s", "since start", "12:01:05 to 12:01:10 (5 s)". */
void window_text(const struct view_state *st, const struct view_input *in, char *buf, size_t cap);
/* Writes a length of time: "5 s", "0.2 s", "1:30". */
void seconds_text(char *buf, size_t cap, double ns);
/* Writes the position in a recording and the speed of playback: "0:12 of 1:03 x10".  If the recording is shown as a
 * whole, writes only its length. */
void play_text(const struct view_state *st, const struct view_input *in, char *buf, size_t cap);
/* Parses a decimal number, with a point or a comma in any locale, and moves *s behind it.  false: there are no
 * digits. */
bool decimal_parse(const char **s, double *ret, bool *fraction_ret);
/* Parses a time within a recording of length `of_ns` (0: unknown): "63", "1:03.5", "1:02:03", "90%"; false: the text
 * has another form. */
bool play_time_parse(const char *text, uint64_t of_ns, uint64_t *ret);
/* Parses the time at which a time range of a live measurement begins.  "12:01" and "12:01:05" are times of day in the
 * last 24 h, or, if the time of day is not known, times since the start; "-90" (seconds) and "-1:30" (minutes and
 * seconds) are times before now.  false: the text is no such time. */
bool live_time_parse(const struct view_input *in, const char *text, uint64_t *ret);

/* ---- header.c, charts.c, strip.c, footer.c, fetch.c: lines above and below the views ------------- */

void draw_header(struct frame *f);
/* charts.c: returns how many rows of the screen the timeline (charts of totals over time) takes; how many columns a
 * chart has */
int past_rows(const struct view_input *in, int rows, int cols);
int past_width(const struct view_input *in, int cols);
/* Returns the column of the timeline that is drawn at cell `x` of the screen; -1: none. */
int past_column(const struct view_input *in, int cols, int x);
/* Returns the event whose rate the timeline shows: cycles, or else the first event. */
size_t past_event(const struct view_input *in);
void draw_past(struct frame *f, int row, int rows);
/* Returns a character that fills `eighths` / 8 of a cell, from below (`upright`) or from the left; with `ascii`, an
 * ASCII character of about that density. */
const char *strip_level(int eighths, bool upright, bool ascii);
int strip_rows(const struct view_input *in, int cols, int max);
void draw_strip(const struct view_input *in, struct grid *g, int row, int rows, bool ascii);
void draw_footer(const struct view_state *st, const struct view_input *in, struct grid *g, int row);
void draw_message(const struct view_state *st, const struct view_input *in, struct grid *g, int footer);
/* Returns the number of cells at the end of the footer for a download's progress; 0: no download runs. */
int fetch_width(const struct view_input *in, int cols);
void draw_fetch(const struct view_input *in, struct grid *g, int row);
/* Returns true if st->message is shown in place of the footer's keys. */
bool message_in_footer(const struct view_state *st, int cols);
/* Returns the key binding that the footer shows at column `x`, or NULL. */
const struct binding *footer_hit(const struct view_state *st, const struct view_input *in, int cols, int x);

/* compare_head.c: the lines that say what is compared with what */
void draw_comparison(struct frame *f);

/* ---- words.c: words on the screen, explained by the help ------------------------------------ */

/* A word on the screen that is neither a key nor a heading, and the sentence that explains it in the help. */
struct word {
	enum word_section {
		WORDS_TOP,
		WORDS_TRUST,
		WORDS_COMPARE,
		WORDS_PANE,
		WORDS_NAME,
		WORDS_VALUE,
		WORD_SECTIONS,
	} section;
	const char *word, *help;
};
extern const struct word screen_words[]; /* grouped by section */
extern const size_t screen_words_n;
extern const char *const word_sections[WORD_SECTIONS];
const struct word *word_find(const char *word); /* NULL: there is none */
/* Finds the word that explains a name in brackets: "[exited]" for "[exited] bash"; NULL: none. */
const struct word *word_of_name(const char *name);

/* ---- why.c, help.c, notices.c: paragraphs that explain a row, a pane, a limit --------------- */

/* Adds paragraphs about the origin of a function's name, or why it has none.  The most important paragraph comes
 * first. */
void why_add(const struct view_input *in, uint32_t sym, uint32_t task, struct strbuf *b);
/* Adds the entries of the help about what the focused pane shows: its selected row, the column that it is sorted by,
 * and the pane itself. */
void help_add_here(struct strbuf *b, struct view_state *st, const struct view_input *in);
/* notices.c: writes a sentence about a limit that this session reached; false: the limit was not reached. */
bool limit_said(const struct view_input *in, enum limit limit, char *buf, size_t cap);

/* ---- keymap.c: the table of keys ---------------------------------------------------------------- */

/* The table of keys: first the keys that open views, then those that run actions.  It refers to all views.  Views reach
 * it only through view_state.keys, so that source files do not depend on each other in a circle. */
struct keymap {
	const struct view_ops *const *views;
	const struct binding *actions;
	size_t views_n, actions_n;
};

/* ---- functions of keys: action.c, zoom.c, input.c, menu.c, past.c, play.c, views ------------ */

action_fn act_up, act_down, act_page_up, act_page_down, act_home, act_end, act_next_pane, act_prev_pane, act_zoom,
	act_back, act_sort_left, act_sort_right, act_reverse, act_search, act_search_next, act_search_prev, act_filter,
	act_hide_kernel, act_hide_user, act_hide_self, act_threads, act_window, act_reset, act_freeze, act_delay,
	act_error, act_mouse, act_pause, act_seek_back, act_seek_on, act_slower, act_faster, act_raw_names, act_fetch,
	act_close_pane, act_whole, act_go, act_relative, act_users, act_scroll_left, act_scroll_right, act_mark,
	act_unmark, act_turn, act_unit, act_earlier, act_later, act_widen, act_narrow, act_now, act_tree, act_fold,
	act_chains, act_around, act_events, act_probe, act_annotate, act_stacks;

/* ---- keys.c: what a key does ----------------------------------------------------------------- */

/* Opens the view, or closes it if it is open. */
unsigned view_toggle(const struct press *p, const struct view_ops *ops);
/* Handles a key while no view covers the others. */
unsigned normal_key(const struct press *p);
/* Returns true for the keys that begin a search or go on with it. */
static inline bool is_search_key(uint32_t key)
{
	return key == '/' || key == KEY_CYC_F3 || key == 'n' || key == 'N';
}
unsigned binding_run(const struct binding *b, const struct press *p);

/* ---- play.c, past.c, input.c: moving in time, typed lines -------------------------------------- */

/* Plays a recording from `to_ns` after its beginning. */
unsigned play_go(const struct press *p, uint64_t to_ns);
/* Goes to the time typed in st->input. */
unsigned time_typed(const struct press *p);
/* Handles a click on the timeline: shows the time that was clicked. */
unsigned past_click(const struct press *p);
/* Handles a key while a line is being typed. */
unsigned input_key(const struct press *p);
/* Edits a line that is being typed; false: the key changes nothing. */
bool line_edit(char *line, size_t cap, uint32_t key);

#endif
