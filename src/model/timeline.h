/* Totals of one interval as a snapshot, for one column of the timeline. */
#ifndef MODEL_TIMELINE_H
#define MODEL_TIMELINE_H

#include "model/history.h"

/* Returns a snapshot of counts alone, without samples, rows and trust; the caller destroys it. */
struct snapshot *snapshot_of_account(const struct model *m, const struct query *query, const struct account *account);

#endif
