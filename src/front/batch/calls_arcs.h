/* Who calls whom, found by the caller or by the callee. */
#ifndef FRONT_BATCH_CALLS_ARCS_H
#define FRONT_BATCH_CALLS_ARCS_H

#include "front/batch/batch.h"

/* Calls of one function by another.  `part`, by caller: the part of the caller's time, to which these parts and its own
 * add up.  By callee: the part of the time of all calls by others.  Recursive calls are within others, and have 0. */
struct drawn_arc {
	const struct calls_pair *pair;
	double part;
};
struct calls_arcs {
	struct drawn_arc *v; /* [n]: arcs of a function side by side, the most time first */
	size_t n;
	bool by_callee;
};
void calls_arcs_init(struct calls_arcs *a, const struct calls_output *o, bool by_callee);
void calls_arcs_deinit(struct calls_arcs *a);
/* Finds the arcs of a function; `of` NULL: the arcs of unknown callers. */
const struct drawn_arc *calls_arcs_find(const struct calls_arcs *a, const struct calls_line *of, size_t *n_ret);
/* Returns a number that is above the ids of all functions that are written or called. */
size_t calls_ids(const struct calls_output *o);
/* Returns `of` / `whole`; 0 if `whole` is 0. */
double calls_part(double of, double whole);

#endif
