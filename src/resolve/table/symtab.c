/* Searches symbol tables (layout: block.h). */
#include "resolve/table/symtab.h"

#include "base/alloc.h"
#include "resolve/table/block.h"
#include "resolve/table/names.h"

#include <stdlib.h>
#include <string.h>

enum {
	/* how many entries before an address to try, because functions may overlap */
	NESTED_MAX = 16,
	/* bytes; smaller blocks are copied to the heap */
	OWN_PAGES = 256 * 1024,
};

/* A symbol table, shared by the loader thread and the resolver, so that `refs` is atomic. */
struct symtab {
	unsigned refs;
	struct block block;
	struct region pages; /* a large block; a small one is in `bytes` */
	max_align_t bytes[];
};

/* ---- sharing and freeing tables --------------------------------------------------- */

struct symtab *symtab_of_block(struct region *block)
{
	bool own_pages = block->n >= OWN_PAGES;
	struct symtab *t = mem_calloc(1, sizeof(*t) + (own_pages ? 0 : block->n));
	t->refs = 1;
	if (own_pages) {
		region_trim(block);
		t->pages = *block;
		*block = (struct region){0};
	} else {
		memcpy(t->bytes, block->data, block->n);
		region_free(block);
	}
	block_open(own_pages ? t->pages.data : (const uint8_t *)t->bytes, &t->block);
	return t;
}

struct symtab *symtab_ref(struct symtab *t)
{
	__atomic_add_fetch(&t->refs, 1, __ATOMIC_RELAXED);
	return t;
}

bool symtab_is_shared(const struct symtab *t)
{
	return __atomic_load_n(&t->refs, __ATOMIC_ACQUIRE) > 1;
}

void symtab_destroy(struct symtab *t)
{
	if (!t || __atomic_sub_fetch(&t->refs, 1, __ATOMIC_ACQ_REL))
		return;
	region_free(&t->pages);
	free(t);
}

size_t symtab_count(const struct symtab *t)
{
	return t->block.count;
}

size_t symtab_bytes(const struct symtab *t)
{
	return sizeof(*t) + (t->pages.cap ? t->pages.cap : t->block.size);
}

/* ---- searching a table ------------------------------------------------------------- */

/* Returns the index of the last entry at or below base + off; the table must not be empty.  Its loop has no
 * data-dependent branch, which would be mispredicted. */
static size_t last_near(const struct block *b, uint32_t off)
{
	const uint32_t *p = b->near;
	for (size_t n = b->count; n > 1;) {
		size_t half = n / 2;
		p += p[half] <= off ? half : 0;
		n -= half;
	}
	return (size_t)(p - b->near);
}

static size_t last_far(const struct block *b, uint64_t addr)
{
	const uint64_t *p = b->far;
	for (size_t n = b->count; n > 1;) {
		size_t half = n / 2;
		p += p[half] <= addr ? half : 0;
		n -= half;
	}
	return (size_t)(p - b->far);
}

static uint64_t start_of(const struct block *b, size_t i)
{
	return b->far ? b->far[i] : b->base + b->near[i];
}

bool symtab_index(const struct symtab *t, uint64_t addr, uint32_t *ret)
{
	const struct block *b = &t->block;
	if (!b->count || addr < b->base)
		return false;
	uint64_t off = addr - b->base;
	size_t i = b->far ? last_far(b, addr) : last_near(b, off > UINT32_MAX ? UINT32_MAX : (uint32_t)off);
	for (int depth = 0; depth < NESTED_MAX; depth++, i--) {
		if (addr - start_of(b, i) < b->length[i]) {
			*ret = (uint32_t)i;
			return true;
		}
		if (i == 0)
			break;
	}
	return false;
}

void symtab_get(const struct symtab *t, uint32_t index, struct symtab_hit *ret)
{
	const struct block *b = &t->block;
	uint16_t module = b->module ? b->module[index] : 0;
	ret->addr = start_of(b, index);
	ret->size = b->length[index];
	ret->name = names_get(b->bytes, b->names_end, b->name[index], ret->buf);
	ret->module = module ? names_get(b->bytes, b->names_end, b->module_name[module], NULL) : NULL;
	ret->origin = b->origin[index];
	ret->index = index;
}

bool symtab_find(const struct symtab *t, uint64_t addr, struct symtab_hit *ret)
{
	uint32_t index;
	if (!symtab_index(t, addr, &index))
		return false;
	symtab_get(t, index, ret);
	return true;
}
