/* A bounds-checked reader over the bytes of one record, or of one section of a file,
 * in this machine's byte order or the other.
 *
 * Once a read does not fit, `bad` is set and every later read gives 0 or NULL
 * without moving: a decoder reads straight through and looks once at the end. */
#ifndef BASE_CURSOR_H
#define BASE_CURSOR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

static inline uint64_t load_u64(const void *p)
{
	uint64_t v;
	memcpy(&v, p, sizeof(v));
	return v;
}

static inline uint32_t load_u32(const void *p)
{
	uint32_t v;
	memcpy(&v, p, sizeof(v));
	return v;
}

static inline uint16_t load_u16(const void *p)
{
	uint16_t v;
	memcpy(&v, p, sizeof(v));
	return v;
}

/* `swap`: the bytes are in the other byte order. */
static inline uint64_t swap_u64(uint64_t v, bool swap)
{
	return swap ? __builtin_bswap64(v) : v;
}

static inline uint32_t swap_u32(uint32_t v, bool swap)
{
	return swap ? __builtin_bswap32(v) : v;
}

static inline uint16_t swap_u16(uint16_t v, bool swap)
{
	return swap ? __builtin_bswap16(v) : v;
}

struct cursor {
	const uint8_t *base; /* of the record: padding is counted from here */
	const uint8_t *p, *end;
	bool bad, swap;
};

/* `n` bytes, or NULL. */
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

/* `n` entries of `size` bytes; the product cannot wrap. */
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

/* Moves on to the next multiple of 8 of the record. */
static inline void cursor_align(struct cursor *c)
{
	if (!c->bad)
		cursor_take(c, -(uint64_t)(c->p - c->base) & 7);
}

#endif
