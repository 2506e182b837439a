/* Command lines from tables: a row an option, for the parser and --help. */
#ifndef APP_OPTION_ROWS_H
#define APP_OPTION_ROWS_H

#include <cyctop/base.h>

#include <stdio.h>

struct options;

struct option_row {
	int key; /* the short letter, or a number above 255 */
	const char *name;
	const char *arg; /* NULL: takes none; "[X]": may take one */
	const char *help;
	int (*set)(struct options *o, const char *arg, struct error *err);
};

/* Sets what is given, in order; bit i of *given_ret: rows[i] was.  `until_operand`: the
 * first argument that is no option ends them; getopt's optind is behind the last in
 * any case.  n <= 64. */
CYC_MUST_CHECK int option_rows_parse(const struct option_row *rows, size_t n, bool until_operand, int argc, char **argv,
				     struct options *o, uint64_t *given_ret, struct error *err);
void option_rows_help(FILE *out, const struct option_row *rows, size_t n);

/* Numbers as values; `what` names the option in the reason. */
CYC_MUST_CHECK int option_number(const char *what, const char *arg, double min, double max, double *ret,
				 struct error *err);
CYC_MUST_CHECK int option_whole(const char *what, const char *arg, double min, double max, uint64_t *ret,
				struct error *err);

#endif
