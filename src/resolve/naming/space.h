/* Address spaces: which DSO is mapped at each address.
 *
 * Forked processes share a space until one of them changes its mappings.  Caches use the id of the space as a key; a
 * change that may make cached results wrong gives the space a new id. */
#ifndef RESOLVE_NAMING_SPACE_H
#define RESOLVE_NAMING_SPACE_H

#include <cyctop/base.h>

struct map {
	uint64_t start, end; /* [start, end), run-time addresses */
	uint64_t offset;     /* offset of `start` in the DSO */
	uint32_t dso;
};

struct space {
	uint32_t refs;
	uint32_t id;
	bool missed; /* a lookup failed, and caches may have this result: the next mapping changes the id */
	size_t n, cap;
	struct map *maps; /* [n], sorted, disjoint */
};

bool space_is_full(const struct space *s); /* the space has LIMIT_MAPS mappings */
/* Creates a space with one reference. */
struct space *space_create(uint32_t id);
struct space *space_ref(struct space *s);
void space_unref(struct space *s);
/* Adds a mapping, which cuts, splits or removes older ones, unless the space is full.  `next_id`: counter for new ids.
 * Returns the space that replaces the caller's reference: a copy if `s` was shared. */
CYC_MUST_CHECK struct space *space_map(struct space *s, const struct map *m, uint32_t *next_id);
/* Returns the mapping at `addr`, or NULL. */
const struct map *space_find(struct space *s, uint64_t addr);

#endif
