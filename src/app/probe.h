/* The command cyctop probe FUNCTION...: counts each call of some functions of programs that run, or of the kernel. */
#ifndef APP_PROBE_H
#define APP_PROBE_H

#include "app/options.h"

#include <cyctop/calls.h>

struct probe_options {
	struct options common; /* uses help, format, iterations, delay_ns, live.events and live.target of it */
	bool all, returns;     /* returns: probe returns also where exceptions may pass */
	double max_overhead;   /* a part of one CPU; 0: no bound */
	char **functions;      /* [functions_n], CALLS_FUNCTIONS_MAX at most */
	size_t functions_n;
	char **command; /* the program to run, whose calls are counted; NULL: none */
};
size_t probe_option_rows(struct option_row ret[static OPTION_ROWS_MAX]);
CYC_MUST_CHECK int probe_options_parse(int argc, char **argv, struct probe_options *ret, struct error *err);
void probe_options_help(FILE *out);

/* Runs the command `probe`; argv[0] is "probe".  Returns the exit status. */
int probe_main(int argc, char **argv);

enum { PROBE_BYTES = 4 };
/* probe_find.c: where functions are. */
struct probe_function {
	const char *name;	      /* as the user wrote it, without its file */
	char dso[96];		      /* the name of its file, "[kernel]" */
	struct event_spec begin, end; /* end.name "": its returns are not probed */
	const char *why_no_end;	      /* a clause; NULL: they are probed */
	int fd;			      /* of its file, to which `begin` refers; -1: none */
	bool kernel;
	uint8_t first[PROBE_BYTES]; /* of its code */
};
/* Where a name alone is looked up: in a program, if that is NULL in a process, if that is 0 in the kernel. */
struct probe_where {
	const char *program;
	uint32_t pid;
	bool returns; /* probe_options.returns */
};
/* Finds a function by FILE:FUNCTION, FILE:0xOFFSET, kernel:FUNCTION, or its name alone.  The caller closes fd. */
CYC_MUST_CHECK int probe_find(const char *word, const struct probe_where *where, struct probe_function *ret,
			      struct error *err);

/* probe_cost.c: what a probe takes on this machine. */
struct probe_cost {
	struct calls_cost cost;
	double spread_ns;  /* half of the calls differ less than that from the cost inside */
	double reading_ns; /* CPU time of cyctop for the two hits of a call */
};
/* Returns true if both cost the same. */
bool probe_costs_alike(const struct probe_function *a, const struct probe_function *b);
/* Measures the cost for a function like this, with these events. */
CYC_MUST_CHECK int probe_cost(const struct probe_function *like, const struct event_spec *events, size_t events_n,
			      struct probe_cost *ret, struct error *err);

#endif
