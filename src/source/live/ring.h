/* One mapped ring buffer of perf events. */
#ifndef SOURCE_LIVE_RING_H
#define SOURCE_LIVE_RING_H

#include <cyctop/record.h>

struct ring {
	void *map; /* NULL: not mapped */
	size_t map_bytes;
	const uint8_t *data;
	uint64_t size; /* of the data, a power of two */
	uint64_t tail; /* free-running, as the kernel's head */
};

/* `bytes`: a power of two, at least a page.  Mapped writable, so that the kernel
 * respects the tail: what was not read is never overwritten. */
CYC_MUST_CHECK int ring_map(struct ring *ret, int fd, size_t bytes);
void ring_unmap(struct ring *r);

/* The unread bytes as a lane; false where there are none.  Loads the head once:
 * what the kernel adds later belongs to the next snapshot. */
bool ring_snapshot(struct ring *r, struct lane *ret);
/* Gives `used` bytes of the last snapshot back to the kernel. */
void ring_release(struct ring *r, uint64_t used);

#endif
