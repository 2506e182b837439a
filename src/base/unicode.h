/* UTF-8 characters, and the number of terminal cells in which they are drawn. */
#ifndef BASE_UNICODE_H
#define BASE_UNICODE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Returns false for a character that must not reach a terminal, or has no cell there, such as a control or combining
 * mark. */
bool unicode_has_cell(uint32_t ch);
/* Returns the number of cells of a character for which unicode_has_cell() is true: 1 or 2. */
int unicode_width(uint32_t ch);
/* Decodes the first character of a NUL-terminated text.  Returns its length in bytes; 0 if the bytes are not UTF-8. */
size_t unicode_decode(const char *text, uint32_t *ret);
/* Writes a character as UTF-8, and returns its length in bytes. */
size_t unicode_encode(uint32_t ch, char buf[static 4]);

#endif
