/* Sorts entries by weight.  Of entries that are gone, such as ended tasks, the heaviest stay; the others are merged. */
#ifndef RESOLVE_NAMING_HEAVIEST_H
#define RESOLVE_NAMING_HEAVIEST_H

#include <cyctop/base.h>

/* Sorts ids by weight[id], the heaviest first, and equal ones by id. */
void heaviest_first(uint32_t *ids, size_t n, const uint64_t *weight);

#endif
