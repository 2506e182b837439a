#include "comparison/addressed.h"

#include "base/alloc.h"

#include <cyctop/comparison.h>

#include <stdlib.h>
#include <string.h>

static bool has_address(const void *ctx, const struct model_names *names, uint32_t id)
{
	(void)ctx;
	return catalog_ctx_addr(names->cat, id) != 0;
}

struct counted {
	uint32_t sym;
	size_t last;	  /* 1 + index of the last interval in which the symbol has samples; 0: none */
	uint64_t samples; /* number of samples, of all events */
};

static int last_first(const void *va, const void *vb)
{
	const struct counted *a = va, *b = vb;
	if (a->last != b->last)
		return a->last > b->last ? -1 : 1;
	if (a->samples != b->samples)
		return a->samples > b->samples ? -1 : 1;
	return a->sym < b->sym ? -1 : a->sym > b->sym;
}

static struct counted count(const struct snapshot *snap, const struct row *row)
{
	struct counted ret = {.sym = row->sym};
	for (size_t e = 0; e < snap->events_n; e++) {
		const double *series = pivot_series(snap, &snap->pivots[0], row, e);
		size_t last = series ? snap->intervals_n : 0;
		while (last && !(series[last - 1] > 0))
			last--;
		ret.last = last > ret.last ? last : ret.last;
		ret.samples += row->sums[e].samples;
	}
	return ret;
}

void addressed_take(struct addressed *a, struct session *s)
{
	const struct pivot_query pivot = {.dims = {DIM_SYMBOL},
					  .dims_n = 1,
					  .filters = {{.dim = DIM_ADDRESS, .accepts = has_address}},
					  .filters_n = 1};
	const struct query query = {.pivots = &pivot, .pivots_n = 1, .series = true};
	struct snapshot *snap = session_snapshot_marked(s, &query);
	addressed_deinit(a);
	if (!snap)
		return;
	const struct pivot *p = &snap->pivots[0];
	struct counted *v = mem_calloc(p->n + 1, sizeof(*v));
	a->syms = mem_calloc(p->n + 1, sizeof(*a->syms));
	for (size_t i = 0; i < p->n; i++) {
		v[a->n] = count(snap, &p->rows[i]);
		a->n += v[a->n].samples > 0;
	}
	qsort(v, a->n, sizeof(*v), last_first);
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

bool comparison_same_function(struct session *s, uint32_t a, uint32_t b)
{
	struct resolver *r = session_resolver(s);
	const struct catalog *cat = resolver_catalog(r);
	if (cat->syms[a].dso >= cat->dsos_n || cat->syms[b].dso >= cat->dsos_n)
		return false;
	const struct key_value files[] = {{.kind = KEY_TEXT, .text = cat->dsos[cat->syms[a].dso].path},
					  {.kind = KEY_TEXT, .text = cat->dsos[cat->syms[b].dso].path}};
	if (!diff_same_meaning(DIM_DSO, &files[0], &files[1]))
		return false;
	const struct key_value names[] = {{.kind = KEY_TEXT, .text = resolver_pretty(r, a)},
					  {.kind = KEY_TEXT, .text = resolver_pretty(r, b)}};
	return diff_same_meaning(DIM_SYMBOL, &names[0], &names[1]);
}

uint32_t addressed_find(const struct addressed *a, struct session *s, uint32_t sym)
{
	uint32_t found = CATALOG_NONE;
	for (size_t i = 0; i < a->n && sym < session_catalog(s)->syms_n; i++) {
		if (a->syms[i] == sym)
			return sym;
		if (found == CATALOG_NONE && comparison_same_function(s, a->syms[i], sym))
			found = a->syms[i];
	}
	return found == CATALOG_NONE ? sym : found;
}

void addressed_pivot(const struct addressed *a, struct session *s, struct pivot_query *query)
{
	const struct model_names *names = session_names(s);
	for (size_t i = 0; a->n && query->dims[0] == DIM_ADDRESS && i < query->filters_n; i++) {
		struct filter *f = &query->filters[i];
		if (f->dim != DIM_SYMBOL || f->accepts)
			continue;
		uint32_t sym = (uint32_t)f->key; /* the symbol's id; its generation is in the upper half of the key */
		if (sym < names->cat->syms_n && dimension_key(names, DIM_SYMBOL, sym) == f->key)
			f->key = dimension_key(names, DIM_SYMBOL, addressed_find(a, s, sym));
	}
}
