#include "source/live/ring.h"

#include <errno.h>
#include <linux/perf_event.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

int ring_map(struct ring *ret, int fd, size_t bytes)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE);
	void *map = mmap(NULL, page + bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (map == MAP_FAILED)
		return -errno;
	const struct perf_event_mmap_page *control = map;
	/* data_offset is 0 before Linux 4.1: the data comes after the control page */
	uint64_t offset = control->data_offset ? control->data_offset : page;
	uint64_t size = control->data_size ? control->data_size : bytes;
	if (offset > page || size > bytes || !size || (size & (size - 1))) {
		munmap(map, page + bytes);
		return -EPROTO;
	}
	*ret = (struct ring){
		.map = map,
		.map_bytes = page + bytes,
		.data = (const uint8_t *)map + offset,
		.size = size,
	};
	return 0;
}

void ring_unmap(struct ring *r)
{
	if (r->map)
		munmap(r->map, r->map_bytes);
	*r = (struct ring){0};
}

bool ring_snapshot(struct ring *r, struct lane *ret)
{
	if (!r->map)
		return false;
	const struct perf_event_mmap_page *control = r->map;
	uint64_t head = __atomic_load_n(&control->data_head, __ATOMIC_ACQUIRE);
	uint64_t unread = head - r->tail;
	if (!unread)
		return false;
	if (unread > r->size) {
		/* impossible with a writable mapping; all bytes are skipped, as the kernel may be overwriting them */
		ring_release(r, unread);
		return false;
	}
	uint64_t at = r->tail & (r->size - 1);
	uint64_t to_end = r->size - at;
	size_t a_len = (size_t)(unread < to_end ? unread : to_end);
	*ret = (struct lane){
		.a = r->data + at,
		.a_len = a_len,
		.b = r->data,
		.b_len = (size_t)unread - a_len,
	};
	return true;
}

void ring_release(struct ring *r, uint64_t used)
{
	struct perf_event_mmap_page *control = r->map;
	r->tail += used;
	/* RELEASE: all bytes have been read before the kernel sees the new tail, and may overwrite them */
	__atomic_store_n(&control->data_tail, r->tail, __ATOMIC_RELEASE);
}

void lane_copy(const struct lane *lane, size_t at, void *to, size_t n)
{
	size_t first = at < lane->a_len ? lane->a_len - at : 0;
	if (first > n)
		first = n;
	if (first)
		memcpy(to, lane->a + at, first);
	if (n > first)
		memcpy((uint8_t *)to + first, lane->b + (at + first - lane->a_len), n - first);
}
