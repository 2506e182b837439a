/* Maps and reads a ring buffer of perf events. */
#ifndef SOURCE_LIVE_RING_H
#define SOURCE_LIVE_RING_H

#include <cyctop/record.h>

struct ring {
	void *map; /* mapped memory; NULL: not mapped */
	size_t map_bytes;
	const uint8_t *data;
	uint64_t size; /* size of the data in bytes, a power of two */
	/* position of the next unread byte; counts all bytes ever read, as the kernel's head counts those written */
	uint64_t tail;
};

/* Maps the ring of a perf event.  `bytes`: its size, a power of two, at least a page.  The mapping is writable, because
 * only then the kernel respects the tail, and does not overwrite unread bytes.  Returns 0 or -errno. */
CYC_MUST_CHECK int ring_map(struct ring *ret, int fd, size_t bytes);
void ring_unmap(struct ring *r);

/* Sets *ret to the unread bytes.  Returns false if there are none.  Loads the kernel's head once, so bytes that are
 * written meanwhile belong to the next snapshot. */
bool ring_snapshot(struct ring *r, struct lane *ret);
/* Marks the first `used` bytes of the last snapshot as read, so that the kernel may overwrite them. */
void ring_release(struct ring *r, uint64_t used);
/* Copies the bytes [at, at + n) of a lane, which may be in both of its parts. */
void lane_copy(const struct lane *lane, size_t at, void *to, size_t n);

#endif
