/* Room view: snapshot -> sheet -> grid, and keys -> actions.  Pure (no I/O): room front draws
 * grids on the terminal and reads the keys.
 *
 * sheet: a table's rows, filtered and sorted; used for the screen, text, CSV and JSON.
 * grid:  cells, each with a character and a style; the content of a terminal. */
#ifndef CYCTOP_VIEW_H
#define CYCTOP_VIEW_H

#include <cyctop/base.h>
#include <cyctop/catalog.h>
#include <cyctop/code.h>
#include <cyctop/comparison.h>
#include <cyctop/model.h>
#include <cyctop/source.h>

enum { VIEWS_MAX = COMPARISON_TABLES_MAX };

/* ---- input of views: a snapshot, and all else that they show --------------------------- */

struct strbuf; /* base/strbuf.h */
/* A file format of the export menu, key E. */
struct view_format {
	const char *name, *help;
	const char *why; /* why this build lacks the format; NULL: it can write the format */
	bool chains;	 /* the file holds call chains; false: the rows of the focused pane */
};
struct view_input {
	const struct snapshot *snap;
	const struct catalog *cat; /* same as names->cat */
	const struct model_names *names;
	const struct source_info *info;
	const enum event_role *roles;	  /* [snap->events_n]: role of each event in metrics (ROLE_CYCLES ...) */
	const struct metric_set *metrics; /* NULL: the built-in ones */
	/* Callbacks for names that are expensive to make; called only for rows on the screen. */
	const char *(*pretty)(void *ctx, uint32_t sym); /* demangled; the result is valid as long as the symbol */
	/* Returns the source line in which a symbol begins, "/src/main.go:12"; NULL: unknown, or not yet read.  The
	 * callback may be NULL. */
	const char *(*place)(void *ctx, uint32_t sym);
	const char *(*user)(void *ctx, uint32_t uid); /* returns a user's name; NULL: none */
	/* Returns the command line, without control characters, of the process whose leader has this task id; NULL:
	 * unknown, or not yet read.  The callback is NULL if processes have none, as in recordings. */
	const char *(*command)(void *ctx, uint32_t leader);
	const struct limit_counts *command_limits; /* limits reached in reading command lines; NULL: none */
	void *ctx;
	/* buffer for the text of one call chain, overwritten by the next; NULL: chains are not written as text */
	struct strbuf *text;
	const char *(*origin)(enum sym_origin origin); /* origin_text(); may be NULL */
	bool demangler;				       /* this build can demangle */
	/* Returns true if samples of the process hit JIT code without a name.  NULL: no process can be asked for the
	 * names of its JIT code. */
	bool (*lacks_names)(void *ctx, uint32_t leader);
	/* Returns true if the process was asked for the names of its JIT code, and still writes new names.  NULL: no
	 * process was asked. */
	bool (*writes_names)(void *ctx, uint32_t leader);
	uint32_t zoomed_task; /* task to which a zoom restricts panes of code; or CATALOG_NONE */
	/* Download of debug information from a server, key F. */
	struct view_fetch {
		bool possible; /* false: help and panels do not mention the key */
		bool running;
		uint32_t dso;	      /* id of the DSO that is downloaded; valid until the download ends */
		uint64_t done, total; /* bytes; total 0: unknown */
	} fetch;
	/* What the threads of cyctop itself cost per second. */
	struct view_own {
		bool valid;	    /* false: no PMU, no permission, or the counters were needed elsewhere */
		bool user_only;	    /* the kernel's work for these threads is not counted */
		bool in_user_space; /* the screen's thread reads its counters without a system call */
		size_t threads;
		double cycles, instructions;
	} own;
	/* Output of `cyctop probe` on the function that the user chose with the key X. */
	struct view_probe {
		bool possible; /* false: the key X only says why not */
		bool refused;  /* the probe was not started, because it would take too much CPU time */
		const char *text;
	} probe;
	/* Instructions of the function st->annotated. */
	struct view_code {
		const struct code_listing *listing; /* without counts; NULL: see `why` */
		const struct function_code *code;
		const char *why; /* why `listing` is missing or incomplete; NULL: it is being read, or complete */
		/* rebuilt: the baseline ran another build of the function, `before`.  `pairs`: which instructions of
		 * `before` match instructions of `listing`, which lists both builds.  NULL: not read yet, or
		 * `why_no_baseline_code` has the reason. */
		bool rebuilt;
		const struct code_build *before;
		const struct code_pairs *pairs;
		const char *why_no_baseline_code;
	} code;
	/* What the measured command has printed. */
	struct view_output {
		const char *data; /* [n]: last part of the file with the output; may be binary */
		size_t n;
		uint64_t base;		  /* offset in the file of data[0] */
		const char *path, *state; /* the file; "running", or how the command ended */
	} output;
	const struct live_threads *threads; /* threads of the process that view_watched() returns; NULL: none */
	bool events_change;		    /* events can be added while measuring, key C */
	bool chains_change;		    /* call chains can be switched on while measuring, key g */
	bool rate_change;		    /* the rate of sampling can be changed, keys + and - */
	const struct event_known *known;    /* [known_n]: the events of this machine; see REACT_KNOWN */
	size_t known_n;
	const struct view_format *formats; /* [formats_n]: formats of the export menu, see REACT_EXPORT */
	size_t formats_n;
	uint64_t uptime_ns; /* time since the measurement began */
	uint64_t delay_ns;  /* time between refreshes */
	bool raw_names;	    /* names are shown mangled */
	uint64_t utc_ns;    /* Unix time of the snapshot's end; 0: unknown */
	const char *only;   /* the query's filters in words; NULL or "": none */
	bool over;	    /* live: all processes of the target have ended */
	bool ascii;	    /* cyctop's own texts use ASCII only */
	bool for_files;	    /* for CSV and JSON: cells have plain values, and nothing is left out for readability */
	int64_t local_s;    /* local time minus UTC, in seconds */
	/* The timeline: charts of totals in columns of time, planned by view_past_plan(). */
	struct view_past {
		struct stretch extent;		       /* time range of the history */
		uint64_t from_ns, column_ns;	       /* begin of the first column, and duration of each */
		size_t event;			       /* the event whose rate is drawn; EVENTS_MAX: none */
		const struct timeline_column *columns; /* [n]; n 0: there is no room */
		size_t n;
	} past;
	/* Playback position, from the beginning of a recording, and length of the recording; 0: unknown. */
	uint64_t play_at_ns, play_of_ns;
	const struct comparison *comparison; /* comparison of `snap` with a baseline; NULL: there is no baseline */
	/* Unique number of the snapshot, so that a view sorts its sheet only once for it; 0: sheets are not kept. */
	uint64_t snap_id;
};
/* Returns the session's metrics; `in` NULL: the built-in ones. */
static inline const struct metric_set *metrics_of(const struct view_input *in)
{
	return in && in->metrics ? in->metrics : &metrics_builtin;
}

/* ---- cells, and the columns of tables -------------------------------------------- */

struct cell {
	enum cell_kind {
		CELL_ABSENT,
		CELL_U64,
		CELL_BOOL,
		CELL_ADDRESS,
		CELL_PERCENT,
		CELL_RATE,
		CELL_RATIO,
		CELL_TEXT,
		CELL_MARK,
		CELL_CHANGE
	} kind;
	uint64_t u; /* CELL_U64, CELL_BOOL, CELL_ADDRESS */
	/* CELL_PERCENT: fraction, 1 = 100 %; CELL_RATE: per second; CELL_CHANGE: rank of the change, to sort by */
	double v;
	double error;	/* CELL_PERCENT, CELL_RATE: one standard error of v; 0: it is exact */
	bool estimate;	/* CELL_PERCENT: v is an estimate, while other values of the column are exact */
	struct ratio r; /* CELL_RATIO */
	const char *s;	/* CELL_TEXT, CELL_MARK; borrowed from the input */
	bool deleted;	/* CELL_TEXT: the text is followed by " (deleted)" */
	uint64_t addr;	/* CELL_TEXT: address of a function that shares its name with another; 0: the name is unique */
	bool plain;	/* CELL_TEXT: a long text is cut off at its end; false: shortened like a function's name */
	/* CELL_CHANGE, CELL_RATIO: how the value changed since the baseline; NULL: not compared */
	const struct compare_change *change;
};

#define COLUMN_TITLE_MAX 16 /* with its NUL */
struct column {
	/* "share", "ipc", ...: for -s, CSV and JSON; in a column of an event, the event's name */
	const char *id;
	const char *also; /* in an event's column: name of the event's role, which -s accepts, too; or NULL */
	char title[COLUMN_TITLE_MAX]; /* heading; may depend on the session (CYC%, SHARE%) */
	const char *help;	      /* one line, for the help screen and the manual */
	uint8_t width;		      /* in cells; 0: the remaining width */
	uint8_t min;		      /* smallest width on a narrow screen, in cells; 0 in column_table[]: `width` */
	uint8_t priority;	      /* a narrow screen leaves out columns with the highest number first */
	bool right;		      /* aligned to the right */
	bool ascending;		      /* default direction of sorting */
	/* the numbers are estimates with errors; not set in a metric's column, which always has errors */
	bool estimate;
	enum dimension_id dim;	     /* the dimension whose key the column shows; DIM_NONE: it shows no key */
	bool own;		     /* the pivot groups by `dim`, not only by a dimension that implies `dim` */
	bool by_name;		     /* a row sums all facts whose key has the same name */
	const struct metric *metric; /* in a metric's column: the metric */
	bool total;		     /* values are those of row->total: the row with its callees */
	uint32_t event;		     /* in an event's column: the event's index */
	/* in a column of counts: the unit whose count is shown, DIM_CPU, DIM_SOCKET or DIM_NODE */
	enum dimension_id counted_on;
	struct cell (*value)(const struct view_input *in, const struct column *col, const struct row *row);
	/* in a column of errors: value() of the column whose errors these are */
	struct cell (*error_of)(const struct view_input *in, const struct column *col, const struct row *row);
};
#define COLUMNS_MAX 64
struct columns {
	struct column v[COLUMNS_MAX];
	size_t n;
};
/* Lists the columns of a table that this session can fill, in display order; a metric whose events
 * are not open has no column.  `in` NULL: all possible columns, for help, the manual and checking
 * -s; of single events, only those with a role have columns.  The result points into in->info. */
void view_columns(const struct view_input *in, const struct pivot_query *query, struct columns *ret);
/* The tables whose columns help and manual list and -s accepts.  The last table has the keys of all
 * dimensions that the other tables lack. */
extern const struct pivot_query view_tables[];
extern const size_t view_tables_n;
/* Returns the name of what shares are parts of: "cycles", "busy time", or the name of the first event. */
const char *view_share_of(const struct view_input *in);
/* Lists the columns of a table in CSV and JSON, for an `in` with for_files set.  The samples, weights
 * and metrics of each event are separate fields. */
void view_file_columns(const struct view_input *in, const struct pivot_query *query, struct columns *ret);
/* Finds the column with this id or, if there is none, with this `also`; NULL: neither is found. */
const struct column *view_column_find(const struct columns *cols, const char *id);
/* Returns the id of the column that the user calls `word`.  Tries the column's id, its heading ("CPU%"), then the id
 * and heading of its dimension; all of them first with, then without regard to case.  NULL: no table has such a
 * column.  `in` NULL: columns of events are not searched. */
const char *view_column_id(const struct view_input *in, const struct pivot_query *tables, size_t n, const char *word);

/* Returns a sentence, without full stop, if samples show that the recording was made in a pid namespace, although its
 * source_info does not say so; otherwise NULL. */
const char *view_namespace_note(const struct view_input *in);

/* Lists in ret[EVENTS_MAX] the events whose names begin with `word`, in any case; if there are none, the events whose
 * names contain `word`.  "/s" at the end of `word`, as in headings, is ignored.  Returns their number. */
size_t view_events_like(const struct view_input *in, const char *word, const char **ret);

/* ---- sheet: the rows of a table, filtered and sorted -------------------------------- */

struct sheet_query {
	const struct pivot *pivot;
	const char *sort;   /* column id; NULL, "" or unknown: the default of the table */
	bool reverse;	    /* sorts against the default direction of the column */
	const char *filter; /* keep rows that match, see text_matches(); NULL: keep all rows */
	/* Makes the sheet a tree, with rows below their parents; the pivot must have trees.  Rows with these ids are
	 * folded: their lines sum all rows below them.  NULL: no tree. */
	const struct row_ids *folded;
};
/* A set of ids of rows. */
struct row_ids {
	uint64_t *ids;
	size_t n, cap;
};
/* The place of a row in a tree. */
struct branch {
	uint32_t depth;
	uint64_t more; /* bit d: the row's ancestor of depth d has a later sibling, so a line to it is drawn */
	bool folded;   /* rows below this row are summed in its line */
};
/* Rows of a table in the order of display.  A report without a column to sort by keeps the order of its pivot. */
struct sheet {
	const struct row **rows;
	size_t n;
	struct branch *branches; /* [n]; NULL: no tree */
};
struct sheet *sheet_create(const struct view_input *in, const struct sheet_query *query);
void sheet_destroy(struct sheet *s);
/* Returns true if `text` contains one of the parts of `wanted` ("a|b"), or matches its regular expression ("/^a.*b/"),
 * in any case.  An empty `wanted` matches everything, a wrong expression nothing. */
bool text_matches(const char *text, const char *wanted);
/* Returns true if `wanted` is a regular expression with a mistake, which *why explains. */
bool view_filter_is_wrong(const char *wanted, char *why, size_t cap);
/* Returns a symbol's text, the same in every table: its name, demangled unless the user wants mangled
 * names, "reading symbols …", or a text for a symbol without a name.  NULL: there is no such symbol. */
const char *view_symbol_name(const struct view_input *in, uint32_t sym);
/* Appends the function of a context as call chains show it, without control characters: "memcpy", or "[libfoo.so]" for
 * a function without a name. */
void view_function_text(const struct view_input *in, uint32_t ctx, struct strbuf *ret);
/* Appends the functions of a call chain, the outermost first: "main;work;memcpy". */
void view_chain_text(const struct view_input *in, uint32_t ctx, struct strbuf *ret);
/* A DSO in which code without a name was sampled, and the share (0..1) of samples in such code. */
struct nameless {
	uint32_t dso;
	double share;
};
/* Lists up to `max` DSOs with at least 1 % of samples in code without a name, the largest share first; returns their
 * number. */
size_t view_nameless(const struct pivot *pivot, const struct catalog *cat, struct nameless *ret, size_t max);
/* Returns true if the cell's error is at most 20 % of its number, or the number is exact. */
bool cell_supported(const struct cell *cell);
/* Writes a cell as text, without padding, for the screen and text output.  An absent value is "-"; a
 * number that is not supported by its samples is "~1.2". */
enum cell_flag {
	CELL_WITH_ERROR = 1, /* 1.23±0.05 */
	CELL_ASCII = 2,	     /* 1.23+-0.05 */
};
void cell_format(const struct column *col, const struct cell *cell, unsigned flags, char *buf, size_t cap);
/* Writes the rate of an event, as counted: "4.19G/s", "12.50 W"; "-/s": unknown. */
void view_rate_text(const struct view_input *in, size_t event, char *buf, size_t cap);
/* Returns the suffix of a cell's text, at most `width` cells wide if possible: " (deleted)", or the address of a
 * function that shares its name with another, " @0x1149"; "": none. */
enum { CELL_MARK_CHARS = 32 };
const char *cell_mark(const struct cell *cell, int width, char buf[static CELL_MARK_CHARS]);
/* Demangles the names of all rows before the first name is shown, to find functions that share a demangled name
 * (sym_info.alike): their address is shown after the name. */
void view_name_rows(const struct view_input *in, const struct column *col, const struct row *const *rows, size_t n);

/* ---- grid: the cells of the screen --------------------------------------------------- */

enum style { /* what a cell of the screen means; room front chooses colours and attributes */
	     STYLE_NORMAL,
	     STYLE_DIM, /* values that are missing, or not supported by their samples; secondary texts */
	     STYLE_STRONG,
	     STYLE_TITLE,  /* pane headings */
	     STYLE_SORTED, /* heading of the sort column */
	     STYLE_SELECTED,
	     STYLE_SELECTED_DIM,
	     STYLE_KERNEL,
	     STYLE_GOOD,
	     STYLE_WARN,
	     STYLE_BAD,
	     STYLE_KEY, /* a key name in the footer or help */
	     STYLE_BAR,
	     STYLE_HEAT1, /* boxes of the flame view, from cool to hot */
	     STYLE_HEAT2,
	     STYLE_HEAT3,
	     STYLE_HEAT4,
	     STYLE_FLAT, /* a box of the flame view whose value did not change */
	     STYLE_COUNT,
};
struct glyph {
	uint32_t ch; /* Unicode; 0: the right half of a wide character */
	uint8_t style;
};
struct grid {
	int rows, cols;
	struct glyph *cells; /* [row * cols + col] */
};
struct grid *grid_create(int rows, int cols);
void grid_destroy(struct grid *g);
void grid_clear(struct grid *g);
/* Writes UTF-8 text into cells [col, col + width) of a row, clipped to them and to the grid.
 * Invalid bytes and control characters become '?'.  Returns the number of cells that were written. */
int grid_put(struct grid *g, int row, int col, int width, enum style style, const char *text);

/* ---- the state of the screen, and what keys do ------------------------------------------- */

/* The purpose of the line that is being typed at the bottom of the screen. */
enum input_mode { MODE_NORMAL, MODE_SEARCH, MODE_FILTER, MODE_DELAY, MODE_TIME };

enum { FILTER_MAX = 64 /* bytes */ };
struct view_ops; /* the kind of a view, see src/view/screen.h */
/* An open view: a table, the help, a panel, a menu. */
struct view {
	const struct view_ops *ops;
	size_t cursor; /* index of the selected row */
	size_t top;    /* index of the first row on the screen */
	bool whole;    /* a panel that covers the screen, to show all of its text */
	/* Members for tables: */
	struct pivot_query pivot; /* dimension of the rows, and the filters of the zooms */
	char sort[64];		  /* column id; "": the table's default */
	bool reverse;
	int scroll;		 /* number of cells by which long names are scrolled to the left */
	char filter[FILTER_MAX]; /* see sheet_query; "": none */
	uint64_t selected;	 /* id of the selected row; 0: always the first row */
	bool reveal;		 /* the user moved the selection: view_draw() scrolls to it */
	int rows;		 /* number of the table's rows for which the last view_draw() had room */
	struct row_ids folded;	 /* rows of a tree whose descendants are hidden */
	struct sheet *sheet;	 /* kept until sheet_version changes; owned, may be NULL */
	uint64_t sheet_version;	 /* hash of snapshot, pivot, order and filter of the sheet */
	/* In the flame view: id of the row whose box is as wide as the screen (0: all rows); and what the colours
	 * show. */
	uint64_t flame_root;
	enum flame_colours { FLAME_BY_SHARE, FLAME_BY_IPC, FLAME_BY_CHANGE } colours;
	size_t flame_event; /* 1 + the event whose weights are the widths of boxes; 0: the primary event */
	/* In the pane of a command's output: if `held`, the pane shows the file at this offset instead of its end. */
	uint64_t offset;
	bool held;
	bool bytes; /* in the view of a function's instructions: shows the bytes of each instruction */
};

/* A zoom into a row: all panes of other dimensions show only facts with the row's key. */
struct zoom {
	struct filter filter;
	char name[128];				  /* name of the key when the zoom began: "process 17 bash" */
	uint64_t selected;			  /* id of the row that was zoomed into */
	enum dimension_id dim_before, dim_within; /* pane's dimension before and in the zoom; DIM_NONE: no change */
	/* dimension of the pane that the zoom made show callers, before the zoom; DIM_NONE: no such pane */
	enum dimension_id callers_dim_before;
};

struct keymap;
struct view_state {
	const struct keymap *keys;	  /* screen_keys */
	const struct field_names *fields; /* fields of tracepoints that are dimensions; NULL: none */
	struct view views[VIEWS_MAX];	  /* the panes among them are in the order of Tab */
	int views_n;
	int focus;		      /* index of the pane that keys act on */
	int last;		      /* index of the pane in the last place on the screen, if not all panes fit */
	int panes;		      /* number of panes to show if there is room */
	struct query query;	      /* window and hidden parts; view_pivots() lists its pivots */
	struct zoom zooms[DIM_COUNT]; /* innermost last; at most one for each dimension */
	int zooms_n;
	enum input_mode mode;
	char input[64];	      /* the line that is being typed */
	char search[64];      /* the last text searched for */
	uint64_t search_from; /* id of the row selected before the search, restored by Esc */
	bool frozen, show_error, ascii;
	bool chains;		      /* samples are distinguished by call chains */
	bool relative;		      /* shares refer to the rows of a pane: pivot_query.relative */
	bool raw_names;		      /* see view_input.raw_names */
	uint32_t fetch_dso;	      /* see REACT_FETCH */
	char event[128];	      /* see REACT_EVENT */
	uint64_t rate_hz;	      /* see REACT_RATE */
	size_t exported;	      /* see REACT_EXPORT */
	struct catalog_ref annotated; /* see REACT_ANNOTATE */
	struct catalog_ref watched;   /* see view_watched() */
	struct view_probe_wish {
		char function[512]; /* in the syntax of `cyctop probe` */
		char events[128];   /* events to count in each call, in the same syntax; "": none */
		uint32_t pid;	    /* 0: in all processes */
		/* The screen has explained what a probe does; the user has confirmed the probe; the user has insisted,
		 * after the probe was refused as too expensive. */
		enum view_probe_stage { PROBE_EXPLAINED, PROBE_CONFIRMED, PROBE_FORCED } stage;
	} probe; /* see view_wants_probe() */
	/* process for which the screen has explained what the key F does; the user has not confirmed it yet */
	struct catalog_ref ask_explained;
	struct catalog_ref asked;	   /* with REACT_ASK: process that is to be asked for the names of its code */
	bool notice_seen;		   /* info->notice was on the screen until a key was pressed */
	char message[480];		   /* shown instead of the footer until the next key, or for 10 s */
	uint64_t message_hash, message_ns; /* hash of the message, and when view_elapsed() first saw it */
	uint64_t delay_ns;
	/* Unit in which values are compared with a baseline. */
	enum diff_unit unit;
	struct { /* playback of a recording, see REACT_PLAY */
		bool paused;
		double speed;	/* recorded seconds per second; 0: all at once */
		bool seek;	/* go to `to_ns`; the caller sets it to false */
		uint64_t to_ns; /* time after the beginning of the recording; UINT64_MAX: its end */
	} play;
};
void view_state_init(struct view_state *st, const struct view_input *in);
void view_state_deinit(struct view_state *st);
/* Returns true while st->probe.function is to be probed: the probe's panel is open, and the user has confirmed it. */
bool view_wants_probe(struct view_state *st);
/* Returns the pid of the process whose threads view_input.threads should list; 0: none. */
uint32_t view_watched(struct view_state *st, const struct view_input *in);
/* Lists the pivots of all open panes; returns their number. */
size_t view_pivots(const struct view_state *st, struct pivot_query ret[VIEWS_MAX]);
/* Makes the open view of instructions show another function, of the build that runs now. */
void view_annotate(struct view_state *st, const struct view_input *in, uint32_t sym);
/* Returns the pivot for the export of call chains: rows by command and call chain, within all zooms. */
struct pivot_query view_export_chains(const struct view_state *st);
/* Returns the pane whose rows are exported: the focused pane or, if it has no table, the first pane that has one. */
const struct view *view_export_pane(const struct view_state *st);
/* Lists the pivots of those panes that the screen shows now; returns their number. */
size_t view_shown_pivots(const struct view_state *st, struct pivot_query ret[VIEWS_MAX]);
/* Sets the sort column of a pane, if the pane has that column, and the filter.  `sort` or `filter` NULL: no change. */
void view_pane_set(struct view *v, const struct view_input *in, const char *sort, bool reverse, const char *filter);
/* Adds the pane that shows view_input.output. */
void view_add_output(struct view_state *st);
/* Appends a line of a command's output as a terminal would show it, without escape sequences and control characters. */
void output_line(const char *s, size_t n, struct strbuf *ret);
/* Switches all panes of processes to threads or back.  Returns false if no pane shows processes or threads. */
bool view_by_thread(struct view_state *st, bool threads);

/* Codes of keys without a character; a character's code is its Unicode number. */
enum key {
	KEY_CYC_BASE = 0x200000,
	KEY_CYC_UP,
	KEY_CYC_DOWN,
	KEY_CYC_LEFT,
	KEY_CYC_RIGHT,
	KEY_CYC_PGUP,
	KEY_CYC_PGDN,
	KEY_CYC_HOME,
	KEY_CYC_END,
	KEY_CYC_TAB,
	KEY_CYC_BACKTAB,
	KEY_CYC_ENTER,
	KEY_CYC_ESC,
	KEY_CYC_BACKSPACE,
	KEY_CYC_F1,
	KEY_CYC_F2,
	KEY_CYC_F3,
	KEY_CYC_F4,
	KEY_CYC_F5,
	KEY_CYC_F6,
	KEY_CYC_F7,
	KEY_CYC_F8,
	KEY_CYC_F9,
	KEY_CYC_F10,
	KEY_CYC_RESIZE,
	KEY_CYC_MOUSE,
	KEY_CYC_CTRL_L,
};
struct input_event {
	uint32_t key;
	int row, col; /* KEY_CYC_MOUSE: the cell that was clicked */
	bool wheel_up, wheel_down, double_click;
};

/* What the caller must do after a key; bits that may be combined. */
enum reaction {
	REACT_NONE = 0,
	REACT_REDRAW = 1 << 0,	  /* draw again */
	REACT_QUERY = 1 << 1,	  /* take a new snapshot of the same facts, because the query changed */
	REACT_DELAY = 1 << 2,	  /* use the new st->delay_ns */
	REACT_RESET = 1 << 3,	  /* forget all measurements */
	REACT_QUIT = 1 << 4,	  /* end the program */
	REACT_REPAINT = 1 << 5,	  /* draw every cell of the terminal again */
	REACT_PLAY = 1 << 6,	  /* change the playback of the recording as st->play says */
	REACT_WRITE = 1 << 7,	  /* write the records in memory to a recording */
	REACT_PRINT = 1 << 9,	  /* write the tables to a text file */
	REACT_FETCH = 1 << 8,	  /* download the names of st->fetch_dso; CATALOG_NONE: cancel */
	REACT_MARK = 1 << 10,	  /* make what is shown the baseline of a comparison */
	REACT_UNMARK = 1 << 11,	  /* end the comparison */
	REACT_SAVE = 1 << 12,	  /* write what is shown as a snapshot */
	REACT_ASK = 1 << 13,	  /* ask the process st->asked for the names of its code */
	REACT_KNOWN = 1 << 15,	  /* fill in view_input.known, if it is empty */
	REACT_CHAINS = 1 << 18,	  /* switch call chains on or off, as st->chains says */
	REACT_ANNOTATE = 1 << 19, /* count the samples of function st->annotated by address, and read its code */
	REACT_RATE = 1 << 17,	  /* sample st->rate_hz times a second */
	REACT_EVENT = 1 << 16,	  /* measure st->event, or stop measuring it */
	REACT_EXPORT = 1 << 20,	  /* write what is shown in view_input.formats[st->exported] */
	/* two states are measured in turn: end the turn of the present state, begin a turn of the other state */
	REACT_TURN = 1 << 14,
};
unsigned view_key(struct view_state *st, const struct view_input *in, const struct grid *g,
		  const struct input_event *ev);
/* Removes a notice or message that was on the screen for a while.  `ns`: time since the screen was opened.  Returns
 * true if the screen must be drawn again. */
bool view_elapsed(struct view_state *st, uint64_t ns);

struct press;
/* A key binding.  Footer, help and manual are generated from all bindings. */
struct binding {
	uint32_t keys[4];   /* key codes, ended by 0 unless there are four */
	const char *names;  /* "h F1" */
	const char *footer; /* one word for the footer; NULL: not in the footer */
	const char *help;
	unsigned (*run)(const struct press *p); /* NULL: the key opens and closes `opens` */
	const struct view_ops *opens;		/* NULL, with run NULL: the key only returns `asks` */
	unsigned asks;				/* enum reaction */
	bool of_table; /* the key acts on a table, and does nothing in a pane without a table */
};
extern const struct keymap screen_keys;
/* Key binding number `i`, in the order of the footer; NULL: there are no more. */
const struct binding *binding_at(const struct keymap *keys, size_t i);

/* Writes a time range, "12:01:10 to 12:01:40"; for a recording, times since its beginning.  in->past.extent must be
 * known. */
void view_stretch_text(const struct view_input *in, uint64_t from_ns, uint64_t to_ns, char *buf, size_t cap);
/* Plans the columns of the timeline for a screen of this size; in->past.extent must be known. */
void view_past_plan(struct view_state *st, const struct view_input *in, int rows, int cols, struct view_past *ret);
/* Draws the screen at any size.  Changes only the cursors and scroll positions in `st`, because
 * a selection follows its row. */
void view_draw(struct view_state *st, const struct view_input *in, struct grid *g);

/* Writes the trust line (how reliable the numbers are) as text, the most important item first. */
void trust_line(const struct view_input *in, char *buf, size_t cap);

/* Writes how many samples of the window were lost, and what helps; returns false if hardly any were lost. */
bool view_lost_text(const struct view_input *in, char *buf, size_t cap);
/* Writes which events had no counter at any time of the window, why, and what helps; returns false if all had. */
bool view_uncounted_text(const struct view_input *in, char *buf, size_t cap);
/* Lists events that could not be opened, by reason.  Returns the first event from index `e` on whose reason no earlier
 * event has (info->events_n: there is none), and writes to `names` all events with this reason. */
size_t view_missing_events(const struct source_info *info, size_t e, char *names, size_t cap);

/* Returns the text of the help that is the same in every session: keys, columns, trust line.
 * The caller frees it. */
char *help_text(const struct keymap *keys);

#endif
