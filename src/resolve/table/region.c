#include "resolve/table/region.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

/* REGION_MIN: initial size.  Up to HEAP_MAX bytes are from malloc(): a file has dozens of small parts, and unmapping
 * memory interrupts each CPU that runs another thread of the process. */
enum { REGION_MIN = 4096, HEAP_MAX = 64 * 1024 };

static void *grow(const struct region *g, size_t cap)
{
	void *p;
	if (cap <= HEAP_MAX)
		return realloc(g->data, cap);
	if (g->cap > HEAP_MAX)
		p = mremap(g->data, g->cap, cap, MREMAP_MAYMOVE);
	else
		p = mmap(NULL, cap, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (p == MAP_FAILED)
		return NULL;
	if (g->data && g->cap <= HEAP_MAX) {
		memcpy(p, g->data, g->n);
		free(g->data);
	}
	return p;
}

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
	void *p = grow(g, cap);
	if (!p)
		return false;
	g->data = p;
	g->cap = cap;
	return true;
}

void region_free(struct region *g)
{
	if (g->cap > HEAP_MAX)
		munmap(g->data, g->cap);
	else
		free(g->data);
	*g = (struct region){0};
}

void region_trim(struct region *g)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE), cap = (g->n + page - 1) / page * page;
	if (cap <= HEAP_MAX || cap >= g->cap)
		return;
	void *p = mremap(g->data, g->cap, cap, 0);
	if (p != MAP_FAILED)
		g->cap = cap; /* shrinking does not move the memory */
}
