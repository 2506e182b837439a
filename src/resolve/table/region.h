/* A growing block of memory outside the heap.  The loader needs megabytes for a
 * moment: taken from malloc() they would leave holes that never go back to the
 * system. */
#ifndef RESOLVE_TABLE_REGION_H
#define RESOLVE_TABLE_REGION_H

#include <cyctop/base.h>

struct region {
	uint8_t *data;
	size_t n, cap;
};
/* Room for `more` bytes behind data[n]; false: no memory, the region is as it was. */
CYC_MUST_CHECK bool region_reserve(struct region *g, size_t more);
/* Gives back what is not used. */
void region_trim(struct region *g);
void region_free(struct region *g);

#endif
