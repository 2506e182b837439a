/* Keeps cgroups, and contexts (a symbol in a cgroup), as entries of the catalog.
 *
 * A context is found by (symbol, cgroup, parallelism); a context of a symbol alone has no entry (catalog.h).  A
 * cgroup is found by the kernel's id for it.  Its path comes from a CGROUP record or from
 * proc_ops.cgroups(), before or after the first sample. */
#ifndef RESOLVE_NAMING_CONTEXTS_H
#define RESOLVE_NAMING_CONTEXTS_H

#include "base/alloc.h"
#include "base/index.h"

#include <cyctop/catalog.h>
#include <cyctop/resolve.h>

enum {
	CONTEXT_CACHE = 4096,
};

struct context_slot {
	uint64_t cgroup; /* the kernel's id of a cgroup */
	uint32_t sym, parallelism, ctx;
};

struct contexts {
	struct catalog *cat; /* borrowed, but its contexts and cgroups are owned here */
	size_t contexts_cap, cgroups_cap;
	struct index by_key, by_cgroup_id;
	VEC(uint32_t) free_contexts, free_cgroups;
	bool path_wanted; /* a cgroup without a path was sampled since contexts_find_paths() */
	struct context_slot cache[CONTEXT_CACHE];
};
void contexts_init(struct contexts *c, struct catalog *cat);
void contexts_deinit(struct contexts *c);

/* Applies a CGROUP record: the kernel's id, and the path, which is copied. */
void contexts_name(struct contexts *c, uint64_t cgroup_id, const char *path);
/* Asks `proc` for the paths of cgroups that samples named since the last call. */
void contexts_find_paths(struct contexts *c, const struct proc_ops *proc);

static inline struct context_slot *contexts_slot(struct contexts *c, uint32_t sym, uint64_t cgroup_id,
						 uint32_t parallelism)
{
	return &c->cache[(sym ^ (cgroup_id + parallelism) * 0x9e3779b1u) % CONTEXT_CACHE];
}

/* Returns the context of a symbol in a cgroup (the kernel's id; 0: unknown) at a parallelism (0: unknown); adds it if
 * it is new.  Hot path. */
uint32_t contexts_add(struct contexts *c, uint32_t sym, uint64_t cgroup_id, uint32_t parallelism);
static inline uint32_t contexts_get(struct contexts *c, uint32_t sym, uint64_t cgroup_id, uint32_t parallelism)
{
	const struct context_slot *slot = contexts_slot(c, sym, cgroup_id, parallelism);
	bool cached = slot->sym == sym && slot->cgroup == cgroup_id && slot->parallelism == parallelism;
	return cached ? slot->ctx : contexts_add(c, sym, cgroup_id, parallelism);
}

/* Sets ctx_info.settled of the contexts whose symbols were resolved; to be called after that.  The model must be
 * re-keyed before contexts_retire(). */
void contexts_settle(struct contexts *c);
/* Fills in fold->contexts: the facts of a context move if those of its symbol do.  Of the cgroups
 * without a used context, those with the most samples (LIMIT_EARLIER_CGROUPS) keep their facts; the
 * facts of the others move to a common cgroup. */
void contexts_fold(struct contexts *c, const struct catalog_used *used, const struct catalog_weights *weights,
		   struct catalog_fold *fold);
/* Frees contexts that are not used, and cgroups that were not used in the last call either.
 * Contexts of symbols in use may be freed, too. */
void contexts_retire(struct contexts *c, const struct catalog_used *used);

#endif
