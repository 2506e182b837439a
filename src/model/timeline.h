/* Private to the model. */
#ifndef MODEL_TIMELINE_H
#define MODEL_TIMELINE_H

#include "model/history.h"

/* A snapshot of counts alone: it has no samples, no rows, and no trust. */
struct snapshot *snapshot_of_account(const struct model *m, const struct query *query, const struct account *account);

#endif
