#include "resolve/kernel.h"

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
		uint32_t sym = names_sym(k->dsos->names, dso, rec->u.ksymbol.name, SYM_NAMED, start);
		k->extra.data[at] = (struct ksymbol){start, end, sym};
	}
	return true;
}
