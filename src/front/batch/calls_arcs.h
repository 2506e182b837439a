/* The pairs of caller and callee as arcs of a graph, sorted by the caller or by the callee. */
#ifndef FRONT_BATCH_CALLS_ARCS_H
#define FRONT_BATCH_CALLS_ARCS_H

#include "front/batch/batch.h"

/* Calls of one function by another.  `part`: if arcs are sorted by caller, the fraction of the caller's time (with the
 * caller's own time, the fractions add up to 1); if they are sorted by callee, the fraction of the time of all calls of
 * the callee.  For recursive calls it is 0, as their time is within that of other calls. */
struct drawn_arc {
	const struct calls_pair *pair;
	double part;
};
struct calls_arcs {
	struct drawn_arc *v; /* [n]: the arcs of a function are adjacent, those with most time first */
	size_t n;
	bool by_callee;
};
void calls_arcs_init(struct calls_arcs *a, const struct calls_output *o, bool by_callee);
void calls_arcs_deinit(struct calls_arcs *a);
/* Returns the *n_ret arcs whose caller or, if `by_callee`, whose callee is `of`; NULL: those of unknown callers. */
const struct drawn_arc *calls_arcs_find(const struct calls_arcs *a, const struct calls_line *of, size_t *n_ret);
/* Returns 1 + the highest id of a function that is printed or called: the length of an array indexed by id. */
size_t calls_ids(const struct calls_output *o);
/* Returns `of` / `whole`; 0 if `whole` is 0. */
double calls_part(double of, double whole);

#endif
