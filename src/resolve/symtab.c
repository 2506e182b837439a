/* A symbol table: addresses, sizes and name offsets in three parallel arrays, so
 * that a search touches addresses only, 12 bytes per symbol and the names. */
#include "resolve/symtab.h"

#include "base/alloc.h"
#include "resolve/region.h"

#include <stdlib.h>
#include <string.h>

enum {
	/* How far a symbol without a size may reach where nothing bounds it well:
	 * the next symbol is another module's, or there is none. */
	REACH_OUTSIDE = 64 * 1024,
	REACH_INSIDE = 1024 * 1024,
	RANK_GAP = INT8_MIN,
	/* A function inside another's range hides it; how many of those are
	 * looked behind. */
	NESTED_MAX = 16,
	MODULES_MAX = UINT16_MAX,
};

struct entry {
	uint64_t addr;
	uint32_t size; /* saturated */
	uint32_t name; /* in the builder's pool */
	uint16_t name_n;
	uint16_t module; /* 0: none, else position + 1 */
	int8_t rank;
};

struct symtab_builder {
	struct region entries; /* struct entry */
	struct region pool;
	VEC(char *) modules;
	uint16_t last_module;
};

struct symtab {
	size_t n, bytes;
	uint64_t base;	     /* added to `near` */
	const uint64_t *far; /* NULL where 32-bit offsets do */
	const uint32_t *near;
	const uint32_t *size;
	const uint32_t *name;	/* in pool; of a gap: that of "" */
	const uint16_t *module; /* NULL: no symbol has one */
	const uint32_t *module_name;
	const char *pool;
	max_align_t block[];
};

/* ---- building ------------------------------------------------------------------ */

struct symtab_builder *symtab_builder_create(void)
{
	return xcalloc(1, sizeof(struct symtab_builder));
}

void symtab_builder_destroy(struct symtab_builder *b)
{
	if (!b)
		return;
	region_free(&b->entries);
	region_free(&b->pool);
	for (size_t i = 0; i < b->modules.n; i++)
		free(b->modules.data[i]);
	vec_free(&b->modules);
	free(b);
}

static size_t count(const struct symtab_builder *b)
{
	return b->entries.n / sizeof(struct entry);
}

size_t symtab_builder_count(const struct symtab_builder *b)
{
	return count(b);
}

/* Symbols of a module come in a row, so the last one is nearly always it. */
static uint16_t module_id(struct symtab_builder *b, const char *module)
{
	if (!module || !*module)
		return 0;
	if (b->last_module && strcmp(b->modules.data[b->last_module - 1], module) == 0)
		return b->last_module;
	for (size_t i = 0; i < b->modules.n; i++)
		if (strcmp(b->modules.data[i], module) == 0)
			return b->last_module = (uint16_t)(i + 1);
	if (b->modules.n == MODULES_MAX)
		return 0;
	vec_push(&b->modules) = xstrdup(module);
	return b->last_module = (uint16_t)b->modules.n;
}

/* Without memory for it the table just lacks the symbol. */
static void add(struct symtab_builder *b, const struct entry *e, const char *name)
{
	if (count(b) >= UINT32_MAX - 1 || b->pool.n + e->name_n > UINT32_MAX)
		return;
	if (!region_reserve(&b->entries, sizeof(*e)) || !region_reserve(&b->pool, e->name_n))
		return;
	struct entry *slot = (struct entry *)(void *)(b->entries.data + b->entries.n);
	*slot = *e;
	slot->name = (uint32_t)b->pool.n;
	if (e->name_n)
		memcpy(b->pool.data + b->pool.n, name, e->name_n);
	b->pool.n += e->name_n;
	b->entries.n += sizeof(*e);
}

void symtab_add_bytes(struct symtab_builder *b, uint64_t addr, uint64_t size, const char *name, size_t name_n, int rank,
		      const char *module)
{
	if (!name_n)
		return;
	struct entry e = {
		.addr = addr,
		.size = size > UINT32_MAX ? UINT32_MAX : (uint32_t)size,
		.name_n = (uint16_t)(name_n > SYMTAB_NAME_MAX ? SYMTAB_NAME_MAX : name_n),
		.module = module_id(b, module),
		.rank = (int8_t)(rank <= RANK_GAP  ? RANK_GAP + 1
				 : rank > INT8_MAX ? INT8_MAX
						   : rank),
	};
	add(b, &e, name);
}

void symtab_add(struct symtab_builder *b, uint64_t addr, uint64_t size, const char *name, int rank, const char *module)
{
	symtab_add_bytes(b, addr, size, name, strlen(name), rank, module);
}

void symtab_add_gap(struct symtab_builder *b, uint64_t addr)
{
	add(b, &(struct entry){.addr = addr, .rank = RANK_GAP}, "");
}

static size_t underscores(const char *s, size_t n)
{
	size_t i = 0;
	while (i < n && s[i] == '_')
		i++;
	return i;
}

/* By address; of one address the name to keep comes first: rank, then the plainest
 * spelling. */
static int compare(const void *va, const void *vb, void *pool)
{
	const struct entry *a = va, *b = vb;
	if (a->addr != b->addr)
		return a->addr < b->addr ? -1 : 1;
	if (a->rank != b->rank)
		return a->rank > b->rank ? -1 : 1;
	const char *an = (const char *)pool + a->name, *bn = (const char *)pool + b->name;
	size_t au = underscores(an, a->name_n), bu = underscores(bn, b->name_n);
	if (au != bu)
		return au < bu ? -1 : 1;
	if (a->name_n != b->name_n)
		return a->name_n < b->name_n ? -1 : 1;
	return a->name_n ? memcmp(an, bn, a->name_n) : 0;
}

/* One entry per address.  A symbol without a size that lies inside a sized one is
 * a label of it: it goes, too. */
static size_t thin(struct entry *e, size_t n)
{
	size_t kept = 0;
	uint64_t covered = 0; /* end of the sized symbols so far */
	for (size_t i = 0; i < n; i++) {
		if (kept && e[kept - 1].addr == e[i].addr) {
			if (!e[kept - 1].size && e[kept - 1].rank != RANK_GAP)
				e[kept - 1].size = e[i].size;
		} else {
			if (!e[i].size && e[i].addr < covered)
				continue;
			e[kept++] = e[i];
		}
		uint64_t end = u64_add_sat(e[kept - 1].addr, e[kept - 1].size);
		covered = end > covered ? end : covered;
	}
	return kept;
}

static void reach(struct entry *e, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		if (e[i].size || e[i].rank == RANK_GAP)
			continue;
		bool inside = i + 1 < n && e[i + 1].module == e[i].module;
		uint64_t most = inside ? REACH_INSIDE : REACH_OUTSIDE;
		uint64_t to_next = i + 1 < n ? e[i + 1].addr - e[i].addr : most;
		e[i].size = (uint32_t)(to_next < most ? to_next : most);
	}
}

/* Consecutive parts of one block; `used` may run ahead of memory while the sizes
 * are only added up. */
struct carve {
	uint8_t *block;
	size_t used;
};
static void *take(struct carve *c, size_t n, size_t size)
{
	void *p = c->block ? c->block + c->used : NULL;
	c->used += (n * size + 7) & ~(size_t)7;
	return p;
}

static struct symtab *build(struct symtab_builder *b, const struct entry *e, size_t n)
{
	size_t pool_n = 1;
	bool any_module = false;
	for (size_t i = 0; i < n; i++) {
		pool_n += e[i].name_n ? e[i].name_n + 1u : 0;
		any_module |= e[i].module != 0;
	}
	for (size_t i = 0; i < b->modules.n; i++)
		pool_n += strlen(b->modules.data[i]) + 1;
	uint64_t base = n ? e[0].addr : 0;
	bool wide = n && e[n - 1].addr - base > UINT32_MAX;

	struct symtab *t = NULL;
	uint64_t *far = NULL;
	uint32_t *near = NULL, *size = NULL, *name = NULL, *module_name = NULL;
	uint16_t *module = NULL;
	char *pool = NULL;
	struct carve c = {0};
	for (int pass = 0; pass < 2; pass++) { /* sizes, then pointers */
		if (pass) {
			t = xcalloc(1, sizeof(*t) + c.used);
			t->bytes = sizeof(*t) + c.used;
			c = (struct carve){.block = (uint8_t *)t->block};
		}
		far = wide ? take(&c, n, sizeof(*far)) : NULL;
		near = wide ? NULL : take(&c, n, sizeof(*near));
		size = take(&c, n, sizeof(*size));
		name = take(&c, n, sizeof(*name));
		module_name = take(&c, b->modules.n + 1, sizeof(*module_name));
		module = any_module ? take(&c, n, sizeof(*module)) : NULL;
		pool = take(&c, pool_n, 1);
	}

	size_t used = 1; /* pool[0] is the empty name */
	for (size_t i = 0; i < n; i++) {
		if (wide)
			far[i] = e[i].addr;
		else
			near[i] = (uint32_t)(e[i].addr - base);
		size[i] = e[i].size;
		name[i] = e[i].name_n ? (uint32_t)used : 0;
		if (any_module)
			module[i] = e[i].module;
		if (!e[i].name_n)
			continue;
		memcpy(pool + used, b->pool.data + e[i].name, e[i].name_n);
		used += e[i].name_n + 1u;
	}
	for (size_t i = 0; i < b->modules.n; i++) {
		module_name[i + 1] = (uint32_t)used;
		size_t len = strlen(b->modules.data[i]) + 1;
		memcpy(pool + used, b->modules.data[i], len);
		used += len;
	}
	t->n = n;
	t->base = base;
	t->far = far;
	t->near = near;
	t->size = size;
	t->name = name;
	t->module = module;
	t->module_name = module_name;
	t->pool = pool;
	return t;
}

struct symtab *symtab_finish(struct symtab_builder *b)
{
	struct entry *e = (struct entry *)(void *)b->entries.data;
	size_t n = count(b);
	if (n)
		qsort_r(e, n, sizeof(*e), compare, b->pool.data);
	n = thin(e, n);
	reach(e, n);
	struct symtab *t = build(b, e, n);
	symtab_builder_destroy(b);
	return t;
}

/* ---- reading ------------------------------------------------------------------- */

void symtab_destroy(struct symtab *t)
{
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

bool symtab_find(const struct symtab *t, uint64_t addr, struct symtab_hit *ret)
{
	if (!t->n || addr < t->base)
		return false;
	uint64_t off = addr - t->base;
	size_t i = t->far ? last_far(t, addr) : last_near(t, off > UINT32_MAX ? UINT32_MAX : (uint32_t)off);
	for (int depth = 0; depth < NESTED_MAX; depth++, i--) {
		uint64_t start = t->far ? t->far[i] : t->base + t->near[i];
		if (addr - start < t->size[i]) {
			uint16_t module = t->module ? t->module[i] : 0;
			*ret = (struct symtab_hit){
				.addr = start,
				.size = t->size[i],
				.name = t->pool + t->name[i],
				.module = module ? t->pool + t->module_name[module] : NULL,
				.index = (uint32_t)i,
			};
			return true;
		}
		if (i == 0)
			break;
	}
	return false;
}

size_t symtab_count(const struct symtab *t)
{
	return t->n;
}

size_t symtab_bytes(const struct symtab *t)
{
	return t->bytes;
}
