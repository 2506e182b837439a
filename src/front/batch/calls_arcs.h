/* Who calls whom, found by the caller or by the callee. */
#ifndef FRONT_BATCH_CALLS_ARCS_H
#define FRONT_BATCH_CALLS_ARCS_H

#include "front/batch/batch.h"

/* Calls of one function by another.  `part`: by caller, of the caller's time; these and its own add up to it.  By
 * callee, of the time of all calls by others.  Recursive calls, which are within others, have none. */
struct drawn_arc {
	const struct calls_pair *pair;
	double part;
};
struct calls_arcs {
	struct drawn_arc *v; /* [n], those of a function side by side, the most time first */
	size_t n;
	bool by_callee;
};
void calls_arcs_init(struct calls_arcs *a, const struct calls_output *o, bool by_callee);
void calls_arcs_deinit(struct calls_arcs *a);
/* Finds the arcs of a function; `of` NULL: those of callers that are not known. */
const struct drawn_arc *calls_arcs_find(const struct calls_arcs *a, const struct calls_line *of, size_t *n_ret);
/* Returns a number that is above the ids of all functions that are written or called. */
size_t calls_ids(const struct calls_output *o);
/* `of` / `whole`; 0 of nothing. */
double calls_part(double of, double whole);

#endif
