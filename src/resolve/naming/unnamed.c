/* Symbols for addresses without a name: those whose table is being read, and those that no
 * table has.  An address that may get a name later has its own symbol until then. */
#include "base/limits.h"
#include "resolve/naming/dso.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

uint32_t dsos_whole(struct dsos *d, uint32_t id, const char *name, enum sym_state state)
{
	return names_sym(d->names, &(struct sym_info){.dso = id, .name = name, .state = state});
}

/* ---- entries by address -------------------------------------------------------- */

struct wanted_addr {
	const struct catalog *cat;
	uint32_t dso;
	uint64_t addr;
};

static bool is_wanted_addr(const void *ctx, uint32_t pos)
{
	const struct wanted_addr *w = ctx;
	return w->cat->syms[pos].dso == w->dso && w->cat->syms[pos].addr == w->addr;
}

static uint64_t hash_addr(const struct dsos *d, uint32_t dso, uint64_t addr)
{
	return index_hash(&d->by_addr, hash_u64(addr ^ d->by_addr.seed) + dso);
}

static uint32_t find_addr(const struct dsos *d, uint32_t id, uint64_t addr)
{
	return index_find(&d->by_addr, hash_addr(d, id, addr), is_wanted_addr,
			  &(struct wanted_addr){&d->names->cat, id, addr});
}

void dsos_forget_addr(struct dsos *d, uint32_t id, uint32_t sym)
{
	index_remove(&d->by_addr, hash_addr(d, id, d->names->cat.syms[sym].addr), sym);
}

/* Adds a symbol for one address; it is shown in the row of the symbol `row`. */
static uint32_t add_addr(struct dsos *d, uint32_t id, uint64_t addr, uint32_t row)
{
	struct sym_info info = d->names->cat.syms[row];
	info.addr = addr;
	uint32_t sym = names_add_sym(d->names, &info);
	d->names->cat.syms[sym].same = info.same;
	index_add(&d->by_addr, hash_addr(d, id, addr), sym);
	return sym;
}

/* ---- addresses that wait for a table ------------------------------------------------------------------ */

uint32_t dsos_pending(struct dsos *d, uint32_t id, uint64_t addr)
{
	if (d->dso.data[id].pending.n >= LIMIT_PENDING && !d->keep_addresses) {
		limit_count(&d->names->cat.limits, REACHED_PENDING);
		addr = 0;
	}
	uint32_t sym = find_addr(d, id, addr);
	if (sym != INDEX_NONE)
		return sym;
	sym = add_addr(d, id, addr, dsos_whole(d, id, "[loading]", SYM_PENDING));
	vec_push(&d->dso.data[id].pending) = sym;
	return sym;
}

/* ---- addresses that no table has
 * ----------------------------------------------------------------------- */

uint32_t dsos_nameless(struct dsos *d, uint32_t id, enum sym_state state, const char *name, uint64_t addr)
{
	char text[24];
	if (!d->keep_addresses || !addr)
		return dsos_whole(d, id, name, state);
	snprintf(text, sizeof(text), "%#" PRIx64, addr);
	return names_sym(d->names, &(struct sym_info){.dso = id, .name = text, .state = state, .addr = addr});
}

/* Is it useful to show the address, because the user may look it up elsewhere?  Not if the file
 * was read here, and not in memory without a file. */
static bool is_of_use(const struct dso *dso)
{
	return dso->state != DSO_READY && !dso->fetched && !dso->image.segments_n && !dso->code;
}

uint32_t dsos_unresolved(struct dsos *d, uint32_t id, uint64_t addr)
{
	const struct dso *dso = &d->dso.data[id];
	/* all addresses of a hidden kernel are one row */
	if (dso->hidden)
		return dsos_whole(d, id, d->names->cat.dsos[id].path, SYM_UNRESOLVED);
	return dsos_nameless(d, id, SYM_UNRESOLVED, "[no symbol]", is_of_use(dso) ? addr : 0);
}

/* Could a server have a debug file for the DSO? */
static bool may_be_named(const struct dsos *d, const struct dso *dso)
{
	return d->fetches && !dso->kept_none && !dso->fetched && dso->build_id.size && dso->image.segments_n &&
	       !dso->direct && dso->key.path[0] == '/';
}

uint32_t dsos_unresolved_in_file(struct dsos *d, uint32_t id, uint64_t addr)
{
	uint32_t row = dsos_unresolved(d, id, addr);
	struct dso *dso = &d->dso.data[id];
	if (!addr || !may_be_named(d, dso))
		return row;
	uint32_t sym = find_addr(d, id, addr);
	if (sym != INDEX_NONE)
		return sym;
	if (dso->kept.n >= LIMIT_NAMELESS || d->kept_n >= LIMIT_NAMELESS_ALL) {
		limit_count(&d->names->cat.limits,
			    dso->kept.n >= LIMIT_NAMELESS ? REACHED_NAMELESS : REACHED_NAMELESS_ALL);
		return row;
	}
	sym = add_addr(d, id, addr, row);
	vec_push(&dso->kept) = sym;
	d->kept_n++;
	return sym;
}
