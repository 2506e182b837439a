/* A name in part: how far back the whole one is, how much they share, and the rest. */
#include "resolve/table/pool.h"

#include <string.h>

enum {
	POOL_MAX = 1024 * 1024 * 1024,
	SHARE_LEAST = 8,
	HEAD_MAX = 8, /* bytes of the two numbers */
	PART_BIT = 31,
};

static const uint32_t part = (uint32_t)1 << PART_BIT;

static size_t put_number(uint8_t *at, uint32_t v)
{
	size_t n = 0;
	for (; v > 0x7f; v >>= 7)
		at[n++] = (uint8_t)(v | 0x80);
	at[n++] = (uint8_t)v;
	return n;
}

static uint32_t take_number(const uint8_t **at)
{
	uint32_t v = 0;
	for (unsigned shift = 0;; shift += 7) {
		uint8_t byte = *(*at)++;
		v |= (uint32_t)(byte & 0x7f) << shift;
		if (!(byte & 0x80))
			return v;
	}
}

static bool has_room(struct pool *p, size_t n)
{
	if (p->bytes.n + n + HEAD_MAX + 2 > POOL_MAX || !region_reserve(&p->bytes, n + HEAD_MAX + 2))
		return false;
	if (!p->bytes.n)
		p->bytes.data[p->bytes.n++] = '\0';
	return true;
}

static uint32_t append(struct pool *p, const char *s, size_t n)
{
	uint32_t at = (uint32_t)p->bytes.n;
	memcpy(p->bytes.data + at, s, n);
	p->bytes.data[at + n] = '\0';
	p->bytes.n += n + 1;
	return at;
}

uint32_t pool_add_whole(struct pool *p, const char *s, size_t n)
{
	return has_room(p, n) ? append(p, s, n) : 0;
}

static size_t shared_with_whole(const struct pool *p, const char *s, size_t n)
{
	const char *w = (const char *)p->bytes.data + p->whole;
	size_t i = 0, most = n < p->whole_n ? n : p->whole_n;
	while (i < most && w[i] == s[i])
		i++;
	return i;
}

/* Where much less is shared than was before, others are likely to follow that share more
 * with this one: it is the next whole one. */
uint32_t pool_add(struct pool *p, const char *s, size_t n)
{
	if (!has_room(p, n))
		return 0;
	size_t shared = p->whole ? shared_with_whole(p, s, n) : 0;
	if (shared < SHARE_LEAST || shared + p->best / 4 < p->best) {
		p->whole = append(p, s, n);
		p->whole_n = (uint16_t)n;
		p->best = 0;
		return p->whole;
	}
	p->best = shared > p->best ? (uint16_t)shared : p->best;
	p->longest = n > p->longest ? n : p->longest;
	uint32_t at = (uint32_t)p->bytes.n;
	p->bytes.n += put_number(p->bytes.data + p->bytes.n, at - p->whole);
	p->bytes.n += put_number(p->bytes.data + p->bytes.n, (uint32_t)shared);
	append(p, s + shared, n - shared);
	return at | part;
}

const char *pool_name(const char *bytes, uint32_t ref, char *buf)
{
	if (!(ref & part))
		return bytes + ref;
	uint32_t at = ref & ~part;
	const uint8_t *rest = (const uint8_t *)bytes + at;
	uint32_t back = take_number(&rest), shared = take_number(&rest);
	memcpy(buf, bytes + at - back, shared);
	memcpy(buf + shared, rest, strlen((const char *)rest) + 1);
	return buf;
}
