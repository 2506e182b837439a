#include "comparison/addressed.h"

#include "base/alloc.h"

#include <cyctop/diff.h>

#include <stdlib.h>
#include <string.h>

static bool has_address(const void *ctx, const struct model_names *names, uint32_t id)
{
	(void)ctx;
	return catalog_ctx_addr(names->cat, id) != 0;
}

struct counted {
	uint32_t sym;
	uint64_t samples; /* of all events */
};

static int most_first(const void *va, const void *vb)
{
	const struct counted *a = va, *b = vb;
	if (a->samples != b->samples)
		return a->samples > b->samples ? -1 : 1;
	return a->sym < b->sym ? -1 : a->sym > b->sym;
}

void addressed_take(struct addressed *a, struct session *s)
{
	const struct pivot_query pivot = {.dims = {DIM_SYMBOL},
					  .dims_n = 1,
					  .filters = {{.dim = DIM_ADDRESS, .accepts = has_address}},
					  .filters_n = 1};
	const struct query query = {.pivots = &pivot, .pivots_n = 1};
	struct snapshot *snap = session_snapshot_marked(s, &query);
	addressed_deinit(a);
	if (!snap)
		return;
	const struct pivot *p = &snap->pivots[0];
	struct counted *v = mem_calloc(p->n + 1, sizeof(*v));
	a->syms = mem_calloc(p->n + 1, sizeof(*a->syms));
	for (size_t i = 0; i < p->n; i++) {
		v[a->n].sym = p->rows[i].sym;
		for (size_t e = 0; e < snap->events_n; e++)
			v[a->n].samples += p->rows[i].sums[e].samples;
		a->n += v[a->n].samples > 0;
	}
	qsort(v, a->n, sizeof(*v), most_first);
	for (size_t i = 0; i < a->n; i++)
		a->syms[i] = v[i].sym;
	free(v);
	snapshot_destroy(snap);
}

void addressed_deinit(struct addressed *a)
{
	free(a->syms);
	*a = (struct addressed){.n = 0};
}

static bool means_the_same(struct session *s, uint32_t a, uint32_t b)
{
	struct resolver *r = session_resolver(s);
	const struct catalog *cat = resolver_catalog(r);
	if (cat->syms[a].dso >= cat->dsos_n || cat->syms[b].dso >= cat->dsos_n)
		return false;
	const struct key_value names[] = {{.kind = KEY_TEXT, .text = resolver_pretty(r, a)},
					  {.kind = KEY_TEXT, .text = resolver_pretty(r, b)}};
	const struct key_value files[] = {{.kind = KEY_TEXT, .text = cat->dsos[cat->syms[a].dso].path},
					  {.kind = KEY_TEXT, .text = cat->dsos[cat->syms[b].dso].path}};
	return diff_same_meaning(DIM_SYMBOL, &names[0], &names[1]) && diff_same_meaning(DIM_DSO, &files[0], &files[1]);
}

uint32_t addressed_find(const struct addressed *a, struct session *s, uint32_t sym)
{
	uint32_t found = sym;
	size_t n = 0;
	for (size_t i = 0; i < a->n && sym < session_catalog(s)->syms_n; i++) {
		if (a->syms[i] == sym)
			return sym;
		if (!means_the_same(s, a->syms[i], sym))
			continue;
		found = a->syms[i];
		n++;
	}
	return n == 1 ? found : sym;
}

void addressed_pivot(const struct addressed *a, struct session *s, struct pivot_query *query)
{
	const struct model_names *names = session_names(s);
	for (size_t i = 0; a->n && query->dims[0] == DIM_ADDRESS && i < query->filters_n; i++) {
		struct filter *f = &query->filters[i];
		if (f->dim != DIM_SYMBOL || f->accepts)
			continue;
		uint32_t sym = (uint32_t)f->key; /* the key of a symbol is its id, and above it its generation */
		if (sym < names->cat->syms_n && dimension_key(names, DIM_SYMBOL, sym) == f->key)
			f->key = dimension_key(names, DIM_SYMBOL, addressed_find(a, s, sym));
	}
}
