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
	size_t others_n; /* of batch.others */
	bool told;	 /* each record has a time, and none is older than that before it */
};

/* Whole records, as they lie in the file. */
struct batch_run {
	const uint8_t *bytes;
	size_t n;
	uint64_t first_ns, last_ns; /* their times rise from and to; 0: they have none */
	bool told;		    /* each has one */
};

/* What is left of one round waits where it is while the next is read behind what is left
 * of the one before, which is next to nothing. */
struct batch {
	VEC(uint8_t) bytes[2];
	unsigned to; /* where the next goes */
	size_t n;    /* bytes that wait in both */
	VEC(struct lane_span) spans;
	VEC(size_t) others; /* span after span: where in it those records are that are not samples */
	VEC(size_t) run;    /* the same of the run that comes next */
	VEC(struct lane) lanes;
	uint64_t run_ns; /* the newest of the last span */
	bool broken;	 /* the next record begins a span of its own */
};
void batch_deinit(struct batch *b);
void batch_clear(struct batch *b);
/* Of the run that will be added next: its record at `at` is no sample, or too small for one. */
static inline void batch_other(struct batch *b, size_t at)
{
	vec_push(&b->run) = at;
}
/* Copies them behind the others. */
void batch_add(struct batch *b, const struct batch_run *run);
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
