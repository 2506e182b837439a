/* By which pivots and dimensions panes of the screen are compared. */
#ifndef COMPARISON_PANE_H
#define COMPARISON_PANE_H

#include <cyctop/model.h>

/* Returns true if a table must also be by mode, so that idle time is a row of its own, as in tables by CPU. */
bool pane_needs_mode(const struct pivot_query *pane);
/* Makes the pivot by which a pane is compared. */
void pane_compared(const struct pivot_query *pane, struct pivot_query *ret);
/* Chooses the dimensions by which a pane is compared; functions also by DSO.  Returns their number. */
size_t pane_dims(const struct pivot_query *pane, enum dimension_id ret[2]);
/* Makes a row without samples for a row that only the baseline has; `none`: zeros, for its sums. */
struct row pane_gone(const struct row *row, struct sum *none);

#endif
