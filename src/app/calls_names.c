#include "app/calls.h"

#include "base/alloc.h"
#include "base/index.h"

#include <cyctop/calls.h>
#include <cyctop/front.h>
#include <cyctop/resolve.h>

#include <stdlib.h>
#include <string.h>

enum { SETTLE_MS = 30000 };

/* The processes are gone: the files that they had mapped have the names. */
static void add_modules(struct resolver *r, const struct calls_counts *c)
{
	for (size_t i = 0; i < c->modules_n; i++) {
		const struct calls_module *m = &c->modules[i];
		char path[CALLS_PATH_MAX];
		snprintf(path, sizeof(path), "%.*s", (int)m->path_n, m->path);
		struct record rec = {.type = RECORD_MMAP, .misc = MISC_USER};
		rec.u.mmap = (struct record_mmap){.pid = m->pid,
						  .tid = m->pid,
						  .start = m->start,
						  .len = m->end - m->start,
						  .pgoff = m->offset,
						  .filename = path};
		resolver_apply(r, &rec);
	}
}

struct named {
	const struct calls_row *row;
	uint32_t sym;
};

static int by_symbol(const void *pa, const void *pb)
{
	const struct named *a = pa, *b = pb;
	return (a->sym > b->sym) - (a->sym < b->sym);
}

static void add_row(const struct calls_counts *c, const struct calls_row *row, struct calls_line *l, double *sums)
{
	l->calls += row->calls;
	l->left += row->left;
	l->outermost += row->outermost;
	l->self_ns += row->self_ns;
	l->total_ns += row->total_ns;
	l->call_ns += row->all_ns;
	_Static_assert(ARRAY_LEN(l->buckets) == ARRAY_LEN(row->buckets), "each bucket has a place");
	for (size_t b = 0; b < ARRAY_LEN(l->buckets); b++)
		l->buckets[b] += row->buckets[b];
	for (size_t e = 0; e < c->events_n; e++) {
		sums[e] += row->self[e];
		sums[c->events_n + e] += row->total[e];
	}
}

/* `line_of`: [symbol], all INDEX_NONE */
static void add_lines(const struct calls_counts *c, const struct named *named, struct calls_table *t, uint32_t *line_of)
{
	const struct catalog *cat = resolver_catalog(t->resolver);
	for (size_t i = 0; i < c->n; i++) {
		uint32_t sym = named[i].sym;
		double *sums = t->sums + 2 * c->events_n * t->n;
		if (i && named[i - 1].sym == sym) {
			sums -= 2 * c->events_n;
		} else {
			line_of[sym] = (uint32_t)t->n;
			t->lines[t->n++] = (struct calls_line){.dso = cat->dsos[cat->syms[sym].dso].name,
							       .symbol = resolver_pretty(t->resolver, sym),
							       .self = sums,
							       .total = sums + c->events_n};
		}
		add_row(c, named[i].row, &t->lines[t->n - 1], sums);
		t->self_ns += named[i].row->self_ns;
	}
	for (size_t i = 0; i < t->n; i++) {
		t->lines[i].id = i;
		t->lines[i].call_ns /= t->lines[i].calls ? (double)t->lines[i].calls : 1;
	}
}

static uint32_t symbol_of(struct resolver *r, uint32_t pid, uint64_t address)
{
	return resolver_symbol(r, resolver_task(r, pid, pid, 0), MISC_USER, address, 0);
}

/* Returns the index of the line of a function; INDEX_NONE: it has none, and whoever says that it was called lies. */
static uint32_t line_at(struct calls_table *t, const uint32_t *line_of, uint32_t syms_n, uint32_t pid, uint64_t address)
{
	uint32_t sym = catalog_sym_row(resolver_catalog(t->resolver), symbol_of(t->resolver, pid, address));
	return sym < syms_n ? line_of[sym] : INDEX_NONE;
}

struct arc {
	uint32_t caller, callee; /* indexes of lines; caller INDEX_NONE: unknown */
	const struct calls_edge *edge;
};

static int by_pair(const void *pa, const void *pb)
{
	const struct arc *a = pa, *b = pb;
	if (a->caller != b->caller)
		return a->caller < b->caller ? -1 : 1;
	return (a->callee > b->callee) - (a->callee < b->callee);
}

/* Takes what counting cost off the times of calls: that of all calls of a function is known. */
static void correct_pairs(struct calls_table *t)
{
	double *counted = mem_calloc(t->n + 1, sizeof(*counted));
	for (size_t i = 0; i < t->pairs_n; i++)
		counted[t->pairs[i].callee->id] += t->pairs[i].ns;
	for (size_t i = 0; i < t->pairs_n; i++) {
		const struct calls_line *l = t->pairs[i].callee;
		if (counted[l->id] > 0)
			t->pairs[i].ns *= l->call_ns * (double)l->calls / counted[l->id];
	}
	free(counted);
}

/* The symbols are settled when this is called. */
static void add_pairs(const struct calls_counts *c, const uint32_t *line_of, uint32_t syms_n, struct calls_table *t)
{
	struct arc *arcs = mem_calloc(c->edges_n + 1, sizeof(*arcs));
	size_t n = 0;
	for (size_t i = 0; i < c->edges_n; i++) {
		const struct calls_edge *e = &c->edges[i];
		struct arc arc = {.edge = e, .callee = line_at(t, line_of, syms_n, e->pid, e->callee)};
		arc.caller = e->caller > 1 ? line_at(t, line_of, syms_n, e->pid, e->caller) : INDEX_NONE;
		if (arc.callee != INDEX_NONE)
			arcs[n++] = arc;
	}
	qsort(arcs, n, sizeof(*arcs), by_pair);
	t->pairs = mem_calloc(n + 1, sizeof(*t->pairs));
	for (size_t i = 0; i < n; i++) {
		const struct arc *a = &arcs[i];
		if (!i || by_pair(a - 1, a) != 0)
			t->pairs[t->pairs_n++] =
				(struct calls_pair){.caller = a->caller == INDEX_NONE ? NULL : &t->lines[a->caller],
						    .callee = &t->lines[a->callee]};
		t->pairs[t->pairs_n - 1].calls += a->edge->calls;
		t->pairs[t->pairs_n - 1].ns += a->edge->ns;
	}
	free(arcs);
	correct_pairs(t);
}

int calls_table_create(const struct calls_counts *c, struct calls_table *ret, struct error *err)
{
	const struct resolver_config config = {
		.chain = &symbolizer_elf,
		.chain_n = 1,
		.proc = proc_none,
		.other_proc = true,
		.keep_addresses = true,
	};
	*ret = (struct calls_table){.n = 0};
	int rc = resolver_create(&config, &ret->resolver, err);
	if (rc < 0)
		return rc;
	add_modules(ret->resolver, c);
	struct named *named = mem_calloc(c->n + 1, sizeof(*named));
	for (size_t i = 0; i < c->n; i++) {
		named[i] = (struct named){&c->rows[i], symbol_of(ret->resolver, c->rows[i].pid, c->rows[i].address)};
	}
	resolver_settle(ret->resolver, SETTLE_MS);
	const struct catalog *cat = resolver_catalog(ret->resolver);
	for (size_t i = 0; i < c->n; i++)
		named[i].sym = catalog_sym_row(cat, named[i].sym);
	qsort(named, c->n, sizeof(*named), by_symbol);
	ret->lines = mem_calloc(c->n + 1, sizeof(*ret->lines));
	ret->sums = mem_calloc(2 * c->events_n * c->n + 1, sizeof(*ret->sums));
	uint32_t syms_n = cat->syms_n, *line_of = mem_calloc(syms_n + 1, sizeof(*line_of));
	memset(line_of, 0xff, syms_n * sizeof(*line_of)); /* INDEX_NONE */
	add_lines(c, named, ret, line_of);
	add_pairs(c, line_of, syms_n, ret);
	free(line_of);
	free(named);
	return 0;
}

void calls_table_destroy(struct calls_table *t)
{
	free(t->lines);
	free(t->sums);
	free(t->pairs);
	if (t->resolver)
		resolver_destroy(t->resolver);
}
