/* Growing buffers, copies of strings, and record headers. */
#include "perfdata/internal.h"

#include "base/alloc.h"

#include <stdlib.h>

void pd_buffer_add(struct pd_buffer *out, const void *bytes, size_t n)
{
	vec_reserve(out, out->n + n);
	if (n)
		memcpy(out->data + out->n, bytes, n);
	out->n += n;
}

void pd_buffer_u32(struct pd_buffer *out, uint32_t v)
{
	pd_buffer_add(out, &v, sizeof(v));
}

void pd_buffer_u64(struct pd_buffer *out, uint64_t v)
{
	pd_buffer_add(out, &v, sizeof(v));
}

void pd_buffer_zeros(struct pd_buffer *out, size_t n)
{
	vec_reserve(out, out->n + n);
	if (n)
		memset(out->data + out->n, 0, n);
	out->n += n;
}

void pd_buffer_pad(struct pd_buffer *buf, size_t multiple)
{
	pd_buffer_zeros(buf, -buf->n & (multiple - 1));
}

void pd_buffer_string(struct pd_buffer *out, const char *s)
{
	size_t n = strlen(s) + 1, padded = (n + 63) & ~(size_t)63;
	pd_buffer_u32(out, (uint32_t)padded);
	pd_buffer_add(out, s, n);
	pd_buffer_zeros(out, padded - n);
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
