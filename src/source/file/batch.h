/* Kernel records that were read and not yet handed on, as lanes for the merger: perf
 * writes the rings one after the other, so that times rise within a stretch of the file
 * and fall where the next ring begins.  Each such run is a lane. */
#ifndef SOURCE_FILE_BATCH_H
#define SOURCE_FILE_BATCH_H

#include "base/alloc.h"
#include "base/cursor.h"

#include <cyctop/record.h>

struct lane_span {
	size_t at, n;
};

struct batch {
	VEC(uint8_t) bytes;
	VEC(struct lane_span) spans;
	VEC(struct lane) lanes;
	uint64_t run_ns; /* the newest of the last span */
	bool broken;	 /* the next record begins a span of its own */
};
void batch_deinit(struct batch *b);
void batch_clear(struct batch *b);
/* The record that batch_note() is told of may begin a span. */
void batch_span(struct batch *b, size_t ahead, uint64_t time_ns);
/* Copies `n` bytes of whole records behind the others; batch_note() must have been told
 * of each of them, in their order. */
void batch_add(struct batch *b, const uint8_t *bytes, size_t n);
/* A record of that size and time (0: none) will be `ahead` bytes behind what was added
 * so far. */
static inline void batch_note(struct batch *b, size_t ahead, size_t size, uint64_t time_ns)
{
	if (b->broken || !b->spans.n || (time_ns && time_ns < b->run_ns))
		batch_span(b, ahead, time_ns);
	b->spans.data[b->spans.n - 1].n += size;
	if (time_ns)
		b->run_ns = time_ns;
}
/* The lanes, valid until the batch changes. */
size_t batch_lanes(struct batch *b, struct lane **ret);
/* Keeps what the lanes' `used` leaves. */
void batch_keep_rest(struct batch *b);

/* The 8 bytes at `p`, of either byte order. */
static inline uint64_t load_u64_as(const uint8_t *p, bool swap)
{
	return swap_u64(load_u64(p), swap);
}

/* The time of a record; 0: it has none. */
static inline uint64_t record_time_of(const struct record_layout *layout, const uint8_t *bytes,
				      const struct record_header *h)
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

#endif
