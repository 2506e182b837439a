#include "resolve/kernel/kernel.h"

#include <stdlib.h>
#include <string.h>

enum {
	KSYMBOL_BPF = 1, /* 2: code out of line, of kprobes and ftrace */
	KSYMBOL_UNREGISTER = 1,
	EXTRA_MAX = 65536,
	/* in dsos.clock, about seconds */
	WAIT_MIN = 4,
	WAIT_MAX = 512,
	LOOK_EVERY = 4,
};

void kernel_init(struct kernel *k, struct dsos *dsos)
{
	*k = (struct kernel){
		.dsos = dsos,
		.dso = dsos_special(dsos, "[kernel]", true, NULL),
		.modules = CATALOG_NONE,
		.wait = WAIT_MIN,
		.modules_path = "/proc/modules",
	};
}

void kernel_set_live(struct kernel *k, bool modules_apart)
{
	k->live = true;
	if (modules_apart)
		k->modules = dsos_special(k->dsos, "[modules]", true, NULL);
	k->modules_print = modules_fingerprint(k->modules_path);
}

void kernel_deinit(struct kernel *k)
{
	vec_free(&k->extra);
}

void kernel_restart(struct kernel *k)
{
	k->extra.n = 0;
	space_unref(k->dsos->modules);
	k->dsos->modules = NULL;
}

/* The first that ends above `addr`. */
static size_t first_above(const struct kernel *k, uint64_t addr)
{
	size_t lo = 0, hi = k->extra.n;
	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;
		if (k->extra.data[mid].end > addr)
			hi = mid;
		else
			lo = mid + 1;
	}
	return lo;
}

/* ---- what a recording says of the kernel's place ------------------------------- */

/* "[kernel.kallsyms]_text": the kernel, and which of its symbols is at pgoff. */
static bool place_kernel(struct kernel *k, const struct record_mmap *m)
{
	static const char name[] = "[kernel.kallsyms]";
	struct dso *dso = &k->dsos->dso.data[k->dso];
	if (strncmp(m->filename, name, sizeof(name) - 1) != 0)
		return false;
	const char *reference = m->filename + sizeof(name) - 1;
	struct kernel_place *place = &dso->key.kernel;
	*place = (struct kernel_place){.start = m->start, .size = m->len};
	if (*reference && strlen(reference) < sizeof(place->reference)) {
		memcpy(place->reference, reference, strlen(reference) + 1);
		place->reference_addr = m->pgoff;
	}
	dso->key.build_id_size = m->build_id_size;
	memcpy(dso->key.build_id, m->build_id, sizeof(dso->key.build_id));
	return true;
}

void module_name(const char *path, char *buf, size_t cap)
{
	const char *slash = strrchr(path, '/');
	const char *base = slash ? slash + 1 : path;
	base += *base == '[';
	size_t n = strcspn(base, "].");
	n = n > cap - 3 ? cap - 3 : n;
	buf[0] = '[';
	for (size_t i = 0; i < n; i++)
		buf[1 + i] = base[i] == '-' ? '_' : base[i];
	memcpy(buf + 1 + n, "]", 2);
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
		return false; /* nobody's module is called so */
	struct dso_key *key = &k->dsos->dso.data[map.dso].key;
	key->module = true;
	if (m->filename[0] == '/' && !key->file)
		key->file = intern_string(k->dsos->names->strings, m->filename);
	if (m->build_id_size && !key->build_id_size) {
		key->build_id_size = m->build_id_size;
		memcpy(key->build_id, m->build_id, sizeof(key->build_id));
	}
	uint32_t ignored = 1;
	if (!k->dsos->modules)
		k->dsos->modules = space_create(0);
	k->dsos->modules = space_map(k->dsos->modules, &map, &ignored);
	return true;
}

/* ---- the table, and its age ------------------------------------------------------ */

static void renew(struct kernel *k)
{
	for (size_t i = 0; i < k->extra.n; i++)
		k->extra.data[i].renewing = k->extra.data[i].sym == CATALOG_NONE;
	k->asked_at = k->dsos->clock;
	dsos_renew(k->dsos, k->modules != CATALOG_NONE ? k->modules : k->dso);
}

void kernel_tend(struct kernel *k)
{
	uint32_t now = k->dsos->clock;
	if (!k->live || now - k->looked_at < LOOK_EVERY)
		return;
	k->looked_at = now;
	uint64_t print = modules_fingerprint(k->modules_path);
	if (print == k->modules_print)
		return;
	k->modules_print = print;
	k->wait = WAIT_MIN;
	renew(k);
}

/* What was gone when the table was asked for is not in it: from now on it is right. */
void kernel_adopted(struct kernel *k)
{
	uint32_t of = k->modules != CATALOG_NONE ? k->modules : k->dso;
	if (!k->live || k->dsos->dso.data[of].renewed)
		return;
	size_t kept = 0;
	for (size_t i = 0; i < k->extra.n; i++)
		if (!k->extra.data[i].renewing)
			k->extra.data[kept++] = k->extra.data[i];
	k->extra.n = kept;
}

static bool is_unknown(const struct kernel *k, uint32_t sym)
{
	return k->dsos->names->cat.syms[sym].state == SYM_UNRESOLVED;
}

static uint32_t in_tables(struct kernel *k, uint64_t addr)
{
	uint32_t sym = dsos_symbol(k->dsos, k->dso, -1, addr);
	if (k->modules == CATALOG_NONE || !is_unknown(k, sym))
		return sym;
	uint32_t other = dsos_symbol(k->dsos, k->modules, -1, addr);
	return is_unknown(k, other) ? sym : other;
}

/* Code was there that is gone.  What the table still says of it, or of code before it
 * that had no end, is not believed; the kernel's own functions are. */
static uint32_t where_it_was(struct kernel *k, const struct ksymbol *gone, uint64_t addr)
{
	uint32_t id = in_tables(k, addr);
	if (!k->live && k->dsos->names->cat.syms[id].state == SYM_PENDING) { /* the table alone would have a name */
		dsos_await(k->dsos, k->dso);
		id = in_tables(k, addr);
	}
	const struct sym_info *sym = &k->dsos->names->cat.syms[id];
	bool within = sym->addr >= gone->start && sym->addr < gone->end;
	if (sym->state != SYM_NAMED || (sym->dso == k->dso && !within))
		return id;
	return dsos_unresolved(k->dsos, k->dso, addr);
}

uint32_t kernel_symbol(struct kernel *k, uint64_t addr)
{
	size_t i = first_above(k, addr);
	if (i < k->extra.n && k->extra.data[i].start <= addr) {
		const struct ksymbol *known = &k->extra.data[i];
		return known->sym != CATALOG_NONE ? known->sym : where_it_was(k, known, addr);
	}
	uint32_t sym = in_tables(k, addr);
	if (!k->live || !is_unknown(k, sym) || k->dsos->clock - k->asked_at < k->wait)
		return sym;
	/* Each time that brings nothing, the next one is farther away. */
	k->wait = k->wait * 2 < WAIT_MAX ? k->wait * 2 : WAIT_MAX;
	renew(k);
	return in_tables(k, addr);
}

/* ---- what records tell ------------------------------------------------------------ */

bool kernel_ksymbol(struct kernel *k, const struct record *rec)
{
	uint64_t start = rec->u.ksymbol.addr, end = u64_add_sat(start, rec->u.ksymbol.len);
	if (end <= start)
		return false;
	size_t at = first_above(k, start), to = at;
	while (to < k->extra.n && k->extra.data[to].start < end)
		to++;
	bool gone = rec->u.ksymbol.flags & KSYMBOL_UNREGISTER;
	/* What is gone is remembered: the table may still name it. */
	size_t with = k->extra.n - (to - at) >= EXTRA_MAX ? 0 : 1;
	vec_reserve(&k->extra, k->extra.n + 1);
	memmove(k->extra.data + at + with, k->extra.data + to, (k->extra.n - to) * sizeof(*k->extra.data));
	k->extra.n = k->extra.n - (to - at) + with;
	if (with && gone) {
		k->extra.data[at] = (struct ksymbol){start, end, CATALOG_NONE, false};
	} else if (with) {
		uint32_t dso =
			rec->u.ksymbol.ksym_type == KSYMBOL_BPF ? dsos_special(k->dsos, "[bpf]", true, NULL) : k->dso;
		uint32_t sym = names_sym(k->dsos->names, dso, rec->u.ksymbol.name, SYM_NAMED, ORIGIN_KSYMBOL, start);
		k->extra.data[at] = (struct ksymbol){start, end, sym, false};
	}
	return true;
}
