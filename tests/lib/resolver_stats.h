/* What a resolver's tables hold and need. */
#ifndef TESTS_LIB_RESOLVER_STATS_H
#define TESTS_LIB_RESOLVER_STATS_H

#include "base/intern.h"
#include "resolve/naming/dsos.h"
#include "resolve/naming/jits_own.h"
#include "resolve/resolver.h"

struct resolver_stats {
	uint64_t lookups, misses; /* of the address cache */
	uint32_t loading;	  /* tables that were requested and are not loaded yet */
	uint64_t tables, shared;  /* tables that were read; and that were shared with an equal file read before */
	size_t symtab_bytes;
	size_t names_bytes; /* of the catalog and its strings */
};

static inline void resolver_stats_get(const struct resolver *r, struct resolver_stats *ret)
{
	const struct names *n = &r->names;
	const struct contexts *c = &r->contexts;
	struct loader_stats loader;
	loader_stats_get(r->loader, &loader);
	*ret = (struct resolver_stats){
		.tables = loader.tables,
		.shared = loader.shared,
		.lookups = r->lookups,
		.misses = r->misses,
		.loading = r->dsos->loading,
		.symtab_bytes = r->dsos->bytes + r->jits->bytes,
	};
	size_t slots = n->by_code.slots_n + n->by_name.slots_n + c->by_key.slots_n + c->by_cgroup_id.slots_n;
	ret->names_bytes = n->tasks_cap * sizeof(*n->cat.tasks) + n->syms_cap * sizeof(*n->cat.syms) +
			   n->dsos_cap * sizeof(*n->cat.dsos) + intern_memory(n->strings) +
			   c->contexts_cap * sizeof(*c->cat->contexts) + c->cgroups_cap * sizeof(*c->cat->cgroups) +
			   slots * sizeof(uint64_t);
}

#endif
