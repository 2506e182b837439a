/* How the panes of the screen are compared: by which pivots and dimensions. */
#ifndef COMPARISON_PANE_H
#define COMPARISON_PANE_H

#include <cyctop/model.h>

/* Returns true if a pane's table must also be by CPU mode, as tables by CPU: only so idle time gets a row of its
 * own. */
bool pane_needs_mode(const struct pivot_query *pane);
/* Makes in *ret the pivot by which the pane `pane` is compared. */
void pane_compared(const struct pivot_query *pane, struct pivot_query *ret);
/* Chooses the dimensions by which a pane is compared; functions also by DSO.  Returns their number. */
size_t pane_dims(const struct pivot_query *pane, enum dimension_id ret[2]);
/* Returns a row that stands for one that only the baseline has; it has no samples.  `none`: zeros, for its sums. */
struct row pane_gone(const struct row *row, struct sum *none);

#endif
