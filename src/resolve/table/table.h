/* What a finished table is made of: build.c makes it, symtab.c searches it. */
#ifndef RESOLVE_TABLE_TABLE_H
#define RESOLVE_TABLE_TABLE_H

#include "resolve/table/region.h"

/* Addresses, sizes and names in parallel arrays, so that a search touches addresses
 * only. */
struct symtab {
	unsigned refs; /* the loader's thread and its asker both count */
	size_t n, bytes;
	uint64_t base;	     /* added to `near` */
	const uint64_t *far; /* NULL where 32-bit offsets do */
	const uint32_t *near;
	const uint32_t *size;
	const uint32_t *name;	/* references; of a gap: that of "" */
	const uint16_t *module; /* NULL: no symbol has one */
	const uint8_t *origin;
	const uint32_t *module_name;
	const char *pool;
	char *scratch;	     /* for a name that is kept in part */
	struct region names; /* where `pool` is when it is large; else in block */
	max_align_t block[];
};

#endif
