/* What the files of view/ share: text, columns, sheets, and drawing into lines of a grid.
 * screen.h has views, layout and keys. */
#ifndef VIEW_INTERNAL_H
#define VIEW_INTERNAL_H

#include <cyctop/view.h>

#include "base/strbuf.h"

#include <regex.h>

/* ---- text.c: characters and cells ------------------------------------------------- */

/* Returns the character at *s, which is not the end of the text, and moves *s behind it.  Control characters, invalid
 * UTF-8, and characters without a cell of their own (combining, bidi control) are returned as '?'. */
uint32_t text_next(const char **s);
int text_width(const char *s);
/* Returns how many bytes of `s` make a line of at most `width` cells, cut at a blank if there is one; at least 1 unless
 * `s` is empty. */
size_t text_wrap(const char *s, int width);

/* ---- shorten.c: long names ------------------------------------------------------------ */

/* Shortens a demangled name to `width` cells if possible.  In this order, these become "…":
 * return type, template arguments, parameters, Rust's "<Type as Trait>", leading scopes.  The
 * name of the function itself stays, and brackets stay paired.  Returns `name` if it fits or
 * cannot be shortened, else `buf`. */
const char *text_shorten(const char *name, int width, char *buf, size_t cap);
/* Replaces the middle of a text wider than `width` by "…", to show the word at byte `at`, where the text begins to
 * differ from similar ones.  The result may still be too wide; the caller then cuts its end.  Returns `text` if
 * enough of the word is seen anyway, else `buf`. */
const char *text_apart(const char *text, size_t at, int width, char *buf, size_t cap);

/* ---- facts.c: what a session measures ---------------------------------------------------- */

/* Returns the primary event: shares are fractions of its weight. */
size_t primary_event(const struct view_input *in);
/* Returns the open event with this role (cycles, instructions ...); EVENTS_MAX: there is none. */
size_t event_of_role(const struct view_input *in, enum event_role role);
/* Returns what the event means to metrics (cycles, instructions ...); ROLE_NONE: nothing. */
static inline enum event_role role_of(const struct view_input *in, size_t event)
{
	return in->roles ? in->roles[event] : in->info->events[event].spec.role;
}
/* Returns true if each operand of the metric has an event, and these all exclude the same modes (user, kernel, ...). */
bool metric_available(const struct view_input *in, const struct metric *metric);
/* Returns true if each operand of the metric has an event, whatever modes these events exclude. */
bool metric_events_available(const struct view_input *in, const struct metric *metric);
/* Return the metric with this id; the metric IPC.  NULL: this session cannot compute it. */
const struct metric *metric_shown(const struct view_input *in, const char *id);
const struct metric *ipc_metric(const struct view_input *in);
size_t available_events(const struct source_info *info); /* number of events that are open */
double event_rate(const struct view_input *in, size_t event, double count);
double window_ns(const struct snapshot *snap);
/* Returns true if cycles / busy time is a frequency: cycles are counted system-wide, in user and kernel mode. */
bool ghz_known(const struct view_input *in);
/* Returns true if only some CPUs counted all events of the metric, so that it is the ratio of these CPUs. */
bool metric_is_in_part(const struct view_input *in, const struct metric *metric);
/* Returns true if the metric's events were multiplexed: counted at different times, because there are more events
 * than counters.  Its heading then has a `*`. */
bool metric_takes_turns(const struct view_input *in, const struct metric *metric);
/* Returns true if the header shows the event's total; a machine-wide clock event's total would be just elapsed time. */
bool event_has_total(const struct view_input *in, size_t e);
/* Returns the sentence shown in place of call chains: `possible`, or, if samples cannot have chains, why. */
const char *without_chains(const struct view_input *in, const char *possible);

/* ---- cells_task.c, cellfmt.c: texts of cells --------------------------------------------- */

/* Returns the command line of the row's process; NULL: unknown, or not yet read. */
const char *row_command(const struct view_input *in, const struct row *row);
/* Returns the command line of the process that started the row's process; NULL: unknown, or not yet read. */
const char *row_parent_command(const struct view_input *in, const struct row *row);
/* Formats a factor (1.123) as a change, "+12.3%". */
void factor_text(double factor, char *buf, size_t cap);
enum style change_style(const struct compare_change *c);

/* ---- column.c: order and width of columns --------------------------------------------- */

const char *column_default_sort(const struct view_input *in, const struct pivot_query *query);
int column_width(const struct column *col, unsigned flags); /* `flags`: enum cell_flag */

/* ---- match.c: what a search or filter looks for --------------------------------------- */

struct match {
	const char *parts; /* the text to look for, owned by the caller of match_init() */
	regex_t compiled;
	bool is_expression;
};
bool match_has(const struct match *m, const char *text);
/* Prepares a match of `wanted`, which the caller keeps valid.  Returns false if the regular expression is invalid;
 * why[cap] then says why, and there is nothing to deinit. */
bool match_init(struct match *m, const char *wanted, char *why, size_t cap);
void match_deinit(struct match *m);

/* ---- sheet.c: filtering and sorting rows ---------------------------------------------- */

/* Returns true if a text in the row's cells, or a number that identifies the row (pid, CPU), matches `wanted`. */
bool row_matches(const struct view_input *in, const struct columns *cols, const struct row *row,
		 const struct match *wanted);

/* ---- compare.c: what the comparison with the baseline says about rows --------------------------------- */

/* Returns the name of a dimension of the pivot that the baseline lacks, so that they cannot be compared; NULL: none. */
const char *compared_lacks(const struct view_input *in, const struct pivot *pivot);
/* Returns the value in dimension `dim` of a row that comes from the baseline's file and thus has no ids; NULL: the row
 * has ids, or no such value. */
const struct key_value *compared_name(const struct view_input *in, const struct row *row, enum dimension_id dim);
/* Returns the comparison of a pivot; NULL: the pivot is not compared. */
const struct compared *compared_table(const struct view_input *in, const struct pivot *pivot);
/* Returns the comparison of a row, and in *diff_ret the comparison of its table; NULL: the row is not compared. */
const struct diff_row *compared_row(const struct view_input *in, const struct row *row, const struct diff **diff_ret);
/* Returns true if only the baseline has samples of the row. */
bool compared_is_gone(const struct view_input *in, const struct row *row);
/* Returns the change of a metric of the row; NULL: the row or metric is not compared. */
const struct compare_change *compared_metric(const struct view_input *in, const struct row *row,
					     const struct metric *metric);
/* Adds how a row changed: both values, the change and its error; nothing if the row is not compared. */
void compared_add(const struct view_input *in, const struct row *row, struct strbuf *b);

/* ---- tree.c: showing rows as a tree --------------------------------------------------- */

/* Returns the sums of `row` together with all rows below it in the tree; if the pivot has no trees, `row` itself. */
const struct row *tree_row(const struct pivot *pivot, const struct row *row);
/* Adds an id to a set of row ids (`on`: true) or removes it (false). */
void row_ids_set(struct row_ids *set, uint64_t id, bool on);
/* Returns a hash of the ids of the folded rows; 0: the view shows no tree. */
uint64_t tree_hash(const struct view *v);
/* Moves the sorted rows of a sheet below their parents, and removes the rows below folded rows. */
void tree_order(struct sheet *s, const struct pivot *pivot, const struct row_ids *folded);
/* Sets kept[row] also for all ancestors of the rows for which it is set: a row stays visible with its ancestors. */
void tree_keep_parents(const struct pivot *pivot, bool *kept);
/* Draws the lines of the tree that lead to a row, in front of its name; returns the cells used. */
int tree_draw_branch(struct grid *g, int y, int x, int width, const struct branch *b, enum style style, bool ascii);

/* ---- place.c: choosing the columns that fit, and placing them --------------------------- */

/* A column on the screen: cells [x, x + width) of the table. */
struct placed {
	const struct column *col;
	int x, width;
};
/* Chooses the columns that fit, by priority, and places them in display order.  Returns how many fit.  `flags`: enum
 * cell_flag. */
size_t columns_place(const struct columns *cols, int width, unsigned flags, struct placed ret[COLUMNS_MAX]);

/* ---- trust.c: the line that says how reliable the numbers are ------------------------ */

struct trust_item {
	char text[96];
	enum style style; /* STYLE_DIM: the item says that all is well, so a narrow line leaves it out first */
};
enum { TRUST_ITEMS_MAX = 20 };
size_t trust_items(const struct view_input *in, struct trust_item ret[TRUST_ITEMS_MAX]);
/* Writes a fraction as a percentage: "0%" (only for 0 itself), "0.3%", "12%". */
const char *trust_percent(char *buf, size_t cap, double v);

/* ---- line.c: filling a line with items -------------------------------------------------- */

/* A line that is filled from the left.  Once an item does not fit, that item and all later ones are left out. */
struct line {
	struct grid *g;
	int row, x, end; /* the next item goes to cells [x, end) of the row */
	int gap;	 /* blank cells between two items */
	bool any, full;
};
struct line line_start(struct grid *g, int row, int end, int gap);
/* Adds a label (may be "") and a value, which takes at least `width` cells.  Returns false if the line is full. */
bool line_item(struct line *l, const char *label, enum style style, const char *value, int width);
/* Writes text into `width` cells; longer text ends in "…". */
void put_clipped(struct grid *g, int row, int x, int width, enum style style, const char *text);
/* Writes the name of a function from the left edge on, shortened to `width` cells.  Returns the cells used. */
int put_name(struct grid *g, int row, int width, enum style style, const char *name);
/* Writes text into `width` cells, aligned to the right; longer text ends in "…". */
void put_right(struct grid *g, int row, int x, int width, enum style style, const char *text);
/* Fills `width` cells with blanks. */
void fill(struct grid *g, int row, int x, int width, enum style style);

#endif
