#include "resolve/table/names.h"

#include "base/limits.h"
#include "resolve/table/block.h"
#include "resolve/table/symtab.h"

#include <string.h>

enum {
	SHARE_LEAST = 8,
	NUMBERS_MAX = 10, /* maximum bytes of the two numbers before a shared name */
};

static size_t put_number(uint8_t *at, uint32_t v)
{
	size_t n = 0;
	for (; v > 0x7f; v >>= 7)
		at[n++] = (uint8_t)(v | 0x80);
	at[n++] = (uint8_t)v;
	return n;
}

static uint32_t take_number(const uint8_t **at, const uint8_t *end)
{
	uint32_t v = 0;
	for (unsigned shift = 0; *at < end && shift < 32; shift += 7) {
		uint8_t byte = *(*at)++;
		v |= (uint32_t)(byte & 0x7f) << shift;
		if (!(byte & 0x80))
			return v;
	}
	return UINT32_MAX;
}

static bool has_room(struct names_writer *w, size_t n)
{
	size_t before = w->bytes.n ? 0 : sizeof(struct block_header);
	if (w->bytes.n > LIMIT_TABLE_BYTES || !region_reserve(&w->bytes, before + n + NUMBERS_MAX + 1))
		return false;
	w->bytes.n += before;
	return true;
}

static uint32_t append(struct names_writer *w, const char *s, size_t n)
{
	uint32_t at = (uint32_t)w->bytes.n;
	memcpy(w->bytes.data + at, s, n);
	w->bytes.data[at + n] = '\0';
	w->bytes.n += n + 1;
	return at;
}

uint32_t names_add_whole(struct names_writer *w, const char *s, size_t n)
{
	return has_room(w, n) ? append(w, s, n) : 0;
}

static size_t shared_with_whole(const struct names_writer *w, const char *s, size_t n)
{
	const char *whole = (const char *)w->bytes.data + w->whole;
	size_t i = 0, most = n < w->whole_n ? n : w->whole_n;
	while (i < most && whole[i] == s[i])
		i++;
	return i;
}

/* A name is stored whole if it shares far fewer bytes with the last whole name than an earlier name did, because the
 * following names will probably share more with the new name. */
uint32_t names_add(struct names_writer *w, const char *s, size_t n)
{
	if (!has_room(w, n))
		return 0;
	size_t shared = w->whole ? shared_with_whole(w, s, n) : 0;
	if (shared < SHARE_LEAST || shared + w->best / 4 < w->best) {
		w->whole = append(w, s, n);
		w->whole_n = (uint16_t)n;
		w->best = 0;
		return w->whole;
	}
	w->best = shared > w->best ? (uint16_t)shared : w->best;
	uint32_t at = (uint32_t)w->bytes.n;
	w->bytes.n += put_number(w->bytes.data + w->bytes.n, at - w->whole);
	w->bytes.n += put_number(w->bytes.data + w->bytes.n, (uint32_t)shared);
	append(w, s + shared, n - shared);
	return at | NAMES_PART;
}

const char *names_get(const uint8_t *block, size_t end, uint32_t ref, char *buf)
{
	uint32_t at = ref & ~NAMES_PART;
	if (at < sizeof(struct block_header) || at >= end)
		return "";
	if (!(ref & NAMES_PART))
		return (const char *)block + at;
	const uint8_t *rest = block + at;
	uint32_t back = take_number(&rest, block + end), shared = take_number(&rest, block + end);
	if (back > at || shared > back || shared > SYMTAB_NAME_MAX)
		return "";
	size_t n = strnlen((const char *)rest, (size_t)(block + end - rest));
	n = n < SYMTAB_NAME_MAX - shared ? n : SYMTAB_NAME_MAX - shared;
	memcpy(buf, block + at - back, shared);
	memcpy(buf + shared, rest, n);
	buf[shared + n] = '\0';
	return buf;
}
