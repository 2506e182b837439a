/* Room options: parses the command lines of cyctop and of each of its commands, and prints their --help. */
#ifndef CYCTOP_OPTIONS_H
#define CYCTOP_OPTIONS_H

#include <cyctop/comparison.h>
#include <cyctop/counted.h>
#include <cyctop/front.h>
#include <cyctop/source.h>

/* ---- cyctop itself: the screen, printed tables ----------------------------------------------- */

enum { EXIT_FAILED = 1, EXIT_USAGE = 2 };

/* The commands; each has its own struct of options below. */
enum command_id {
	COMMAND_SHOW, /* cyctop without a command */
	COMMAND_RECORD,
	COMMAND_DUMP,
	COMMAND_DIFF,
	COMMAND_COMPARE,
	COMMAND_DOCTOR,
	COMMAND_LIST,
	COMMAND_CALLS,
	COMMAND_PROBE,
	COMMAND_ANNOTATE,
	COMMANDS
};

/* The kind of word that an unknown word of a command line should have been; the error suggests similar words of this
 * kind. */
enum word_kind { WORD_OPTION, WORD_COMMAND, WORD_COLUMN, WORD_KEY, WORD_TABLE, WORD_FORMAT, WORD_PRESET };
/* An unknown word of a command line; words_advise() looks for similar known words. */
struct unknown_word {
	const char *word; /* NULL: there is none */
	enum word_kind kind;
	const char *otherwise; /* text for the error if no known word is similar */
};

/* Options of cyctop itself.  The options of each command have them, too, as member `common`, with a comment on which of
 * them the command uses. */
struct options {
	bool help, version;
	bool batch;	      /* print tables: by -b, --format or --sort, or because standard output is no terminal */
	const char *batch_by; /* reason for `batch`, for messages: "with -b" */
	uint64_t iterations;  /* number of refreshes; 0: until interrupted */
	uint64_t delay_ns;
	enum window window;
	uint64_t sliding_ns;
	const struct batch_format *format;
	struct batch_config output;
	enum dimension_id table;   /* --table: print only this table; DIM_NONE: all */
	struct pivot_query report; /* --sort: print a table by these keys; dims_n 0: print the usual tables */
	bool hide_kernel, hide_user, show_self, by_thread;
	bool order_by_event;   /* output.sort is not a built-in column, so it must name an event */
	const char *filter;    /* text that shown rows must contain; NULL: all rows */
	const char *comm;      /* --comm: shell pattern of task names; NULL: all tasks */
	const char *save_path; /* file or directory for snapshots; NULL: chosen by save_snapshot() */
	const char *toggle[2]; /* shell commands that switch to state A and to state B; NULL: --toggle was not given */
	const char *per; /* event that the rows of a comparison are divided by ("cycles per request"); NULL: none */
	double fdr, min_change; /* see struct diff_config; for comparisons */
	uint64_t every_ns;	/* length of a turn, for which --toggle stays in a state */
	const char *baseline;	/* snapshot or recording to compare the screen with; NULL: none */
	const char *input;	/* recording, "-" for standard input; NULL: this machine */
	double speed;		/* playback speed of a recording; 0: show all of it at once */
	const char *symfs, *vmlinux, *kallsyms;
	const char *debuginfod; /* URLs of debuginfod servers, separated by blanks; NULL: $DEBUGINFOD_URLS */
	bool delay_given;
	/* memory for history: half of it for looking back in panes, half for the raw records that the key w writes */
	size_t history_bytes;
	bool demo;
	const char *demo_file; /* path of a script; NULL: the built-in script */
	enum { COLOR_AUTO, COLOR_ALWAYS, COLOR_NEVER } color;
	bool ascii, no_mouse, raw_names, raw_weights, children, branches;
	enum { INLINES_DEFAULT, INLINES_YES, INLINES_NO } inlines;
	double budget;	    /* fraction of the machine's CPU time that measuring may take; 0: no limit */
	size_t event_first; /* index of the first event of the last -e: --event-filter is for events from there on */
	char **command;	    /* command to run and measure, after "--"; NULL: none */
	bool whole_run;	    /* batch: print once, when the command has ended */
	const char *sort;   /* value of --sort */
	struct field_names fields;	  /* fields of tracepoints, as keys of panes and tables */
	const char *metrics[METRICS_MAX]; /* values of --metric */
	size_t metrics_n;
	struct live_config live; /* its target also selects what is shown of a recording or script */
	struct unknown_word unknown;
};
/* Returns true if the word is the name or heading of a well-known event (cycles, ...), measured or not. */
bool options_name_role(const char *word);
/* Sets the error for an unknown column, with a suggestion or all columns; returns -EINVAL. */
int options_no_column(const char *word, struct error *err);

/* Finds a command by its name; COMMAND_SHOW: there is none. */
enum command_id command_find(const char *name);
/* Parses a command line; argv[0] is ignored.  *ret must be the first member of the command's own options (struct
 * record_options, ...), which are set, too.  Returns 0, or -errno with the reason in *err (exit status 2).
 * `out_is_tty`: standard output is a terminal.  Afterwards optind is the index after the last option. */
CYC_MUST_CHECK int options_parse(enum command_id command, int argc, char **argv, bool out_is_tty, struct options *ret,
				 struct error *err);
void options_help(enum command_id command, FILE *out);
/* version.c: prints the version, whether the executable is static, and which features it was built with. */
void options_version(FILE *out);
/* Writes a text in lines of at most `width` cells that begin in column `left`, where the cursor is already.  Breaks
 * lines at blanks and, if `commas` is set, after commas. */
void put_wrapped(FILE *out, const char *text, int left, int width, bool commas);

/* ---- cyctop record ------------------------------------------------------------------------------ */

struct record_options {
	struct options common; /* uses its `live` and `help` */
	const char *input;     /* path of the recording to copy; NULL: record this machine */
	const char *path;      /* path of the output; "-": standard output */
	int level;	       /* zstd level; 0: not compressed */
	uint64_t duration_ns;  /* length of the recording; 0: until the command ends or the user interrupts */
	char **command;	       /* command to run; NULL: none */
	bool all, command_only;
};
/* ---- cyctop dump, doctor and list: all use dump_options -------------------------------------- */

struct dump_options {
	struct options common; /* uses its `help` */
	bool json;
	const char *path;
};
/* ---- cyctop diff -------------------------------------------------------------------------------- */

enum { DIFF_BOUNDS_MAX = 16, DIFF_FILES_MAX = 64, EXIT_EXCEEDED = 3 };

struct diff_options {
	/* uses its help, format, per, fdr, min_change, raw_weights, and options on names */
	struct options common;
	char *const *paths[DIFF_SIDES]; /* [paths_n] */
	size_t paths_n[DIFF_SIDES];
	enum dimension_id dims[DIM_COUNT];
	size_t dims_n;
	const char *event; /* event to compare; NULL: the first that both sides have */
	enum diff_unit unit;
	size_t top; /* maximum number of rows; 0: all */
	bool top_given;
	struct diff_bound bounds[DIFF_BOUNDS_MAX];
	size_t bounds_n;
	/* name of a given option that has no effect on files of cyctop calls; NULL: no such option was given */
	const char *of_recordings;
	bool in_one; /* each recording is read as one interval, instead of many */
	bool chains; /* call chains of recordings are read */
};
/* ---- cyctop compare ----------------------------------------------------------------------------- */

enum { COMPARE_RUNS_MAX = 500 };

struct compare_options {
	struct diff_options diff;    /* uses its common options, bounds and top */
	size_t runs;		     /* number of runs of each command */
	uint64_t seed;		     /* seed of the random order */
	const char *output;	     /* path of a file; NULL: standard output */
	char **commands[DIFF_SIDES]; /* argv of each command, with a NULL at the end */
};
/* ---- cyctop calls ------------------------------------------------------------------------------- */

struct calls_options {
	struct options common; /* uses its help, output.top, live.events, input and save_path */
	struct calls_choice choice;
	void (*write)(FILE *out, const struct calls_output *o);
	void (*table)(FILE *out, const struct calls_output *o); /* function of --table; NULL: not given */
	char **command;						/* argv of the program; empty if common.input is set */
};
/* ---- cyctop probe ------------------------------------------------------------------------------- */

struct probe_options {
	struct options common; /* uses its help, format, iterations, delay_ns, live.events and live.target */
	bool all, returns;     /* returns: uretprobes even where C++ exceptions may unwind (can abort the program) */
	bool histogram;
	double max_overhead; /* fraction of one CPU's time; 0: no limit */
	char **functions;    /* [functions_n], at most CALLS_FUNCTIONS_MAX */
	size_t functions_n;
	char **command; /* argv of the program to run, whose calls are counted; NULL: none */
};
/* ---- cyctop annotate ---------------------------------------------------------------------------- */

enum { ANNOTATE_EVENTS_MAX = 16 };

struct annotate_options {
	/* uses its help, input, baseline, format, raw_names, branches, and options on symbol files */
	struct options common;
	const char *symbol;
	const char *events[ANNOTATE_EVENTS_MAX]; /* [events_n]: events to show; none: all */
	size_t events_n;
	bool bytes, no_source;
	const char *baseline_symbol; /* the function's name in the recording of --baseline; NULL: unchanged */
};
/* ---- events that this machine has --------------------------------------------------------------- */

struct event_world_here {
	struct event_files pmus, tracepoints;
	struct event_world world; /* points to the members above */
};
/* Sets where event names of -e are looked up on this machine. */
void known_world(struct event_world_here *ret);

/* Returns the events and metrics of --preset topdown for this machine's CPU; NULL: the CPU is not known. */
const struct event_topdown *known_topdown(void);
/* The preset whose events depend on the CPU model; preset.c has the others. */
#define PRESET_TOPDOWN "topdown"
/* Returns the events of a preset on this machine, as a list for event_parse_list(); NULL: no preset has this name. */
const char *known_preset(const char *name);
/* If --off-cpu was given, adds its event; for a recording (config->keep) adds the context switches instead. */
CYC_MUST_CHECK int known_off_cpu(struct live_config *config, struct error *err);

/* A list of events; known_free() frees it with all texts. */
struct known_events {
	struct event_known *data;
	size_t n, cap;
};
/* Appends the events whose name or description contains the shell pattern, or whose source matches it; `pattern` NULL:
 * all events. */
void known_read(struct event_world_here *here, const char *pattern, struct known_events *ret);
/* Appends a copy of an event. */
void known_add(struct known_events *to, const struct event_known *e);
void known_free(struct known_events *events);

#endif
