#include "perfdata/internal.h"

#include <errno.h>

/* Sizes in bytes of the fields of struct perf_attr, in their order. */
static const uint8_t widths[] = {4, 4, 8, 8, 8, 8, 8, 4, 4, 8, 8, 8, 8, 4, 4, 8, 4, 2, 2, 4, 4, 8, 8, 8};

static void swap_fields(uint8_t *p)
{
	for (size_t i = 0; i < ARRAY_LEN(widths); i++) {
		for (size_t a = 0, b = widths[i] - 1u; a < b; a++, b--) {
			uint8_t t = p[a];
			p[a] = p[b];
			p[b] = t;
		}
		p += widths[i];
	}
}

/* Converts the flags between byte orders.  They are a C bit-field: its first bit is the lowest bit of the word on
 * little-endian machines, the highest on big-endian ones.  The two bits of precise_ip keep their order. */
static uint64_t turn_flags(uint64_t from)
{
	uint64_t ret = 0;
	for (unsigned i = 0; i < 64; i++)
		ret |= (from >> i & 1) << (63 - i);
	uint64_t precise = ret >> ATTR_PRECISE_SHIFT & 3;
	ret &= ~(3ull << ATTR_PRECISE_SHIFT);
	return ret | (precise >> 1 | (precise & 1) << 1) << ATTR_PRECISE_SHIFT;
}

int pd_attr_parse(const void *bytes, size_t n, bool swap, struct perf_attr *ret, uint32_t *size_ret, struct error *err)
{
	const uint8_t *p = bytes;
	struct perf_attr attr = {0};
	if (n < ATTR_SIZE_MIN)
		return error_set(err, EINVAL, "An event attribute has %zu bytes; the smallest has %d.", n,
				 ATTR_SIZE_MIN);
	uint32_t size = swap_u32(load_u32(p + offsetof(struct perf_attr, size)), swap);
	if (!size)
		size = ATTR_SIZE_MIN;
	if (size < ATTR_SIZE_MIN || size > n)
		return error_set(err, EINVAL, "An event attribute claims a size of %u bytes; it must be %d to %zu.",
				 size, ATTR_SIZE_MIN, n);
	for (size_t i = sizeof(attr); i < size; i++)
		if (p[i])
			return error_set(
				err, E2BIG,
				"An event attribute uses byte %zu, which this version of cyctop does not know.", i);
	memcpy(&attr, p, size < sizeof(attr) ? size : sizeof(attr));
	if (swap)
		swap_fields((uint8_t *)&attr);
	if (swap != BIG_ENDIAN_HOST)
		attr.flags = turn_flags(attr.flags);
	*ret = attr;
	*size_ret = size;
	return 0;
}

uint32_t pd_attr_size(const struct perf_attr *attr)
{
	static const uint8_t sizes[] = {64, 72, 80, 96, 104, 112, 120, 128, 136, 144};
	const uint8_t *p = (const uint8_t *)attr;
	size_t used = sizeof(*attr), i = 0;
	while (used > ATTR_SIZE_MIN && !p[used - 1])
		used--;
	while (sizes[i] < used)
		i++;
	return sizes[i];
}
