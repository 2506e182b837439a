/* Looks up addresses in the table of a DSO, and in the modules of a recording. */
#include "resolve/naming/tables.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Converts *addr from a file offset (kernel: an address) to an address of the table; without segments, these are the
 * same.  Returns false if no segment has it. */
static bool to_table(const struct dso_table *t, uint64_t *addr)
{
	if (!t->image.segments_n)
		return true;
	for (size_t i = 0; i < t->image.segments_n; i++) {
		const struct segment *s = &t->image.segments[i];
		if (*addr >= s->offset && *addr - s->offset < s->size) {
			*addr = *addr - s->offset + s->vaddr;
			return true;
		}
	}
	return false;
}

/* Returns true for "__builtin__ftrace" and the like, which kallsyms gives as the module of trampolines and kprobe
 * slots. */
static bool is_builtin(const char *module)
{
	static const char builtin[] = "__builtin__";
	return strncmp(module, builtin, sizeof(builtin) - 1) == 0;
}

static uint32_t module_dso(struct dsos *d, uint32_t kernel, const char *module)
{
	if (is_builtin(module))
		return kernel;
	char name[80] = "[";
	size_t n = strnlen(module, sizeof(name) - 3);
	memcpy(name + 1, module, n);
	memcpy(name + 1 + n, "]", 2);
	return dsos_special(d, name, d->names->cat.dsos[kernel].kernel, NULL);
}

static uint32_t add_hit(struct dsos *d, uint32_t id, const struct symtab_hit *hit, const char *name,
			enum sym_state state)
{
	bool made = hit->module && (is_builtin(hit->module) || strcmp(hit->module, "bpf") == 0);
	return names_sym(d->names, &(struct sym_info){.dso = id,
						      .name = name,
						      .state = state,
						      .origin = hit->origin,
						      .by_name = made || hit->origin == ORIGIN_PLT,
						      .addr = hit->addr,
						      .size = hit->size});
}

/* Returns true if module `m` begins at its recorded address also in the kernel's table. It may not, because modules get
 * new addresses at every boot, even if the kernel does not. */
static bool module_fits(struct dsos *d, uint32_t kernel, const struct map *m)
{
	enum { BEGINS_WITHIN = 256 };
	const struct symtab *t = dsos_table(d, kernel)->image.symtab;
	struct symtab_hit hit;
	if (symtab_find(t, m->start - 1, &hit) && hit.module && module_dso(d, kernel, hit.module) == m->dso)
		return false;
	for (uint64_t addr = m->start + BEGINS_WITHIN; addr > m->start; addr = hit.addr) {
		if (!symtab_find(t, addr - 1, &hit) || hit.addr < m->start || !hit.module)
			return false;
		if (module_dso(d, kernel, hit.module) == m->dso)
			return true;
	}
	return false;
}

/* Returns the symbol of an address in a recorded module. The kernel's table is used only if the kernel was not moved
 * and the table has the module at this address; otherwise the module's own file is used. */
static uint32_t lookup_in_module(struct dsos *d, uint32_t kernel, const struct map *m, uint64_t addr)
{
	const struct dso_table *t = dsos_table(d, kernel);
	struct symtab_hit hit;
	bool moved = t->image.segments_n && t->image.segments[0].offset != t->image.segments[0].vaddr;
	if (t->state == DSO_READY && !moved && symtab_find(t->image.symtab, addr, &hit) && hit.module &&
	    module_dso(d, kernel, hit.module) == m->dso && module_fits(d, kernel, m))
		return add_hit(d, m->dso, &hit, hit.name, SYM_NAMED);
	dsos_want(d, m->dso, -1);
	uint32_t sym = dsos_find(d, m->dso, addr - m->start, false);
	return d->names->cat.syms[sym].state == SYM_UNRESOLVED ? dsos_unresolved(d, m->dso, addr) : sym;
}

/* Returns the symbol for a function without a name, whose bounds are from an unwind table. */
static uint32_t group(struct dsos *d, uint32_t id, const struct symtab_hit *hit)
{
	char name[160];
	snprintf(name, sizeof(name), "[%.128s+%#" PRIx64 "]", d->names->cat.dsos[id].name, hit->addr);
	return add_hit(d, id, hit, name, SYM_GROUP);
}

static uint32_t named(struct dsos *d, uint32_t id, const struct symtab_hit *hit)
{
	if (hit->module)
		id = module_dso(d, id, hit->module);
	return hit->name[0] ? add_hit(d, id, hit, hit->name, SYM_NAMED) : group(d, id, hit);
}

/* Looks in the downloaded debug file. It has more symbols than the program, but none of .dynsym or PLT stubs. Returns
 * false if no symbol covers the address. */
static bool find_fetched(struct dsos *d, uint32_t id, const struct dso_table *t, uint64_t addr, uint32_t *ret)
{
	struct symtab_hit hit;
	/* without segments, the file offset cannot be converted to an address */
	if (!t->image.segments_n || !symtab_find(t->fetched, addr, &hit) || !hit.name[0])
		return false;
	hit.origin = ORIGIN_DEBUG_FILE;
	*ret = named(d, id, &hit);
	return true;
}

/* Looks in the DSO's own table. table->named maps its entries to symbols, so that each gets into the catalog once.
 * Returns false if no entry covers the address. */
static bool find_own(struct dsos *d, uint32_t id, struct dso_table *table, uint64_t addr, uint32_t *ret)
{
	const struct symtab *t = table->image.symtab;
	uint32_t index;
	if (!t || !symtab_index(t, addr, &index))
		return false;
	if (!table->named) {
		table->named = mem_calloc(symtab_count(t), sizeof(*table->named));
		d->bytes += symtab_count(t) * sizeof(*table->named);
	}
	uint32_t *known = &table->named[index];
	if (!*known) {
		struct symtab_hit hit;
		symtab_get(t, index, &hit);
		if (table->image.origin)
			hit.origin = table->image.origin;
		*known = named(d, id, &hit) + 1;
	}
	*ret = *known - 1;
	return true;
}

/* Returns true if the address is outside of the recorded kernel's text. */
static bool is_beyond(const struct dso_file *kernel, uint64_t addr)
{
	const struct kernel_place *place = &kernel->key.kernel;
	return place->size && (addr < place->start || addr - place->start >= place->size);
}

static uint32_t unknown(struct dsos *d, uint64_t addr)
{
	return dsos_nameless(d, dsos_special(d, "[unknown]", false, NULL), SYM_NO_DSO, "[unknown]", addr);
}

/* Returns the symbol at `addr` in the present tables of the DSO. */
static uint32_t lookup(struct dsos *d, uint32_t id, struct dso_table *t, uint64_t addr)
{
	const struct dso_file *f = dsos_file(d, id);
	bool whole = f->runtime_addrs && !f->key.module; /* the kernel itself, not a module */
	const struct map *module = whole && d->modules ? space_find(d->modules, addr) : NULL;
	if (module)
		return lookup_in_module(d, id, module, addr);
	uint32_t sym;
	uint64_t at = addr;
	bool there = (t->state == DSO_READY || t->fetched) && to_table(t, &at);
	if (there && ((t->fetched && find_fetched(d, id, t, at, &sym)) || find_own(d, id, t, at, &sym)))
		return sym;
	return whole && is_beyond(f, addr) ? unknown(d, addr) : dsos_unresolved_in_file(d, id, addr);
}

/* Returns true for the code to which a signal handler returns: no call comes before it. */
static bool is_trampoline(const struct sym_info *sym)
{
	static const char *const names[] = {"__restore_rt", "__restore", "__kernel_rt_sigreturn", "__kernel_sigreturn"};
	for (size_t i = 0; sym->state == SYM_NAMED && i < ARRAY_LEN(names); i++)
		if (strcmp(sym->name, names[i]) == 0)
			return true;
	return false;
}

/* Returns the symbol at `addr`; if `addr` is a return address (`returns`), that of the call before it. */
static uint32_t lookup_call(struct dsos *d, uint32_t id, struct dso_table *t, uint64_t addr, bool returns)
{
	uint32_t sym = lookup(d, id, t, addr);
	if (!returns || !addr || is_trampoline(&d->names->cat.syms[sym]))
		return sym;
	uint32_t before = lookup(d, id, t, addr - 1);
	return d->names->cat.syms[before].state == SYM_NAMED ? before : sym;
}

uint32_t dsos_find(struct dsos *d, uint32_t id, uint64_t addr, bool returns)
{
	id = dsos_file(d, id)->copy_of;
	struct dso_table *t = dsos_table(d, id);
	if (t->state == DSO_LOADING)
		return dsos_pending(d, id, addr, returns);
	uint32_t sym = lookup_call(d, id, t, addr, returns);
	bool unknown_yet = t->renewed && d->names->cat.syms[sym].state == SYM_UNRESOLVED;
	return unknown_yet ? dsos_pending(d, id, addr, returns) : sym;
}

bool dsos_address(struct dsos *d, uint32_t dso, uint64_t *addr)
{
	return to_table(dsos_table(d, dsos_file(d, dso)->copy_of), addr);
}

/* ---- resolving symbols that waited for a table -------------------------------------- */

/* Resolves the symbols of addresses in the DSO, and frees the array. */
static void settle(struct dsos *d, uint32_t id, struct waiting_syms syms)
{
	for (size_t i = 0; i < syms.n; i++) {
		const struct sym_info *s = &d->names->cat.syms[syms.data[i]];
		names_resolve(d->names, syms.data[i], lookup_call(d, id, dsos_table(d, id), s->addr, s->returns));
	}
	vec_free(&syms);
}

void dsos_settle(struct dsos *d, uint32_t id)
{
	settle(d, dsos_file(d, id)->copy_of, dsos_take_pending(d, id));
}

void dsos_settle_kept(struct dsos *d, uint32_t id)
{
	settle(d, id, dsos_take_kept(d, id));
}
