#include "source/synth/ring.h"

#include "base/alloc.h"

#include <stdlib.h>
#include <string.h>

void synth_ring_init(struct synth_ring *r, size_t size)
{
	*r = (struct synth_ring){.data = mem_calloc(size, 1), .size = size};
}

void synth_ring_deinit(struct synth_ring *r)
{
	free(r->data);
}

/* Copy `n` bytes from or to position `at`, and continue at the start of the buffer if they reach its end. */
static void ring_get(const struct synth_ring *r, uint64_t at, void *ret, size_t n)
{
	size_t from = at & (r->size - 1);
	size_t first = n < r->size - from ? n : r->size - from;
	memcpy(ret, r->data + from, first);
	memcpy((uint8_t *)ret + first, r->data, n - first);
}

static void ring_set(struct synth_ring *r, uint64_t at, const void *bytes, size_t n)
{
	size_t from = at & (r->size - 1);
	size_t first = n < r->size - from ? n : r->size - from;
	memcpy(r->data + from, bytes, first);
	memcpy(r->data, (const uint8_t *)bytes + first, n - first);
}

bool synth_ring_put(struct synth_ring *r, const void *bytes, size_t n)
{
	if (n > r->size - (r->head - r->tail))
		return false;
	ring_set(r, r->head, bytes, n);
	r->head += n;
	return true;
}

void synth_ring_lane(const struct synth_ring *r, bool sideband, struct lane *ret)
{
	size_t from = r->tail & (r->size - 1);
	size_t n = r->head - r->tail;
	size_t first = n < r->size - from ? n : r->size - from;
	*ret = (struct lane){
		.a = r->data + from,
		.a_len = first,
		.b = r->data,
		.b_len = n - first,
		.sideband = sideband,
	};
}

void synth_ring_shift_times(struct synth_ring *r, const struct record_layout *layout, uint64_t from, uint64_t to,
			    uint64_t by)
{
	struct record_header h;
	while (to - from >= sizeof(h)) {
		ring_get(r, from, &h, sizeof(h));
		if (h.size < sizeof(h) || h.size > to - from)
			return;
		uint64_t at = 0, time;
		if (h.type == RECORD_SAMPLE && layout->fixed_size <= h.size)
			at = (uint64_t)layout->time;
		else if (h.type != RECORD_SAMPLE && layout->trailer_size + sizeof(h) <= h.size)
			at = h.size - (uint64_t)layout->tr_time;
		if (at) {
			ring_get(r, from + at, &time, sizeof(time));
			time += by;
			ring_set(r, from + at, &time, sizeof(time));
		}
		from += h.size;
	}
}
