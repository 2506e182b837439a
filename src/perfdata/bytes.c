/* Growing buffers, copies of strings, and record headers. */
#include "perfdata/internal.h"

#include "base/alloc.h"

#include <stdlib.h>

void pd_buffer_add(struct pd_buffer *out, const void *bytes, size_t n)
{
	if (n > out->cap - out->n) {
		size_t cap = out->cap ? out->cap : 64;
		while (cap - out->n < n)
			cap *= 2;
		out->data = mem_realloc(out->data, cap, 1);
		out->cap = cap;
	}
	if (n)
		memcpy(out->data + out->n, bytes, n);
	out->n += n;
}

void pd_buffer_pad(struct pd_buffer *buf, size_t multiple)
{
	static const uint8_t zero[8];
	pd_buffer_add(buf, zero, -buf->n & (multiple - 1));
}

char *chars_copy(struct chars s)
{
	char *ret = mem_calloc(s.n + 1, 1);
	memcpy(ret, s.data, s.n);
	return ret;
}

void chars_replace(char **ret, struct chars s)
{
	free(*ret);
	*ret = chars_copy(s);
}

struct record_header pd_record_header(const void *bytes, bool swap)
{
	const uint8_t *p = bytes;
	return (struct record_header){
		.type = swap_u32(load_u32(p), swap),
		.misc = swap_u16(load_u16(p + 4), swap),
		.size = swap_u16(load_u16(p + 6), swap),
	};
}
