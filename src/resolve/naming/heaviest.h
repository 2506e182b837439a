/* Sorts entries by weight: of code and tasks that are gone, the heaviest keep rows of their own in the total since
 * start. */
#ifndef RESOLVE_NAMING_HEAVIEST_H
#define RESOLVE_NAMING_HEAVIEST_H

#include <cyctop/base.h>

/* Sorts ids by weight[id], the heaviest first, and equal ones by id. */
void heaviest_first(uint32_t *ids, size_t n, const uint64_t *weight);

#endif
