/* Command lines from tables: a row an option, for the parser, --help and the manual. */
#ifndef APP_OPTION_ROWS_H
#define APP_OPTION_ROWS_H

#include "base/strbuf.h"

#include <stdio.h>

struct options;

/* What a run shows or does: one of the sources and one of the outputs, or a recorder's. */
enum run {
	RUN_LIVE = 1 << 0,   /* this machine */
	RUN_FILE = 1 << 1,   /* a recording */
	RUN_DEMO = 1 << 2,   /* a script */
	RUN_SCREEN = 1 << 3, /* on the terminal */
	RUN_BATCH = 1 << 4,  /* printed */
	RUN_RECORD = 1 << 5,
	RUN_COPY = 1 << 6,    /* a recording into another */
	RUN_DIFF = 1 << 7,    /* two recordings */
	RUN_COMPARE = 1 << 8, /* two commands */
	RUN_ANY = 0x1ff,
};

struct option_row {
	int key; /* the short letter, or a number above 255 */
	const char *name;
	const char *arg; /* NULL: takes none; "[X]": may take one; "X Y": two, for each of which set() is called */
	const char *help;
	int (*set)(struct options *o, const char *arg, struct error *err);
	unsigned runs;			    /* enum run: those in which it means something */
	void (*values)(struct strbuf *ret); /* lists what the value may be, behind `help`; NULL: no list */
};
enum { OPTION_ROWS_MAX = 64 };

/* The commands, each with options of its own. */
enum command_id { COMMAND_SHOW, COMMAND_RECORD, COMMAND_DUMP, COMMAND_DIFF, COMMAND_COMPARE, COMMANDS };

/* What was given on a command line: bit i: rows[i]. */
struct option_set {
	uint64_t given, by_name; /* by_name: last by its name, not by its letter */
	bool operand;		 /* something follows the options */
};

/* Sets what is given, in order.  `until_operand`: the first argument that is no option ends them;
 * getopt's optind is behind the last in any case. */
CYC_MUST_CHECK int option_rows_parse(const struct option_row *rows, size_t n, enum command_id command,
				     bool until_operand, int argc, char **argv, struct options *o,
				     struct option_set *ret, struct error *err);
bool option_given(const struct option_row *rows, size_t n, const struct option_set *set, const char *name);
/* "-K" or "--hide-kernel", as it was given. */
void option_spell(const struct option_row *row, bool by_name, char buf[static 40]);
/* The help of a row, with its values. */
void option_row_help(const struct option_row *row, struct strbuf *ret);
void option_rows_help(FILE *out, const struct option_row *rows, size_t n);

/* Numbers as values; `what` names the option in the reason. */
CYC_MUST_CHECK int option_number(const char *what, const char *arg, double min, double max, double *ret,
				 struct error *err);
CYC_MUST_CHECK int option_whole(const char *what, const char *arg, double min, double max, uint64_t *ret,
				struct error *err);
/* Of --fdr and --min-change, which are percentages, as parts of 1. */
CYC_MUST_CHECK int option_fdr(const char *arg, double *ret, struct error *err);
CYC_MUST_CHECK int option_min_change(const char *arg, double *ret, struct error *err);

/* ---- what does not go together: option_rules.c ------------------------------------------------- */

/* Operands in rules, in place of an option's name. */
#define OPERANDS "COMMAND"

struct option_rule {
	const char *option;
	enum { NOT_WITH, NOT_WITHOUT } relation;
	const char *other;
	const char *why;
	bool (*when)(const struct options *o); /* the rule holds only then; NULL: always */
};
/* -EINVAL with both names and the reason in *err: the first rule that is broken. */
CYC_MUST_CHECK int option_rules_check(const struct option_rule *rules, size_t rules_n, const struct option_row *rows,
				      size_t rows_n, const struct option_set *set, const struct options *o,
				      struct error *err);
/* -EINVAL: an option means nothing in this run (enum run bits).  `batch_by`: why it is RUN_BATCH, "with -b". */
CYC_MUST_CHECK int option_runs_check(const struct option_row *rows, size_t n, const struct option_set *set,
				     unsigned run, const char *batch_by, struct error *err);

#endif
