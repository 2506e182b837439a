/* The command line. */
#ifndef APP_OPTIONS_H
#define APP_OPTIONS_H

#include "app/option_rows.h"

#include <cyctop/front.h>
#include <cyctop/source.h>

enum { EXIT_FAILED = 1, EXIT_USAGE = 2 };

struct options {
	bool help, version;
	bool batch;	      /* asked for, or standard output is no terminal */
	const char *batch_by; /* which of these, for messages */
	uint64_t iterations;  /* 0: until interrupted */
	uint64_t delay_ns;
	enum window window;
	uint64_t sliding_ns;
	const struct batch_format *format;
	struct batch_config output;
	enum dimension_id table;   /* of whose keys the one table is; DIM_NONE: the usual tables */
	struct pivot_query report; /* dims_n 0: the usual tables */
	bool hide_kernel, hide_user, show_self, by_thread;
	bool order_by_event;	/* output.sort is no column that every session can have */
	const char *filter;	/* rows that have this text; NULL: all */
	const char *comm;	/* pattern of commands; NULL: all */
	const char *save_path;	/* where snapshots go: a file, a directory; NULL: see save_snapshot() */
	const char *toggle[2];	/* shell commands that switch to state A and to state B; NULL: none */
	const char *per;	/* the event by which the rows of a comparison may be measured; NULL: none */
	double fdr, min_change; /* of comparisons, as in struct diff_config */
	uint64_t every_ns;	/* length of a turn of these states */
	const char *baseline;	/* a snapshot or recording, to compare the screen with; NULL: none */
	const char *input;	/* a recording, "-" for standard input; NULL: this machine */
	double speed;		/* of a recording; 0: all at once */
	const char *symfs, *vmlinux, *kallsyms;
	const char *debuginfod; /* URLs, separated by blanks; NULL: those of the environment */
	bool delay_given;
	size_t history_bytes; /* half for what panes show of earlier times, half for the raw records of the key w */
	bool demo;
	const char *demo_file; /* NULL: the built-in script */
	enum { COLOR_AUTO, COLOR_ALWAYS, COLOR_NEVER } color;
	bool ascii, no_mouse, raw_names, raw_weights;
	struct live_config live; /* its target: of a recording or script, what to show of it */
};
/* 0; -EINVAL with the reason in *err (exit status 2).  `out_is_tty`: whether
 * standard output is a terminal. */
CYC_MUST_CHECK int options_parse(int argc, char **argv, bool out_is_tty, struct options *ret, struct error *err);
void options_help(FILE *out);
/* Is it the name or heading of an event that has a role, which this session may lack? */
bool options_name_role(const char *word);
/* Says that there is no such column, and what there is; -EINVAL. */
int options_no_column(const char *word, struct error *err);

/* For the commands that share options with it, and for nearest.c. */
void options_defaults(struct options *o);
size_t options_rows(struct option_row ret[static OPTION_ROWS_MAX]);
const struct option_row *options_row(const char *name);

#endif
