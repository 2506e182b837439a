/* What was told of a process's code, and what of it is where now. */
#include "base/intern.h"
#include "resolve/jit/jit.h"

#include <stdlib.h>

enum { CODE_MAX = 2 * 1024 * 1024 };

void jit_list_init(struct jit_list *l)
{
	*l = (struct jit_list){.names = intern_create()};
	index_init(&l->by_index);
}

void jit_list_deinit(struct jit_list *l)
{
	vec_free(&l->code);
	index_deinit(&l->by_index);
	if (l->names)
		intern_destroy(l->names);
	*l = (struct jit_list){0};
}

/* ---- what is there now --------------------------------------------------------- */

/* Of code that overlaps here, the latest is on top: positions in the list, in a heap. */
struct overlap {
	uint32_t *heap;
	size_t n;
};

static void overlap_push(struct overlap *o, uint32_t pos)
{
	size_t at = o->n++;
	for (; at && o->heap[(at - 1) / 2] < pos; at = (at - 1) / 2)
		o->heap[at] = o->heap[(at - 1) / 2];
	o->heap[at] = pos;
}

static void overlap_pop(struct overlap *o)
{
	uint32_t last = o->heap[--o->n];
	size_t at = 0;
	for (size_t child; (child = at * 2 + 1) < o->n; at = child) {
		if (child + 1 < o->n && o->heap[child + 1] > o->heap[child])
			child++;
		if (o->heap[child] < last)
			break;
		o->heap[at] = o->heap[child];
	}
	o->heap[at] = last;
}

static uint64_t end_of(const struct jit_entry *e)
{
	return e->addr + e->size;
}

static int by_address(const void *va, const void *vb, void *ctx)
{
	const struct jit_entry *code = ctx;
	uint64_t a = code[*(const uint32_t *)va].addr, b = code[*(const uint32_t *)vb].addr;
	return a < b ? -1 : a > b;
}

void jit_list_pieces(const struct jit_list *l, jit_piece_fn *piece, void *ctx)
{
	const struct jit_entry *code = l->code.data;
	size_t n = l->code.n, next = 0;
	uint32_t *order = mem_calloc(n, sizeof(*order));
	struct overlap o = {.heap = mem_calloc(n, sizeof(*o.heap))};
	for (size_t i = 0; i < n; i++)
		order[i] = (uint32_t)i;
	if (n)
		qsort_r(order, n, sizeof(*order), by_address, (void *)(uintptr_t)code);
	uint64_t at = 0, start = 0;
	uint32_t open = UINT32_MAX; /* what is on top from `start` to `at` */
	while (next < n || o.n) {
		if (!o.n)
			at = code[order[next]].addr; /* nothing is open then */
		for (; next < n && code[order[next]].addr <= at; next++)
			overlap_push(&o, order[next]);
		while (o.n && end_of(&code[o.heap[0]]) <= at)
			overlap_pop(&o);
		uint32_t top = o.n ? o.heap[0] : UINT32_MAX;
		if (open != top) {
			if (open != UINT32_MAX)
				piece(ctx, start, at, open);
			open = top;
			start = at;
		}
		if (top == UINT32_MAX)
			continue;
		uint64_t end = end_of(&code[top]);
		at = next < n && code[order[next]].addr < end ? code[order[next]].addr : end;
	}
	free(order);
	free(o.heap);
}

/* ---- what was told ------------------------------------------------------------- */

struct wanted {
	const struct jit_list *list;
	uint64_t index;
};

static bool is_wanted(const void *ctx, uint32_t pos)
{
	const struct wanted *w = ctx;
	return w->list->code.data[pos].index == w->index;
}

static uint32_t find(const struct jit_list *l, uint64_t index)
{
	return index_find(&l->by_index, hash_u64(index), is_wanted, &(struct wanted){l, index});
}

static void push(struct jit_list *l, const struct jit_entry *e, bool numbered)
{
	uint32_t pos = (uint32_t)l->code.n, before = numbered ? find(l, e->index) : INDEX_NONE;
	if (before != INDEX_NONE)
		index_remove(&l->by_index, hash_u64(e->index), before);
	vec_push(&l->code) = *e;
	if (numbered)
		index_add(&l->by_index, hash_u64(e->index), pos);
}

static void mark_piece(void *ctx, uint64_t start, uint64_t end, uint32_t pos)
{
	bool *there = ctx;
	(void)start, (void)end;
	there[pos] = true;
}

/* Forgets what later code took the place of, and if that is not much, the older half of
 * the rest. */
static void forget(struct jit_list *l)
{
	bool *there = mem_calloc(l->code.n, sizeof(*there));
	jit_list_pieces(l, mark_piece, there);
	size_t left = 0;
	for (size_t i = 0; i < l->code.n; i++)
		left += there[i];
	size_t most = l->max / 2, skip = left > most ? left - most : 0;
	struct jit_list fresh;
	jit_list_init(&fresh);
	fresh.max = l->max;
	for (size_t i = 0; i < l->code.n; i++) {
		struct jit_entry e = l->code.data[i];
		if (!there[i] || (skip && skip--))
			continue;
		e.name = e.name ? intern_string(fresh.names, e.name) : NULL;
		push(&fresh, &e, find(l, e.index) == i);
	}
	free(there);
	jit_list_deinit(l);
	*l = fresh;
}

void jit_list_forget_times(struct jit_list *l)
{
	for (size_t i = 0; i < l->code.n; i++)
		l->code.data[i].from_ns = 0;
}

void jit_list_add(void *ctx, const struct jit_code *code)
{
	struct jit_list *l = ctx;
	if (!l->max)
		l->max = CODE_MAX;
	if (l->code.n >= l->max)
		forget(l);
	struct jit_entry e = {code->addr, code->size, code->index, code->time_ns, NULL};
	if (code->moved) {
		uint32_t from = find(l, code->index);
		e.name = from != INDEX_NONE ? l->code.data[from].name : NULL;
	} else {
		e.name = intern_bytes(l->names, code->name, code->name_n);
	}
	push(l, &e, code->numbered);
}
