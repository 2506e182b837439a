/* What stands at an address of a DSO, as its table and the recording's modules say. */
#include "resolve/dso.h"
#include "resolve/elf/image.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* File offset (of the kernel: address) -> the table's address.  An image without
 * segments counts in file offsets itself. */
static bool to_table(const struct dso *dso, uint64_t *addr)
{
	if (!dso->image.segments_n)
		return true;
	for (size_t i = 0; i < dso->image.segments_n; i++) {
		const struct segment *s = &dso->image.segments[i];
		if (*addr >= s->offset && *addr - s->offset < s->size) {
			*addr = *addr - s->offset + s->vaddr;
			return true;
		}
	}
	return false;
}

static uint32_t module_dso(struct dsos *d, uint32_t kernel, const char *module)
{
	static const char builtin[] = "__builtin__"; /* trampolines of ftrace, slots of kprobes */
	if (strncmp(module, builtin, sizeof(builtin) - 1) == 0)
		return kernel;
	char name[80] = "[";
	size_t n = strnlen(module, sizeof(name) - 3);
	memcpy(name + 1, module, n);
	memcpy(name + 1 + n, "]", 2);
	return dsos_special(d, name, d->names->cat.dsos[kernel].kernel, NULL);
}

/* Does the table know the module `m` where the recording says it was?  Modules move
 * with every boot, the kernel itself may not: so the module has to begin there. */
static bool module_fits(struct dsos *d, uint32_t kernel, const struct map *m)
{
	enum { BEGINS_WITHIN = 256 };
	const struct symtab *t = d->dso.data[kernel].image.symtab;
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

/* An address in a module that a recording told of.  The tables of modules are part
 * of the kernel's, and good only where that did not have to be moved; else it is up to the
 * module's own file. */
static uint32_t lookup_in_module(struct dsos *d, uint32_t kernel, const struct map *m, uint64_t addr)
{
	const struct dso *dso = &d->dso.data[kernel];
	struct symtab_hit hit;
	bool moved = dso->image.segments_n && dso->image.segments[0].offset != dso->image.segments[0].vaddr;
	if (dso->state == DSO_READY && !moved && symtab_find(dso->image.symtab, addr, &hit) && hit.module &&
	    module_dso(d, kernel, hit.module) == m->dso && module_fits(d, kernel, m))
		return names_sym(d->names, m->dso, hit.name, SYM_NAMED, hit.origin, hit.addr);
	uint32_t sym = dsos_symbol(d, m->dso, -1, addr - m->start);
	return d->names->cat.syms[sym].state == SYM_UNRESOLVED ? dsos_unresolved(d, m->dso, addr) : sym;
}

/* A function whose bounds are known and whose name is not. */
static uint32_t group(struct dsos *d, uint32_t id, const struct symtab_hit *hit)
{
	char name[160];
	snprintf(name, sizeof(name), "[%.128s+%#" PRIx64 "]", d->names->cat.dsos[id].name, hit->addr);
	return names_sym(d->names, id, name, SYM_GROUP, hit->origin, hit->addr);
}

static uint32_t named(struct dsos *d, uint32_t id, const struct symtab_hit *hit)
{
	if (hit->module)
		id = module_dso(d, id, hit->module);
	return hit->name[0] ? names_sym(d->names, id, hit->name, SYM_NAMED, hit->origin, hit->addr) : group(d, id, hit);
}

/* By a debug file that was fetched, whose table is fuller, but lacks what is not in .symtab. */
static bool find_fetched(struct dsos *d, uint32_t id, uint64_t addr, uint32_t *ret)
{
	const struct dso *dso = &d->dso.data[id];
	struct symtab_hit hit;
	/* Without its segments (its program is gone) an offset is no address of that file. */
	if (!dso->fetched || !dso->image.segments_n || !symtab_find(dso->fetched, addr, &hit) || !hit.name[0])
		return false;
	hit.origin = ORIGIN_DEBUG_FILE;
	*ret = named(d, id, &hit);
	return true;
}

/* Each entry of the table is named but once. */
static bool find_own(struct dsos *d, uint32_t id, uint64_t addr, uint32_t *ret)
{
	struct dso *dso = &d->dso.data[id];
	const struct symtab *t = dso->image.symtab;
	uint32_t index;
	if (!t || !symtab_index(t, addr, &index))
		return false;
	if (!dso->named) {
		dso->named = mem_calloc(symtab_count(t), sizeof(*dso->named));
		d->bytes += symtab_count(t) * sizeof(*dso->named);
	}
	uint32_t *known = &dso->named[index];
	if (!*known) {
		struct symtab_hit hit;
		symtab_get(t, index, &hit);
		if (dso->image.origin)
			hit.origin = dso->image.origin;
		*known = named(d, id, &hit) + 1;
	}
	*ret = *known - 1;
	return true;
}

/* Neither in the kernel as a recording places it, nor in a module of it. */
static bool is_beyond(const struct dso *kernel, uint64_t addr)
{
	const struct kernel_place *place = &kernel->key.kernel;
	return place->size && (addr < place->start || addr - place->start >= place->size);
}

static uint32_t unknown(struct dsos *d, uint64_t addr)
{
	return dsos_nameless(d, dsos_special(d, "[unknown]", false, NULL), SYM_NO_DSO, "[unknown]", addr);
}

uint32_t dsos_lookup(struct dsos *d, uint32_t id, uint64_t addr)
{
	const struct dso *dso = &d->dso.data[id];
	bool whole = dso->direct && !dso->key.module; /* a module's own addresses are no longer the kernel's */
	const struct map *module = whole && d->modules ? space_find(d->modules, addr) : NULL;
	if (module)
		return lookup_in_module(d, id, module, addr);
	uint32_t sym;
	uint64_t at = addr;
	bool there = (dso->state == DSO_READY || dso->fetched) && to_table(dso, &at);
	if (there && (find_fetched(d, id, at, &sym) || find_own(d, id, at, &sym)))
		return sym;
	return whole && is_beyond(dso, addr) ? unknown(d, addr) : dsos_unresolved_in_file(d, id, addr);
}
