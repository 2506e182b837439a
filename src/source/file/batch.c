#include "source/file/batch.h"

#include <stdlib.h>
#include <string.h>

/* Lanes cost memory, too: where times rise and fall with every record, runs are cut off
 * only so often, and what is older than its predecessor comes late. */
enum { SPANS_FREE = 4096, BYTES_PER_SPAN = 512 };

void batch_deinit(struct batch *b)
{
	vec_free(&b->bytes[0]);
	vec_free(&b->bytes[1]);
	vec_free(&b->spans);
	vec_free(&b->lanes);
}

void batch_clear(struct batch *b)
{
	b->n = b->bytes[0].n = b->bytes[1].n = b->spans.n = b->lanes.n = 0;
	b->run_ns = 0;
}

static bool wants_span(const struct batch *b, uint64_t time_ns)
{
	if (!b->spans.n || b->broken)
		return true;
	return time_ns && time_ns < b->run_ns && b->spans.n < SPANS_FREE + b->n / BYTES_PER_SPAN;
}

void batch_add(struct batch *b, const uint8_t *bytes, size_t n, uint64_t first_ns, uint64_t last_ns)
{
	size_t at = b->bytes[b->to].n;
	if (wants_span(b, first_ns)) {
		vec_push(&b->spans) = (struct lane_span){.in = b->to, .at = at};
		b->run_ns = 0;
		b->broken = false;
	}
	vec_reserve(&b->bytes[b->to], at + n);
	memcpy(b->bytes[b->to].data + at, bytes, n);
	b->bytes[b->to].n += n;
	b->n += n;
	b->spans.data[b->spans.n - 1].n += n;
	if (last_ns)
		b->run_ns = last_ns;
}

size_t batch_lanes(struct batch *b, struct lane **ret)
{
	b->lanes.n = 0;
	for (size_t i = 0; i < b->spans.n; i++) {
		const struct lane_span *s = &b->spans.data[i];
		vec_push(&b->lanes) = (struct lane){.a = batch_bytes(b, s), .a_len = s->n, .mixed = true};
	}
	*ret = b->lanes.data;
	return b->lanes.n;
}

static void drop_used(struct batch *b)
{
	size_t kept = 0;
	for (size_t i = 0; i < b->lanes.n; i++) {
		struct lane_span s = b->spans.data[i];
		size_t used = b->lanes.data[i].used;
		b->n -= used;
		if (used < s.n)
			b->spans.data[kept++] = (struct lane_span){.in = s.in, .at = s.at + used, .n = s.n - used};
	}
	b->spans.n = kept;
	b->lanes.n = 0;
}

void batch_keep_rest(struct batch *b)
{
	drop_used(b);
	b->to ^= 1;
	b->broken = true;
	size_t n = 0;
	for (size_t i = 0; i < b->spans.n; i++) {
		struct lane_span *s = &b->spans.data[i];
		if (s->in != b->to)
			continue;
		memmove(b->bytes[b->to].data + n, batch_bytes(b, s), s->n);
		s->at = n;
		n += s->n;
	}
	b->bytes[b->to].n = n;
}
