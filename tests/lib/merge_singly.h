/* Records one by one, from the batches of samples that a merger passes. */
#ifndef TESTS_LIB_MERGE_SINGLY_H
#define TESTS_LIB_MERGE_SINGLY_H

#include "record/internal.h"

#include <string.h>

/* A merge_fn whose ctx is a struct merge_singly: calls `fn` for each record. */
struct merge_singly {
	const struct record_layout *layout;
	merge_fn *fn;
	void *ctx;
};

static inline void merge_singly(void *ctx, const struct lane *lane, const uint8_t *bytes, size_t size)
{
	const struct merge_singly *m = ctx;
	while (size) {
		struct record_header h;
		memcpy(&h, bytes, sizeof(h));
		record_header_swap(&h, m->layout->swap);
		m->fn(m->ctx, lane, bytes, h.size);
		bytes += h.size;
		size -= h.size;
	}
}

#endif
