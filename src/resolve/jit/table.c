/* What was where, and when: what is there now in a table for searching, and behind it
 * what later code took the place of. */
#include "base/intern.h"
#include "resolve/jit/jit.h"

#include <stdlib.h>

/* What is not on top everywhere, in order of addresses: a tree whose root is in the middle.
 * `reach`: the highest end below that root. */
struct past {
	uint64_t addr, end, from_ns, reach;
	const char *name; /* NULL: what moved here is not known */
	uint32_t told;	  /* the later one is on top */
};

struct jit_table {
	struct symtab *now;
	uint64_t *from_ns; /* [symtab_count(now)]; NULL: since ever, all of them */
	struct past *past;
	size_t past_n;
	struct intern *names; /* of `past` */
	enum sym_origin origin;
	bool timed;
	size_t bytes;
};

void jit_table_destroy(struct jit_table *t)
{
	if (!t)
		return;
	symtab_destroy(t->now);
	free(t->from_ns);
	free(t->past);
	if (t->names)
		intern_destroy(t->names);
	free(t);
}

size_t jit_table_bytes(const struct jit_table *t)
{
	return t->bytes + symtab_bytes(t->now);
}

bool jit_table_is_timed(const struct jit_table *t)
{
	return t->timed;
}

/* ---- making ---------------------------------------------------------------------- */

struct making {
	const struct jit_list *list;
	struct symtab_builder *builder;
	struct jit_table *table;
	uint64_t *seen; /* [list->code.n]: bytes that are on top */
};

static void add_piece(void *ctx, uint64_t start, uint64_t end, uint32_t pos)
{
	const struct making *m = ctx;
	const char *name = m->list->code.data[pos].name;
	if (name)
		symtab_add(m->builder, start, end - start, name, 0, NULL);
	m->seen[pos] += end - start;
}

static void date_piece(void *ctx, uint64_t start, uint64_t end, uint32_t pos)
{
	const struct making *m = ctx;
	struct symtab_hit hit;
	(void)end;
	if (m->list->code.data[pos].name && symtab_find(m->table->now, start, &hit))
		m->table->from_ns[hit.index] = m->list->code.data[pos].from_ns;
}

static int by_address(const void *va, const void *vb)
{
	const struct past *a = va, *b = vb;
	return a->addr < b->addr ? -1 : a->addr > b->addr;
}

static uint64_t set_reach(struct past *past, size_t n)
{
	if (!n)
		return 0;
	size_t mid = n / 2;
	uint64_t left = set_reach(past, mid), right = set_reach(past + mid + 1, n - mid - 1);
	uint64_t reach = past[mid].end > left ? past[mid].end : left;
	past[mid].reach = reach > right ? reach : right;
	return past[mid].reach;
}

static void keep_past(const struct making *m)
{
	const struct jit_list *l = m->list;
	struct jit_table *t = m->table;
	t->names = intern_create();
	VEC(struct past) past = {0};
	for (uint32_t i = 0; i < l->code.n; i++) {
		const struct jit_entry *e = &l->code.data[i];
		if (e->name && m->seen[i] == e->size)
			continue;
		const char *name = e->name ? intern_string(t->names, e->name) : NULL;
		vec_push(&past) = (struct past){
			.addr = e->addr, .end = e->addr + e->size, .from_ns = e->from_ns, .name = name, .told = i};
	}
	if (past.n)
		qsort(past.data, past.n, sizeof(*past.data), by_address);
	set_reach(past.data, past.n);
	t->past = past.data;
	t->past_n = past.n;
	t->bytes += past.cap * sizeof(*past.data);
}

static bool has_times(const struct jit_list *l)
{
	for (size_t i = 0; i < l->code.n; i++)
		if (l->code.data[i].from_ns)
			return true;
	return false;
}

struct jit_table *jit_table_create(const struct jit_list *l, enum sym_origin origin, bool timed)
{
	struct jit_table *t = mem_calloc(1, sizeof(*t));
	struct making m = {l, symtab_builder_create(), t, mem_calloc(l->code.n, sizeof(*m.seen))};
	t->origin = origin;
	t->timed = timed;
	t->bytes = sizeof(*t);
	symtab_origin(m.builder, origin);
	jit_list_pieces(l, add_piece, &m);
	t->now = symtab_finish(m.builder);
	if (has_times(l)) {
		t->from_ns = mem_calloc(symtab_count(t->now), sizeof(*t->from_ns));
		t->bytes += symtab_count(t->now) * sizeof(*t->from_ns);
		jit_list_pieces(l, date_piece, &m);
		keep_past(&m);
	}
	free(m.seen);
	return t;
}

/* ---- finding --------------------------------------------------------------------- */

struct search {
	uint64_t addr, time_ns;
	const struct past *then;  /* the last told of those that were there by then */
	const struct past *first; /* the first of all */
};

static void look_at(struct search *s, const struct past *p)
{
	if (p->end <= s->addr)
		return;
	if (p->from_ns <= s->time_ns && (!s->then || p->told > s->then->told))
		s->then = p;
	if (!s->first || p->from_ns < s->first->from_ns ||
	    (p->from_ns == s->first->from_ns && p->told > s->first->told))
		s->first = p;
}

static void search(struct search *s, const struct past *past, size_t n)
{
	while (n) {
		size_t mid = n / 2;
		if (past[mid].reach <= s->addr)
			return;
		search(s, past, mid);
		if (past[mid].addr > s->addr)
			return;
		look_at(s, &past[mid]);
		past += mid + 1;
		n -= mid + 1;
	}
}

static bool take(const struct jit_table *t, const struct past *p, struct symtab_hit *ret)
{
	if (!p->name)
		return false;
	*ret = (struct symtab_hit){
		.addr = p->addr,
		.size = p->end - p->addr,
		.name = p->name,
		.origin = t->origin,
	};
	return true;
}

static bool find(const struct jit_table *t, uint64_t addr, uint64_t time_ns, bool late, struct symtab_hit *ret)
{
	bool there = symtab_find(t->now, addr, ret);
	if (!t->from_ns || (there && t->from_ns[ret->index] <= time_ns))
		return there;
	struct search s = {.addr = addr, .time_ns = time_ns};
	search(&s, t->past, t->past_n);
	if (s.then)
		return take(t, s.then, ret);
	if (t->timed || !late)
		return false;
	/* Nobody tells when code was made, only when that was said: what was the first to be
	 * said of a place was there before. */
	if (there && (!s.first || t->from_ns[ret->index] <= s.first->from_ns))
		return true;
	return s.first && take(t, s.first, ret);
}

bool jit_table_find(const struct jit_table *t, uint64_t addr, uint64_t time_ns, struct symtab_hit *ret)
{
	return find(t, addr, time_ns, true, ret);
}

bool jit_table_find_by(const struct jit_table *t, uint64_t addr, uint64_t time_ns, struct symtab_hit *ret)
{
	return find(t, addr, time_ns, false, ret);
}
