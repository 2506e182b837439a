/* Room probe: counts calls of functions of running programs and of the kernel by probes: finds the functions,
 * measures what the probes cost, and has a helper process that probes for the screen. */
#ifndef CYCTOP_PROBE_H
#define CYCTOP_PROBE_H

#include "base/strbuf.h"

#include <cyctop/calls.h>
#include <cyctop/event.h>
#include <cyctop/view.h>

/* ---- finding functions: find.c -------------------------------------------------------------------------- */

enum { PROBE_BYTES = 4 };
struct probe_function {
	const char *name;	      /* the function, as the user wrote it, without the file */
	char dso[96];		      /* name of the function's file, or "[kernel]" */
	struct event_spec begin, end; /* end.name "": returns are not probed */
	const char *why_no_end;	      /* reason, a clause; NULL: returns are probed */
	int fd;			      /* descriptor of the function's file, for `begin`; -1: none */
	bool kernel;
	uint8_t first[PROBE_BYTES]; /* first bytes of the function's code */
};
/* Where to find a function that the user named without a file: in `program`; if `program` is NULL, in process `pid`; if
 * `pid` is 0, too, in the kernel. */
struct probe_where {
	const struct event_world *world;
	const char *program;
	uint32_t pid;
	bool returns; /* probe returns even where an exception that passes them would end the program */
};
/* Finds a function by FILE:FUNCTION, FILE:0xOFFSET, kernel:FUNCTION, or its name alone.  The caller closes fd. */
CYC_MUST_CHECK int probe_find(const char *word, const struct probe_where *where, struct probe_function *ret,
			      struct error *err);

/* ---- the cost of a probe on this machine: cost.c --------------------------------------------------------- */

struct probe_cost {
	struct calls_cost cost;
	double spread_ns;  /* half of the interquartile range of the measured cost.inside */
	double reading_ns; /* CPU time of cyctop to read the two hits of a call */
};
/* Returns true if a probe costs the same on both functions, so that one measurement serves both. */
bool probe_costs_alike(const struct probe_function *a, const struct probe_function *b);
/* Measures the cost of probing a function like `like`, with `events` counted at each hit. */
CYC_MUST_CHECK int probe_cost(const struct probe_function *like, const struct event_spec *events, size_t events_n,
			      const struct event_world *world, struct probe_cost *ret, struct error *err);

/* ---- probing for the screen: prober.c ---------------------------------------------------------------------- */

/* The screen runs cyctop probe in a helper process, which keeps the privileges that the screen drops.  The screen need
 * not wait while probes are set and removed, which takes up to a second. */

/* Starts the helper, which ends with this process.  Returns a descriptor for prober_init(); -1: it could not be
 * started. */
int prober_launch(void);

struct prober {
	int helper;	    /* descriptor from prober_launch() */
	int fd;		    /* output of cyctop probe; -1: it does not run */
	struct strbuf text; /* output so far; only the last of the tables */
	bool refused;	    /* probing would have cost too much */
	enum view_probe_stage stage;
};
void prober_init(struct prober *p, int helper);
/* Starts or stops probing as `wish` says; NULL: stops it.  cyctop probe prints a table each `delay_ns`. */
void prober_follow(struct prober *p, const struct view_probe_wish *wish, uint64_t delay_ns);
/* Reads new output; returns true if there was some. */
bool prober_read(struct prober *p);
void prober_stop(struct prober *p);

#endif
