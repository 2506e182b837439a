#include "base/clean.h"

#include <string.h>

static bool continuation(unsigned char c)
{
	return (c & 0xc0) == 0x80;
}

/* Returns the length of the valid UTF-8 sequence at `s`, or 0 if there is none.  Reads no byte after the NUL,
 * because a NUL is not a continuation byte. */
static size_t sequence(const unsigned char *s, uint32_t *ch_ret)
{
	static const uint32_t least[5] = {0, 0, 0x80, 0x800, 0x10000};
	size_t n = s[0] < 0x80 ? 1 : s[0] < 0xc2 ? 0 : s[0] < 0xe0 ? 2 : s[0] < 0xf0 ? 3 : s[0] < 0xf5 ? 4 : 0;
	if (n < 2) {
		*ch_ret = s[0];
		return n;
	}
	uint32_t ch = s[0] & (0x7fu >> n);
	for (size_t i = 1; i < n; i++) {
		if (!continuation(s[i]))
			return 0;
		ch = ch << 6 | (s[i] & 0x3fu);
	}
	*ch_ret = ch;
	bool valid = ch >= least[n] && ch <= 0x10ffff && !(ch >= 0xd800 && ch <= 0xdfff);
	return valid ? n : 0;
}

/* Returns true for line and paragraph separators, C1 controls, and characters that change the direction of text. */
static bool is_unsafe(uint32_t ch)
{
	return (ch >= 0x7f && ch < 0xa0) || (ch >= 0x2028 && ch <= 0x202e) || (ch >= 0x2066 && ch <= 0x2069) ||
	       ch == 0x200e || ch == 0x200f || ch == 0x061c;
}

/* Returns how many characters of printable ASCII begin at `s`. */
static size_t printable(const unsigned char *s)
{
	size_t n = 0;
	while (s[n] >= 0x20 && s[n] < 0x7f)
		n++;
	return n;
}

void clean_add(struct strbuf *b, const char *text, enum clean how)
{
	const unsigned char *s = (const unsigned char *)text;
	/* adding even "" makes b->data non-NULL */
	strbuf_add(b, how == CLEAN_CELL && *text && strchr("=+-@", *text) ? "'" : "");
	while (*s) {
		uint32_t ch;
		size_t n = printable(s);
		if (n) {
			strbuf_add_bytes(b, (const char *)s, n);
			s += n;
			continue;
		}
		n = sequence(s, &ch);
		if (!n)
			strbuf_add(b, "\xef\xbf\xbd");
		else if (is_unsafe(ch) || (how != CLEAN_ESCAPED && ch < 0x20))
			strbuf_add(b, "?");
		else
			strbuf_add_bytes(b, (const char *)s, n);
		s += n ? n : 1;
	}
}

size_t clean_length(const char *s)
{
	size_t n = 0;
	for (; *s; s++)
		n += !continuation((unsigned char)*s);
	return n;
}
