/* A ring buffer that is filled as the kernel does it.  The positions `tail` and `head`, which only grow, are the ends
 * of the unread bytes.  Records that do not fit are lost; before the next record that fits comes a LOST record. */
#ifndef SOURCE_SYNTH_RING_H
#define SOURCE_SYNTH_RING_H

#include <cyctop/record.h>

struct synth_ring {
	uint8_t *data;
	size_t size; /* a power of two */
	uint64_t head, tail;
	uint64_t lost; /* number of records lost since the last LOST record */
};

void synth_ring_init(struct synth_ring *r, size_t size);
void synth_ring_deinit(struct synth_ring *r);

/* Appends `n` bytes.  Returns false, and appends none, if they do not fit. */
bool synth_ring_put(struct synth_ring *r, const void *bytes, size_t n);
/* Sets *ret to the unread bytes, as a lane for the merger. */
void synth_ring_lane(const struct synth_ring *r, bool sideband, struct lane *ret);

/* Adds `by` to the time of each record between the positions `from` and `to`. */
void synth_ring_shift_times(struct synth_ring *r, const struct record_layout *layout, uint64_t from, uint64_t to,
			    uint64_t by);

#endif
