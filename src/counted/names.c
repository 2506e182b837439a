/* Finds the names of counted functions, in the files that the program had mapped. */
#include "base/alloc.h"
#include "base/index.h"
#include "base/intern.h"

#include <cyctop/counted.h>
#include <cyctop/resolve.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct calls_names {
	struct resolver *resolver;
	size_t modules; /* number of modules that were added to the resolver */
};

int calls_names_create(struct calls_names **ret, struct error *err)
{
	const struct resolver_config config = {
		.chain = &symbolizer_elf,
		.chain_n = 1,
		.proc = proc_none,
		.other_proc = true,
		.keep_addresses = true,
	};
	struct calls_names *names = mem_calloc(1, sizeof(*names));
	int rc = resolver_create(&config, &names->resolver, err);
	if (rc < 0)
		free(names);
	else
		*ret = names;
	return rc;
}

void calls_names_destroy(struct calls_names *names)
{
	if (!names)
		return;
	resolver_destroy(names->resolver);
	free(names);
}

/* Adds new modules to the resolver.  New ones come first in the list.  Names come from the mapped files, because the
 * processes may have ended. */
static void add_modules(struct calls_names *names, const struct calls_counts *c)
{
	for (size_t n = c->modules_n; n > names->modules; n--) {
		const struct calls_module *m = &c->modules[n - names->modules - 1];
		char path[CALLS_PATH_MAX];
		snprintf(path, sizeof(path), "%.*s", (int)m->path_n, m->path);
		struct record rec = {.type = RECORD_MMAP, .misc = MISC_USER};
		rec.u.mmap = (struct record_mmap){.pid = m->pid,
						  .tid = m->pid,
						  .start = m->start,
						  .len = m->end - m->start,
						  .pgoff = m->offset,
						  .filename = path};
		resolver_apply(names->resolver, &rec);
	}
	names->modules = c->modules_n;
}

struct named {
	const struct calls_row *row;
	uint32_t sym;
};

struct naming {
	const struct calls_counts *counts;
	struct resolver *resolver;
	struct calls_table *table;
	struct named *named; /* [counts->n], sorted by symbol */
	uint32_t *line_of;   /* [syms_n]: index of the symbol's line; INDEX_NONE: none */
	uint32_t syms_n;
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

static void add_lines(struct naming *g)
{
	const struct catalog *cat = resolver_catalog(g->resolver);
	const struct calls_counts *c = g->counts;
	struct calls_table *t = g->table;
	for (size_t i = 0; i < c->n; i++) {
		uint32_t sym = g->named[i].sym;
		double *sums = t->sums + 2 * c->events_n * t->n;
		uint64_t *buckets = t->event_buckets + c->events_n * CALLS_BUCKETS * t->n;
		if (i && g->named[i - 1].sym == sym) {
			sums -= 2 * c->events_n;
			buckets -= c->events_n * CALLS_BUCKETS;
		} else {
			g->line_of[sym] = (uint32_t)t->n;
			t->lines[t->n++] = (struct calls_line){
				.dso = intern_string(t->names, cat->dsos[cat->syms[sym].dso].name),
				.symbol = intern_string(t->names, resolver_pretty(g->resolver, sym)),
				.self = sums,
				.total = sums + c->events_n,
				.event_buckets = buckets,
			};
		}
		add_row(c, g->named[i].row, &t->lines[t->n - 1], sums);
		for (size_t b = 0; b < c->events_n * CALLS_BUCKETS; b++)
			buckets[b] += c->event_buckets[g->named[i].row->event_buckets + b];
		t->self_ns += g->named[i].row->self_ns;
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

/* Returns the index of the line of a function; INDEX_NONE if no calls of it were counted, which means that a record of
 * callers is wrong. */
static uint32_t line_at(const struct naming *g, uint32_t pid, uint64_t address)
{
	uint32_t sym = catalog_sym_row(resolver_catalog(g->resolver), symbol_of(g->resolver, pid, address));
	return sym < g->syms_n ? g->line_of[sym] : INDEX_NONE;
}

struct arc {
	uint32_t caller, callee; /* indices of lines; caller INDEX_NONE: unknown */
	const struct calls_edge *edge;
};

static int by_pair(const void *pa, const void *pb)
{
	const struct arc *a = pa, *b = pb;
	if (a->caller != b->caller)
		return a->caller < b->caller ? -1 : 1;
	return (a->callee > b->callee) - (a->callee < b->callee);
}

/* Scales the times of each function's callers so that they add up to the time of all its calls.  The cost of counting
 * was subtracted from the latter, but not from the callers' times. */
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

/* Adds the pairs of caller and callee.  The resolver must have found all names. */
static void add_pairs(const struct naming *g)
{
	const struct calls_counts *c = g->counts;
	struct calls_table *t = g->table;
	struct arc *arcs = mem_calloc(c->edges_n + 1, sizeof(*arcs));
	size_t n = 0;
	for (size_t i = 0; i < c->edges_n; i++) {
		const struct calls_edge *e = &c->edges[i];
		struct arc arc = {.edge = e, .callee = line_at(g, e->pid, e->callee)};
		arc.caller = e->caller > 1 ? line_at(g, e->pid, e->caller) : INDEX_NONE;
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

static void name_all(struct naming *g, int settle_ms)
{
	const struct calls_counts *c = g->counts;
	const struct catalog *cat = resolver_catalog(g->resolver);
	struct calls_table *t = g->table;
	g->named = mem_calloc(c->n + 1, sizeof(*g->named));
	for (size_t i = 0; i < c->n; i++) {
		const struct calls_row *row = &c->rows[i];
		g->named[i] = (struct named){row, symbol_of(g->resolver, row->pid, row->address)};
	}
	resolver_settle(g->resolver, settle_ms);
	for (size_t i = 0; i < c->n; i++)
		g->named[i].sym = catalog_sym_row(cat, g->named[i].sym);
	qsort(g->named, c->n, sizeof(*g->named), by_symbol);
	t->lines = mem_calloc(c->n + 1, sizeof(*t->lines));
	t->sums = mem_calloc(2 * c->events_n * c->n + 1, sizeof(*t->sums));
	t->event_buckets = mem_calloc(c->events_n * CALLS_BUCKETS * c->n + 1, sizeof(*t->event_buckets));
	g->syms_n = cat->syms_n;
	g->line_of = mem_calloc(g->syms_n + 1, sizeof(*g->line_of));
	memset(g->line_of, 0xff, g->syms_n * sizeof(*g->line_of)); /* INDEX_NONE */
	add_lines(g);
	add_pairs(g);
	free(g->line_of);
	free(g->named);
}

void calls_table_create(struct calls_names *names, const struct calls_counts *c, int settle_ms, struct calls_table *ret)
{
	struct naming g = {.counts = c, .resolver = names->resolver, .table = ret};
	*ret = (struct calls_table){.bucket_ns = c->bucket_ns, .names = intern_create()};
	add_modules(names, c);
	name_all(&g, settle_ms);
}

void calls_table_deinit(struct calls_table *t)
{
	free(t->lines);
	free(t->sums);
	free(t->event_buckets);
	free(t->pairs);
	intern_destroy(t->names);
	*t = (struct calls_table){.n = 0};
}
