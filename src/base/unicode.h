/* Characters of UTF-8, and the cells that a terminal draws them in. */
#ifndef BASE_UNICODE_H
#define BASE_UNICODE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* false: must not reach a terminal, or has no cell there, as controls and combining marks. */
bool unicode_has_cell(uint32_t ch);
/* Cells of a character that has any: 1 or 2. */
int unicode_width(uint32_t ch);
/* The bytes of the first character of a text, which a 0 ends; 0: they are not UTF-8. */
size_t unicode_decode(const char *text, uint32_t *ret);
/* Writes a character, and returns how many bytes it has. */
size_t unicode_encode(uint32_t ch, char buf[static 4]);

#endif
