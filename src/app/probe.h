/* The command cyctop probe FUNCTION...: counts each call of some functions of programs that run, or of the kernel. */
#ifndef APP_PROBE_H
#define APP_PROBE_H

#include "app/options.h"

#include <cyctop/calls.h>

struct probe_options {
	struct options common; /* uses help, format, iterations, delay_ns, live.events and live.target of it */
	bool all, returns;     /* returns: probe returns also where exceptions may pass */
	bool histogram;
	double max_overhead; /* a part of one CPU; 0: no bound */
	char **functions;    /* [functions_n], CALLS_FUNCTIONS_MAX at most */
	size_t functions_n;
	char **command; /* the program to run, whose calls are counted; NULL: none */
};
size_t probe_option_rows(struct option_row ret[static OPTION_ROWS_MAX]);
CYC_MUST_CHECK int probe_options_parse(int argc, char **argv, struct probe_options *ret, struct error *err);
void probe_options_help(FILE *out);

/* Runs the command `probe`; argv[0] is "probe".  Returns the exit status. */
int probe_main(int argc, char **argv);

#endif
