/* A symbol table: addresses, sizes and name offsets in three parallel arrays, so
 * that a search touches addresses only, 12 bytes per symbol and the names. */
#include "resolve/table/symtab.h"

#include "base/alloc.h"
#include "resolve/table/region.h"

#include <stdlib.h>
#include <string.h>

enum {
	/* How far a symbol without a size may reach where nothing bounds it well:
	 * the next symbol is another module's, or there is none. */
	REACH_OUTSIDE = 8 * 1024,
	REACH_INSIDE = 1024 * 1024,
	RANK_GAP = INT8_MIN,
	RANK_RANGE = INT8_MIN + 1,
	/* A function inside another's range hides it; how many of those are
	 * looked behind. */
	NESTED_MAX = 16,
	MODULES_MAX = UINT16_MAX,
	/* A pool of names as large as this is kept as it is, superseded names
	 * and all, rather than held twice while it is copied. */
	POOL_KEEP = 256 * 1024,
};

struct entry {
	uint64_t addr;
	uint32_t size; /* saturated */
	uint32_t name; /* in the builder's pool, 0: none */
	uint16_t name_n;
	uint16_t module; /* 0: none, else position + 1 */
	int8_t rank;
	uint8_t origin;
	bool by_range; /* its size is that of a range */
};

struct symtab_builder {
	struct region entries; /* struct entry */
	struct region pool;    /* NUL-terminated names; the first is empty */
	VEC(char *) modules;
	uint16_t last_module;
	enum sym_origin origin;
};

struct symtab {
	unsigned refs; /* the loader's thread and its asker both count */
	size_t n, bytes;
	uint64_t base;	     /* added to `near` */
	const uint64_t *far; /* NULL where 32-bit offsets do */
	const uint32_t *near;
	const uint32_t *size;
	const uint32_t *name;	/* in pool; of a gap: that of "" */
	const uint16_t *module; /* NULL: no symbol has one */
	const uint8_t *origin;
	const uint32_t *module_name;
	const char *pool;
	struct region names; /* where `pool` is when it is large; else in block */
	max_align_t block[];
};

/* ---- building ------------------------------------------------------------------ */

struct symtab_builder *symtab_builder_create(void)
{
	struct symtab_builder *b = mem_calloc(1, sizeof(*b));
	b->origin = ORIGIN_SYMTAB;
	return b;
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

void symtab_origin(struct symtab_builder *b, enum sym_origin origin)
{
	b->origin = origin;
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
	vec_push(&b->modules) = mem_strdup(module);
	return b->last_module = (uint16_t)b->modules.n;
}

/* Offset of a copy, or 0: no memory. */
static uint32_t pool_add(struct region *pool, const char *s, size_t n)
{
	if (pool->n + n + 2 > UINT32_MAX || !region_reserve(pool, n + 2))
		return 0;
	if (!pool->n)
		pool->data[pool->n++] = '\0';
	uint32_t at = (uint32_t)pool->n;
	memcpy(pool->data + at, s, n);
	pool->data[at + n] = '\0';
	pool->n += n + 1;
	return at;
}

/* Without memory for it the table just lacks the symbol. */
static void add(struct symtab_builder *b, const struct entry *e)
{
	if (count(b) >= UINT32_MAX - 1 || !region_reserve(&b->entries, sizeof(*e)))
		return;
	memcpy(b->entries.data + b->entries.n, e, sizeof(*e));
	b->entries.n += sizeof(*e);
}

void symtab_add_bytes(struct symtab_builder *b, uint64_t addr, uint64_t size, const char *name, size_t name_n, int rank,
		      const char *module)
{
	if (name_n > SYMTAB_NAME_MAX)
		name_n = SYMTAB_NAME_MAX;
	uint32_t at = name_n ? pool_add(&b->pool, name, name_n) : 0;
	if (!at)
		return;
	struct entry e = {
		.addr = addr,
		.size = size > UINT32_MAX ? UINT32_MAX : (uint32_t)size,
		.name = at,
		.name_n = (uint16_t)name_n,
		.module = module_id(b, module),
		.rank = (int8_t)(rank <= RANK_RANGE ? RANK_RANGE + 1
				 : rank > INT8_MAX  ? INT8_MAX
						    : rank),
		.origin = (uint8_t)b->origin,
	};
	add(b, &e);
}

void symtab_add(struct symtab_builder *b, uint64_t addr, uint64_t size, const char *name, int rank, const char *module)
{
	symtab_add_bytes(b, addr, size, name, strlen(name), rank, module);
}

void symtab_add_range(struct symtab_builder *b, uint64_t addr, uint64_t size)
{
	if (!size)
		return;
	uint32_t n = size > UINT32_MAX ? UINT32_MAX : (uint32_t)size;
	add(b, &(struct entry){.addr = addr, .size = n, .rank = RANK_RANGE, .origin = ORIGIN_UNWIND});
}

void symtab_add_gap(struct symtab_builder *b, uint64_t addr)
{
	add(b, &(struct entry){.addr = addr, .rank = RANK_GAP});
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
static int compare(const struct entry *a, const struct entry *b, const void *pool)
{
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
 * a label of it, and a range a part: they go, too.  What has its size from a range
 * covers nothing: one range may span many functions of an assembler's file. */
static size_t thin(struct entry *e, size_t n)
{
	size_t kept = 0;
	uint64_t covered = 0; /* end of the sized symbols so far */
	for (size_t i = 0; i < n; i++) {
		struct entry *last = kept ? &e[kept - 1] : NULL;
		bool range = e[i].rank == RANK_RANGE;
		if (last && last->addr == e[i].addr) {
			if (!last->size && last->rank != RANK_GAP) {
				last->size = e[i].size;
				last->by_range = range;
			}
		} else {
			if ((!e[i].size || range) && e[i].addr < covered)
				continue;
			last = &e[kept++];
			*last = e[i];
		}
		if (last->rank == RANK_RANGE || last->by_range)
			continue;
		uint64_t end = u64_add_sat(last->addr, last->size);
		covered = end > covered ? end : covered;
	}
	return kept;
}

static void reach(struct entry *e, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		if ((e[i].size && !e[i].by_range) || e[i].rank == RANK_GAP)
			continue;
		bool inside = i + 1 < n && e[i + 1].module == e[i].module;
		uint64_t most = e[i].by_range ? e[i].size : inside ? REACH_INSIDE : REACH_OUTSIDE;
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

/* The arrays of a table under construction. */
struct arrays {
	uint64_t *far;
	uint32_t *near, *size, *name, *module_name;
	uint16_t *module;
	uint8_t *origin;
	char *pool;
};

static struct arrays lay_out(struct carve *c, size_t n, size_t modules_n, size_t pool_n, bool wide)
{
	return (struct arrays){
		.far = wide ? take(c, n, sizeof(uint64_t)) : NULL,
		.near = wide ? NULL : take(c, n, sizeof(uint32_t)),
		.size = take(c, n, sizeof(uint32_t)),
		.name = take(c, n, sizeof(uint32_t)),
		.module_name = take(c, modules_n + 1, sizeof(uint32_t)),
		.module = modules_n ? take(c, n, sizeof(uint16_t)) : NULL,
		.origin = take(c, n, sizeof(uint8_t)),
		.pool = pool_n ? take(c, pool_n, 1) : NULL,
	};
}

/* Copies the names still in use; their offsets change. */
static void compact_names(struct entry *e, size_t n, const struct region *from, char *to)
{
	size_t used = 1;
	for (size_t i = 0; i < n; i++) {
		if (!e[i].name)
			continue;
		memcpy(to + used, from->data + e[i].name, e[i].name_n + 1u);
		e[i].name = (uint32_t)used;
		used += e[i].name_n + 1u;
	}
}

static struct symtab *build(struct symtab_builder *b, struct entry *e, size_t n)
{
	uint64_t base = n ? e[0].addr : 0;
	bool wide = n && e[n - 1].addr - base > UINT32_MAX;
	bool keep_pool = b->modules.n || b->pool.n >= POOL_KEEP;
	uint32_t *module_name = mem_calloc(b->modules.n + 1, sizeof(*module_name));
	for (size_t i = 0; i < b->modules.n; i++)
		module_name[i + 1] = pool_add(&b->pool, b->modules.data[i], strlen(b->modules.data[i]));
	size_t pool_n = keep_pool ? 0 : b->pool.n + 1;

	struct carve c = {0};
	lay_out(&c, n, b->modules.n, pool_n, wide);
	struct symtab *t = mem_calloc(1, sizeof(*t) + c.used);
	t->refs = 1;
	t->bytes = sizeof(*t) + c.used;
	c = (struct carve){.block = (uint8_t *)t->block};
	struct arrays a = lay_out(&c, n, b->modules.n, pool_n, wide);
	if (keep_pool) {
		t->names = b->pool;
		b->pool = (struct region){0};
		region_trim(&t->names);
		t->bytes += t->names.cap;
	} else if (n) {
		compact_names(e, n, &b->pool, a.pool);
	}
	for (size_t i = 0; i < n; i++) {
		if (wide)
			a.far[i] = e[i].addr;
		else
			a.near[i] = (uint32_t)(e[i].addr - base);
		a.size[i] = e[i].size;
		a.name[i] = e[i].name;
		a.origin[i] = e[i].origin;
		if (a.module)
			a.module[i] = e[i].module;
	}
	memcpy(a.module_name, module_name, (b->modules.n + 1) * sizeof(*module_name));
	free(module_name);
	t->n = n;
	t->base = base;
	t->far = a.far;
	t->near = a.near;
	t->size = a.size;
	t->name = a.name;
	t->module = a.module;
	t->origin = a.origin;
	t->module_name = a.module_name;
	t->pool = keep_pool ? (const char *)t->names.data : a.pool;
	return t;
}

/* Tables mostly come sorted but for aliases: a few moves finish them.  false: it
 * would take many. */
static bool sort_nearly_sorted(struct entry *e, size_t n, void *pool)
{
	size_t moves = 4 * n;
	for (size_t i = 1; i < n; i++) {
		struct entry x = e[i];
		size_t j = i;
		for (; j && compare(&e[j - 1], &x, pool) > 0; j--) {
			if (!moves--) {
				e[j] = x;
				return false;
			}
			e[j] = e[j - 1];
		}
		e[j] = x;
	}
	return true;
}

static void sift(struct entry *e, size_t at, size_t n, void *pool)
{
	struct entry x = e[at];
	for (size_t child; (child = at * 2 + 1) < n; at = child) {
		if (child + 1 < n && compare(&e[child], &e[child + 1], pool) < 0)
			child++;
		if (compare(&x, &e[child], pool) >= 0)
			break;
		e[at] = e[child];
	}
	e[at] = x;
}

/* In place, unlike qsort(), which would hold the entries twice. */
static void sort(struct entry *e, size_t n, void *pool)
{
	for (size_t i = n / 2; i-- > 0;)
		sift(e, i, n, pool);
	for (size_t end = n; end-- > 1;) {
		struct entry x = e[0];
		e[0] = e[end];
		e[end] = x;
		sift(e, 0, end, pool);
	}
}

struct symtab *symtab_finish(struct symtab_builder *b)
{
	struct entry *e = (struct entry *)(void *)b->entries.data;
	size_t n = count(b);
	if (n && !sort_nearly_sorted(e, n, b->pool.data))
		sort(e, n, b->pool.data);
	n = thin(e, n);
	reach(e, n);
	struct symtab *t = build(b, e, n);
	symtab_builder_destroy(b);
	return t;
}

/* ---- reading ------------------------------------------------------------------- */

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
				.origin = t->origin[i],
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
