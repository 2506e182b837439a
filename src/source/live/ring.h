/* Maps and reads a ring buffer of perf events. */
#ifndef SOURCE_LIVE_RING_H
#define SOURCE_LIVE_RING_H

#include <cyctop/record.h>

struct ring {
	void *map; /* mapped memory; NULL: not mapped */
	size_t map_bytes;
	const uint8_t *data;
	uint64_t size; /* size of the data in bytes, a power of two */
	uint64_t tail; /* bytes read since the beginning, as the kernel's head counts the bytes written */
};

/* Maps a ring of `bytes`: a power of two, at least a page.  The mapping is writable, so that the kernel respects the
 * tail and never overwrites unread bytes. */
CYC_MUST_CHECK int ring_map(struct ring *ret, int fd, size_t bytes);
void ring_unmap(struct ring *r);

/* Makes a lane of the unread bytes.  Returns false if there are none.  Loads the head once: bytes that the kernel
 * writes later belong to the next snapshot. */
bool ring_snapshot(struct ring *r, struct lane *ret);
/* Lets the kernel overwrite the first `used` bytes of the last snapshot. */
void ring_release(struct ring *r, uint64_t used);
/* Copies bytes [at, at + n) of a lane. */
void lane_copy(const struct lane *lane, size_t at, void *to, size_t n);

#endif
