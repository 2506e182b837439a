/* The blocks of code in a JVM's memory with their names, as of one reading, so that the next reading need not read the
 * names again. */
#ifndef RESOLVE_JIT_HOTSPOT_READING_H
#define RESOLVE_JIT_HOTSPOT_READING_H

#include "base/alloc.h"
#include "base/index.h"
#include "base/strbuf.h"

/* A block of code.  Blocks with equal fields have the same name. */
struct hotspot_block {
	uint64_t blob, kind, from, to, method; /* addresses; kind: address of the text that names the kind of code */
	uint32_t compile_id;
};
bool hotspot_block_is(const struct hotspot_block *a, const struct hotspot_block *b);

struct hotspot_reading {
	VEC(struct hotspot_named) code; /* in the order in which they were found */
	struct index by_blob;
	struct strbuf names;
	size_t nameless;
};
struct hotspot_named {
	struct hotspot_block block;
	size_t name_at, name_n; /* position and length in `names`; name_n 0: the name is unreadable */
};
void hotspot_reading_init(struct hotspot_reading *r);
void hotspot_reading_deinit(struct hotspot_reading *r);
size_t hotspot_reading_bytes(const struct hotspot_reading *r);
void hotspot_reading_add(struct hotspot_reading *r, const struct hotspot_block *b, const char *name, size_t name_n);
/* Returns the block of the reading that equals *b, with its name; NULL: there is none, or its name is unknown. */
const struct hotspot_named *hotspot_reading_find(const struct hotspot_reading *r, const struct hotspot_block *b);

#endif
