/* Symbols as they are found -> a table that can be searched. */
#include "base/alloc.h"
#include "resolve/table/pool.h"
#include "resolve/table/sort.h"
#include "resolve/table/symtab.h"
#include "resolve/table/table.h"

#include <stdlib.h>
#include <string.h>

enum {
	/* How far a symbol without a size may reach where nothing bounds it well:
	 * the next symbol is another module's, or there is none. */
	REACH_OUTSIDE = 64 * 1024,
	REACH_INSIDE = 1024 * 1024,
	RANK_GAP = INT8_MIN,
	RANK_RANGE = INT8_MIN + 1,
	MODULES_MAX = UINT16_MAX,
	/* A pool of names as large as this is kept where it is, rather than held
	 * twice while it is copied. */
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
	bool by_range;	     /* its size is that of a range */
	uint8_t underscores; /* that its name begins with */
};
_Static_assert(sizeof(struct entry) == sizeof(struct sort_row) && offsetof(struct entry, addr) == 0, "sorted as rows");

struct symtab_builder {
	struct region entries; /* struct entry */
	struct pool pool;
	VEC(char *) modules;
	uint16_t last_module;
	enum sym_origin origin;
};

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
	region_free(&b->pool.bytes);
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

/* Without memory for it the table just lacks the symbol. */
static void add(struct symtab_builder *b, const struct entry *e)
{
	if (count(b) >= UINT32_MAX - 1 || !region_reserve(&b->entries, sizeof(*e)))
		return;
	memcpy(b->entries.data + b->entries.n, e, sizeof(*e));
	b->entries.n += sizeof(*e);
}

static uint8_t underscores(const char *s, size_t n)
{
	size_t i = 0;
	while (i < n && i < UINT8_MAX && s[i] == '_')
		i++;
	return (uint8_t)i;
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
		.underscores = underscores(name, name_n),
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

/* Of two entries at one address, is `a` the one to keep?  By rank, then by the plainest
 * spelling. */
static bool is_better(const struct symtab_builder *b, const struct entry *a, const struct entry *than)
{
	if (a->rank != than->rank)
		return a->rank > than->rank;
	if (a->underscores != than->underscores)
		return a->underscores < than->underscores;
	if (a->name_n != than->name_n)
		return a->name_n < than->name_n;
	if (a->name == than->name)
		return false;
	char bufs[2][SYMTAB_NAME_MAX + 1];
	const char *pool = (const char *)b->pool.bytes.data;
	return strcmp(pool_name(pool, a->name, bufs[0]), pool_name(pool, than->name, bufs[1])) < 0;
}

/* The one to keep of those at one address, with a size where any of them has one. */
static struct entry best_of(const struct symtab_builder *b, const struct entry *e, size_t n)
{
	struct entry best = e[0];
	uint32_t size = 0, range = 0;
	for (size_t i = 0; i < n; i++) {
		if (i && is_better(b, &e[i], &best))
			best = e[i];
		uint32_t *most = e[i].rank == RANK_RANGE ? &range : &size;
		*most = e[i].size > *most ? e[i].size : *most;
	}
	if (best.size || best.rank == RANK_GAP)
		return best;
	best.by_range = !size && range;
	best.size = size ? size : range;
	return best;
}

/* One entry per address.  A symbol without a size that lies inside a sized one is
 * a label of it, and a range a part: they go, too.  What has its size from a range
 * covers nothing: one range may span many functions of an assembler's file. */
static size_t thin(const struct symtab_builder *b, struct entry *e, size_t n)
{
	size_t kept = 0;
	uint64_t covered = 0; /* end of the sized symbols so far */
	for (size_t i = 0, next; i < n; i = next) {
		for (next = i + 1; next < n && e[next].addr == e[i].addr;)
			next++;
		struct entry x = best_of(b, e + i, next - i);
		if ((!x.size || x.rank == RANK_RANGE) && x.addr < covered)
			continue;
		e[kept++] = x;
		if (x.rank == RANK_RANGE || x.by_range)
			continue;
		uint64_t end = u64_add_sat(x.addr, x.size);
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
	char *pool, *scratch;
};

static struct arrays lay_out(struct carve *c, const struct symtab_builder *b, size_t n, size_t pool_n, bool wide)
{
	return (struct arrays){
		.far = wide ? take(c, n, sizeof(uint64_t)) : NULL,
		.near = wide ? NULL : take(c, n, sizeof(uint32_t)),
		.size = take(c, n, sizeof(uint32_t)),
		.name = take(c, n, sizeof(uint32_t)),
		.module_name = take(c, b->modules.n + 1, sizeof(uint32_t)),
		.module = b->modules.n ? take(c, n, sizeof(uint16_t)) : NULL,
		.origin = take(c, n, sizeof(uint8_t)),
		.pool = pool_n ? take(c, pool_n, 1) : NULL,
		.scratch = take(c, b->pool.longest + 1, 1),
	};
}

static void fill(const struct arrays *a, const struct entry *e, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		if (a->far)
			a->far[i] = e[i].addr;
		else
			a->near[i] = (uint32_t)(e[i].addr - e[0].addr);
		a->size[i] = e[i].size;
		a->name[i] = e[i].name;
		a->origin[i] = e[i].origin;
		if (a->module)
			a->module[i] = e[i].module;
	}
}

/* The names of the modules go to the end of the pool. */
static uint32_t *add_module_names(struct symtab_builder *b)
{
	uint32_t *names = mem_calloc(b->modules.n + 1, sizeof(*names));
	for (size_t i = 0; i < b->modules.n; i++)
		names[i + 1] = pool_add_whole(&b->pool, b->modules.data[i], strlen(b->modules.data[i]));
	return names;
}

static struct symtab *build(struct symtab_builder *b, const struct entry *e, size_t n)
{
	bool wide = n && e[n - 1].addr - e[0].addr > UINT32_MAX;
	uint32_t *module_names = add_module_names(b);
	struct region *pool = &b->pool.bytes;
	bool keep_pool = pool->n >= POOL_KEEP;
	size_t pool_n = keep_pool ? 0 : pool->n + 1;

	struct carve c = {0};
	lay_out(&c, b, n, pool_n, wide);
	struct symtab *t = mem_calloc(1, sizeof(*t) + c.used);
	c.block = (uint8_t *)t->block;
	t->bytes = sizeof(*t) + c.used;
	c.used = 0;
	struct arrays a = lay_out(&c, b, n, pool_n, wide);
	fill(&a, e, n);
	memcpy(a.module_name, module_names, (b->modules.n + 1) * sizeof(*module_names));
	free(module_names);
	if (keep_pool) {
		t->names = *pool;
		*pool = (struct region){0};
		region_trim(&t->names);
		t->bytes += t->names.cap;
	} else if (pool->n) {
		memcpy(a.pool, pool->data, pool->n);
	}
	t->refs = 1;
	t->n = n;
	t->base = n ? e[0].addr : 0;
	t->far = a.far;
	t->near = a.near;
	t->size = a.size;
	t->name = a.name;
	t->module = a.module;
	t->origin = a.origin;
	t->module_name = a.module_name;
	t->pool = keep_pool ? (const char *)t->names.data : a.pool;
	t->scratch = a.scratch;
	return t;
}

struct symtab *symtab_finish(struct symtab_builder *b)
{
	struct entry *e = (struct entry *)(void *)b->entries.data;
	size_t n = count(b);
	sort_rows((struct sort_row *)(void *)b->entries.data, n);
	n = thin(b, e, n);
	reach(e, n);
	struct symtab *t = build(b, e, n);
	symtab_builder_destroy(b);
	return t;
}
