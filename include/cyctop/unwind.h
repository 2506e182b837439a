/* Room unwind: unwind tables (.eh_frame, .debug_frame) -> bounds of functions, and who called them.  Pure: bytes in,
 * numbers out.  Neither the bytes of files nor those of stacks are trusted. */
#ifndef CYCTOP_UNWIND_H
#define CYCTOP_UNWIND_H

#include <cyctop/base.h>

/* ---- reading the tables of a file ---------------------------------------------------- */

/* Bytes of a file, and the address of the first byte. */
struct frames_bytes {
	const uint8_t *data;
	size_t n;
	uint64_t addr;
};

struct frames {
	struct frames_bytes table; /* .eh_frame or .debug_frame */
	struct frames_bytes index; /* .eh_frame_hdr; n 0: the file has none */
	bool to_terminator;	   /* the size of the table is unknown: it ends at its terminator */
	bool wide, big;		   /* 64-bit; big-endian */
	bool debug;		   /* the table is .debug_frame */
};

/* What functions share (a CIE). */
struct frames_cie {
	uint64_t code_align;
	int64_t data_align;
	uint64_t returns;	  /* number of the register that stands for the return address */
	bool signal;		  /* they are called by the kernel, anywhere in other code: "signal frames" */
	struct frames_bytes code; /* instructions that come before those of the function */
};

/* A function or a part of one (an FDE). */
struct frames_function {
	uint64_t start, size;
	const struct frames_cie *cie;
	struct frames_bytes code;
	bool has_code; /* false: damaged */
};
typedef void frames_fn(void *ctx, const struct frames_function *function);

/* Calls add() for each function that has bounds.  Uses the index if it is complete; otherwise reads the table in
 * order, and may pass a function twice.  Returns false if something was damaged; add() was called for everything
 * that could be read. */
bool frames_read(const struct frames *f, frames_fn *add, void *ctx);

/* Finds the address of .eh_frame according to the index.  Returns false if the index does not contain it. */
bool frames_table_addr(const struct frames *f, uint64_t *ret);

#endif
