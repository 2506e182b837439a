/* Selects what a query's window consists of: facts, counts and sums of its intervals. */
#ifndef MODEL_SELECT_H
#define MODEL_SELECT_H

#include "base/alloc.h"
#include "model/fact_columns.h"
#include "model/fact_time.h"
#include "model/history.h"

/* A contiguous array of facts. */
struct span {
	const struct fact *facts;
	size_t n;
	struct fact_columns extra; /* [n]: further numbers of each fact; owned by the model */
	bool thin;		   /* the facts are of a thin interval */
};
static inline fact_time span_time(const struct span *span, size_t at)
{
	return span->extra.times ? span->extra.times[at] : time_make(0, TIME_UNKNOWN);
}
/* The facts and sums of a window; points into the model, valid until the model changes. */
struct selection {
	VEC(struct span) spans;
	/* [intervals_n]: the interval of each span; NULL, 0: the window is the total, which has no intervals. */
	struct interval *const *intervals;
	size_t intervals_n;
	struct account account;
	double *scales; /* [event * cpus_n + cpu]: factor on weights, see counted_scale(); NULL: all are 1 */
};
void selection_init(struct selection *sel, const struct model *m, const struct query *query);
/* Fills in the siblings of each event (same event on other PMUs), and marks the primary event and its siblings; returns
 * the index of the first marked event. */
size_t query_siblings(const struct query *query, size_t events_n, struct pmu_sibling siblings[EVENTS_MAX],
		      bool primary[EVENTS_MAX]);
static inline double selection_scale(const struct selection *sel, size_t event_cpu)
{
	return sel->scales ? sel->scales[event_cpu] : 1;
}
void selection_deinit(struct selection *sel);

#endif
