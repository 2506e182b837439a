#include "resolve/naming/heaviest.h"

#include <stdlib.h>

static int compare(const void *pa, const void *pb, void *ctx)
{
	const uint32_t a = *(const uint32_t *)pa, b = *(const uint32_t *)pb;
	const uint64_t *weight = ctx;
	if (weight[a] != weight[b])
		return weight[a] > weight[b] ? -1 : 1;
	return (a > b) - (a < b);
}

void heaviest_first(uint32_t *ids, size_t n, const uint64_t *weight)
{
	if (n)
		qsort_r(ids, n, sizeof(*ids), compare, (void *)(uintptr_t)weight);
}
