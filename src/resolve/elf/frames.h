/* Unwind tables (.eh_frame and its index, .eh_frame_hdr) -> where functions begin and
 * end.  Pure: bytes in, bounds out; no byte is trusted. */
#ifndef RESOLVE_ELF_FRAMES_H
#define RESOLVE_ELF_FRAMES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Bytes of a file, and the address that the first of them has. */
struct frames_bytes {
	const uint8_t *data;
	size_t n;
	uint64_t addr;
};

struct frames {
	struct frames_bytes table; /* .eh_frame */
	struct frames_bytes index; /* .eh_frame_hdr; n 0: none */
	bool to_terminator;	   /* the table's end is not known: it ends where it says so */
	bool wide, big;		   /* 64-bit; big-endian */
};

/* Calls add() for each function that has bounds, by way of the index where that is whole,
 * else from the first to the last.  A function may be told of twice where it is not.
 * false: something was damaged; what could be read was told of. */
bool frames_read(const struct frames *f, void (*add)(void *ctx, uint64_t start, uint64_t size), void *ctx);

/* The address of .eh_frame that an index tells; false: it tells none. */
bool frames_table_addr(const struct frames *f, uint64_t *ret);

#endif
