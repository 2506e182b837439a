/* A bounds-checked reader of the bytes of one record, or of one section of a file, in either byte order.
 *
 * A read that does not fit sets `bad`, and every later read returns 0 or NULL without moving: a decoder reads all
 * fields and checks `bad` once at the end. */
#ifndef BASE_CURSOR_H
#define BASE_CURSOR_H

#include "base/load.h"

#include <stddef.h>

struct cursor {
	const uint8_t *base; /* start of the record; cursor_align() counts from here */
	const uint8_t *p, *end;
	bool bad, swap;
};

/* Returns the next `n` bytes; NULL if fewer are left. */
static inline const uint8_t *cursor_take(struct cursor *c, uint64_t n)
{
	if (c->bad || n > (uint64_t)(c->end - c->p)) {
		c->bad = true;
		return NULL;
	}
	const uint8_t *p = c->p;
	c->p += n;
	return p;
}

/* Returns the next `n` entries of `size` bytes; NULL if fewer are left, or the product overflows. */
static inline const uint8_t *cursor_array(struct cursor *c, uint64_t n, size_t size)
{
	if (c->bad || n > (uint64_t)(c->end - c->p) / size) {
		c->bad = true;
		return NULL;
	}
	return cursor_take(c, n * size);
}

static inline uint64_t cursor_u64(struct cursor *c)
{
	const uint8_t *p = cursor_take(c, 8);
	return p ? swap_u64(load_u64(p), c->swap) : 0;
}

static inline uint32_t cursor_u32(struct cursor *c)
{
	const uint8_t *p = cursor_take(c, 4);
	return p ? swap_u32(load_u32(p), c->swap) : 0;
}

static inline uint16_t cursor_u16(struct cursor *c)
{
	const uint8_t *p = cursor_take(c, 2);
	return p ? swap_u16(load_u16(p), c->swap) : 0;
}

/* Moves to the next multiple of 8 bytes from the start of the record. */
static inline void cursor_align(struct cursor *c)
{
	if (!c->bad)
		cursor_take(c, -(uint64_t)(c->p - c->base) & 7);
}

#endif
