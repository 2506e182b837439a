/* Address spaces: which DSO is mapped where.
 *
 * A space is shared by the processes that forked from one another until one of
 * them changes it.  Its id stands for its contents: whoever remembers what an
 * address was under an id may go on using it as long as the id is in use.  A change
 * that could make such a memory wrong gives the space a new id. */
#ifndef RESOLVE_TASK_SPACE_H
#define RESOLVE_TASK_SPACE_H

#include <cyctop/base.h>

struct map {
	uint64_t start, end; /* [start, end) */
	uint64_t offset;     /* in the DSO, of `start` */
	uint32_t dso;
};

struct space {
	uint32_t refs;
	uint32_t id;
	bool missed; /* an address was looked for in vain */
	size_t n, cap;
	struct map *maps; /* sorted, disjoint */
};

enum { SPACE_MAPS_MAX = 65536 }; /* vm.max_map_count is 65530 */

/* With one reference. */
struct space *space_create(uint32_t id);
struct space *space_ref(struct space *s);
void space_unref(struct space *s);
/* The newest mapping wins: older ones are cut, split or removed.  `next_id` is the
 * counter ids come from.  Returns the space the caller's reference now is to: a copy
 * where `s` was shared.  What does not fit is ignored. */
CYC_MUST_CHECK struct space *space_map(struct space *s, const struct map *m, uint32_t *next_id);
/* NULL: nothing is mapped there. */
const struct map *space_find(struct space *s, uint64_t addr);

#endif
