#include "front/batch/calls_arcs.h"

#include "base/alloc.h"

#include <stdlib.h>

double calls_part(double of, double whole)
{
	return whole > 0 ? of / whole : 0;
}

size_t calls_ids(const struct calls_output *o)
{
	size_t ids = 0;
	for (size_t i = 0; i < o->pairs_n; i++)
		ids = o->pairs[i].callee->id >= ids ? o->pairs[i].callee->id + 1 : ids;
	for (size_t i = 0; i < o->n; i++)
		ids = o->lines[i]->id >= ids ? o->lines[i]->id + 1 : ids;
	return ids;
}

static const struct calls_line *end_of(const struct calls_pair *p, bool by_callee)
{
	return by_callee ? p->callee : p->caller;
}

/* Compares functions by id; NULL, the unknown function, comes first. */
static int by_line(const struct calls_line *a, const struct calls_line *b)
{
	if (!a || !b)
		return (a != NULL) - (b != NULL);
	return (a->id > b->id) - (a->id < b->id);
}

static int by_arc(const void *pa, const void *pb, void *ctx)
{
	const struct calls_pair *a = ((const struct drawn_arc *)pa)->pair, *b = ((const struct drawn_arc *)pb)->pair;
	const bool *by_callee = ctx;
	int order = by_line(end_of(a, *by_callee), end_of(b, *by_callee));
	if (order)
		return order;
	if (a->ns != b->ns)
		return a->ns > b->ns ? -1 : 1;
	return by_line(end_of(a, !*by_callee), end_of(b, !*by_callee));
}

static bool is_recursive(const struct calls_pair *p)
{
	return p->caller == p->callee;
}

/* Sets `part` of `n` arcs.  `of`: the function that is the callee of these arcs if `by_callee`, else the caller. */
static void divide(const struct calls_line *of, struct drawn_arc *v, size_t n, bool by_callee)
{
	double ns = 0, whole = 1;
	for (size_t i = 0; i < n; i++)
		ns += is_recursive(v[i].pair) ? 0 : v[i].pair->ns;
	if (!by_callee && of)
		whole = calls_part(of->total_ns > of->self_ns ? of->total_ns - of->self_ns : 0, of->total_ns);
	for (size_t i = 0; i < n; i++)
		v[i].part = is_recursive(v[i].pair) ? 0 : whole * calls_part(v[i].pair->ns, ns);
}

void calls_arcs_init(struct calls_arcs *a, const struct calls_output *o, bool by_callee)
{
	*a = (struct calls_arcs){.n = o->pairs_n, .by_callee = by_callee};
	a->v = mem_calloc(a->n + 1, sizeof(*a->v));
	for (size_t i = 0; i < a->n; i++)
		a->v[i].pair = &o->pairs[i];
	qsort_r(a->v, a->n, sizeof(*a->v), by_arc, &a->by_callee);
	for (size_t begin = 0, end = 0; begin < a->n; begin = end) {
		const struct calls_line *of = end_of(a->v[begin].pair, by_callee);
		while (end < a->n && end_of(a->v[end].pair, by_callee) == of)
			end++;
		divide(of, &a->v[begin], end - begin, by_callee);
	}
}

void calls_arcs_deinit(struct calls_arcs *a)
{
	free(a->v);
}

/* Returns the index of a function's first arc; if `behind`, the index after its last one. */
static size_t find(const struct calls_arcs *a, const struct calls_line *of, bool behind)
{
	size_t low = 0, high = a->n;
	while (low < high) {
		size_t middle = low + (high - low) / 2;
		if (by_line(end_of(a->v[middle].pair, a->by_callee), of) < behind)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

const struct drawn_arc *calls_arcs_find(const struct calls_arcs *a, const struct calls_line *of, size_t *n_ret)
{
	size_t first = find(a, of, false);
	*n_ret = find(a, of, true) - first;
	return &a->v[first];
}
