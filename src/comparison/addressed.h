/* The functions of which a baseline has samples by address, and what they are called in it: a program that was rebuilt
 * since is another file, whose functions are other symbols. */
#ifndef COMPARISON_ADDRESSED_H
#define COMPARISON_ADDRESSED_H

#include <cyctop/session.h>

struct addressed {
	uint32_t *syms; /* [n]; those that had samples last first */
	size_t n;
};
/* Lists the functions that have samples by address in the marked intervals of a session. */
void addressed_take(struct addressed *a, struct session *s);
void addressed_deinit(struct addressed *a);
/* Returns the symbol that a function had in the baseline: of the listed symbols whose name and file mean the same, the
 * one that had samples last; `sym` if there is none. */
uint32_t addressed_find(const struct addressed *a, struct session *s, uint32_t sym);
/* In a pivot by address of a function, replaces the function by the symbol that it had in the baseline. */
void addressed_pivot(const struct addressed *a, struct session *s, struct pivot_query *query);

#endif
