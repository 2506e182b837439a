#include "resolve/table/region.h"

#include <sys/mman.h>
#include <unistd.h>

enum { REGION_MIN = 64 * 1024 };

bool region_reserve(struct region *g, size_t more)
{
	size_t want;
	if (__builtin_add_overflow(g->n, more, &want) || want > SIZE_MAX / 4)
		return false;
	if (want <= g->cap)
		return true;
	size_t cap = g->cap ? g->cap : REGION_MIN;
	while (cap < want)
		cap *= 2;
	void *p = g->data ? mremap(g->data, g->cap, cap, MREMAP_MAYMOVE)
			  : mmap(NULL, cap, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (p == MAP_FAILED)
		return false;
	g->data = p;
	g->cap = cap;
	return true;
}

void region_free(struct region *g)
{
	if (g->data)
		munmap(g->data, g->cap);
	*g = (struct region){0};
}

void region_trim(struct region *g)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE), cap = (g->n + page - 1) / page * page;
	if (!g->n || cap >= g->cap)
		return;
	void *p = mremap(g->data, g->cap, cap, 0);
	if (p != MAP_FAILED)
		g->cap = cap; /* shrinking never moves */
}
