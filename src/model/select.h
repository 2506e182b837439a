/* Which facts a window holds, and what each of them belongs to: what snapshots and
 * reports share. */
#ifndef MODEL_SELECT_H
#define MODEL_SELECT_H

#include "model/history.h"

/* Facts to sum. */
struct span {
	const struct fact *facts;
	size_t n;
};
/* Points into the model: valid until that changes. */
struct selection {
	VEC(struct span) spans;
	struct account account;
};
void selection_init(struct selection *sel, const struct model *m, const struct query *query);
/* Who is whose kin, and which are the primary event; returns the first of those. */
size_t query_kin(const struct query *query, size_t events_n, struct event_kin kin[EVENTS_MAX],
		 bool primary[EVENTS_MAX]);
void selection_deinit(struct selection *sel);

/* What one fact belongs to. */
struct place {
	uint32_t sym, task, leader;
	bool idle, self, kernel, kernel_task, pending, unresolved;
};
struct place place_of(const struct catalog *cat, const struct fact *f);

#endif
