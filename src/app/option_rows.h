/* Command lines as tables, with one row per option: for the parser, --help and the manual. */
#ifndef APP_OPTION_ROWS_H
#define APP_OPTION_ROWS_H

#include "base/strbuf.h"

#include <stdio.h>

struct options;

/* The kinds of runs: a source and an output, or another command. */
enum run {
	RUN_LIVE = 1 << 0,   /* shows this machine */
	RUN_FILE = 1 << 1,   /* shows a recording */
	RUN_DEMO = 1 << 2,   /* shows a script */
	RUN_SCREEN = 1 << 3, /* on the terminal */
	RUN_BATCH = 1 << 4,  /* prints tables */
	RUN_RECORD = 1 << 5,
	RUN_COPY = 1 << 6,    /* copies a recording */
	RUN_DIFF = 1 << 7,    /* compares two recordings */
	RUN_COMPARE = 1 << 8, /* compares two commands */
	RUN_ANY = 0x1ff,
};

struct option_row {
	int key; /* the short letter, or a number above 255 */
	const char *name;
	const char *arg; /* name of its value; NULL: none; "[X]": optional; "X Y": two, set() is called for each */
	const char *help;
	int (*set)(struct options *o, const char *arg, struct error *err);
	unsigned runs;			    /* enum run bits in which it has an effect */
	void (*values)(struct strbuf *ret); /* lists the possible values, after `help`; NULL: no list */
};
enum { OPTION_ROWS_MAX = 64 };

/* The commands, each of which has options of its own. */
enum command_id {
	COMMAND_SHOW,
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

/* The options given on a command line; bit i stands for rows[i]. */
struct option_set {
	uint64_t given, by_name; /* by_name: given last by its name, not by its letter */
	bool operand;		 /* a word follows the options */
};

/* Sets the given options, in order.  `until_operand`: the first argument that is no option ends them. getopt's
 * optind is then after the last option. */
CYC_MUST_CHECK int option_rows_parse(const struct option_row *rows, size_t n, enum command_id command,
				     bool until_operand, int argc, char **argv, struct options *o,
				     struct option_set *ret, struct error *err);
bool option_given(const struct option_row *rows, size_t n, const struct option_set *set, const char *name);
/* Writes the option as it was given: "-K" or "--hide-kernel". */
void option_spell(const struct option_row *row, bool by_name, char buf[static 40]);
/* Appends the help of an option, with its values. */
void option_row_help(const struct option_row *row, struct strbuf *ret);
void option_rows_help(FILE *out, const struct option_row *rows, size_t n);
/* Writes a text in lines of at most `width` characters, the first from where the cursor is, the others from column
 * `left` on; it is parted at blanks, or also behind commas. */
void put_wrapped(FILE *out, const char *text, int left, int width, bool commas);

/* Parse numbers as values; `what` names the option in the error. */
CYC_MUST_CHECK int option_number(const char *what, const char *arg, double min, double max, double *ret,
				 struct error *err);
CYC_MUST_CHECK int option_whole(const char *what, const char *arg, double min, double max, uint64_t *ret,
				struct error *err);
/* Parses a percentage as a fraction: 5 is 0.05. */
CYC_MUST_CHECK int option_percent(const char *what, const char *arg, double min, double max, double *ret,
				  struct error *err);
/* Takes the name of a single event. */
CYC_MUST_CHECK int option_event_name(const char *what, const char *arg, const char **ret, struct error *err);

/* option_compare.c: take the values of --baseline, --toggle, --every, --per, --fdr and --min-change. */
int option_baseline(struct options *o, const char *arg, struct error *err);
int option_toggle(struct options *o, const char *arg, struct error *err);
int option_every(struct options *o, const char *arg, struct error *err);
int option_per(struct options *o, const char *arg, struct error *err);
int option_fdr(struct options *o, const char *arg, struct error *err);
int option_min_change(struct options *o, const char *arg, struct error *err);

/* option_events.c: take the values of -e, --event-filter, --preset and --metric. */
int option_events(struct options *o, const char *arg, struct error *err);
int option_event_filter(struct options *o, const char *arg, struct error *err);
int option_preset(struct options *o, const char *arg, struct error *err);
int option_metric(struct options *o, const char *arg, struct error *err);
/* Adds the events of --metric that the others lack. */
int option_metric_events(struct options *o, struct error *err);

/* ---- options that exclude or need each other: option_rules.c ----------------------------------- */

/* The name that stands for operands in rules, in place of an option's name. */
#define OPERANDS "COMMAND"

struct option_rule {
	const char *option;
	enum { NOT_WITH, NOT_WITHOUT } relation;
	const char *other;
	const char *why;
	bool (*when)(const struct options *o); /* condition for the rule; NULL: always */
};
/* Returns -EINVAL if a rule is broken, with both names and the reason of the first one in *err. */
CYC_MUST_CHECK int option_rules_check(const struct option_rule *rules, size_t rules_n, const struct option_row *rows,
				      size_t rows_n, const struct option_set *set, const struct options *o,
				      struct error *err);
/* Returns -EINVAL if an option that was given has no effect in this run.  `run`: bits of enum run.  `batch_by`: words
 * for the message, what made the run one of RUN_BATCH, such as "with -b". */
CYC_MUST_CHECK int option_runs_check(const struct option_row *rows, size_t n, const struct option_set *set,
				     unsigned run, const char *batch_by, struct error *err);
/* option_targets.c: take the values of -p, -t, -u, -G and -C. */
int option_pids(struct options *o, const char *arg, struct error *err);
int option_tids(struct options *o, const char *arg, struct error *err);
int option_user(struct options *o, const char *arg, struct error *err);
int option_cgroups(struct options *o, const char *arg, struct error *err);
int option_cpus(struct options *o, const char *arg, struct error *err);

#endif
