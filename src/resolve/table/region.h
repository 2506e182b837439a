/* A growing block of memory, outside of the heap if it is large: the loader needs megabytes for a short time, which
 * would leave holes in malloc()'s heap that never go back to the system. */
#ifndef RESOLVE_TABLE_REGION_H
#define RESOLVE_TABLE_REGION_H

#include <cyctop/base.h>

struct region {
	uint8_t *data;
	size_t n, cap;
};
/* Makes room for `more` bytes after data[n].  Returns false, with the region unchanged, if memory is short. */
CYC_MUST_CHECK bool region_reserve(struct region *g, size_t more);
/* Returns unused memory to the system. */
void region_trim(struct region *g);
void region_free(struct region *g);

#endif
