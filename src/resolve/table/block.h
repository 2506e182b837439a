/* A symbol table is one block of bytes without pointers, so that another process can make it,
 * and its bytes can be copied or mapped anywhere.
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
	uint32_t magic; /* in this machine's byte order */
	uint16_t version;
	uint16_t address_size; /* 4 or 8 */
	uint64_t size;	       /* of the block in bytes */
	uint64_t base;
	uint32_t count, modules;
	uint64_t names_end;
};

/* An opened block: pointers to its arrays. */
struct block {
	const uint8_t *bytes;
	size_t size, count, names_end;
	uint64_t base;
	const uint64_t *far;  /* the addresses, if they have 8 bytes; else NULL */
	const uint32_t *near; /* else: offsets from `base` */
	const uint32_t *length, *name, *module_name;
	const uint16_t *module; /* NULL: no symbol has a module */
	const uint8_t *origin;
	size_t modules;
};

/* Returns the size in bytes of a block with the counts in *h, and stores it in h->size. */
uint64_t block_plan(struct block_header *h);
/* Finds the arrays of a block; false: the header does not fit the `n` bytes. */
bool block_open(const uint8_t *bytes, size_t n, struct block *ret);
/* Checks the contents of a block that does not come from us.  true: every search and read stays
 * within the block. */
bool block_is_sound(const struct block *b);

#endif
