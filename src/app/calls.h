/* The command cyctop calls -- PROGRAM: counts each call of each function of a program. */
#ifndef APP_CALLS_H
#define APP_CALLS_H

#include "app/options.h"

enum calls_order { CALLS_BY_SELF, CALLS_BY_TOTAL, CALLS_BY_CALLS, CALLS_BY_CALL };

struct calls_options {
	struct options common; /* uses help, output.top, live.events, input and save_path of it */
	enum calls_order order;
	void (*write)(FILE *out, const struct calls_output *o);
	void (*table)(FILE *out, const struct calls_output *o); /* of --table; NULL: the usual one */
	const char *function;					/* name or pattern; NULL: all */
	double min_percent;
	char **command; /* of a program and its arguments; its end: there is `common.input` */
};
size_t calls_option_rows(struct option_row ret[static OPTION_ROWS_MAX]);
CYC_MUST_CHECK int calls_options_parse(int argc, char **argv, struct calls_options *ret, struct error *err);
void calls_options_help(FILE *out);

/* Runs the command `calls`; argv[0] is "calls".  Returns the exit status: that of PROGRAM. */
int calls_main(int argc, char **argv);

/* Reads a file that was kept by -o. */
CYC_MUST_CHECK int calls_load(const char *path, struct calls_table *ret, struct error *err);

/* calls_names.c: what counted functions are called. */
struct calls_counts;
CYC_MUST_CHECK int calls_table_create(const struct calls_counts *counts, struct calls_table *ret, struct error *err);

#endif
