/* Compares, for each event, the weight of its samples with the count of its counters: does sampling explain the
 * count? */
#ifndef MODEL_EXPLAINED_H
#define MODEL_EXPLAINED_H

#include "model/history.h"

/* Fills in `explained` of each event, and the members of `trust` about `explained` and `throttled`.  The other members
 * of events, the wholes and the busy times must be there already.  `account`: sums of the window; primary[event]: true
 * for the primary event and its siblings. */
void fill_explained(struct snapshot *s, const struct query *query, const struct account *account, const bool *primary);

#endif
