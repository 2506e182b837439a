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

static bool wants_span(const struct batch *b, uint64_t time_ns)
{
	if (!b->spans.n || b->broken)
		return true;
	return time_ns && time_ns < b->run_ns && b->spans.n < SPANS_FREE + b->bytes.n / BYTES_PER_SPAN;
}

void batch_add(struct batch *b, const uint8_t *bytes, size_t n, uint64_t time_ns)
{
	if (wants_span(b, time_ns)) {
		vec_push(&b->spans) = (struct lane_span){.at = b->bytes.n};
		b->run_ns = 0;
		b->broken = false;
	}
	vec_reserve(&b->bytes, b->bytes.n + n);
	memcpy(b->bytes.data + b->bytes.n, bytes, n);
	b->bytes.n += n;
	b->spans.data[b->spans.n - 1].n += n;
	if (time_ns)
		b->run_ns = time_ns;
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

/* ---- fields of records that are not decoded yet ----------------------------------------- */

uint64_t load_u64_as(const uint8_t *p, bool swap)
{
	uint64_t v;
	memcpy(&v, p, sizeof(v));
	return swap ? __builtin_bswap64(v) : v;
}

uint64_t record_time_of(const struct record_layout *layout, const uint8_t *bytes, const struct record_header *h)
{
	size_t at;
	if (h->type == RECORD_SAMPLE) {
		if (layout->time == LAYOUT_ABSENT || h->size < (size_t)layout->time + 8)
			return 0;
		at = (size_t)layout->time;
	} else {
		if (layout->tr_time == LAYOUT_ABSENT || h->size < (size_t)layout->tr_time + sizeof(*h))
			return 0;
		at = h->size - (size_t)layout->tr_time;
	}
	return load_u64_as(bytes + at, layout->swap);
}
