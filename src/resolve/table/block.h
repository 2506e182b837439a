/* A symbol table is one block of bytes without pointers, which can be copied.
 *
 *	struct block_header
 *	names            packed as in names.h, up to names_end; the last byte is 0
 *	                 padding to 8 bytes
 *	address[count]   8 bytes each, or 4 bytes that are added to `base`; ascending
 *	size[count]      4 bytes
 *	name[count]      4 bytes: a reference to a name; 0: none (a range or a gap)
 *	module_name[modules + 1]  4 bytes: a reference to a name; entry 0 stands for no module
 *	module[count]    2 bytes: index in module_name; missing if `modules` is 0
 *	origin[count]    1 byte: enum sym_origin
 *
 * Each array begins at a multiple of 8 bytes.  The arrays are parallel, so a search only
 * reads addresses. */
#ifndef RESOLVE_TABLE_BLOCK_H
#define RESOLVE_TABLE_BLOCK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct block_header {
	uint64_t base, names_end;
	uint32_t count, modules;
	uint8_t address_size; /* bytes of an address: 4 or 8 */
};

/* A block with pointers to its arrays. */
struct block {
	const uint8_t *bytes;
	size_t size, count, names_end;
	uint64_t base;
	const uint64_t *far;  /* 8-byte addresses, or NULL */
	const uint32_t *near; /* 4-byte addresses, relative to `base`, or NULL */
	const uint32_t *length, *name, *module_name;
	const uint16_t *module; /* NULL: the table has no modules */
	const uint8_t *origin;
};

/* Returns the size in bytes of a block with this header. */
uint64_t block_size(const struct block_header *h);
/* Sets ret's pointers into the block at `bytes`, which must live as long. */
void block_open(const uint8_t *bytes, struct block *ret);

#endif
