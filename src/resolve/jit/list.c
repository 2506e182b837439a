/* Keeps a log of JIT code, and computes which entry is on top at each address. */
#include "base/intern.h"
#include "resolve/jit/jit.h"

#include <stdlib.h>

enum { SHRINK_MIN = 4096, NAME_MAX_BYTES = 4096 };

void jit_list_init(struct jit_list *l)
{
	*l = (struct jit_list){.names = intern_create(), .shrink_at = SHRINK_MIN};
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

/* ---- finding the code that is on top --------------------------------------------- */

void jit_heap_push(struct jit_heap *h, uint64_t value)
{
	size_t at = h->n++;
	for (; at && h->data[(at - 1) / 2] > value; at = (at - 1) / 2)
		h->data[at] = h->data[(at - 1) / 2];
	h->data[at] = value;
}

void jit_heap_pop(struct jit_heap *h)
{
	uint64_t last = h->data[--h->n];
	size_t at = 0;
	for (size_t child; (child = at * 2 + 1) < h->n; at = child) {
		if (child + 1 < h->n && h->data[child + 1] < h->data[child])
			child++;
		if (h->data[child] > last)
			break;
		h->data[at] = h->data[child];
	}
	h->data[at] = last;
}

/* Returns the index of the entry on top: the latest of those that overlap at the current address; UINT32_MAX: none
 * does. The heap has the complements of the indices, so that the latest entry comes first. */
static uint32_t top_of(const struct jit_heap *overlap)
{
	return overlap->n ? (uint32_t)~overlap->data[0] : UINT32_MAX;
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
	struct jit_heap overlap = {.data = mem_calloc(n, sizeof(*overlap.data))};
	for (size_t i = 0; i < n; i++)
		order[i] = (uint32_t)i;
	if (n)
		qsort_r(order, n, sizeof(*order), by_address, (void *)(uintptr_t)code);
	uint64_t at = 0, start = 0;
	uint32_t open = UINT32_MAX; /* entry on top from `start` to `at` */
	while (next < n || overlap.n) {
		if (!overlap.n)
			at = code[order[next]].addr; /* a gap: go on at the next entry */
		for (; next < n && code[order[next]].addr <= at; next++)
			jit_heap_push(&overlap, ~(uint64_t)order[next]);
		while (overlap.n && end_of(&code[top_of(&overlap)]) <= at)
			jit_heap_pop(&overlap);
		uint32_t top = top_of(&overlap);
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
	free(overlap.data);
}

/* ---- adding code and dropping old code ----------------------------------- */

static uint32_t find(const struct jit_list *l, uint64_t index)
{
	return index_find_by(&l->by_index, l->code.data, index, index);
}

static void push(struct jit_list *l, const struct jit_entry *e, bool numbered)
{
	uint32_t pos = (uint32_t)l->code.n, before = numbered ? find(l, e->index) : INDEX_NONE;
	if (before != INDEX_NONE)
		index_remove(&l->by_index, index_hash(&l->by_index, e->index), before);
	vec_push(&l->code) = *e;
	if (numbered)
		index_add(&l->by_index, index_hash(&l->by_index, e->index), pos);
}

static void mark_piece(void *ctx, uint64_t start, uint64_t end, uint32_t pos)
{
	bool *on_top = ctx;
	(void)start, (void)end;
	on_top[pos] = true;
}

/* Returns a copy of the list without the entries to drop. From a live list, drops entries that were already covered at
 * the last call, because all samples in them have been resolved by now. If more than `most` entries are left, drops all
 * covered ones, and then the oldest. */
static struct jit_list without(const struct jit_list *l, const bool *on_top, size_t most)
{
	size_t left = 0, skip = 0;
	for (size_t i = 0; i < l->code.n; i++)
		left += on_top[i] || !(l->live && l->code.data[i].covered);
	bool drop_covered = left > most;
	if (drop_covered) {
		left = 0;
		for (size_t i = 0; i < l->code.n; i++)
			left += on_top[i];
		skip = left > most ? left - most : 0;
	}
	struct jit_list fresh;
	jit_list_init(&fresh);
	fresh.max_bytes = l->max_bytes;
	fresh.live = l->live;
	fresh.reached = l->reached;
	for (size_t i = 0; i < l->code.n; i++) {
		struct jit_entry e = l->code.data[i];
		if (!on_top[i] && (drop_covered || (l->live && e.covered)))
			continue;
		if (skip) {
			skip--;
			continue;
		}
		e.covered = !on_top[i];
		e.name = e.name ? intern_string(fresh.names, e.name) : NULL;
		push(&fresh, &e, find(l, e.index) == i);
	}
	return fresh;
}

static void shrink(struct jit_list *l, size_t most)
{
	bool *on_top = mem_calloc(l->code.n, sizeof(*on_top));
	jit_list_pieces(l, mark_piece, on_top);
	struct jit_list fresh = without(l, on_top, most);
	free(on_top);
	jit_list_deinit(l);
	*l = fresh;
	l->shrink_at = l->code.n * 2 > SHRINK_MIN ? l->code.n * 2 : SHRINK_MIN;
}

size_t jit_list_bytes(const struct jit_list *l)
{
	return l->code.cap * sizeof(*l->code.data) + intern_memory(l->names) + l->by_index.slots_n * sizeof(uint64_t);
}

void jit_list_halve(struct jit_list *l, enum limit why)
{
	shrink(l, l->code.n / 2);
	limit_reached(&l->reached, why);
}

void jit_list_forget_times(struct jit_list *l)
{
	for (size_t i = 0; i < l->code.n; i++)
		l->code.data[i].from_ns = 0;
}

void jit_list_add(void *ctx, const struct jit_code *code)
{
	struct jit_list *l = ctx;
	if (code->size >> 63)
		return;
	if (l->live && l->code.n >= l->shrink_at)
		shrink(l, SIZE_MAX);
	while (l->max_bytes && l->code.n && jit_list_bytes(l) > l->max_bytes)
		jit_list_halve(l, REACHED_JIT_PROCESS_BYTES);
	struct jit_entry e = {.addr = code->addr, .size = code->size, .index = code->index, .from_ns = code->time_ns};
	if (code->moved) {
		uint32_t from = find(l, code->index);
		e.name = from != INDEX_NONE ? l->code.data[from].name : NULL;
	} else {
		e.name = intern_bytes(l->names, code->name,
				      code->name_n < NAME_MAX_BYTES ? code->name_n : NAME_MAX_BYTES);
	}
	push(l, &e, code->numbered);
}
