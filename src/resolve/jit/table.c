/* Finds JIT code by address and time: a symbol table has the code that is on top now, and a tree the code that later
 * code covered. */
#include "base/intern.h"
#include "resolve/jit/jit.h"

#include <stdlib.h>

/* Code that later code covers at least partly.  An array of these, sorted by address, is a balanced tree: the root of
 * each part is its middle element.  `reach`: the highest end address in that part. */
struct past {
	uint64_t addr, end, from_ns, reach;
	const char *name; /* NULL: code was moved here whose name is unknown */
	uint32_t pos;	  /* index in the list; the highest is on top */
};

struct jit_table {
	unsigned refs; /* number of references; atomic */
	struct symtab *now;
	uint64_t *from_ns; /* [symtab_count(now)]: time since which the code is there; NULL: no times are known */
	struct past *past;
	size_t past_n;
	struct intern *names; /* holds the names in `past` */
	enum sym_origin origin;
	bool timed;
	bool deep; /* LIMIT_JIT_DEPTH was reached */
	size_t bytes;
};

struct jit_table *jit_table_ref(struct jit_table *t)
{
	__atomic_add_fetch(&t->refs, 1, __ATOMIC_RELAXED);
	return t;
}

void jit_table_destroy(struct jit_table *t)
{
	if (!t || __atomic_sub_fetch(&t->refs, 1, __ATOMIC_ACQ_REL))
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

/* ---- making a table -------------------------------------------------------------- */

struct making {
	const struct jit_list *list;
	struct symtab_builder *builder;
	struct jit_table *table;
	uint64_t *seen; /* [list->code.n]: bytes of each entry that are on top */
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
	if (a->addr != b->addr)
		return a->addr < b->addr ? -1 : 1;
	return a->pos > b->pos ? -1 : a->pos < b->pos; /* newest first, because bound_depth() drops from the end */
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

/* Drops functions where more than LIMIT_JIT_DEPTH overlap, which bounds the time of a search.  `past` is sorted by
 * address.  Returns how many are left. */
static size_t bound_depth(struct past *past, size_t n)
{
	/* end addresses of the functions that overlap at the current address */
	struct jit_heap ends = {.data = mem_calloc(LIMIT_JIT_DEPTH, sizeof(*ends.data))};
	size_t kept = 0;
	for (size_t i = 0; i < n; i++) {
		while (ends.n && ends.data[0] <= past[i].addr)
			jit_heap_pop(&ends);
		if (ends.n == LIMIT_JIT_DEPTH)
			continue;
		jit_heap_push(&ends, past[i].end);
		past[kept++] = past[i];
	}
	free(ends.data);
	return kept;
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
			.addr = e->addr, .end = e->addr + e->size, .from_ns = e->from_ns, .name = name, .pos = i};
	}
	if (!past.n)
		return;
	qsort(past.data, past.n, sizeof(*past.data), by_address);
	size_t kept = bound_depth(past.data, past.n);
	t->deep = kept < past.n;
	past.n = kept;
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
	t->refs = 1;
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

struct jit_table *jit_table_within(struct jit_list *l, enum sym_origin origin, bool timed, size_t max_bytes)
{
	struct jit_table *t = jit_table_create(l, origin, timed);
	while (jit_table_bytes(t) > max_bytes && l->code.n) {
		jit_table_destroy(t);
		jit_list_halve(l, max_bytes < LIMIT_JIT_PROCESS_BYTES ? REACHED_JIT_BYTES : REACHED_JIT_PROCESS_BYTES);
		t = jit_table_create(l, origin, timed);
	}
	if (t->deep)
		limit_reached(&l->reached, REACHED_JIT_DEPTH);
	return t;
}

/* ---- finding code by address and time -------------------------------------------- */

struct search {
	uint64_t addr, time_ns;
	const struct past *then;  /* the entry that was on top at time_ns; NULL: none was there */
	const struct past *first; /* the entry with the earliest time */
};

static void look_at(struct search *s, const struct past *p)
{
	if (p->end <= s->addr)
		return;
	if (p->from_ns <= s->time_ns && (!s->then || p->pos > s->then->pos))
		s->then = p;
	if (!s->first || p->from_ns < s->first->from_ns || (p->from_ns == s->first->from_ns && p->pos > s->first->pos))
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
	ret->addr = p->addr;
	ret->size = p->end - p->addr;
	ret->name = p->name;
	ret->module = NULL;
	ret->origin = t->origin;
	ret->from_ns = p->from_ns;
	return true;
}

static bool find(const struct jit_table *t, uint64_t addr, uint64_t time_ns, bool late, struct symtab_hit *ret)
{
	bool there = symtab_find(t->now, addr, ret);
	if (there)
		ret->from_ns = t->from_ns ? t->from_ns[ret->index] : 0;
	if (!t->from_ns || (there && t->from_ns[ret->index] <= time_ns))
		return there;
	struct search s = {.addr = addr, .time_ns = time_ns};
	search(&s, t->past, t->past_n);
	if (s.then)
		return take(t, s.then, ret);
	if (t->timed || !late)
		return false;
	/* A perf map does not tell when code was made, only the read that first saw the code does.  So the first code
	 * that ever appeared at an address is assumed to have been there all the time before. */
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
