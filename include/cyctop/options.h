/* Room options: the words of a command line as a struct, for cyctop and each of its commands, and their --help. */
#ifndef CYCTOP_OPTIONS_H
#define CYCTOP_OPTIONS_H

#include <cyctop/comparison.h>
#include <cyctop/counted.h>
#include <cyctop/front.h>
#include <cyctop/source.h>

/* ---- cyctop itself ----------------------------------------------------------------------------- */

enum { EXIT_FAILED = 1, EXIT_USAGE = 2 };

/* The commands, each of which has options of its own. */
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

/* The kinds of words that cyctop knows. */
enum word_kind { WORD_OPTION, WORD_COMMAND, WORD_COLUMN, WORD_KEY, WORD_TABLE, WORD_FORMAT, WORD_PRESET };
/* A word of a command line that nothing is called, for advice on what may be meant. */
struct unknown_word {
	const char *word; /* NULL: there is none */
	enum word_kind kind;
	const char *otherwise; /* what is said if no known word is near */
};

/* Options of cyctop itself, with which the options of each command begin; a command says which it uses. */
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
	bool ascii, no_mouse, raw_names, raw_weights, children, branches;
	enum { INLINES_DEFAULT, INLINES_YES, INLINES_NO } inlines;
	double budget;			  /* part of the CPU time that measuring may take; 0: no bound */
	size_t event_first;		  /* index of the first event of the last -e, for --event-filter */
	char **command;			  /* the command to run and measure, after "--"; NULL: none */
	bool whole_run;			  /* batch: one refresh, at the end of the command */
	const char *sort;		  /* value of --sort */
	struct field_names fields;	  /* fields of tracepoints that are dimensions */
	const char *metrics[METRICS_MAX]; /* values of --metric */
	size_t metrics_n;
	struct live_config live; /* its target is also what to show of a recording or script */
	struct unknown_word unknown;
};
/* Returns true if the word is the name or heading of an event with a role, which this session may lack. */
bool options_name_role(const char *word);
/* Says that there is no such column, and which ones there are; returns -EINVAL. */
int options_no_column(const char *word, struct error *err);

/* Finds a command by its name; COMMAND_SHOW: there is none of that name. */
enum command_id command_find(const char *name);
/* Parses a command line, whose first word is ignored, as *ret, which are the first member of the options of that
 * command.  Returns 0, or -errno with the reason in *err (exit status 2).  `out_is_tty`: standard output is a
 * terminal.  getopt's optind is then after the last option. */
CYC_MUST_CHECK int options_parse(enum command_id command, int argc, char **argv, bool out_is_tty, struct options *ret,
				 struct error *err);
void options_help(enum command_id command, FILE *out);
/* Prints the version, whether the executable is static, and which features it was built with; version.c. */
void options_version(FILE *out);
/* Writes a text in lines of at most `width` characters, the first from where the cursor is, the others from column
 * `left` on; it is parted at blanks, or also behind commas. */
void put_wrapped(FILE *out, const char *text, int left, int width, bool commas);

/* ---- cyctop record ------------------------------------------------------------------------------ */

struct record_options {
	struct options common; /* uses `live` and `help` of it */
	const char *input;     /* path of the recording to copy; NULL: record this machine */
	const char *path;      /* path of the output; "-": standard output */
	int level;	       /* zstd level; 0: not compressed */
	uint64_t duration_ns;  /* length of the recording; 0: until the command ends or the user interrupts */
	char **command;	       /* command to run; NULL: none */
	bool all, command_only;
};
/* ---- cyctop dump, doctor and list --------------------------------------------------------------- */

struct dump_options {
	struct options common; /* uses `help` of it */
	bool json;
	const char *path;
};
/* ---- cyctop diff -------------------------------------------------------------------------------- */

enum { DIFF_BOUNDS_MAX = 16, DIFF_FILES_MAX = 64, EXIT_EXCEEDED = 3 };

struct diff_options {
	struct options common;		/* its `help`, `format`, `per`, `fdr`, `min_change`, names and `raw_weights` */
	char *const *paths[DIFF_SIDES]; /* [paths_n] */
	size_t paths_n[DIFF_SIDES];
	enum dimension_id dims[DIM_COUNT];
	size_t dims_n;
	const char *event; /* NULL: the first that both have */
	enum diff_unit unit;
	size_t top; /* 0: all */
	bool top_given;
	struct diff_bound bounds[DIFF_BOUNDS_MAX];
	size_t bounds_n;
	const char *of_recordings; /* an option that was given, but has no meaning for counted calls; NULL: none */
	bool in_one;		   /* a recording is one interval, as long as it may be */
};
/* ---- cyctop compare ----------------------------------------------------------------------------- */

enum { COMPARE_RUNS_MAX = 500 };

struct compare_options {
	struct diff_options diff;    /* only common options, bounds and top are used */
	size_t runs;		     /* number of runs of each command */
	uint64_t seed;		     /* seed of the random order */
	const char *output;	     /* path of a file; NULL: standard output */
	char **commands[DIFF_SIDES]; /* words of each command, with a NULL at the end */
};
/* ---- cyctop calls ------------------------------------------------------------------------------- */

struct calls_options {
	struct options common; /* uses help, output.top, live.events, input and save_path of it */
	struct calls_choice choice;
	void (*write)(FILE *out, const struct calls_output *o);
	void (*table)(FILE *out, const struct calls_output *o); /* of --table; NULL: the usual one */
	char **command; /* of a program and its arguments; its end: there is `common.input` */
};
/* ---- cyctop probe ------------------------------------------------------------------------------- */

struct probe_options {
	struct options common; /* uses help, format, iterations, delay_ns, live.events and live.target of it */
	bool all, returns;     /* returns: probe returns also where exceptions may pass */
	bool histogram;
	double max_overhead; /* a part of one CPU; 0: no bound */
	char **functions;    /* [functions_n], CALLS_FUNCTIONS_MAX at most */
	size_t functions_n;
	char **command; /* the program to run, whose calls are counted; NULL: none */
};
/* ---- cyctop annotate ---------------------------------------------------------------------------- */

enum { ANNOTATE_EVENTS_MAX = 16 };

struct annotate_options {
	struct options common; /* uses help, input, baseline, format, raw_names and where names come from */
	const char *symbol;
	const char *events[ANNOTATE_EVENTS_MAX]; /* [events_n], those to show; none: all */
	size_t events_n;
	bool bytes, no_source;
	const char *baseline_symbol; /* the function in the recording of --baseline; NULL: it has the same name */
};
/* ---- events that this machine has --------------------------------------------------------------- */

struct event_world_here {
	struct event_files pmus, tracepoints;
	struct event_world world; /* refers to both */
};
/* Fills in where names of -e are looked up on this machine. */
void known_world(struct event_world_here *ret);

/* The events and metrics of --preset topdown for this machine's CPU; NULL: none are known. */
const struct event_topdown *known_topdown(void);
/* The name of the preset that depends on the CPU. */
#define PRESET_TOPDOWN "topdown"
/* The events of a preset on this machine; NULL: there is no preset of that name. */
const char *known_preset(const char *name);
/* Adds the event of --off-cpu, if it was given; to a recording (`keep`) that of context switches. */
CYC_MUST_CHECK int known_off_cpu(struct live_config *config, struct error *err);

/* Events, whose texts belong to the list. */
struct known_events {
	struct event_known *data;
	size_t n, cap;
};
/* Lists the events that have a pattern of the shell in their name or description, or are of that source; NULL: all. */
void known_read(struct event_world_here *here, const char *pattern, struct known_events *ret);
/* Adds a copy of an event to the list. */
void known_add(struct known_events *to, const struct event_known *e);
void known_free(struct known_events *events);

#endif
