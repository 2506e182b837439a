/* Address spaces: the DSO that is mapped at each address.
 *
 * Processes that forked from one another share a space until one of them changes its mappings.  Caches key addresses
 * by the id of the space; a change that could make a cached address wrong gives the space a new id. */
#ifndef RESOLVE_NAMING_SPACE_H
#define RESOLVE_NAMING_SPACE_H

#include <cyctop/base.h>

struct map {
	uint64_t start, end; /* run-time addresses [start, end) */
	uint64_t offset;     /* offset of `start` in the DSO */
	uint32_t dso;
};

struct space {
	uint32_t refs;
	uint32_t id;
	bool missed; /* a lookup failed, which a cache may remember */
	size_t n, cap;
	struct map *maps; /* mappings; sorted, disjoint */
};

bool space_is_full(const struct space *s); /* returns whether it has LIMIT_MAPS mappings */
/* Creates a space with one reference. */
struct space *space_create(uint32_t id);
struct space *space_ref(struct space *s);
void space_unref(struct space *s);
/* Adds a mapping, which replaces older ones: they are cut, split or removed.  `next_id`: counter for new ids.
 * Returns the space that replaces the caller's reference: a copy if `s` was shared.  A full space ignores the
 * mapping. */
CYC_MUST_CHECK struct space *space_map(struct space *s, const struct map *m, uint32_t *next_id);
/* Returns the mapping at `addr`, or NULL. */
const struct map *space_find(struct space *s, uint64_t addr);

#endif
