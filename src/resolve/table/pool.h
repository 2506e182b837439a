/* Names of symbols.  Those of neighbours in a symbol table begin alike, C++'s above all:
 * a name may be kept as how much it shares with an earlier one, and the rest. */
#ifndef RESOLVE_TABLE_POOL_H
#define RESOLVE_TABLE_POOL_H

#include "resolve/table/region.h"

struct pool {
	struct region bytes; /* NUL-terminated; the first is empty */
	size_t longest;	     /* of those that are kept in part */
	uint32_t whole;	     /* where the last whole name is, and its length */
	uint16_t whole_n;
	uint16_t best; /* bytes that another shared with it, at most */
};
/* A reference to the name, or 0: no memory.  n is below 65536. */
uint32_t pool_add(struct pool *p, const char *s, size_t n);
/* The same, kept as a whole: bytes.data + the reference. */
uint32_t pool_add_whole(struct pool *p, const char *s, size_t n);
/* The name; in `buf`, of longest + 1 bytes, where it is kept in part. */
const char *pool_name(const char *bytes, uint32_t ref, char *buf);

#endif
