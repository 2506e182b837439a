/* Cleans text before it is written.  Names come from ELF files, recordings and prctl(), and may
 * contain any bytes; a terminal, a viewer or a spreadsheet must not take them for commands. */
#ifndef BASE_CLEAN_H
#define BASE_CLEAN_H

#include "base/strbuf.h"

enum clean {
	CLEAN_LINE,    /* one line of text: every control character becomes '?' */
	CLEAN_ESCAPED, /* text for JSON: C0 control characters are kept, as the JSON writer escapes them */
	CLEAN_CELL,    /* a cell of CSV: CLEAN_LINE, and a "'" before a leading =, +, - or @, lest it be a formula */
};
/* Appends `s` as valid UTF-8 (RFC 3629): a byte that is in no valid sequence becomes U+FFFD; C1
 * controls and characters that change the direction of text become '?'. */
void clean_add(struct strbuf *b, const char *s, enum clean how);
/* Returns the number of characters of `s`, a text that clean_add() made. */
size_t clean_length(const char *s);

#endif
