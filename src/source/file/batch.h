/* Kernel records that were read and not yet handed on, as lanes for the merger: perf
 * writes the rings one after the other, so that times rise within a stretch of the file
 * and fall where the next ring begins.  Each such run is a lane. */
#ifndef SOURCE_FILE_BATCH_H
#define SOURCE_FILE_BATCH_H

#include "base/alloc.h"
#include "base/cursor.h"

#include <cyctop/record.h>

struct lane_span {
	unsigned in; /* of batch.bytes */
	size_t at, n;
};

/* What is left of one round waits where it is while the next is read behind what is left
 * of the one before, which is next to nothing. */
struct batch {
	VEC(uint8_t) bytes[2];
	unsigned to; /* where the next goes */
	size_t n;    /* bytes that wait in both */
	VEC(struct lane_span) spans;
	VEC(struct lane) lanes;
	uint64_t run_ns; /* the newest of the last span */
	bool broken;	 /* the next record begins a span of its own */
};
void batch_deinit(struct batch *b);
void batch_clear(struct batch *b);
/* Copies `n` bytes of whole records behind the others.  Their times must rise, from
 * first_ns to last_ns; both 0: they have none. */
void batch_add(struct batch *b, const uint8_t *bytes, size_t n, uint64_t first_ns, uint64_t last_ns);
/* The lanes, valid until the batch changes. */
size_t batch_lanes(struct batch *b, struct lane **ret);
static inline const uint8_t *batch_bytes(const struct batch *b, const struct lane_span *s)
{
	return b->bytes[s->in].data + s->at;
}
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
