/* Kernel records that were read and not yet handed on, as lanes for the merger: perf
 * writes the rings one after the other, so that times rise within a stretch of the file
 * and fall where the next ring begins.  Each such run is a lane. */
#ifndef SOURCE_FILE_BATCH_H
#define SOURCE_FILE_BATCH_H

#include "base/alloc.h"

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
/* Copies a whole record behind the others. */
void batch_add(struct batch *b, const uint8_t *bytes, size_t n, uint64_t time_ns);
/* The lanes, valid until the batch changes. */
size_t batch_lanes(struct batch *b, struct lane **ret);
/* Keeps what the lanes' `used` leaves. */
void batch_keep_rest(struct batch *b);

/* The time of a record; 0: it has none. */
uint64_t record_time_of(const struct record_layout *layout, const uint8_t *bytes, const struct record_header *h);
/* The 8 bytes at `p`, of either byte order. */
uint64_t load_u64_as(const uint8_t *p, bool swap);

#endif
