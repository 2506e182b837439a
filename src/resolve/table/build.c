/* Builds a symbol table: sorts the symbols, keeps one per address, and sets missing sizes. */
#include "base/alloc.h"
#include "base/limits.h"
#include "resolve/table/block.h"
#include "resolve/table/names.h"
#include "resolve/table/sort.h"
#include "resolve/table/symtab.h"

#include <stdlib.h>
#include <string.h>

enum {
	/* maximum bytes that a symbol of size 0 covers: REACH_OUTSIDE if the next symbol is of another module or
	 * missing; REACH_INSIDE if it is of the same module */
	REACH_OUTSIDE = 64 * 1024,
	REACH_INSIDE = 1024 * 1024,
	REACH_PARTIAL = 4096, /* replaces both if the table lacks many symbols (symtab_lacks_names()) */
	RANK_GAP = INT8_MIN,
	RANK_RANGE = INT8_MIN + 1,
	MODULES_MAX = UINT16_MAX,
};

struct entry {
	uint64_t addr;
	uint32_t size; /* bytes */
	uint32_t name; /* reference (names.h); 0: none */
	uint16_t name_n;
	uint16_t module; /* 1 + index in `modules`; 0: none */
	int8_t rank;
	uint8_t origin;
	bool by_range;	     /* `size` is from a range in an unwind table */
	uint8_t underscores; /* number of leading underscores */
};
_Static_assert(sizeof(struct entry) == sizeof(struct sort_row) && offsetof(struct entry, addr) == 0, "sorted as rows");

struct symtab_builder {
	struct region entries; /* an array of struct entry */
	struct names_writer names;
	size_t named;		 /* bytes of all names that were added, also of shared ones */
	struct limit_set limits; /* limits that were reached */
	VEC(char *) modules;
	uint16_t last_module;
	enum sym_origin origin;
	bool partial; /* symtab_lacks_names() was called */
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
	region_free(&b->names.bytes);
	for (size_t i = 0; i < b->modules.n; i++)
		free(b->modules.data[i]);
	vec_free(&b->modules);
	free(b);
}

void symtab_origin(struct symtab_builder *b, enum sym_origin origin)
{
	b->origin = origin;
}

void symtab_lacks_names(struct symtab_builder *b)
{
	b->partial = true;
}

static size_t count(const struct symtab_builder *b)
{
	return b->entries.n / sizeof(struct entry);
}

size_t symtab_builder_count(const struct symtab_builder *b)
{
	return count(b);
}

const struct limit_set *symtab_builder_limits(const struct symtab_builder *b)
{
	return &b->limits;
}

/* Returns true if another entry may be added; if not, notes the limit that was reached. */
static bool has_room(struct symtab_builder *b)
{
	if (b->named > LIMIT_NAMES_WORK)
		limit_reached(&b->limits, REACHED_NAMES_WORK);
	else if (b->entries.n + b->names.bytes.n > LIMIT_TABLE_BYTES)
		limit_reached(&b->limits, REACHED_TABLE_BYTES);
	else
		return true;
	return false;
}

/* Returns 1 + the index of a module; 0: none, or too many. The module is nearly always last_module, because the symbols
 * of a module come together. */
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

/* Adds an entry, unless a limit is reached or memory is short. */
static void add(struct symtab_builder *b, const struct entry *e)
{
	if (!has_room(b) || !region_reserve(&b->entries, sizeof(*e)))
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
	b->named += name_n;
	if (!has_room(b))
		return;
	uint32_t at = name_n ? names_add(&b->names, name, name_n) : 0;
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

/* Returns true if `a` is the better of two entries at one address: by rank, then by fewer underscores, then by shorter
 * name. */
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
	const struct region *names = &b->names.bytes;
	return strcmp(names_get(names->data, names->n, a->name, bufs[0]),
		      names_get(names->data, names->n, than->name, bufs[1])) < 0;
}

/* Returns the best of `n` entries at one address; if its size is 0, it gets the size of another entry. */
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

/* Keeps one entry per address, and returns how many are left. Drops labels (symbols of size 0) and ranges inside of a
 * symbol with a size. A symbol with the size of a range hides nothing, because a range may span many functions of an
 * assembler file. */
static size_t thin(const struct symtab_builder *b, struct entry *e, size_t n)
{
	size_t kept = 0;
	uint64_t covered = 0; /* highest end address of symbols with a size */
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

/* Sets the size of symbols that have none: they reach to the next symbol, or to the end of their range or section, but
 * cover at most REACH_... bytes. */
static void reach(const struct symtab_builder *b, struct entry *e, size_t n)
{
	uint64_t range_end = 0; /* highest end of the ranges so far */
	for (size_t i = 0; i < n; i++) {
		uint64_t end = u64_add_sat(e[i].addr, e[i].size);
		if ((e[i].rank == RANK_RANGE || e[i].by_range) && end > range_end)
			range_end = end;
		if ((e[i].size && !e[i].by_range) || e[i].rank == RANK_GAP)
			continue;
		bool inside = i + 1 < n && e[i + 1].module == e[i].module;
		uint64_t most = b->partial ? REACH_PARTIAL : inside ? REACH_INSIDE : REACH_OUTSIDE;
		if (range_end > e[i].addr)
			most = range_end - e[i].addr;
		uint64_t to_next = i + 1 < n ? e[i + 1].addr - e[i].addr : most;
		e[i].size = (uint32_t)(to_next < most ? to_next : most);
	}
}

/* ---- making the block -------------------------------------------------------------- */

/* Adds the names of modules; returns references to them ([modules.n + 1], entry 0: no module), which the caller
 * frees. */
static uint32_t *add_module_names(struct symtab_builder *b)
{
	uint32_t *names = mem_calloc(b->modules.n + 1, sizeof(*names));
	for (size_t i = 0; i < b->modules.n; i++)
		names[i + 1] = names_add_whole(&b->names, b->modules.data[i], strlen(b->modules.data[i]));
	return names;
}

static void fill(const struct block *to, const struct entry *e, size_t n)
{
	/* struct block has const pointers; its arrays are written only here */
	uint64_t *far = (uint64_t *)(uintptr_t)to->far;
	uint32_t *near = (uint32_t *)(uintptr_t)to->near, *length = (uint32_t *)(uintptr_t)to->length,
		 *name = (uint32_t *)(uintptr_t)to->name;
	uint16_t *module = (uint16_t *)(uintptr_t)to->module;
	uint8_t *origin = (uint8_t *)(uintptr_t)to->origin;
	for (size_t i = 0; i < n; i++) {
		if (far)
			far[i] = e[i].addr;
		else
			near[i] = (uint32_t)(e[i].addr - to->base);
		length[i] = e[i].size;
		name[i] = e[i].name;
		origin[i] = e[i].origin;
		if (module)
			module[i] = e[i].module;
	}
}

/* Makes the table in the bytes of b->names, which are space for the header, and the names: appends the arrays. */
static struct symtab *build(struct symtab_builder *b, const struct entry *e, size_t n)
{
	struct region *bytes = &b->names.bytes;
	uint32_t *module_names = add_module_names(b);
	if (!names_add_whole(&b->names, "", 0))
		mem_exhausted();
	struct block_header h = {
		.address_size = n && e[n - 1].addr - e[0].addr > UINT32_MAX ? 8 : 4,
		.base = n ? e[0].addr : 0,
		.count = (uint32_t)n,
		.modules = (uint32_t)b->modules.n,
		.names_end = bytes->n,
	};
	size_t size = block_size(&h);
	if (!region_reserve(bytes, size - bytes->n))
		mem_exhausted();
	memset(bytes->data + bytes->n, 0, size - bytes->n);
	bytes->n = size;
	memcpy(bytes->data, &h, sizeof(h));
	struct block block;
	block_open(bytes->data, &block);
	fill(&block, e, n);
	memcpy((void *)(uintptr_t)block.module_name, module_names, (b->modules.n + 1) * sizeof(*module_names));
	free(module_names);
	return symtab_of_block(bytes);
}

struct symtab *symtab_finish(struct symtab_builder *b)
{
	struct entry *e = (struct entry *)(void *)b->entries.data;
	size_t n = count(b);
	sort_rows((struct sort_row *)(void *)b->entries.data, n);
	n = thin(b, e, n);
	reach(b, e, n);
	struct symtab *t = build(b, e, n);
	symtab_builder_destroy(b);
	return t;
}
