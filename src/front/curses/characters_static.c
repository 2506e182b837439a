/* Replaces the C library's functions for multibyte characters in a static executable, by the linker's option --wrap.
 * The machine that it is copied to may have no locales, and the C library has no UTF-8 locale built in.  Only functions
 * that ncurses and the screen call are replaced.  They also work for ASCII, which is all that is drawn if the
 * environment names no UTF-8 locale. */
#include "base/unicode.h"
#include "front/curses/characters.h"

#include <string.h>
#include <wchar.h>
#include <wctype.h>

size_t __wrap_wcrtomb(char *bytes, wchar_t ch, mbstate_t *state);
int __wrap_mblen(const char *bytes, size_t n);
int __wrap_mbtowc(wchar_t *ret, const char *bytes, size_t n);
int __wrap_wcwidth(wchar_t ch);
int __wrap_iswprint(wint_t ch);

bool characters_are_utf8(void)
{
	return characters_named_utf8();
}

size_t __wrap_wcrtomb(char *bytes, wchar_t ch, mbstate_t *state)
{
	(void)state;
	return bytes ? unicode_encode((uint32_t)ch, bytes) : 1;
}

/* Decodes a character of at most `n` bytes.  Returns its length; -1: it is incomplete or invalid. */
int __wrap_mbtowc(wchar_t *ret, const char *bytes, size_t n)
{
	char text[5] = "";
	uint32_t ch;
	if (!bytes)
		return 0; /* 0: UTF-8 has no shift state */
	memcpy(text, bytes, n < sizeof(text) ? n : sizeof(text) - 1);
	size_t len = unicode_decode(text, &ch);
	if (!len)
		return -1;
	if (ret)
		*ret = (wchar_t)ch;
	return ch ? (int)len : 0;
}

int __wrap_mblen(const char *bytes, size_t n)
{
	return __wrap_mbtowc(NULL, bytes, n);
}

int __wrap_wcwidth(wchar_t ch)
{
	return unicode_has_cell((uint32_t)ch) ? unicode_width((uint32_t)ch) : ch ? -1 : 0;
}

int __wrap_iswprint(wint_t ch)
{
	return unicode_has_cell(ch);
}
