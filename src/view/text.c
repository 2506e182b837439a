#include "base/unicode.h"
#include "view/internal.h"

#include <stdio.h>

/* Returns true if a byte is a character of one cell, as in nearly all text. */
static inline bool is_plain(char c)
{
	return c >= 0x20 && c < 0x7f;
}

uint32_t text_next(const char **s)
{
	if (is_plain(**s))
		return (unsigned char)*(*s)++;
	uint32_t ch;
	size_t n = unicode_decode(*s, &ch);
	*s += n ? n : 1;
	return n && unicode_has_cell(ch) ? ch : '?';
}

int text_width(const char *s)
{
	int width = 0;
	while (*s && width < 1 << 20) {
		for (; is_plain(*s) && width < 1 << 20; s++)
			width++;
		if (*s)
			width += unicode_width(text_next(&s));
	}
	return width;
}

/* Returns the number of bytes of the text that fill at most `width` cells. */
static size_t bytes_of_cells(const char *text, int width)
{
	const char *p = text;
	while (*p) {
		const char *next = p;
		width -= unicode_width(text_next(&next));
		if (width < 0)
			break;
		p = next;
	}
	return (size_t)(p - text);
}

const char *text_apart(const char *text, size_t at, int width, char *buf, size_t cap)
{
	/* The text stays as it is if SEEN cells of the word are seen anyway, or if `width` is less than LEAST. */
	enum { SEEN = 8, LEAST = 16 };
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
		w += unicode_width(text_next(&next));
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
