/* Options of each command as tables with one row per option, used by the parser, --help and the manual. */
#ifndef OPTIONS_ROWS_H
#define OPTIONS_ROWS_H

#include "base/strbuf.h"

#include <cyctop/options.h>

#include <stdio.h>

/* The kinds of runs, as bits of option_row.runs: in which of them an option has an effect. */
enum run {
	RUN_LIVE = 1 << 0,   /* shows this machine */
	RUN_FILE = 1 << 1,   /* shows a recording */
	RUN_DEMO = 1 << 2,   /* shows the synthetic machine of a script (--demo) */
	RUN_SCREEN = 1 << 3, /* on the terminal */
	RUN_BATCH = 1 << 4,  /* prints tables */
	RUN_RECORD = 1 << 5,
	RUN_COPY = 1 << 6,    /* copies a recording */
	RUN_DIFF = 1 << 7,    /* compares two recordings */
	RUN_COMPARE = 1 << 8, /* compares two commands */
	RUN_ANY = 0x1ff,
};

struct option_row {
	char letter; /* 'o' of -o; 0: the option has only a name */
	const char *name;
	/* the value's name in --help; NULL: takes no value; "[X]": the value is optional; "X Y": two values, set() is
	 * called for each */
	const char *arg;
	const char *help;
	int (*set)(struct options *o, const char *arg, struct error *err);
	unsigned runs;			    /* enum run bits: runs in which it has an effect */
	void (*values)(struct strbuf *ret); /* appends the possible values to its help; NULL: no list */
};
enum { OPTION_ROWS_MAX = 64 };

/* The options on a command line; bit i is for rows[i]. */
struct option_set {
	uint64_t given, by_name; /* by_name: given as --NAME, not as -LETTER (the last time) */
	bool operand;		 /* there are operands */
};

/* A parsed command line. */
struct option_line {
	struct option_row rows[OPTION_ROWS_MAX];
	size_t n;
	struct option_set set;
	int argc;
	char **argv;
	int first, end; /* argv[first..end): the operands, which are the words that are no options */
	bool out_is_tty;
};
bool option_given(const struct option_line *line, const char *name);

/* A command of cyctop; its functions are in the file that has its name. */
struct command {
	const char *name; /* "": cyctop itself, without a command */
	size_t (*rows)(struct option_row ret[static OPTION_ROWS_MAX]);
	/* Sets the defaults of the command's options; NULL: options_defaults(). */
	void (*start)(struct options *o);
	/* Takes the operands, and checks options against each other.  Returns 0, or -errno with *err; NULL: nothing to
	 * do. */
	int (*check)(struct options *o, const struct option_line *line, struct error *err);
	enum {
		OPERANDS_LAST,	      /* options end at the first operand */
		OPERANDS_BETWEEN,     /* options may follow operands */
		OPERANDS_UNTIL_DASHES /* like OPERANDS_BETWEEN, but operands end at "--", argv[line.end] */
	} operands;
	const char *usage, *more; /* texts of --help before and after the options */
};
extern const struct command show_command, record_command, dump_command, diff_command, compare_command, doctor_command,
	list_command, calls_command, probe_command, annotate_command;
extern const struct command *const commands[COMMANDS];

/* Fills in the rows of cyctop's own options, some of which other commands use; returns their number. */
size_t options_rows(struct option_row ret[static OPTION_ROWS_MAX]);
/* The same for cyctop diff; cyctop compare uses these rows, too. */
size_t diff_option_rows(struct option_row ret[static OPTION_ROWS_MAX]);
const struct option_row *options_row(const char *name); /* NULL: unknown */
/* Fills in the rows of a command: its own, then cyctop's of the names `shared`; returns their number. */
size_t option_rows_join(struct option_row ret[static OPTION_ROWS_MAX], const struct option_row *own, size_t own_n,
			const char *const *shared, size_t shared_n);
/* Sets the defaults of cyctop's own options. */
void options_defaults(struct options *o);

/* Writes an option as the user gave it: "--hide-kernel" if by_name, else "-K". */
void option_spell(const struct option_row *row, bool by_name, char buf[static 40]);
/* Appends the help of an option, and its possible values. */
void option_row_help(const struct option_row *row, struct strbuf *ret);

/* Stores an unknown word, so that options_parse() appends advice on it to *err; returns -EINVAL.  `otherwise`: see
 * struct unknown_word. */
int option_unknown(struct options *o, enum word_kind kind, const char *word, const char *otherwise);
/* Sets the error for a word that is none of the option's possible values(), and stores it as option_unknown() does;
 * returns -EINVAL. */
int option_refuse(struct options *o, const char *option, const char *word, void (*values)(struct strbuf *ret),
		  enum word_kind kind, struct error *err);
/* Sets the error for a value of --sort that has unknown keys, and returns -EINVAL; returns 0 if all are known. */
int option_no_keys(struct options *o, const char *arg, struct error *err);

/* Defines set_NAME(), which sets a bool member of the command's options. */
#define OPTION_FLAG(name, type, field)                                                                                 \
	static int set_##name(struct options *o, const char *arg, struct error *err)                                   \
	{                                                                                                              \
		(void)arg, (void)err;                                                                                  \
		((struct type *)o)->field = true; /* `common` is the first member */                                   \
		return 0;                                                                                              \
	}

/* Defines set_NAME(), which sets a text member to the option's value. */
#define OPTION_TEXT(name, type, field)                                                                                 \
	static int set_##name(struct options *o, const char *arg, struct error *err)                                   \
	{                                                                                                              \
		(void)err;                                                                                             \
		((struct type *)o)->field = arg;                                                                       \
		return 0;                                                                                              \
	}

/* Parse a number (a whole number) between `min` and `max`.  `what`: the option, for the error message. */
CYC_MUST_CHECK int option_number(const char *what, const char *arg, double min, double max, double *ret,
				 struct error *err);
CYC_MUST_CHECK int option_whole(const char *what, const char *arg, double min, double max, uint64_t *ret,
				struct error *err);
/* Parses a percentage as a fraction: 5 is 0.05. */
CYC_MUST_CHECK int option_percent(const char *what, const char *arg, double min, double max, double *ret,
				  struct error *err);
/* Defines set_NAME(), which sets a member to a number between `min` and `max`, as `parse`, one of the functions above,
 * reads it.  `what`: see there. */
#define OPTION_NUMBER(name, type, field, parse, what, min, max)                                                        \
	static int set_##name(struct options *o, const char *arg, struct error *err)                                   \
	{                                                                                                              \
		return parse(what, arg, min, max, &((struct type *)o)->field, err);                                    \
	}
/* Checks that `arg` is one event's name, not a list, and sets *ret to it. */
CYC_MUST_CHECK int option_event_name(const char *what, const char *arg, const char **ret, struct error *err);

/* comparing.c: the set() functions of --baseline, --toggle, --every, --per, --fdr and --min-change. */
int option_baseline(struct options *o, const char *arg, struct error *err);
int option_toggle(struct options *o, const char *arg, struct error *err);
int option_every(struct options *o, const char *arg, struct error *err);
int option_per(struct options *o, const char *arg, struct error *err);
int option_fdr(struct options *o, const char *arg, struct error *err);
int option_min_change(struct options *o, const char *arg, struct error *err);

/* events.c: the set() functions of -e, --event-filter, --preset and --metric. */
int option_events(struct options *o, const char *arg, struct error *err);
int option_event_filter(struct options *o, const char *arg, struct error *err);
int option_preset(struct options *o, const char *arg, struct error *err);
int option_metric(struct options *o, const char *arg, struct error *err);
/* Adds the events that formulas of --metric name, unless they are among the events already. */
int option_metric_events(struct options *o, struct error *err);

/* ---- options that exclude or need each other: rules.c ----------------------------------- */

/* Stands for the operands, in place of an option's name in a rule. */
#define OPERANDS "COMMAND"

struct option_rule {
	const char *option;
	enum { NOT_WITH, NOT_WITHOUT } relation;
	const char *other;
	const char *why;
	bool (*when)(const struct options *o); /* the rule holds only if this returns true; NULL: always */
};
/* Returns -EINVAL if options break a rule; *err then has both options and the reason, for the first such rule. */
CYC_MUST_CHECK int option_rules_check(const struct option_rule *rules, size_t n, const struct option_line *line,
				      const struct options *o, struct error *err);
/* Returns -EINVAL if an option that was given has no effect in this run.  `run`: bits of enum run.  `batch_by`: why
 * tables are printed, for the message: "with -b". */
CYC_MUST_CHECK int option_runs_check(const struct option_line *line, unsigned run, const char *batch_by,
				     struct error *err);
/* targets.c: the set() functions of -p, -t, -u, -G and -C. */
int option_pids(struct options *o, const char *arg, struct error *err);
int option_tids(struct options *o, const char *arg, struct error *err);
int option_user(struct options *o, const char *arg, struct error *err);
int option_cgroups(struct options *o, const char *arg, struct error *err);
int option_cpus(struct options *o, const char *arg, struct error *err);

#endif
