/* Totals of one interval as a snapshot, for the columns of the timeline. */
#ifndef MODEL_TIMELINE_H
#define MODEL_TIMELINE_H

#include "model/history.h"

/* Makes a snapshot of counts alone, without samples, rows, and trust. */
struct snapshot *snapshot_of_account(const struct model *m, const struct query *query, const struct account *account);

#endif
