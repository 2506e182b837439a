/* Room front: writes sheets and grids to the terminal and to files. */
#ifndef CYCTOP_FRONT_H
#define CYCTOP_FRONT_H

#include <cyctop/code.h>
#include <cyctop/comparison.h>
#include <cyctop/counted.h>
#include <cyctop/diff.h>
#include <cyctop/view.h>
#include <stdio.h>

/* ---- curses: the only user of ncurses ---------------------------------------------- */

struct screen_config {
	bool color; /* false: NO_COLOR, --color=never, or a terminal without colours */
	bool mouse;
	bool ascii;
	int stop_fd; /* polls readable when the user wants to leave, even if the terminal is stuck; -1: none */
};
struct screen;
/* Takes over the terminal.  screen_close() restores it; so does screen_restore(), which is
 * async-signal-safe, for signal handlers. */
CYC_MUST_CHECK int screen_open(const struct screen_config *config, struct screen **ret, struct error *err);
void screen_close(struct screen *s);
void screen_restore(void);
void screen_size(const struct screen *s, int *rows_ret, int *cols_ret);
/* Returns the terminal type that is used because the type in TERM is unknown; NULL: TERM is known. */
const char *screen_guess(const struct screen *s);
/* Returns true to draw ASCII characters only, because the user asked for it or the locale is not UTF-8. */
bool screen_ascii(const struct screen *s);
/* Returns the fd to poll for keys.  POLLIN: there is input; POLLHUP: the terminal is gone. */
int screen_fd(const struct screen *s);
/* Returns true if the terminal could not be read or written at the last try. */
bool screen_gone(const struct screen *s);
/* Updates the terminal: writes the cells in which the grid differs from what the terminal shows. */
void screen_blit(struct screen *s, const struct grid *g);
/* Ctrl-L: makes the next blit write every cell, because another program may have drawn on the
 * terminal. */
void screen_repaint(struct screen *s);
/* Call screen_resized() after SIGWINCH, screen_suspend() before the process stops (SIGTSTP), screen_resume() after
 * SIGCONT. */
void screen_resized(struct screen *s);
void screen_suspend(struct screen *s);
void screen_resume(struct screen *s);
/* Reads one key or mouse event; false: there is none now. */
bool screen_input(struct screen *s, struct input_event *ret);

/* ---- writing tables and comparisons to files --------------------------------------------- */

struct batch_config {
	size_t tables;	  /* print the first `tables` pivots of each snapshot; CSV: only the first */
	size_t top;	  /* maximum rows per table; 0: all */
	const char *sort; /* column id, or NULL */
	bool reverse, show_error;
	bool counts;	    /* also print the count of each event, when the measured run is over */
	const char *filter; /* see struct sheet_query */
};
/* A comparison to print. */
struct diff_output {
	const struct diff *diff;
	const struct diff_about *about; /* [DIFF_SIDES] */
	const size_t *event;		/* [DIFF_SIDES]: index of the compared event in about[side].events */
	const char *per;		/* the event of DIFF_UNIT_EVENT; NULL with another unit */
	const struct diff_notes *notes;
	double fdr, min_change;		    /* limits for changes to be called real (--fdr, --min-change); fractions */
	const struct diff_row *const *rows; /* [rows_n]: the rows to print */
	size_t rows_n, more;		    /* more: rows left out by the limit on their number */
};
/* A run of a command that failed; side DIFF_BEFORE is command A, DIFF_AFTER is B. */
struct runs_failure {
	enum diff_side side;
	size_t run;	    /* number of the run, from 1 on; 0: the first run, to warm up */
	int status, signal; /* exit status, or the signal that ended the run; the other is 0 */
};
/* A comparison of the runs of two commands, to print. */
struct runs_output {
	char *const *commands[DIFF_SIDES]; /* as argv */
	size_t asked, pairs;		   /* pairs of runs that were asked for, and in which both runs succeeded */
	uint64_t seed;			   /* seed of the random order of runs */
	const struct runs_failure *failures;
	size_t failures_n;
	const struct runs_outlier *outliers; /* in the order of the runs of A, then of B */
	size_t outliers_n;
	const char *kept; /* directory with the output of runs that failed; NULL: no run failed */
	const struct runs_metric *metrics;
	size_t metrics_n;
	struct compare_summary summary; /* of the metrics */
	const struct diff_notes *notes;
	double fdr, min_change; /* as in struct diff_output */
	/* Events or seconds of a run, by function; all rows add up to the whole run.  NULL: unknown. */
	const struct diff *functions;
	const char *event;
	enum runs_unit unit;
	const struct diff_row *const *rows; /* [functions->n], the largest difference first */
	size_t top;			    /* number of rows to print; 0: all */
};
/* An event whose weights are printed beside instructions. */
struct annotate_event {
	const char *name;
	double all; /* the event's weight in all functions of the recording; 0: unknown */
};
/* A function in a recording. */
struct annotate_side {
	const char *dso, *symbol;
	const struct function_code *code;
	const struct code_listing *listing;
	const struct annotate_event *events; /* [annotate_output.events_n], in the order of the listing */
};
/* The same function in the baseline, and how the shares of its instructions changed. */
struct annotate_changes {
	struct annotate_side before;
	bool same; /* both sides ran the same build of the file */
	struct code_pairs pairs;
	struct code_change *changes; /* [pairs.n * events_n]: changes in the first event, then in the next */
	size_t real;		     /* number of changes with code_change.real */
	double fdr;
};
/* The instructions of a function to print. */
struct annotate_output {
	struct annotate_side of;
	size_t events_n;
	const struct annotate_changes *changes; /* NULL: no comparison */
	/* 1 + index of the event that counts taken branches; the next event counts mispredicted branches; 0: none */
	size_t branches;
	bool bytes; /* text output shows the bytes of each instruction */
	const struct diff_notes *notes;
};
/* An output format, a row of batch_formats[]. */
struct batch_format {
	const char *name; /* "text", "csv", "json" */
	const char *help;
	const char *why;    /* which library of the format this build lacks; NULL: none */
	bool one_table;	    /* prints only the first pivot, and a comparison without its notes */
	bool snapshot;	    /* snapshot_write() writes one file at the end, instead of refresh() */
	bool errors_always; /* prints errors of ratios also without show_error */
	/* Called once, before the first refresh, for example to write a CSV header; may be NULL. */
	void (*begin)(FILE *out, const struct view_input *in, const struct batch_config *config);
	/* Writes call chains; the rows of `pivot` are commands and call chains, by name.  NULL: the format cannot hold
	 * call chains. */
	void (*chains)(FILE *out, const struct view_input *in, const struct pivot *pivot,
		       const struct batch_config *config);
	/* Extension of files that the key E writes; NULL: the key does not offer the format. */
	const char *extension;
	const char *opened; /* which programs open such a file, as the end of a sentence */
	bool binary;	    /* the output is not text */
	bool document;	    /* the output is one document, so that only one refresh can be written */
	/* Writes the tables of one refresh; NULL: the format is for snapshots or call chains. */
	void (*refresh)(FILE *out, const struct view_input *in, const struct batch_config *config);
	/* Writes a comparison.  diff() and each function below is NULL if the format cannot hold such data. */
	void (*diff)(FILE *out, const struct diff_output *o);
	/* Writes a comparison of runs. */
	void (*runs)(FILE *out, const struct runs_output *o);
	/* Write counted calls, and a comparison of them. */
	void (*calls)(FILE *out, const struct calls_output *o);
	void (*calls_diff)(FILE *out, const struct calls_diff_output *o);
	/* Writes the instructions of a function. */
	void (*annotate)(FILE *out, const struct annotate_output *o);
};
/* Write counted calls: as a graph for graphviz; as a table; as a tree; as a list of each function with its callers and
 * callees; as histograms of the times of each function's calls. */
void calls_dot(FILE *out, const struct calls_output *o);
void calls_text(FILE *out, const struct calls_output *o);
void calls_tree(FILE *out, const struct calls_output *o);
void calls_callers(FILE *out, const struct calls_output *o);
void calls_histogram(FILE *out, const struct calls_output *o);
extern const struct batch_format batch_formats[];
extern const size_t batch_formats_n;
const struct batch_format *batch_format_find(const char *name); /* NULL: there is none */

/* ---- snapshot files, which hold one side of a comparison: doc/batch-format.md ---------------- */

/* Writes a snapshot file.  `builds`: build-ids of the files that rows belong to.  Returns 0 or -errno; snapshot_write()
 * and snapshot_read() return -ENOSYS if this build of cyctop lacks a library, which *err names. */
CYC_MUST_CHECK int snapshot_write(FILE *out, const struct diff_about *about, const struct diff_builds *builds,
				  const struct diff_table *t, struct error *err);
/* Returns true if the bytes begin like a snapshot file, not like a recording. */
bool snapshot_is(const char *bytes, size_t n);
/* Reads a snapshot file, which may be damaged or malicious.  `name` is for errors; *about_ret borrows it.  The
 * caller frees *builds_ret and destroys *ret.  -EINVAL: the file is damaged, *err says where and why; -EFBIG: it is
 * too large. */
CYC_MUST_CHECK int snapshot_read(const char *name, const char *bytes, size_t n, struct diff_about *about_ret,
				 struct diff_builds *builds_ret, struct diff_table **ret, struct error *err);

/* ---- files that keep counted calls ------------------------------------------------------------ */

enum { CALLS_KEPT_BYTES = 128 << 20 }; /* the largest file that is read */
/* Returns true if the bytes begin like a file of counted calls, as cyctop calls writes in the format "json". */
bool calls_is(const char *bytes, size_t n);
/* Reads a file of counted calls, which may be damaged or malicious.  `name` is for errors.  The caller frees *ret by
 * calls_table_deinit().  -EINVAL: the file is damaged, *err has place and reason; -EFBIG: it is too large; -ENOSYS:
 * this build lacks a library, which *err names. */
CYC_MUST_CHECK int calls_read(const char *name, const char *bytes, size_t n, struct calls_table *ret,
			      struct error *err);

/* ---- calls/page.c: the live screen of counted function calls ------------------------------------------ */

struct calls_page;
struct calls_page *calls_page_create(const struct calls_choice *choice); /* `choice` is borrowed */
void calls_page_destroy(struct calls_page *p);
/* Replaces the page's lines by the lines of a table, which must stay valid until the next call of this function. */
void calls_page_write(struct calls_page *p, const struct calls_table *t);
/* Draws the page; `status` is the text of the first row. */
void calls_page_draw(struct calls_page *p, const char *status, struct grid *g);
/* Shows a message in the last row until the next key. */
void calls_page_say(struct calls_page *p, const char *fmt, ...) CYC_PRINTF(2, 3);
enum calls_reaction {
	CALLS_DRAW = 1,	       /* draw again */
	CALLS_WRITE = 1 << 1,  /* call calls_page_write() with current numbers */
	CALLS_SAVE = 1 << 2,   /* write the counts to a file */
	CALLS_QUIT = 1 << 3,   /* leave */
	CALLS_FREEZE = 1 << 4, /* stop showing new numbers, or resume */
	CALLS_REPAINT = 1 << 5 /* draw every cell of the terminal again */
};
unsigned calls_page_key(struct calls_page *p, const struct grid *g, const struct input_event *ev);

/* ---- dumping the contents of a recording --------------------------------------------------- */

struct pd_visitor;
/* A dump writes each part of a recording (header, record, ...) as one line: text, or a JSON object. */
struct dump;
struct dump *dump_create(FILE *out, bool json);
void dump_destroy(struct dump *d);
/* Begins the line of a part of this kind ("header", "record"); the visitor adds the fields of the part. */
void dump_begin(struct dump *d, const char *kind);
const struct pd_visitor *dump_visitor(struct dump *d);
/* Ends the line.  Returns false if it could not be written. */
bool dump_end(struct dump *d);

#endif
