/* Reads unwind tables (.eh_frame and its index .eh_frame_hdr) to find start and size of functions.  Pure: bytes in,
 * bounds out.  The bytes are not trusted. */
#ifndef RESOLVE_ELF_FRAMES_H
#define RESOLVE_ELF_FRAMES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Bytes of a file, and the address of the first byte. */
struct frames_bytes {
	const uint8_t *data;
	size_t n;
	uint64_t addr;
};

struct frames {
	struct frames_bytes table; /* .eh_frame */
	struct frames_bytes index; /* .eh_frame_hdr; n 0: the file has none */
	bool to_terminator;	   /* the size of the table is unknown: it ends at its terminator */
	bool wide, big;		   /* 64-bit; big-endian */
};

/* Calls add() for each function that has bounds.  Uses the index if it is complete; otherwise reads the table in
 * order, and may pass a function twice.  Returns false if something was damaged; add() was called for everything
 * that could be read. */
bool frames_read(const struct frames *f, void (*add)(void *ctx, uint64_t start, uint64_t size), void *ctx);

/* Finds the address of .eh_frame according to the index.  Returns false if the index does not contain it. */
bool frames_table_addr(const struct frames *f, uint64_t *ret);

#endif
