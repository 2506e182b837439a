/* Stores the names of symbols in a block.  Neighbours in a symbol table often begin with the same bytes,
 * above all in C++.  So a name is stored whole with a NUL, or as a number of bytes that it
 * shares with the start of an earlier whole name, and the rest:
 *
 *	distance back to the whole name | number of shared bytes | rest, NUL
 *
 * The two numbers are LEB128: 7 bits in each byte, the lowest first; the highest bit is set in
 * all but the last byte. */
#ifndef RESOLVE_TABLE_NAMES_H
#define RESOLVE_TABLE_NAMES_H

#include "resolve/table/region.h"

/* The flag of a reference to a name that is stored as shared bytes and rest; the other bits are its offset in the
 * block. */
#define NAMES_PART ((uint32_t)1 << 31)

struct names_writer {
	struct region bytes; /* the block so far: space for its header, then the names */
	uint32_t whole;	     /* offset of the last whole name, and its length */
	uint16_t whole_n;
	uint16_t best; /* most bytes that a later name shared with that name */
};
/* Adds a name of at most SYMTAB_NAME_MAX bytes, and returns a reference to it; 0: there is no memory, or no room. */
uint32_t names_add(struct names_writer *w, const char *s, size_t n);
uint32_t names_add_whole(struct names_writer *w, const char *s, size_t n);

/* Returns a name; one that is not stored whole is copied to `buf` of SYMTAB_NAME_MAX + 1 bytes.
 * The names end at `end` with a NUL.  An invalid reference gives "" or another text within the
 * names. */
const char *names_get(const uint8_t *block, size_t end, uint32_t ref, char *buf);

#endif
