#include "resolve/jit/jit.h"

#include <string.h>

static bool is_blank(char c)
{
	return c == ' ' || c == '\t';
}

static int digit(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	c |= 0x20;
	return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

/* Parses a hexadecimal number, with or without 0x, and skips the blanks after it.  Returns false if there is none. */
static bool take_hex(const char **at, const char *end, uint64_t *ret)
{
	const char *p = *at;
	if (end - p > 2 && p[0] == '0' && (p[1] | 0x20) == 'x')
		p += 2;
	const char *first = p;
	uint64_t v = 0;
	for (int d; p < end && (d = digit(*p)) >= 0; p++) {
		if (v >> 60)
			return false;
		v = v << 4 | (uint64_t)d;
	}
	if (p == first || p == end || !is_blank(*p))
		return false;
	while (p < end && is_blank(*p))
		p++;
	*at = p;
	*ret = v;
	return true;
}

static void read_line(const char *p, const char *end, jit_code_fn *add, void *ctx)
{
	struct jit_code code = {0};
	while (p < end && is_blank(*p))
		p++;
	while (end > p && (is_blank(end[-1]) || end[-1] == '\r'))
		end--;
	if (!take_hex(&p, end, &code.addr) || !take_hex(&p, end, &code.size) || p == end)
		return;
	if (!code.size || code.addr > UINT64_MAX - code.size || memchr(p, '\0', (size_t)(end - p)))
		return;
	code.name = p;
	code.name_n = (size_t)(end - p);
	add(ctx, &code);
}

size_t perf_map_read(const char *text, size_t n, bool whole, jit_code_fn *add, void *ctx)
{
	size_t at = 0;
	while (at < n) {
		const char *nl = memchr(text + at, '\n', n - at);
		if (!nl && !whole)
			break;
		size_t end = nl ? (size_t)(nl - text) : n;
		read_line(text + at, text + end, add, ctx);
		at = nl ? end + 1 : n;
	}
	return at;
}
