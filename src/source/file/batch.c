#include "source/file/batch.h"

#include <stdlib.h>
#include <string.h>

/* Lanes cost memory, too: where times rise and fall with every record, runs are cut off
 * only so often, and what is older than its predecessor comes late. */
enum { SPANS_FREE = 4096, BYTES_PER_SPAN = 512 };

void batch_deinit(struct batch *b)
{
	vec_free(&b->bytes);
	vec_free(&b->spans);
	vec_free(&b->lanes);
}

void batch_clear(struct batch *b)
{
	b->bytes.n = b->spans.n = b->lanes.n = 0;
	b->run_ns = 0;
}

void batch_span(struct batch *b, size_t ahead, uint64_t time_ns)
{
	size_t at = b->bytes.n + ahead;
	bool falls = time_ns && time_ns < b->run_ns && b->spans.n < SPANS_FREE + at / BYTES_PER_SPAN;
	if (b->spans.n && !b->broken && !falls)
		return;
	vec_push(&b->spans) = (struct lane_span){.at = at};
	b->run_ns = 0;
	b->broken = false;
}

void batch_add(struct batch *b, const uint8_t *bytes, size_t n)
{
	vec_reserve(&b->bytes, b->bytes.n + n);
	memcpy(b->bytes.data + b->bytes.n, bytes, n);
	b->bytes.n += n;
}

size_t batch_lanes(struct batch *b, struct lane **ret)
{
	b->lanes.n = 0;
	for (size_t i = 0; i < b->spans.n; i++) {
		const struct lane_span *s = &b->spans.data[i];
		vec_push(&b->lanes) = (struct lane){.a = b->bytes.data + s->at, .a_len = s->n, .mixed = true};
	}
	*ret = b->lanes.data;
	return b->lanes.n;
}

void batch_keep_rest(struct batch *b)
{
	size_t to = 0, kept = 0;
	for (size_t i = 0; i < b->lanes.n; i++) {
		size_t used = b->lanes.data[i].used, at = b->spans.data[i].at + used, n = b->spans.data[i].n - used;
		if (!n)
			continue;
		memmove(b->bytes.data + to, b->bytes.data + at, n);
		b->spans.data[kept++] = (struct lane_span){.at = to, .n = n};
		to += n;
	}
	b->spans.n = kept;
	b->bytes.n = to;
	b->lanes.n = 0;
	b->broken = true;
}
