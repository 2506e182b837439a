/* The options of `cyctop` itself. */
#ifndef APP_OPTIONS_H
#define APP_OPTIONS_H

#include "app/option_rows.h"

#include <cyctop/front.h>
#include <cyctop/source.h>

enum { EXIT_FAILED = 1, EXIT_USAGE = 2 };

struct options {
	bool help, version;
	bool batch;	      /* -b or --format was given, or standard output is no terminal */
	const char *batch_by; /* which of these reasons, for messages */
	uint64_t iterations;  /* number of refreshes; 0: until interrupted */
	uint64_t delay_ns;
	enum window window;
	uint64_t sliding_ns;
	const struct batch_format *format;
	struct batch_config output;
	enum dimension_id table;   /* dimension of the keys of the single table; DIM_NONE: the usual tables */
	struct pivot_query report; /* keys of the table of --sort; dims_n 0: the usual tables */
	bool hide_kernel, hide_user, show_self, by_thread;
	bool order_by_event;	/* output.sort is not a column that every session can have */
	const char *filter;	/* text that rows must have; NULL: all rows */
	const char *comm;	/* pattern of commands; NULL: all commands */
	const char *save_path;	/* file or directory for snapshots; NULL: see save_snapshot() */
	const char *toggle[2];	/* shell commands that switch to state A and to state B; NULL: none */
	const char *per;	/* event by which the rows of a comparison may be measured; NULL: none */
	double fdr, min_change; /* fields of struct diff_config, for comparisons */
	uint64_t every_ns;	/* length of a turn of the two states */
	const char *baseline;	/* snapshot or recording to compare the screen with; NULL: none */
	const char *input;	/* recording, "-" for standard input; NULL: this machine */
	double speed;		/* speed of a recording; 0: all at once */
	const char *symfs, *vmlinux, *kallsyms;
	const char *debuginfod; /* URLs, separated by blanks; NULL: those of the environment */
	bool delay_given;
	size_t history_bytes; /* half for earlier times in the panes, half for the raw records of the key w */
	bool demo;
	const char *demo_file; /* path of a script; NULL: the built-in script */
	enum { COLOR_AUTO, COLOR_ALWAYS, COLOR_NEVER } color;
	enum { INLINES_DEFAULT, INLINES_YES, INLINES_NO } inlines;
	bool ascii, no_mouse, raw_names, raw_weights, children, branches;
	double budget;			  /* part of the CPU time that measuring may take; 0: no bound */
	size_t event_first;		  /* index of the first event of the last -e, for --event-filter */
	char **command;			  /* the command to run and measure, after "--"; NULL: none */
	bool whole_run;			  /* batch: one refresh, at the end of the command */
	const char *sort;		  /* value of --sort */
	struct field_names fields;	  /* fields of tracepoints that are dimensions */
	const char *metrics[METRICS_MAX]; /* values of --metric */
	size_t metrics_n;
	struct live_config live; /* its target is also what to show of a recording or script */
};
/* Parses the command line.  Returns 0, or -EINVAL with the reason in *err (exit status 2).  `out_is_tty`: standard
 * output is a terminal. */
CYC_MUST_CHECK int options_parse(int argc, char **argv, bool out_is_tty, struct options *ret, struct error *err);
void options_help(FILE *out);
/* Returns true if the word is the name or heading of an event with a role, which this session may lack. */
bool options_name_role(const char *word);
/* Says that there is no such column, and which ones there are; returns -EINVAL. */
int options_no_column(const char *word, struct error *err);
/* Says which word of --sort is no key, and which keys there are; returns -EINVAL. */
int options_no_keys(const char *arg, struct error *err);

/* Returns true if the screen is to have colours; ui.c. */
bool options_color(const struct options *o);

/* Functions for the commands that share these options, and for nearest.c. */
void options_defaults(struct options *o);
size_t options_rows(struct option_row ret[static OPTION_ROWS_MAX]);
const struct option_row *options_row(const char *name);

#endif
