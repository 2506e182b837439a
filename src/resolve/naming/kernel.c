#include "base/limits.h"
#include "resolve/naming/kernel.h"

#include "base/modules.h"
#include "base/sorted.h"
#include "resolve/kernel/modules.h"

#include <string.h>

enum {
	KSYMBOL_BPF = 1, /* ksym_type of BPF programs; 2 is code of kprobes and ftrace */
	KSYMBOL_UNREGISTER = 1,
	/* in ticks of dsos_clock(), about seconds: shortest and longest pause before the table is read again; time
	 * between two checks of the list of modules */
	WAIT_MIN = 4,
	WAIT_MAX = 512,
	LOOK_EVERY = 4,
};

void kernel_init(struct kernel *k, struct dsos *dsos)
{
	*k = (struct kernel){
		.dsos = dsos,
		.names = dsos_names(dsos),
		.dso = dsos_special(dsos, "[kernel]", true, NULL),
		.modules = CATALOG_NONE,
		.wait = WAIT_MIN,
		.modules_path = "/proc/modules",
	};
}

static uint64_t fingerprint(struct kernel *k)
{
	struct limit_set limits = {0};
	uint64_t print = modules_fingerprint(k->modules_path, &limits);
	limit_count_set(&k->names->cat.limits, &limits);
	return print;
}

void kernel_set_live(struct kernel *k, bool modules_apart)
{
	k->live = true;
	if (modules_apart)
		k->modules = dsos_special(k->dsos, "[modules]", true, NULL);
	k->modules_print = fingerprint(k);
}

static void set_maps(struct kernel *k, struct space *maps)
{
	k->maps = maps;
	dsos_set_modules(k->dsos, maps);
}

static void drop_maps(struct kernel *k)
{
	space_unref(k->maps);
	set_maps(k, NULL);
}

void kernel_deinit(struct kernel *k)
{
	drop_maps(k);
	vec_free(&k->extra);
}

void kernel_restart(struct kernel *k)
{
	k->extra.n = 0;
	drop_maps(k);
}

/* Returns the index of the first entry in `extra` that ends above `addr`. */
static size_t first_above(const struct kernel *k, uint64_t addr)
{
	return sorted_up_to(k->extra.data, k->extra.n, sizeof(*k->extra.data), offsetof(struct ksymbol, end), addr);
}

/* ---- where a recorded kernel was loaded --------------------------------------------- */

/* Takes the kernel's place from its mapping, "[kernel.kallsyms]_text": the name ends with a symbol, and pgoff is its
 * address. Returns false if the mapping is another one. */
static bool place_kernel(struct kernel *k, const struct record_mmap *m)
{
	static const char name[] = "[kernel.kallsyms]";
	if (strncmp(m->filename, name, sizeof(name) - 1) != 0)
		return false;
	const char *reference = m->filename + sizeof(name) - 1;
	struct kernel_place place = {.start = m->start, .size = m->len};
	if (*reference && strlen(reference) < sizeof(place.reference)) {
		memcpy(place.reference, reference, strlen(reference) + 1);
		place.reference_addr = m->pgoff;
	}
	dsos_place_kernel(k->dsos, k->dso, &place, m);
	return true;
}

bool kernel_map(struct kernel *k, const struct record *rec)
{
	const struct record_mmap *m = &rec->u.mmap;
	if (!m->filename[0] || place_kernel(k, m))
		return false;
	if (!m->len || !m->start)
		return false;
	char name[80];
	module_name(m->filename, name, sizeof(name));
	struct map map = {
		.start = m->start,
		.end = u64_add_sat(m->start, m->len),
		.dso = dsos_special(k->dsos, name, true, NULL),
	};
	if (map.dso == k->dso)
		return false; /* the name is "[kernel]", which no module has */
	dsos_place_module(k->dsos, map.dso, m->filename[0] == '/' ? m->filename : NULL, m);
	uint32_t ignored = 1;
	struct space *maps = k->maps ? k->maps : space_create(0);
	if (space_is_full(maps))
		limit_count(&k->names->cat.limits, REACHED_KERNEL_EXTRA);
	set_maps(k, space_map(maps, &map, &ignored));
	return true;
}

/* ---- reading the kernel's symbol table again ------------------------------------------ */

static void renew(struct kernel *k)
{
	for (size_t i = 0; i < k->extra.n; i++)
		k->extra.data[i].renewing = k->extra.data[i].sym == CATALOG_NONE;
	k->asked_at = dsos_clock(k->dsos);
	dsos_renew(k->dsos, k->modules != CATALOG_NONE ? k->modules : k->dso);
}

void kernel_tend(struct kernel *k)
{
	uint32_t now = dsos_clock(k->dsos);
	if (!k->live || now - k->looked_at < LOOK_EVERY)
		return;
	k->looked_at = now;
	uint64_t print = fingerprint(k);
	if (print == k->modules_print)
		return;
	k->modules_print = print;
	k->wait = WAIT_MIN;
	renew(k);
}

/* After the table was read again, drops entries of code that was removed before the table was requested, because it
 * cannot contain this code. */
void kernel_adopted(struct kernel *k)
{
	uint32_t of = k->modules != CATALOG_NONE ? k->modules : k->dso;
	if (!k->live || dsos_is_renewed(k->dsos, of))
		return;
	size_t kept = 0;
	for (size_t i = 0; i < k->extra.n; i++)
		if (!k->extra.data[i].renewing)
			k->extra.data[kept++] = k->extra.data[i];
	k->extra.n = kept;
}

static bool is_unknown(const struct kernel *k, uint32_t sym)
{
	return k->names->cat.syms[sym].state == SYM_UNRESOLVED;
}

static uint32_t in_tables(struct kernel *k, uint64_t addr, bool returns)
{
	uint32_t sym = dsos_symbol(k->dsos, k->dso, -1, addr, returns);
	if (k->modules == CATALOG_NONE || !is_unknown(k, sym))
		return sym;
	uint32_t other = dsos_symbol(k->dsos, k->modules, -1, addr, returns);
	return is_unknown(k, other) ? sym : other;
}

/* Returns the symbol of an address whose code was removed.  The table may be older than the removal, so a name in it is
 * used only if it is a kernel function that begins outside of the removed code. */
static uint32_t where_it_was(struct kernel *k, const struct ksymbol *gone, uint64_t addr)
{
	uint32_t id = in_tables(k, addr, false);
	/* in a recording only the table can have a name: wait until it is read */
	if (!k->live && k->names->cat.syms[id].state == SYM_PENDING) {
		dsos_await(k->dsos, k->dso);
		id = in_tables(k, addr, false);
	}
	const struct sym_info *sym = &k->names->cat.syms[id];
	bool within = sym->addr >= gone->start && sym->addr < gone->end;
	if (sym->state != SYM_NAMED || (sym->dso == k->dso && !within))
		return id;
	return dsos_unresolved(k->dsos, k->dso, addr);
}

uint32_t kernel_symbol(struct kernel *k, uint64_t addr, bool returns)
{
	size_t i = first_above(k, addr);
	if (i < k->extra.n && k->extra.data[i].start <= addr) {
		const struct ksymbol *known = &k->extra.data[i];
		return known->sym != CATALOG_NONE ? known->sym : where_it_was(k, known, addr);
	}
	uint32_t sym = in_tables(k, addr, returns);
	if (!k->live || !is_unknown(k, sym) || dsos_clock(k->dsos) - k->asked_at < k->wait)
		return sym;
	/* each renewal doubles the pause before the next */
	k->wait = k->wait * 2 < WAIT_MAX ? k->wait * 2 : WAIT_MAX;
	renew(k);
	return in_tables(k, addr, returns);
}

/* ---- applying KSYMBOL records ----------------------------------------------------- */

bool kernel_ksymbol(struct kernel *k, const struct record *rec)
{
	uint64_t start = rec->u.ksymbol.addr, end = u64_add_sat(start, rec->u.ksymbol.len);
	if (end <= start)
		return false;
	size_t at = first_above(k, start), to = at;
	while (to < k->extra.n && k->extra.data[to].start < end)
		to++;
	bool gone = rec->u.ksymbol.flags & KSYMBOL_UNREGISTER;
	/* removed code gets an entry, because the table may still contain it */
	size_t with = k->extra.n - (to - at) >= LIMIT_KERNEL_EXTRA ? 0 : 1;
	if (!with)
		limit_count(&k->names->cat.limits, REACHED_KERNEL_EXTRA);
	vec_reserve(&k->extra, k->extra.n + 1);
	memmove(k->extra.data + at + with, k->extra.data + to, (k->extra.n - to) * sizeof(*k->extra.data));
	k->extra.n = k->extra.n - (to - at) + with;
	if (with && gone) {
		k->extra.data[at] = (struct ksymbol){start, end, CATALOG_NONE, false};
	} else if (with) {
		uint32_t dso = k->dso;
		if (rec->u.ksymbol.ksym_type == KSYMBOL_BPF) {
			dso = dsos_special(k->dsos, "[bpf]", true, NULL);
			dsos_mark_jit(k->dsos, dso);
		}
		uint32_t sym = names_sym(k->names, &(struct sym_info){.dso = dso,
								      .name = rec->u.ksymbol.name,
								      .state = SYM_NAMED,
								      .origin = ORIGIN_KSYMBOL,
								      .by_name = true,
								      .addr = start,
								      .size = end - start});
		k->extra.data[at] = (struct ksymbol){start, end, sym, false};
	}
	return true;
}

/* ---- marking symbols and DSOs as used, for resolver_retire() --------------------------- */

void kernel_mark_syms(const struct kernel *k, bool *used)
{
	for (size_t i = 0; i < k->extra.n; i++)
		if (k->extra.data[i].sym != CATALOG_NONE)
			used[k->extra.data[i].sym] = true;
}

void kernel_mark_dsos(const struct kernel *k, bool *used)
{
	used[k->dso] = true;
	if (k->modules != CATALOG_NONE)
		used[k->modules] = true;
	for (size_t i = 0; k->maps && i < k->maps->n; i++)
		used[k->maps->maps[i].dso] = true;
	for (size_t i = 0; i < k->extra.n; i++)
		if (k->extra.data[i].sym != CATALOG_NONE)
			used[k->names->cat.syms[k->extra.data[i].sym].dso] = true;
}
