/* Makes symbols for addresses without a name.  An address whose name may still come (from the table that is being read,
 * or from a debug file) has a symbol of its own until then. */
#include "base/limits.h"
#include "resolve/naming/dsos.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

/* The symbols of a DSO whose names may still come. */
struct dso_waits {
	struct waiting_syms pending; /* wait for the symbol table */
	struct waiting_syms kept;    /* a debug file from a server might name them */
	bool kept_none;		     /* a download has ended: `kept` gets no more symbols */
};

static struct dso_waits *waits_of(struct dsos *d, uint32_t id)
{
	struct dso *dso = &d->dso.data[id];
	if (!dso->waits)
		dso->waits = mem_calloc(1, sizeof(*dso->waits));
	return dso->waits;
}

uint32_t dsos_whole(struct dsos *d, uint32_t id, const char *name, enum sym_state state)
{
	return names_sym(d->names, &(struct sym_info){.dso = id, .name = name, .state = state});
}

/* ---- finding symbols by address ------------------------------------------------ */

struct wanted_addr {
	const struct catalog *cat;
	uint32_t dso;
	uint64_t addr;
	bool returns;
};

static bool is_wanted_addr(const void *ctx, uint32_t pos)
{
	const struct wanted_addr *w = ctx;
	const struct sym_info *s = &w->cat->syms[pos];
	return s->dso == w->dso && s->addr == w->addr && s->returns == w->returns;
}

static uint64_t hash_addr(const struct dsos *d, uint32_t dso, uint64_t addr)
{
	return index_hash(&d->by_addr, hash_u64(addr ^ d->by_addr.seed) + dso);
}

static uint32_t find_addr(const struct dsos *d, uint32_t id, uint64_t addr, bool returns)
{
	return index_find(&d->by_addr, hash_addr(d, id, addr), is_wanted_addr,
			  &(struct wanted_addr){&d->names->cat, id, addr, returns});
}

/* Adds a symbol for one address; it is shown in the row of symbol `row`. */
static uint32_t add_addr(struct dsos *d, uint32_t id, uint64_t addr, bool returns, uint32_t row)
{
	struct sym_info info = d->names->cat.syms[row];
	info.addr = addr;
	info.returns = returns;
	uint32_t sym = names_add_sym(d->names, &info);
	d->names->cat.syms[sym].row_sym = info.row_sym;
	index_add(&d->by_addr, hash_addr(d, id, addr), sym);
	return sym;
}

/* ---- addresses that wait for a table ------------------------------------------------------------------ */

uint32_t dsos_pending(struct dsos *d, uint32_t id, uint64_t addr, bool returns)
{
	struct dso_waits *w = waits_of(d, id);
	if (w->pending.n >= LIMIT_PENDING && !d->config.keep_addresses) {
		limit_count(&d->names->cat.limits, REACHED_PENDING);
		addr = 0;
	}
	uint32_t sym = find_addr(d, id, addr, returns);
	if (sym != INDEX_NONE)
		return sym;
	sym = add_addr(d, id, addr, returns, dsos_whole(d, id, "[loading]", SYM_PENDING));
	vec_push(&w->pending) = sym;
	return sym;
}

static struct waiting_syms take(struct dsos *d, uint32_t id, struct waiting_syms *from)
{
	struct waiting_syms syms = *from;
	for (size_t i = 0; i < syms.n; i++)
		index_remove(&d->by_addr, hash_addr(d, id, d->names->cat.syms[syms.data[i]].addr), syms.data[i]);
	*from = (struct waiting_syms){0};
	return syms;
}

struct waiting_syms dsos_take_pending(struct dsos *d, uint32_t id)
{
	return take(d, id, &waits_of(d, id)->pending);
}

/* ---- addresses that no table has ------------------------------------------------------------ */

uint32_t dsos_nameless(struct dsos *d, uint32_t id, enum sym_state state, const char *name, uint64_t addr)
{
	char text[24];
	if (!d->config.keep_addresses || !addr)
		return dsos_whole(d, id, name, state);
	snprintf(text, sizeof(text), "%#" PRIx64, addr);
	return names_sym(d->names, &(struct sym_info){.dso = id, .name = text, .state = state, .addr = addr});
}

/* Returns true if showing the address helps, because the user may look it up elsewhere: not for JIT code, nor if cyctop
 * has read the file. */
static bool is_of_use(const struct dsos *d, uint32_t id)
{
	return !dsos_was_read(d, id) && !dsos_file(d, id)->code;
}

uint32_t dsos_unresolved(struct dsos *d, uint32_t id, uint64_t addr)
{
	/* all addresses of a kernel that hides its symbols get one symbol */
	if (dsos_is_hidden(d, id))
		return dsos_whole(d, id, d->names->cat.dsos[id].path, SYM_UNRESOLVED);
	return dsos_nameless(d, id, SYM_UNRESOLVED, "[no symbol]", is_of_use(d, id) ? addr : 0);
}

/* Returns true if a server may have a debug file with names for the DSO. */
static bool may_be_named(struct dsos *d, uint32_t id)
{
	const struct dso_file *f = dsos_file(d, id);
	return d->fetches && f->build_id.size && !f->runtime_addrs && f->key.path[0] == '/' &&
	       dsos_has_segments(d, id) && !dsos_fetched(d, id) && !waits_of(d, id)->kept_none;
}

uint32_t dsos_unresolved_in_file(struct dsos *d, uint32_t id, uint64_t addr)
{
	uint32_t row = dsos_unresolved(d, id, addr);
	if (!addr || !may_be_named(d, id))
		return row;
	struct dso_waits *w = waits_of(d, id);
	uint32_t sym = find_addr(d, id, addr, false);
	if (sym != INDEX_NONE)
		return sym;
	if (w->kept.n >= LIMIT_NAMELESS || d->kept_n >= LIMIT_NAMELESS_ALL) {
		limit_count(&d->names->cat.limits,
			    w->kept.n >= LIMIT_NAMELESS ? REACHED_NAMELESS : REACHED_NAMELESS_ALL);
		return row;
	}
	sym = add_addr(d, id, addr, false, row);
	vec_push(&w->kept) = sym;
	d->kept_n++;
	return sym;
}

struct waiting_syms dsos_take_kept(struct dsos *d, uint32_t id)
{
	struct dso_waits *w = waits_of(d, id);
	d->kept_n -= w->kept.n;
	w->kept_none = true;
	return take(d, id, &w->kept);
}

void dsos_keep_again(struct dsos *d, uint32_t id)
{
	waits_of(d, id)->kept_none = false;
}

/* ---- freeing, and marking as used, symbols whose names may still come ------------------- */

void dsos_drop_waits(struct dsos *d, uint32_t id)
{
	struct dso_waits *w = d->dso.data[id].waits;
	if (!w)
		return;
	vec_free(&w->pending);
	vec_free(&w->kept);
	free(w);
	d->dso.data[id].waits = NULL;
}

void dsos_mark_syms(const struct dsos *d, bool *used)
{
	for (size_t i = 0; i < d->dso.n; i++) {
		const struct dso_waits *w = d->dso.data[i].waits;
		for (size_t k = 0; w && k < w->pending.n; k++)
			used[w->pending.data[k]] = true;
		for (size_t k = 0; w && k < w->kept.n; k++)
			used[w->kept.data[k]] = true;
	}
}
