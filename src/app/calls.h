/* The command cyctop calls -- PROGRAM: counts each call of each function of a program. */
#ifndef APP_CALLS_H
#define APP_CALLS_H

#include "app/options.h"

struct calls_output;
enum calls_order { CALLS_BY_SELF, CALLS_BY_TOTAL, CALLS_BY_CALLS, CALLS_BY_CALL };

struct calls_options {
	struct options common; /* uses help, format, output.top and live.events of it */
	enum calls_order order;
	void (*write)(FILE *out, const struct calls_output *o);
	double min_percent;
	char **command;
};
size_t calls_option_rows(struct option_row ret[static OPTION_ROWS_MAX]);
CYC_MUST_CHECK int calls_options_parse(int argc, char **argv, struct calls_options *ret, struct error *err);
void calls_options_help(FILE *out);

/* Runs the command `calls`; argv[0] is "calls".  Returns the exit status: that of PROGRAM. */
int calls_main(int argc, char **argv);

/* calls_names.c: what counted functions are called. */
struct calls_counts;
struct calls_table {
	struct calls_line *lines; /* [n], of functions with calls: those of all processes with one name in one file */
	size_t n;
	double *sums;		  /* of events, to which the lines refer */
	struct calls_pair *pairs; /* [pairs_n] */
	size_t pairs_n;
	double self_ns;
	struct resolver *resolver; /* whose names the lines have */
};
CYC_MUST_CHECK int calls_table_create(const struct calls_counts *counts, struct calls_table *ret, struct error *err);
void calls_table_destroy(struct calls_table *t);

#endif
