/* Functions that have samples by address in a baseline, by the symbols that they had then.  If the program was rebuilt
 * since, it is another file, in which the same function is another symbol. */
#ifndef COMPARISON_ADDRESSED_H
#define COMPARISON_ADDRESSED_H

#include <cyctop/session.h>

struct addressed {
	uint32_t *syms; /* [n]: the most recently sampled symbol first */
	size_t n;
};
/* Lists the functions that have samples by address in the marked intervals of a session. */
void addressed_take(struct addressed *a, struct session *s);
void addressed_deinit(struct addressed *a);
/* Returns the symbol that function `sym` had in the baseline: of the listed symbols with the same name and file (apart
 * from their builds), the most recently sampled one; `sym` if there is none. */
uint32_t addressed_find(const struct addressed *a, struct session *s, uint32_t sym);
/* If a pivot shows a function by address, replaces the function's symbol in the filters by its symbol in the
 * baseline. */
void addressed_pivot(const struct addressed *a, struct session *s, struct pivot_query *query);

#endif
