/* Stores the names of symbols in a block.  Neighbours often begin with the same bytes, above all in C++.  So a name is
 * stored either whole with a NUL, or as the number of bytes that it shares with the start of an earlier whole name, and
 * the rest:
 *
 * 	distance back to the whole name | number of shared bytes | rest, NUL
 *
 * The two numbers are LEB128: 7 bits in each byte, the lowest first; the highest bit is set in all but the last
 * byte. */
#ifndef RESOLVE_TABLE_NAMES_H
#define RESOLVE_TABLE_NAMES_H

#include "resolve/table/region.h"

/* Flag of a reference: the name is not stored whole; the other bits are its offset in the block. */
#define NAMES_PART ((uint32_t)1 << 31)

struct names_writer {
	struct region bytes; /* the block so far: space for its header, then the names */
	uint32_t whole;	     /* offset and length of the last whole name */
	uint16_t whole_n;
	uint16_t best; /* most bytes that a later name shared with the last whole name */
};
/* Add a name of at most SYMTAB_NAME_MAX bytes and return a reference to it; 0: memory is short, or LIMIT_TABLE_BYTES
 * reached. names_add_whole() always stores it whole. */
uint32_t names_add(struct names_writer *w, const char *s, size_t n);
uint32_t names_add_whole(struct names_writer *w, const char *s, size_t n);

/* Returns the name of a reference: in the block or, if it is not stored whole, in `buf` of SYMTAB_NAME_MAX + 1 bytes.
 * The names must end at `end` with a NUL.  An invalid reference gives "" or other text of the names. */
const char *names_get(const uint8_t *block, size_t end, uint32_t ref, char *buf);

#endif
