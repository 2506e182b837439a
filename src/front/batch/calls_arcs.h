/* The pairs of caller and callee as arcs of a graph, sorted by the caller or by the callee. */
#ifndef FRONT_BATCH_CALLS_ARCS_H
#define FRONT_BATCH_CALLS_ARCS_H

#include "front/batch/batch.h"

/* Calls of one function by another.  If arcs are sorted by caller, `part` is the fraction of the caller's time (with
 * its own time, all fractions add up to 1); if by callee, the fraction of the time of all calls of the callee.
 * Recursive calls have 0, as their time is within that of other calls. */
struct drawn_arc {
	const struct calls_pair *pair;
	double part;
};
struct calls_arcs {
	struct drawn_arc *v; /* [n]: the arcs of a function stand together, those with most time first */
	size_t n;
	bool by_callee;
};
void calls_arcs_init(struct calls_arcs *a, const struct calls_output *o, bool by_callee);
void calls_arcs_deinit(struct calls_arcs *a);
/* Returns the arcs [*n_ret] of a function as caller or callee, see by_callee.  `of` NULL: those of unknown callers. */
const struct drawn_arc *calls_arcs_find(const struct calls_arcs *a, const struct calls_line *of, size_t *n_ret);
/* Returns 1 + the highest id of a function that is printed or called: the length of an array indexed by id. */
size_t calls_ids(const struct calls_output *o);
/* Returns `of` / `whole`; 0 if `whole` is 0. */
double calls_part(double of, double whole);

#endif
