/* Room view: snapshot -> sheet -> grid, and keys -> actions.  Pure: the terminal
 * is somebody else's.
 *
 * sheet: typed, filtered, sorted cells; what text, CSV, JSON and the screen share.
 * grid:  styled character cells; what a terminal shows. */
#ifndef CYCTOP_VIEW_H
#define CYCTOP_VIEW_H

#include <cyctop/base.h>
#include <cyctop/catalog.h>
#include <cyctop/model.h>
#include <cyctop/source.h>

/* ---- what every view is made from ------------------------------------------------ */

struct view_input {
	const struct snapshot *snap;
	const struct catalog *cat;
	const struct source_info *info;
	const enum event_role *roles; /* [snap->events_n] */
	/* Names that cost something, made only for what is shown. */
	const char *(*pretty)(void *ctx, uint32_t sym);
	const char *(*user)(void *ctx, uint32_t uid);
	void *ctx;
	const char *(*origin)(enum sym_origin origin); /* origin_text(); NULL: nobody tells */
	bool demangler;				       /* `pretty` can do more than repeat the raw name */
	struct view_fetch {
		bool possible; /* the key is worth mentioning */
		bool running;
		const char *name;     /* of the DSO whose names are being fetched */
		uint64_t done, total; /* bytes; total 0: not known yet */
	} fetch;
	uint64_t uptime_ns; /* of the measurement */
	uint64_t delay_ns;
	bool by_thread; /* as in the query the snapshot was made with */
	bool raw_names; /* as the linker knows them, not demangled */
	bool over;	/* of a live source: all that was measured has ended */
	bool ascii;	/* our own words without characters beyond ASCII */
	/* Of a recording: recorded time since its begin, and its length (0: not known). */
	uint64_t play_at_ns, play_of_ns;
	const struct report *report; /* batch: printed in place of the tables; NULL: none */
};

/* ---- columns: one table row each ------------------------------------------------- */

enum pane { PANE_SYMBOLS, PANE_TASKS, PANE_CPUS, PANE_COUNT };

struct cell {
	enum cell_kind { CELL_ABSENT, CELL_U64, CELL_PERCENT, CELL_RATE, CELL_RATIO, CELL_TEXT, CELL_MARK } kind;
	uint64_t u;	/* CELL_U64 */
	double v;	/* CELL_PERCENT: fraction, 1 = 100 %; CELL_RATE: per second */
	struct ratio r; /* CELL_RATIO */
	const char *s;	/* CELL_TEXT, CELL_MARK; borrowed from the input */
	bool deleted;	/* CELL_TEXT: " (deleted)" belongs behind it */
};

struct column {
	const char *id;		     /* "share", "ipc", ...: for -s and the machine forms;
			      * of an event's column the event's name */
	char title[16];		     /* heading; may depend on the session (CYC%, TIME%) */
	const char *help;	     /* one line, for the help screen and the manual */
	uint8_t width;		     /* cells; 0: takes what is left */
	uint8_t min;		     /* cells it can do with on a narrow screen */
	uint8_t priority;	     /* 0 stays longest on a narrow screen */
	bool right;		     /* aligned */
	bool ascending;		     /* natural first direction of sorting */
	uint8_t panes;		     /* bit per enum pane */
	const struct metric *metric; /* of a metric column */
	uint32_t event;		     /* of an event's column */
	struct cell (*value)(const struct view_input *in, const struct column *col, const struct row *row);
};
#define COLUMNS_MAX 64
struct columns {
	struct column v[COLUMNS_MAX];
	size_t n;
};
/* The columns of a pane that this session can fill, in display order; a metric
 * whose events are not open has no column.  `in` NULL: every column there can be
 * (help, the manual, checking -s), but for those of single events.  Holds
 * pointers into in->info. */
void view_columns(enum pane pane, const struct view_input *in, struct columns *ret);
/* NULL: there is no such column. */
const struct column *view_column_find(const struct columns *cols, const char *id);

/* ---- sheet ------------------------------------------------------------------------ */

struct sheet_query {
	enum pane pane;
	const char *sort;   /* column id; NULL, "" or unknown: the pane's default */
	bool reverse;	    /* against the column's natural direction */
	const char *filter; /* keep rows whose text has it; '|' = or; NULL */
};
struct sheet {
	enum pane pane;
	const struct row **rows; /* sorted; ties broken by the row's identity */
	size_t n;
};
struct sheet *sheet_create(const struct view_input *in, const struct sheet_query *query);
/* All rows of any table, by that column; ties, and NULL, keep the table's order.  The
 * sheet's pane means nothing. */
struct sheet *sheet_of_table(const struct view_input *in, const struct table *table, const struct column *col,
			     bool reverse);
void sheet_destroy(struct sheet *s);
/* What a symbol is called, in every table: its name as it is to be shown, "reading
 * symbols …", or what stands for a name.  NULL: there is no such symbol. */
const char *view_symbol_name(const struct view_input *in, uint32_t sym);
/* The DSOs with the most code that has no name, by its share and from a hundredth on;
 * returns how many. */
struct nameless {
	uint32_t dso;
	double share;
};
size_t view_nameless(const struct table *table, const struct catalog *cat, struct nameless *ret, size_t max);
/* Identity of a row that survives re-sorting and refreshes. */
uint64_t sheet_row_id(enum pane pane, const struct row *row);
/* A cell as text, without padding: what screen and text batch print.  Absent is
 * "-", a ratio its samples do not carry is "~1.2". */
enum cell_flag {
	CELL_WITH_ERROR = 1, /* 1.23±0.05 */
	CELL_ASCII = 2,	     /* 1.23+-0.05 */
};
void cell_format(const struct column *col, const struct cell *cell, unsigned flags, char *buf, size_t cap);

/* ---- grid --------------------------------------------------------------------------- */

enum style { /* what a cell means; the front decides how it looks */
	     STYLE_NORMAL,
	     STYLE_DIM, /* unsupported, absent, secondary */
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
/* UTF-8; invalid bytes and control characters become '?'; clipped to [col,
 * col + width); returns the cells used. */
int grid_put(struct grid *g, int row, int col, int width, enum style style, const char *text);
/* The grid as lines of text (tests, screenshots); malloc'ed. */
char *grid_text(const struct grid *g);

/* ---- state and actions ----------------------------------------------------------------- */

enum input_mode { MODE_NORMAL, MODE_SEARCH, MODE_FILTER, MODE_DELAY, MODE_HELP };

struct pane_state {
	char sort[64]; /* column id; "": the pane's default */
	bool reverse;
	uint64_t selected; /* sheet_row_id(); 0: the first row */
	size_t cursor;	   /* where it is in the sheet, kept when the row is gone */
	size_t top;	   /* first row shown */
	char filter[64];   /* see sheet_query; "": none */
};

struct view_state {
	enum pane focus;
	bool show_cpus; /* below Symbols: CPUs, not Tasks */
	struct pane_state panes[PANE_COUNT];
	struct query query; /* window, zoom, hidden parts */
	uint32_t zoom[8];   /* what Esc undoes: ZOOM_TASK or ZOOM_SYM, innermost last */
	int zoom_n;
	enum input_mode mode;
	char input[64]; /* the line being typed */
	char search[64];
	uint64_t search_from; /* what was selected when the search began, for Esc */
	bool frozen, show_error, ascii;
	bool raw_names;	    /* see view_input */
	uint32_t fetch_dso; /* see REACT_FETCH */
	bool why;	    /* the panel that says where the selected row's name comes from */
	bool notice_seen;   /* a key was pressed: info->notice need not cover rows */
	int help_top;
	char message[320]; /* in the footer's place, until the next key */
	uint64_t delay_ns;
	struct { /* of a recording; see REACT_PLAY */
		bool paused;
		double speed;	 /* recorded seconds a second; 0: all at once */
		int64_t seek_ns; /* wanted change of the position; the caller zeroes it */
	} play;
};
enum { ZOOM_TASK = 1, ZOOM_SYM = 2 };
void view_state_init(struct view_state *st, const struct view_input *in);

/* Key codes: Unicode for characters, these for the rest. */
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
	KEY_CYC_F3 = KEY_CYC_F1 + 2,
	KEY_CYC_F4,
	KEY_CYC_F10 = KEY_CYC_F1 + 9,
	KEY_CYC_RESIZE,
	KEY_CYC_MOUSE,
	KEY_CYC_CTRL_L,
};
struct input_event {
	uint32_t key;
	int row, col; /* of a mouse event */
	bool wheel_up, wheel_down, double_click;
};

/* What the caller must do after a key. */
enum reaction {
	REACT_NONE = 0,
	REACT_REDRAW = 1 << 0, /* same data, drawn anew */
	REACT_QUERY = 1 << 1,  /* a new snapshot of the same facts */
	REACT_DELAY = 1 << 2,  /* st->delay_ns changed */
	REACT_RESET = 1 << 3,  /* start over */
	REACT_QUIT = 1 << 4,
	REACT_WRITE = 1 << 7,	/* what is in memory becomes a recording */
	REACT_PLAY = 1 << 6,	/* st->play changed */
	REACT_FETCH = 1 << 8,	/* fetch the names of st->fetch_dso; CATALOG_NONE: no longer */
	REACT_REPAINT = 1 << 5, /* the terminal must be painted from scratch */
};
unsigned view_key(struct view_state *st, const struct view_input *in, const struct grid *g,
		  const struct input_event *ev);

struct binding {	    /* one row: binding, footer, help and manual */
	uint32_t keys[4];   /* 0-terminated unless full */
	const char *names;  /* "h F1" */
	const char *footer; /* short word for the footer, or NULL */
	const char *help;
	unsigned (*run)(struct view_state *st, const struct view_input *in, const struct grid *g,
			const struct input_event *ev);
};
extern const struct binding bindings[];
extern const size_t bindings_n;

/* Draws the whole screen, from 1x1 up.  Updates only the scroll positions and
 * cursors of `st` (the selection follows its row). */
void view_draw(struct view_state *st, const struct view_input *in, struct grid *g);

/* The trust line's parts, most important first; used by the screen and by text
 * batch. */
void trust_line(const struct view_input *in, char *buf, size_t cap);

/* The help screen's text, also for the manual: columns, keys, trust line. */
char *help_text(void); /* malloc'ed */

#endif
