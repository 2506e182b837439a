/* A symbol table: addresses, sizes and names in parallel arrays, so that a search
 * touches addresses only: 13 bytes per symbol and the names. */
#include "resolve/table/symtab.h"

#include "resolve/table/pool.h"
#include "resolve/table/table.h"

#include <stdlib.h>

/* A function inside another's range hides it; how many of those are looked behind. */
enum { NESTED_MAX = 16 };

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
	region_free(&t->names);
	free(t);
}

/* The last entry at or below; the table is not empty and addr >= base.  The loop
 * has no branch that depends on the data. */
static size_t last_near(const struct symtab *t, uint32_t off)
{
	const uint32_t *p = t->near;
	for (size_t n = t->n; n > 1;) {
		size_t half = n / 2;
		p += p[half] <= off ? half : 0;
		n -= half;
	}
	return (size_t)(p - t->near);
}

static size_t last_far(const struct symtab *t, uint64_t addr)
{
	const uint64_t *p = t->far;
	for (size_t n = t->n; n > 1;) {
		size_t half = n / 2;
		p += p[half] <= addr ? half : 0;
		n -= half;
	}
	return (size_t)(p - t->far);
}

static uint64_t start_of(const struct symtab *t, size_t i)
{
	return t->far ? t->far[i] : t->base + t->near[i];
}

bool symtab_index(const struct symtab *t, uint64_t addr, uint32_t *ret)
{
	if (!t->n || addr < t->base)
		return false;
	uint64_t off = addr - t->base;
	size_t i = t->far ? last_far(t, addr) : last_near(t, off > UINT32_MAX ? UINT32_MAX : (uint32_t)off);
	for (int depth = 0; depth < NESTED_MAX; depth++, i--) {
		if (addr - start_of(t, i) < t->size[i]) {
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
	uint16_t module = t->module ? t->module[index] : 0;
	*ret = (struct symtab_hit){
		.addr = start_of(t, index),
		.size = t->size[index],
		.name = pool_name(t->pool, t->name[index], t->scratch),
		.module = module ? t->pool + t->module_name[module] : NULL,
		.origin = t->origin[index],
		.index = index,
	};
}

bool symtab_find(const struct symtab *t, uint64_t addr, struct symtab_hit *ret)
{
	uint32_t index;
	if (!symtab_index(t, addr, &index))
		return false;
	symtab_get(t, index, ret);
	return true;
}

size_t symtab_count(const struct symtab *t)
{
	return t->n;
}

size_t symtab_bytes(const struct symtab *t)
{
	return t->bytes;
}
