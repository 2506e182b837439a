/* Sums facts into the rows of tables. */
#ifndef MODEL_PIVOT_H
#define MODEL_PIVOT_H

#include "model/classes.h"
#include "model/parts.h"
#include "model/select.h"

/* The denominator of shares: the total weight of some events. */
struct whole {
	/* [events_n]: true for the events that count: the primary event and its siblings, or the branch event */
	const bool *events;
	double weight, busy_weight; /* with and without idle time */
	uint64_t samples;
};

/* The inputs that all pivots of a snapshot share. */
struct pivot_world {
	const struct snapshot *snap; /* with complete totals */
	const struct model_names *names;
	const struct query *query;
	const struct selection *sel;
	struct id_table *ids;
	const struct time_config *time;
	double interrupts_ns; /* CPU time of interrupts on idle CPUs that no event samples; 0: none, or unknown */
	const uint64_t *sums; /* [event * cpus_n + cpu]: see parts_of_facts() */
	struct whole whole, branches;
	/* [DIM_COUNT]: classes by one dimension without filters, made by the first pivot that needs them.  The owner of
	 * the array calls classes_deinit() for each. */
	struct classes *common;
};
/* Fills in the rows of all pivots, each by its `query`.  All are filled together, so that each fact is read only
 * once. */
void pivots_fill(struct pivot *pivots, size_t n, const struct pivot_world *world);
void pivot_deinit(struct pivot *p);

#endif
