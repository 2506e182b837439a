/* How the panes of the screen are compared: by which pivots and dimensions. */
#ifndef COMPARISON_PANE_H
#define COMPARISON_PANE_H

#include <cyctop/model.h>

/* Returns true if a pane must be compared by CPU mode, too, so that idle time has its own rows: true for tables by CPU,
 * false for tables by task or code. */
bool pane_needs_mode(const struct pivot_query *pane);
/* Makes the pivot by which a pane is compared: the pane's pivot, with DIM_MODE if pane_needs_mode(). */
void pane_compared(const struct pivot_query *pane, struct pivot_query *ret);
/* Chooses the dimensions by which the rows of a pane are matched; functions also by DSO.  Returns their number. */
size_t pane_dims(const struct pivot_query *pane, enum dimension_id ret[2]);
/* Returns a row without samples, to show a row that only the baseline has.  `none`: zeros, for its sums. */
struct row pane_gone(const struct row *row, struct sum *none);

#endif
