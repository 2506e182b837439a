/* Keeps cgroups, and contexts (a symbol with its caller, cgroup and other attributes), as entries of the catalog.
 *
 * A context is found by all its attributes. A context without attributes has no entry: its id is that of its symbol
 * (catalog.h). A cgroup is found by its id in the kernel. Its path comes from a CGROUP record or from
 * proc_ops.cgroups(), before or after the first sample. */
#ifndef RESOLVE_NAMING_CONTEXTS_H
#define RESOLVE_NAMING_CONTEXTS_H

#include "base/alloc.h"
#include "resolve/naming/names.h"

#include <cyctop/catalog.h>
#include <cyctop/resolve.h>

enum {
	CONTEXT_CACHE = 4096,
};

struct context_slot {
	uint64_t cgroup; /* id in the kernel; 0: none */
	uint64_t addr, site;
	uint32_t sym, parallelism, fields, caller, to, inlined, ctx;
	bool cut;
};

struct contexts {
	struct catalog *cat; /* borrowed, but its contexts, cgroups and fields are owned here */
	size_t contexts_cap, cgroups_cap;
	size_t fields_cap;
	struct index by_key, by_cgroup_id, by_values, by_value;
	uint32_t different[VALUES_MAX]; /* number of different values at each place of a combination */
	struct retired_ids free_contexts, free_cgroups;
	bool path_wanted; /* a cgroup without a path was sampled since contexts_find_paths() */
	/* dsos_frames(), which finds the frames of a symbol at ctx_info.site; NULL: inlined calls are unknown */
	size_t (*frames)(void *ctx, uint32_t sym, uint64_t site, struct chain_frame *ret);
	void *frames_ctx;
	struct context_slot cache[CONTEXT_CACHE];
};
void contexts_init(struct contexts *c, struct catalog *cat);
void contexts_deinit(struct contexts *c);

/* Applies a CGROUP record; `cgroup_id` is the kernel's, `path` is copied. */
void contexts_name(struct contexts *c, uint64_t cgroup_id, const char *path);
/* Asks `proc` for the paths of cgroups, if one without a path was sampled since the last call. */
void contexts_find_paths(struct contexts *c, const struct proc_ops *proc);

static inline struct context_slot *contexts_slot(struct contexts *c, uint32_t sym, const struct sample_place *at)
{
	uint64_t place = at->cgroup_id + at->parallelism + at->fields + at->caller * 5ull + at->addr + at->to * 9ull +
			 at->inlined * 3ull + at->site + at->cut;
	return &c->cache[(sym ^ place * 0x9e3779b1u) % CONTEXT_CACHE];
}

/* Returns the context of a symbol with these attributes, which gets an entry if it is new.  Hot path: use
 * contexts_get(). */
uint32_t contexts_add(struct contexts *c, uint32_t sym, const struct sample_place *at);
static inline uint32_t contexts_get(struct contexts *c, uint32_t sym, const struct sample_place *at)
{
	const struct context_slot *slot = contexts_slot(c, sym, at);
	bool cached = slot->sym == sym && slot->cgroup == at->cgroup_id && slot->parallelism == at->parallelism &&
		      slot->fields == at->fields && slot->caller == at->caller && slot->addr == at->addr &&
		      slot->to == at->to && slot->inlined == at->inlined && slot->site == at->site &&
		      slot->cut == at->cut;
	return cached ? slot->ctx : contexts_add(c, sym, at);
}

/* Adds the contexts of a call chain: see resolver_chain(). */
uint32_t contexts_chain(struct contexts *c, const struct chain_frame *frames, size_t n, const struct sample_place *at);

/* Returns the index in catalog.fields of a combination of values (NULL: none), which gets an entry if it is new. With
 * 15/16 of LIMIT_FIELD_VALUES entries, a value of each new combination becomes "[other]": that of the field with the
 * most different values, such as an address.  If this makes too many entries as well, the next field follows. */
uint32_t contexts_fields(struct contexts *c, const char *const values[VALUES_MAX]);

/* Sets ctx_info.settled of contexts whose symbols were resolved, or whose inlined calls are known by now.  The model
 * must compute its keys anew before contexts_retire(). */
void contexts_settle(struct contexts *c);
/* Fills in fold->contexts: a context is merged into another if its symbol is merged into another. Of cgroups without a
 * used context, those with the most samples (LIMIT_EARLIER_CGROUPS) stay, and the others fold into a common one. If
 * there are more contexts than half of LIMIT_CALL_CHAINS, those not in use also lose their callers and addresses. */
void contexts_fold(struct contexts *c, const struct catalog_used *used, const struct catalog_weights *weights,
		   struct catalog_fold *fold);
/* Marks the callers of used contexts as used. Then frees unused contexts, even if their symbol is used, and the cgroups
 * that were already unused in the previous call. */
void contexts_retire(struct contexts *c, struct catalog_used *used);

#endif
