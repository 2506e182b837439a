/* Reads numbers from unaligned bytes, in either byte order. */
#ifndef BASE_LOAD_H
#define BASE_LOAD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#define BIG_ENDIAN_HOST (__BYTE_ORDER__ == __ORDER_BIG_ENDIAN__)

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

/* Returns `v`, with its bytes swapped if `swap` is set. */
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

/* Reads a number of 1, 2, 4 or 8 bytes; `big`: the number is big-endian. */
static inline uint64_t load_number(const uint8_t *p, size_t n, bool big)
{
	bool swap = big != BIG_ENDIAN_HOST;
	switch (n) {
	case 1:
		return *p;
	case 2:
		return swap_u16(load_u16(p), swap);
	case 4:
		return swap_u32(load_u32(p), swap);
	default:
		return swap_u64(load_u64(p), swap);
	}
}

#endif
