/* Compares the weight of samples with the counts of counters, for each event, and for the trust line. */
#ifndef MODEL_EXPLAINED_H
#define MODEL_EXPLAINED_H

#include "model/history.h"

/* Fills in `explained` of each event, and the members of `trust` that depend on it and on `throttled`.  The
 * rest of the events, the wholes and busy times must be complete.  `account` is that of the window;
 * primary[event] is true for the primary event and its siblings. */
void fill_explained(struct snapshot *s, const struct query *query, const struct account *account, const bool *primary);

#endif
