/* Addresses without a name: those whose table is being read, and those that no table
 * covers.  What may get a name later is an entry of its own until then. */
#include "resolve/dso.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

enum {
	/* Addresses of one DSO that wait for its table one by one; more of them
	 * share one entry, and end as unresolved.  A table is there long before. */
	PENDING_MAX = 65536,
	/* Addresses that a debug file might name, of one DSO and of all.  More of them stay
	 * "[no symbol]" when it was fetched. */
	KEPT_MAX = 4096,
	KEPT_ALL_MAX = 16384,
};

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

static uint64_t hash_addr(uint32_t dso, uint64_t addr)
{
	return hash_u64(hash_u64(addr) + dso);
}

static uint32_t find_addr(const struct dsos *d, uint32_t id, uint64_t addr)
{
	return index_find(&d->by_addr, hash_addr(id, addr), is_wanted_addr,
			  &(struct wanted_addr){&d->names->cat, id, addr});
}

static uint32_t add_addr(struct dsos *d, uint32_t id, uint64_t addr, enum sym_state state, const char *name)
{
	struct sym_info info = {
		.dso = id,
		.name = name,
		.state = state,
		.kernel = d->names->cat.dsos[id].kernel,
		.addr = addr,
	};
	uint32_t sym = names_add_sym(d->names, &info);
	index_add(&d->by_addr, hash_addr(id, addr), sym);
	return sym;
}

/* It becomes a second name of what its address turned out to be. */
static void become(struct dsos *d, uint32_t sym, uint32_t real)
{
	struct sym_info *s = &d->names->cat.syms[sym];
	*s = d->names->cat.syms[real];
	s->canonical = real;
}

/* ---- what waits ------------------------------------------------------------------ */

uint32_t dsos_pending(struct dsos *d, uint32_t id, uint64_t addr)
{
	if (d->dso.data[id].pending.n >= PENDING_MAX && !d->keep_addresses)
		addr = 0;
	uint32_t sym = find_addr(d, id, addr);
	if (sym != INDEX_NONE)
		return sym;
	sym = add_addr(d, id, addr, SYM_PENDING, "[loading]");
	if (!d->dso.data[id].pending.n)
		d->names->cat.dsos[id].pending = sym + 1;
	vec_push(&d->dso.data[id].pending) = sym;
	return sym;
}

void dsos_settle(struct dsos *d, uint32_t id)
{
	for (size_t i = 0; i < d->dso.data[id].pending.n; i++) {
		uint32_t sym = d->dso.data[id].pending.data[i];
		uint64_t addr = d->names->cat.syms[sym].addr;
		index_remove(&d->by_addr, hash_addr(id, addr), sym);
		become(d, sym, dsos_lookup(d, d->dso.data[id].same, addr));
	}
	vec_free(&d->dso.data[id].pending);
	d->names->cat.dsos[id].pending = 0;
}

/* ---- what has none ----------------------------------------------------------------- */

uint32_t dsos_nameless(struct dsos *d, uint32_t id, enum sym_state state, const char *name, uint64_t addr)
{
	char text[24];
	if (!d->keep_addresses || !addr)
		return names_sym(d->names, id, name, state, ORIGIN_NONE, 0);
	snprintf(text, sizeof(text), "%#" PRIx64, addr);
	return names_sym(d->names, id, text, state, ORIGIN_NONE, addr);
}

/* An address serves whoever has the file; where that was read here, and of memory
 * without a file, it serves nobody. */
static bool is_of_use(const struct dso *dso)
{
	return dso->state != DSO_READY && !dso->fetched && !dso->image.segments_n && !dso->code;
}

uint32_t dsos_unresolved(struct dsos *d, uint32_t id, uint64_t addr)
{
	const struct dso *dso = &d->dso.data[id];
	/* One row of what is hidden, however many addresses that are. */
	if (dso->hidden)
		return names_sym(d->names, id, d->names->cat.dsos[id].path, SYM_UNRESOLVED, ORIGIN_NONE, 0);
	return dsos_nameless(d, id, SYM_UNRESOLVED, "[no symbol]", is_of_use(dso) ? addr : 0);
}

/* May there be names for it at a server? */
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
	if (dso->kept.n >= KEPT_MAX || d->kept_n >= KEPT_ALL_MAX)
		return row;
	sym = add_addr(d, id, addr, SYM_UNRESOLVED, "[no symbol]");
	d->names->cat.dsos[id].nameless = row + 1;
	vec_push(&dso->kept) = sym;
	d->kept_n++;
	return sym;
}

void dsos_settle_kept(struct dsos *d, uint32_t id)
{
	d->dso.data[id].kept_none = true;
	for (size_t i = 0; i < d->dso.data[id].kept.n; i++) {
		uint32_t sym = d->dso.data[id].kept.data[i];
		uint64_t addr = d->names->cat.syms[sym].addr;
		index_remove(&d->by_addr, hash_addr(id, addr), sym);
		become(d, sym, dsos_lookup(d, id, addr));
	}
	d->kept_n -= d->dso.data[id].kept.n;
	vec_free(&d->dso.data[id].kept);
	d->names->cat.dsos[id].nameless = 0;
}
