/* The state of the resolver, shared by the files of this directory. */
#ifndef RESOLVE_RESOLVER_H
#define RESOLVE_RESOLVER_H

#include "resolve/naming/contexts.h"
#include "resolve/naming/dso.h"
#include "resolve/naming/jits.h"
#include "resolve/naming/kernel.h"
#include "resolve/load/loader.h"
#include "resolve/naming/names.h"
#include "resolve/task/task.h"

struct cache_slot {
	uint64_t ip;
	uint32_t space, sym;
};

struct resolver {
	struct names names;
	struct dsos *dsos;
	struct jits *jits;
	struct code_log *log; /* NULL: names of JIT code are not kept for recordings */
	struct kernel kernel;
	struct tasks tasks;
	struct contexts contexts;
	struct loader *loader;
	/* symbols for unknown memory, hypervisor, guests and other pid namespaces; CATALOG_NONE: not needed yet */
	uint32_t unknown, hypervisor, guest, outside;
	bool changed; /* names changed since the last resolver_collect() */
	uint64_t lookups, misses;
	bool cached; /* the cache has entries */
	unsigned cache_bits;
	struct cache_slot *cache; /* [1 << cache_bits]: (space, address) -> symbol */
};

/* Drops the tables of files that no process maps, and retires DSOs that nothing refers to. */
void resolver_sweep(struct resolver *r);

#endif
