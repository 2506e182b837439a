/* A ring buffer, filled as the kernel fills one.  The positions `tail` and `head` bound the
 * unread bytes, and never wrap.  A record that does not fit is lost; a LOST record precedes the
 * next one that fits. */
#ifndef SOURCE_SYNTH_RING_H
#define SOURCE_SYNTH_RING_H

#include <cyctop/record.h>

struct synth_ring {
	uint8_t *data;
	size_t size; /* a power of two */
	uint64_t head, tail;
	uint64_t lost; /* records since the last LOST record */
};

void synth_ring_init(struct synth_ring *r, size_t size);
void synth_ring_deinit(struct synth_ring *r);

/* false: the record does not fit. */
bool synth_ring_put(struct synth_ring *r, const void *bytes, size_t n);
/* The unread bytes as a lane. */
void synth_ring_lane(const struct synth_ring *r, bool sideband, struct lane *ret);

/* Adds `by` to the time of each record in [from, to). */
void synth_ring_shift_times(struct synth_ring *r, const struct record_layout *layout, uint64_t from, uint64_t to,
			    uint64_t by);

#endif
