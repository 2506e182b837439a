/* A ring buffer as the kernel fills it: bytes from `tail` to `head`, both running
 * freely; a record that finds no room is lost, and the loss is written down when
 * the next one fits. */
#ifndef SOURCE_SYNTH_RING_H
#define SOURCE_SYNTH_RING_H

#include <cyctop/record.h>

struct synth_ring {
	uint8_t *data;
	size_t size; /* a power of two */
	uint64_t head, tail;
	uint64_t lost; /* records, since the last LOST that was written */
};

void synth_ring_init(struct synth_ring *r, size_t size);
void synth_ring_deinit(struct synth_ring *r);

/* false: no room. */
bool synth_ring_put(struct synth_ring *r, const void *bytes, size_t n);
/* Copies `n` bytes at position `at` out of, or into, the ring. */
void synth_ring_get(const struct synth_ring *r, uint64_t at, void *ret, size_t n);
void synth_ring_set(struct synth_ring *r, uint64_t at, const void *bytes, size_t n);
/* The unread bytes as a lane. */
void synth_ring_lane(const struct synth_ring *r, bool sideband, struct lane *ret);

/* Adds `by` to the time of each record in [from, to). */
void synth_ring_shift_times(struct synth_ring *r, const struct record_layout *layout, uint64_t from, uint64_t to,
			    uint64_t by);

#endif
