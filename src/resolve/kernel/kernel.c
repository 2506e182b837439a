#include "resolve/kernel/kernel.h"

#include <stdlib.h>
#include <string.h>

enum {
	KSYMBOL_BPF = 1,
	KSYMBOL_UNREGISTER = 1,
	EXTRA_MAX = 65536,
};

void kernel_init(struct kernel *k, struct dsos *dsos)
{
	*k = (struct kernel){.dsos = dsos, .dso = dsos_special(dsos, "[kernel]", true, NULL)};
}

void kernel_deinit(struct kernel *k)
{
	vec_free(&k->extra);
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

/* "/lib/modules/6.1/kernel/fs/ext4/ext4.ko.xz", "[ext4]" -> "[ext4]"; the kernel itself
 * writes names with an underscore where files may have a dash. */
static void module_name(const char *path, char *buf, size_t cap)
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
	uint32_t ignored = 1;
	if (!k->dsos->modules)
		k->dsos->modules = space_create(0);
	k->dsos->modules = space_map(k->dsos->modules, &map, &ignored);
	return true;
}

uint32_t kernel_symbol(struct kernel *k, uint64_t addr)
{
	size_t i = first_above(k, addr);
	if (i < k->extra.n && k->extra.data[i].start <= addr)
		return k->extra.data[i].sym;
	return dsos_symbol(k->dsos, k->dso, -1, addr);
}

bool kernel_ksymbol(struct kernel *k, const struct record *rec)
{
	uint64_t start = rec->u.ksymbol.addr, end = u64_add_sat(start, rec->u.ksymbol.len);
	if (end <= start)
		return false;
	size_t at = first_above(k, start), to = at;
	while (to < k->extra.n && k->extra.data[to].start < end)
		to++;
	bool gone = rec->u.ksymbol.flags & KSYMBOL_UNREGISTER;
	if (gone && to == at)
		return false;
	size_t with = gone || k->extra.n - (to - at) >= EXTRA_MAX ? 0 : 1;
	vec_reserve(&k->extra, k->extra.n + 1);
	memmove(k->extra.data + at + with, k->extra.data + to, (k->extra.n - to) * sizeof(*k->extra.data));
	k->extra.n = k->extra.n - (to - at) + with;
	if (with) {
		uint32_t dso =
			rec->u.ksymbol.ksym_type == KSYMBOL_BPF ? dsos_special(k->dsos, "[bpf]", true, NULL) : k->dso;
		uint32_t sym = names_sym(k->dsos->names, dso, rec->u.ksymbol.name, SYM_NAMED, ORIGIN_KSYMBOL, start);
		k->extra.data[at] = (struct ksymbol){start, end, sym};
	}
	return true;
}
