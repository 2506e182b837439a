/* Command lines as tables, with one row per option: for the parser, --help and the manual. */
#ifndef OPTIONS_ROWS_H
#define OPTIONS_ROWS_H

#include "base/strbuf.h"

#include <cyctop/options.h>

#include <stdio.h>

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
	char letter; /* 'o' of -o; 0: it has a name alone */
	const char *name;
	const char *arg; /* name of its value; NULL: none; "[X]": optional; "X Y": two, set() is called for each */
	const char *help;
	int (*set)(struct options *o, const char *arg, struct error *err);
	unsigned runs;			    /* enum run bits in which it has an effect */
	void (*values)(struct strbuf *ret); /* lists the possible values, after `help`; NULL: no list */
};
enum { OPTION_ROWS_MAX = 64 };

/* The options given on a command line; bit i stands for rows[i]. */
struct option_set {
	uint64_t given, by_name; /* by_name: given last by its name, not by its letter */
	bool operand;		 /* a word follows the options */
};

/* A command line whose options are parsed. */
struct option_line {
	struct option_row rows[OPTION_ROWS_MAX];
	size_t n;
	struct option_set set;
	int argc;
	char **argv;
	int first, end; /* indexes in argv: of the first word that is no option, and of the end of such words */
	bool out_is_tty;
};
bool option_given(const struct option_line *line, const char *name);

/* A command, in the file of its name. */
struct command {
	const char *name; /* "": cyctop without a command */
	size_t (*rows)(struct option_row ret[static OPTION_ROWS_MAX]);
	/* Fills in what holds without any option; NULL: what holds for cyctop itself. */
	void (*start)(struct options *o);
	/* Takes the words that are no options, and settles what depends on several options.  NULL: there is nothing
	 * of both. */
	int (*check)(struct options *o, const struct option_line *line, struct error *err);
	enum {
		OPERANDS_LAST,	      /* the first word that is no option ends them */
		OPERANDS_BETWEEN,     /* options may follow operands */
		OPERANDS_UNTIL_DASHES /* likewise, up to the word "--", which is line.end */
	} operands;
	const char *usage, *more; /* --help before and after the options */
};
extern const struct command show_command, record_command, dump_command, diff_command, compare_command, doctor_command,
	list_command, calls_command, probe_command, annotate_command;
extern const struct command *const commands[COMMANDS];

/* The rows of cyctop itself, which commands share some of. */
size_t options_rows(struct option_row ret[static OPTION_ROWS_MAX]);
size_t diff_option_rows(struct option_row ret[static OPTION_ROWS_MAX]); /* those of cyctop diff, likewise */
const struct option_row *options_row(const char *name);
/* Fills in what holds without any option. */
void options_defaults(struct options *o);

/* Writes the option as it was given: "-K" or "--hide-kernel". */
void option_spell(const struct option_row *row, bool by_name, char buf[static 40]);
/* Appends the help of an option, with its values. */
void option_row_help(const struct option_row *row, struct strbuf *ret);

/* Notes that nothing has the name `word`, which the message in an error is about; returns -EINVAL. */
int option_unknown(struct options *o, enum word_kind kind, const char *word, const char *otherwise);
/* -EINVAL: the option takes one of what values() lists, and not this word. */
int option_refuse(struct options *o, const char *option, const char *word, void (*values)(struct strbuf *ret),
		  enum word_kind kind, struct error *err);
/* Says that the words of --sort are no keys; returns -EINVAL. */
int option_no_keys(struct options *o, const char *arg, struct error *err);

/* Defines set_NAME(), which sets a member of the options of a command. */
#define OPTION_FLAG(name, type, field)                                                                                 \
	static int set_##name(struct options *o, const char *arg, struct error *err)                                   \
	{                                                                                                              \
		(void)arg, (void)err;                                                                                  \
		((struct type *)o)->field = true; /* `common` is the first member */                                   \
		return 0;                                                                                              \
	}

/* Likewise for an option that takes a text. */
#define OPTION_TEXT(name, type, field)                                                                                 \
	static int set_##name(struct options *o, const char *arg, struct error *err)                                   \
	{                                                                                                              \
		(void)err;                                                                                             \
		((struct type *)o)->field = arg;                                                                       \
		return 0;                                                                                              \
	}

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

/* comparing.c: take the values of --baseline, --toggle, --every, --per, --fdr and --min-change. */
int option_baseline(struct options *o, const char *arg, struct error *err);
int option_toggle(struct options *o, const char *arg, struct error *err);
int option_every(struct options *o, const char *arg, struct error *err);
int option_per(struct options *o, const char *arg, struct error *err);
int option_fdr(struct options *o, const char *arg, struct error *err);
int option_min_change(struct options *o, const char *arg, struct error *err);

/* events.c: take the values of -e, --event-filter, --preset and --metric. */
int option_events(struct options *o, const char *arg, struct error *err);
int option_event_filter(struct options *o, const char *arg, struct error *err);
int option_preset(struct options *o, const char *arg, struct error *err);
int option_metric(struct options *o, const char *arg, struct error *err);
/* Adds the events of --metric that the others lack. */
int option_metric_events(struct options *o, struct error *err);

/* ---- options that exclude or need each other: rules.c ----------------------------------- */

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
CYC_MUST_CHECK int option_rules_check(const struct option_rule *rules, size_t n, const struct option_line *line,
				      const struct options *o, struct error *err);
/* Returns -EINVAL if an option that was given has no effect in this run.  `run`: bits of enum run.  `batch_by`: words
 * for the message, what made the run one of RUN_BATCH, such as "with -b". */
CYC_MUST_CHECK int option_runs_check(const struct option_line *line, unsigned run, const char *batch_by,
				     struct error *err);
/* targets.c: take the values of -p, -t, -u, -G and -C. */
int option_pids(struct options *o, const char *arg, struct error *err);
int option_tids(struct options *o, const char *arg, struct error *err);
int option_user(struct options *o, const char *arg, struct error *err);
int option_cgroups(struct options *o, const char *arg, struct error *err);
int option_cpus(struct options *o, const char *arg, struct error *err);

#endif
