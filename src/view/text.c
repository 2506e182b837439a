#include "view/internal.h"

#include <stdio.h>
#include <string.h>

static bool has_cell(uint32_t ch)
{
	/* First and last of what must not reach a terminal, or has no cell there:
	 * controls, soft hyphen, combining marks, zero-width and bidi controls,
	 * surrogates, variation selectors, the BOM, tags. */
	static const uint32_t none[][2] = {
		{0x0000, 0x001f},   {0x007f, 0x009f},	{0x00ad, 0x00ad},	{0x0300, 0x036f}, {0x0483, 0x0489},
		{0x0591, 0x05bd},   {0x0610, 0x061a},	{0x061c, 0x061c},	{0x064b, 0x065f}, {0x0900, 0x0902},
		{0x093a, 0x093a},   {0x0e31, 0x0e31},	{0x0e34, 0x0e3a},	{0x0e47, 0x0e4e}, {0x1160, 0x11ff},
		{0x180b, 0x180f},   {0x1ab0, 0x1aff},	{0x1dc0, 0x1dff},	{0x200b, 0x200f}, {0x2028, 0x202e},
		{0x2060, 0x206f},   {0x20d0, 0x20ff},	{0x302a, 0x302f},	{0x3099, 0x309a}, {0xd800, 0xdfff},
		{0xfe00, 0xfe0f},   {0xfe20, 0xfe2f},	{0xfeff, 0xfeff},	{0xfff9, 0xfffb}, {0xfffe, 0xffff},
		{0x1d165, 0x1d169}, {0xe0000, 0xe0fff}, {0x110000, UINT32_MAX},
	};
	for (size_t i = 0; i < ARRAY_LEN(none) && none[i][0] <= ch; i++) {
		if (ch <= none[i][1])
			return false;
	}
	return true;
}

int text_char_width(uint32_t ch)
{
	/* East Asian wide and fullwidth, and emoji shown as such. */
	static const uint32_t wide[][2] = {
		{0x1100, 0x115f},   {0x231a, 0x231b},	{0x2329, 0x232a},   {0x23e9, 0x23ec},	{0x2614, 0x2615},
		{0x2648, 0x2653},   {0x26a1, 0x26a1},	{0x2705, 0x2705},   {0x2728, 0x2728},	{0x274c, 0x274c},
		{0x2753, 0x2755},   {0x2795, 0x2797},	{0x2b1b, 0x2b1c},   {0x2b50, 0x2b50},	{0x2e80, 0x303e},
		{0x3041, 0x33ff},   {0x3400, 0x4dbf},	{0x4e00, 0xa4cf},   {0xa960, 0xa97f},	{0xac00, 0xd7a3},
		{0xf900, 0xfaff},   {0xfe30, 0xfe6f},	{0xff00, 0xff60},   {0xffe0, 0xffe6},	{0x16fe0, 0x18cff},
		{0x1b000, 0x1b2ff}, {0x1f004, 0x1f004}, {0x1f0cf, 0x1f0cf}, {0x1f18e, 0x1f18e}, {0x1f191, 0x1f19a},
		{0x1f200, 0x1f320}, {0x1f32d, 0x1f335}, {0x1f337, 0x1f37c}, {0x1f37e, 0x1f393}, {0x1f3a0, 0x1f3ca},
		{0x1f3e0, 0x1f3f0}, {0x1f400, 0x1f43e}, {0x1f442, 0x1f4fc}, {0x1f4ff, 0x1f53d}, {0x1f54b, 0x1f567},
		{0x1f5fb, 0x1f64f}, {0x1f680, 0x1f6c5}, {0x1f6eb, 0x1f6ec}, {0x1f7e0, 0x1f7eb}, {0x1f90c, 0x1f9ff},
		{0x1fa70, 0x1faff}, {0x20000, 0x3fffd},
	};
	for (size_t i = 0; i < ARRAY_LEN(wide) && wide[i][0] <= ch; i++) {
		if (ch <= wide[i][1])
			return 2;
	}
	return 1;
}

/* Decodes one character; 0 bytes: not UTF-8. */
static size_t decode(const unsigned char *s, uint32_t *ret)
{
	static const uint32_t least[] = {0, 0, 0x80, 0x800, 0x10000};
	size_t n = s[0] < 0x80		   ? 1
		   : (s[0] & 0xe0) == 0xc0 ? 2
		   : (s[0] & 0xf0) == 0xe0 ? 3
		   : (s[0] & 0xf8) == 0xf0 ? 4
					   : 0;
	if (!n)
		return 0;
	uint32_t ch = n == 1 ? s[0] : s[0] & (0xffu >> (n + 1));
	for (size_t i = 1; i < n; i++) {
		if ((s[i] & 0xc0) != 0x80) /* the end of the string is none either */
			return 0;
		ch = ch << 6 | (s[i] & 0x3f);
	}
	if (ch < least[n])
		return 0;
	*ret = ch;
	return n;
}

/* Nearly all text is of these: each is one byte and one cell. */
static inline bool is_plain(char c)
{
	return c >= 0x20 && c < 0x7f;
}

uint32_t text_next(const char **s)
{
	if (is_plain(**s))
		return (unsigned char)*(*s)++;
	uint32_t ch;
	size_t n = decode((const unsigned char *)*s, &ch);
	*s += n ? n : 1;
	return n && has_cell(ch) ? ch : '?';
}

int text_width(const char *s)
{
	int width = 0;
	while (*s && width < 1 << 20) {
		for (; is_plain(*s) && width < 1 << 20; s++)
			width++;
		if (*s)
			width += text_char_width(text_next(&s));
	}
	return width;
}

size_t text_encode(uint32_t ch, char buf[4])
{
	if (ch < 0x80) {
		buf[0] = (char)ch;
		return 1;
	}
	size_t n = ch < 0x800 ? 2 : ch < 0x10000 ? 3 : 4;
	for (size_t i = n - 1; i > 0; i--, ch >>= 6)
		buf[i] = (char)(0x80 | (ch & 0x3f));
	buf[0] = (char)((0xf0u << (4 - n)) | ch);
	return n;
}

/* Bytes of the text that fill at most `width` cells. */
static size_t bytes_of_cells(const char *text, int width)
{
	const char *p = text;
	while (*p) {
		const char *next = p;
		width -= text_char_width(text_next(&next));
		if (width < 0)
			break;
		p = next;
	}
	return (size_t)(p - text);
}

const char *text_apart(const char *text, size_t at, int width, char *buf, size_t cap)
{
	enum { SEEN = 8, LEAST = 16 }; /* cells of what differs that are enough; the least width for two parts */
	int all = text_width(text);
	size_t from = at;
	while (from && text[from - 1] != ' ' && text[from - 1] != '/')
		from--;
	int rest = text_width(text + from), need = all - text_width(text + at) + (rest < SEEN ? rest : SEEN);
	if (!at || width < LEAST || need < width)
		return text;
	int tail = rest < width * 2 / 3 ? rest : width * 2 / 3;
	size_t head = bytes_of_cells(text, width - 1 - tail);
	if (head >= from)
		return text;
	snprintf(buf, cap, "%.*s…%s", (int)head, text, text + from);
	return buf;
}

size_t text_wrap(const char *text, int width)
{
	const char *p = text, *blank = NULL;
	int w = 0;
	while (*p) {
		const char *next = p;
		w += text_char_width(text_next(&next));
		if (w > width)
			break;
		if (*p == ' ')
			blank = p;
		p = next;
	}
	if (!*p || !blank)
		return (size_t)(p - text) ? (size_t)(p - text) : 1;
	return (size_t)(blank - text);
}
