/* Room probe: functions of running programs and of the kernel, whose calls probes count: where they are, what probing
 * them takes, and a process that does it for the screen. */
#ifndef CYCTOP_PROBE_H
#define CYCTOP_PROBE_H

#include "base/strbuf.h"

#include <cyctop/calls.h>
#include <cyctop/event.h>
#include <cyctop/view.h>

/* ---- where functions are: find.c ------------------------------------------------------------------------ */

enum { PROBE_BYTES = 4 };
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
	const struct event_world *world;
	const char *program;
	uint32_t pid;
	bool returns; /* probe returns also where exceptions may pass */
};
/* Finds a function by FILE:FUNCTION, FILE:0xOFFSET, kernel:FUNCTION, or its name alone.  The caller closes fd. */
CYC_MUST_CHECK int probe_find(const char *word, const struct probe_where *where, struct probe_function *ret,
			      struct error *err);

/* ---- what a probe takes on this machine: cost.c ---------------------------------------------------------- */

struct probe_cost {
	struct calls_cost cost;
	double spread_ns;  /* half of the calls differ less than that from the cost inside */
	double reading_ns; /* CPU time of cyctop for the two hits of a call */
};
/* Returns true if probes on both functions cost the same. */
bool probe_costs_alike(const struct probe_function *a, const struct probe_function *b);
/* Measures the cost for a function like this, with these events. */
CYC_MUST_CHECK int probe_cost(const struct probe_function *like, const struct event_spec *events, size_t events_n,
			      const struct event_world *world, struct probe_cost *ret, struct error *err);

/* ---- for the screen: prober.c ------------------------------------------------------------------------------ */

/* The screen gets the calls of a function from cyctop probe, which a process runs that keeps the privileges that the
 * screen gives up.  Setting and removing probes takes up to a second, for which the screen does not wait. */

/* Starts that process, which ends with this one.  Returns a descriptor for prober_init(); -1: there is none. */
int prober_launch(void);

struct prober {
	int helper;	    /* of prober_launch() */
	int fd;		    /* what is printed; -1: nothing more */
	struct strbuf text; /* what was printed, without the tables before the last */
	bool refused;	    /* probing would have taken too much */
	enum view_probe_stage stage;
};
void prober_init(struct prober *p, int helper);
/* Has a function probed, or no longer, as the screen wants it; `wish` NULL: none. */
void prober_follow(struct prober *p, const struct view_probe_wish *wish, uint64_t delay_ns);
/* Takes what was printed; returns true if there is something. */
bool prober_read(struct prober *p);
void prober_stop(struct prober *p);

#endif
