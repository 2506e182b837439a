/* Sorts entries by weight, to choose which entries of ended tasks and the like stay: the heaviest; others are
 * merged. */
#ifndef RESOLVE_NAMING_HEAVIEST_H
#define RESOLVE_NAMING_HEAVIEST_H

#include <cyctop/base.h>

/* Sorts ids by weight[id], the heaviest first; ids of equal weight by id. */
void heaviest_first(uint32_t *ids, size_t n, const uint64_t *weight);

#endif
