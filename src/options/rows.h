/* Options of each command as tables with one row per option, used by the parser, --help and the manual. */
#ifndef OPTIONS_ROWS_H
#define OPTIONS_ROWS_H

#include "base/strbuf.h"

#include <cyctop/options.h>

#include <stdio.h>

/* The kinds of runs, as bits.  option_row.runs has those in which the option has an effect. */
enum run {
	RUN_LIVE = 1 << 0,   /* shows this machine */
	RUN_FILE = 1 << 1,   /* shows a recording */
	RUN_DEMO = 1 << 2,   /* shows the synthetic machine of a script (--demo) */
	RUN_SCREEN = 1 << 3, /* draws on the terminal */
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
	/* the value's name in --help; NULL: the option takes no value; "[X]": the value is optional; "X Y": the option
	 * takes two values, and set() is called for each */
	const char *arg;
	const char *help;
	int (*set)(struct options *o, const char *arg, struct error *err);
	unsigned runs;			    /* enum run bits: the runs in which the option has an effect */
	void (*values)(struct strbuf *ret); /* appends the possible values, for the help; NULL: they are not listed */
};
enum { OPTION_ROWS_MAX = 64 };

/* Which options are on the command line; bit i is for rows[i]. */
struct option_set {
	uint64_t given, by_name; /* by_name: written --NAME rather than -LETTER when given last */
	bool operand;		 /* there are operands */
};

/* A parsed command line. */
struct option_line {
	struct option_row rows[OPTION_ROWS_MAX];
	size_t n;
	struct option_set set;
	int argc;
	char **argv;
	int first, end; /* argv[first..end): the operands (words that are no options) */
	bool out_is_tty;
};
bool option_given(const struct option_line *line, const char *name);

/* A command of cyctop.  Its functions are in the file of its name: those of "record" are in record.c. */
struct command {
	const char *name; /* "": cyctop itself, without a command */
	size_t (*rows)(struct option_row ret[static OPTION_ROWS_MAX]);
	/* Sets the defaults of the command's options; NULL: options_defaults(). */
	void (*start)(struct options *o);
	/* Takes the operands, and checks options against each other.  Returns 0, or -errno with *err.  `check` may be
	 * NULL. */
	int (*check)(struct options *o, const struct option_line *line, struct error *err);
	enum {
		OPERANDS_LAST,	      /* options end at the first operand */
		OPERANDS_BETWEEN,     /* options may also follow operands */
		OPERANDS_UNTIL_DASHES /* like OPERANDS_BETWEEN, but operands end at "--", argv[line.end] */
	} operands;
	const char *usage, *more; /* texts of --help before and after the options */
};
extern const struct command show_command, record_command, dump_command, diff_command, compare_command, doctor_command,
	list_command, calls_command, probe_command, annotate_command;
extern const struct command *const commands[COMMANDS];

/* Fills in the rows of cyctop's own options, some of which other commands have, too; returns their number. */
size_t options_rows(struct option_row ret[static OPTION_ROWS_MAX]);
/* Fills in the rows of the options of cyctop diff, which cyctop compare has, too; returns their number. */
size_t diff_option_rows(struct option_row ret[static OPTION_ROWS_MAX]);
const struct option_row *options_row(const char *name); /* NULL: unknown option */
/* Fills in the rows of a command: its `own`, then those of cyctop itself named in `shared`.  Returns their number. */
size_t option_rows_join(struct option_row ret[static OPTION_ROWS_MAX], const struct option_row *own, size_t own_n,
			const char *const *shared, size_t shared_n);
/* Sets the defaults of cyctop's own options. */
void options_defaults(struct options *o);

/* Writes an option in the way in which the user gave it: "--hide-kernel" if by_name, else "-K". */
void option_spell(const struct option_row *row, bool by_name, char buf[static 40]);
/* Appends the help of an option, and its possible values. */
void option_row_help(const struct option_row *row, struct strbuf *ret);

/* Stores an unknown word, so that options_parse() appends advice about it to *err.  Returns -EINVAL.  `otherwise`: see
 * struct unknown_word. */
int option_unknown(struct options *o, enum word_kind kind, const char *word, const char *otherwise);
/* Sets the error for a word that is not among the option's possible values().  Also stores the word, as
 * option_unknown() does.  Returns -EINVAL. */
int option_refuse(struct options *o, const char *option, const char *word, void (*values)(struct strbuf *ret),
		  enum word_kind kind, struct error *err);
/* If the value of --sort has unknown keys, sets the error and returns -EINVAL; otherwise returns 0. */
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

/* Parse a number or, option_whole(), a whole number, between `min` and `max`.  `what` names the option in errors. */
CYC_MUST_CHECK int option_number(const char *what, const char *arg, double min, double max, double *ret,
				 struct error *err);
CYC_MUST_CHECK int option_whole(const char *what, const char *arg, double min, double max, uint64_t *ret,
				struct error *err);
/* Parses a percentage between `min` and `max` into a fraction: 5 becomes 0.05. */
CYC_MUST_CHECK int option_percent(const char *what, const char *arg, double min, double max, double *ret,
				  struct error *err);
/* Defines set_NAME(), which sets a member to a number between `min` and `max`.  `parse`: one of the functions above,
 * which reads the number; `what` is passed to it. */
#define OPTION_NUMBER(name, type, field, parse, what, min, max)                                                        \
	static int set_##name(struct options *o, const char *arg, struct error *err)                                   \
	{                                                                                                              \
		return parse(what, arg, min, max, &((struct type *)o)->field, err);                                    \
	}
/* Checks that `arg` is the name of one event rather than a list, and sets *ret to it. */
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
/* Adds the events that formulas of --metric name, unless they are already in the list of events. */
int option_metric_events(struct options *o, struct error *err);

/* ---- rules.c: checking that options go together ----------------------------------------- */

/* In a rule, stands for the operands, in place of an option's name. */
#define OPERANDS "COMMAND"

struct option_rule {
	const char *option;
	enum { NOT_WITH, NOT_WITHOUT } relation;
	const char *other;
	const char *why;
	bool (*when)(const struct options *o); /* the rule applies only if this returns true; NULL: it always applies */
};
/* Returns -EINVAL if options break a rule.  *err then names both options of the first such rule, and the reason. */
CYC_MUST_CHECK int option_rules_check(const struct option_rule *rules, size_t n, const struct option_line *line,
				      const struct options *o, struct error *err);
/* Returns -EINVAL if an option on the command line has no effect in this run.  `run`: bits of enum run.  `batch_by`:
 * why tables are printed, for the message: "with -b". */
CYC_MUST_CHECK int option_runs_check(const struct option_line *line, unsigned run, const char *batch_by,
				     struct error *err);
/* targets.c: the set() functions of -p, -t, -u, -G and -C. */
int option_pids(struct options *o, const char *arg, struct error *err);
int option_tids(struct options *o, const char *arg, struct error *err);
int option_user(struct options *o, const char *arg, struct error *err);
int option_cgroups(struct options *o, const char *arg, struct error *err);
int option_cpus(struct options *o, const char *arg, struct error *err);

#endif
