/* Sums facts into the rows of tables. */
#ifndef MODEL_PIVOT_H
#define MODEL_PIVOT_H

#include "model/classes.h"
#include "model/parts.h"
#include "model/select.h"

/* The denominator of shares. */
struct whole {
	/* [events_n]: true for the primary event and its siblings; in the whole of branches, for the branch event */
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
	double interrupts_ns; /* CPU time of interrupts on idle CPUs that no sample has; 0: none, or unknown */
	const uint64_t *sums; /* parts_of_facts() */
	struct whole whole, branches;
	/* [DIM_COUNT]: classes by one dimension without filters, shared by all pivots.  The first pivot that needs
	 * them makes them; the owner of the array calls classes_deinit() for all. */
	struct classes *common;
};
/* Fills in the rows of all pivots, by the `query` in each; all together, so that each fact is read only once. */
void pivots_fill(struct pivot *pivots, size_t n, const struct pivot_world *world);
void pivot_deinit(struct pivot *p);

#endif
