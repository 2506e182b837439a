/* Reads the numbers in unwind tables. */
#ifndef UNWIND_READ_H
#define UNWIND_READ_H

#include "base/load.h"

#include <cyctop/unwind.h>

/* A bounds-checked reader.  Reading beyond the end sets `bad`; all further reads return 0. */
struct frames_cursor {
	const uint8_t *data;
	uint64_t addr; /* address of data[0] */
	size_t at, end;
	bool wide, big; /* see struct frames */
	bool bad;
};

static inline uint64_t frames_get(struct frames_cursor *c, size_t n)
{
	if (c->bad || n > c->end - c->at) {
		c->bad = true;
		return 0;
	}
	uint64_t v = load_number(c->data + c->at, n, c->big);
	c->at += n;
	return v;
}

/* Reads a LEB128 number: 7 bits per byte, the lowest first.  `is_signed` must be known from the format. */
static inline uint64_t frames_leb(struct frames_cursor *c, bool is_signed)
{
	uint64_t v = 0;
	for (unsigned shift = 0; shift < 64; shift += 7) {
		uint64_t byte = frames_get(c, 1);
		v |= (byte & 0x7f) << shift;
		if (byte & 0x80)
			continue;
		if (is_signed && byte & 0x40 && shift + 7 < 64)
			v |= ~(uint64_t)0 << (shift + 7);
		return v;
	}
	c->bad = true;
	return 0;
}

#endif
