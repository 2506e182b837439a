/* Collects kernel records from the file, and passes them to the merger as lanes.  A lane is a part of the file in which
 * times do not go back: perf writes one ring after the other, so times rise within a ring's records, and go back where
 * the next ring begins. */
#ifndef SOURCE_FILE_BATCH_H
#define SOURCE_FILE_BATCH_H

#include "base/alloc.h"
#include "base/cursor.h"
#include "base/load.h"

#include <cyctop/record.h>

/* The bytes of a lane: [at, at + n) of batch.bytes[in]. */
struct lane_span {
	unsigned in;
	size_t at, n;
	size_t others_n; /* number of the span's elements in batch.others */
	bool ordered;	 /* every record has a time, and times never decrease */
};

/* Consecutive whole records of the file whose times do not decrease. */
struct batch_run {
	const uint8_t *bytes;
	size_t n;
	uint64_t first_ns, last_ns; /* times of the first and of the last record that has a time; 0: no record has */
	bool ordered;		    /* every record has a time */
};

/* Records for the merger.  There are two buffers: records that the merger does not take yet stay in one, and the next
 * batch is appended to the other, which is nearly empty by then. */
struct batch {
	VEC(uint8_t) bytes[2];
	unsigned to; /* index of the buffer that batch_add() fills */
	size_t n;    /* number of bytes in both buffers */
	VEC(struct lane_span) spans;
	VEC(size_t) others; /* offsets in their span of the records that are not samples; spans in order */
	VEC(size_t) run;    /* offsets, in the next run, of records that are not samples, see batch_other() */
	VEC(struct lane) lanes;
	uint64_t run_ns; /* newest time in the last span; 0: none yet */
	bool broken;	 /* the next run must begin a new span */
};
/* Frees the memory.  The batch is empty then, and can be filled again. */
void batch_deinit(struct batch *b);
void batch_clear(struct batch *b);
/* Notes that the record at offset `at` of the next run is not a sample, or is smaller than samples of the layout. */
static inline void batch_other(struct batch *b, size_t at)
{
	vec_push(&b->run) = at;
}
/* Appends a copy of the run to the batch. */
void batch_add(struct batch *b, const struct batch_run *run);
/* Sets *ret to the spans as lanes, valid until the batch changes; returns their number. */
size_t batch_lanes(struct batch *b, struct lane **ret);
static inline const uint8_t *batch_bytes(const struct batch *b, const struct lane_span *s)
{
	return b->bytes[s->in].data + s->at;
}
/* Drops the bytes that the merger has used, by lane.used, and switches to the other buffer. */
void batch_keep_rest(struct batch *b);

/* Reads a uint64_t, with its bytes reversed if `swap`. */
static inline uint64_t load_u64_as(const uint8_t *p, bool swap)
{
	return swap_u64(load_u64(p), swap);
}

/* Returns the time of a whole record; 0: the record has none. */
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
