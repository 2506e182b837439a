#include "model/classes.h"

#include <stdlib.h>
#include <string.h>

void classes_init(struct classes *c, const struct model_names *names, enum fact_part part,
		  const struct pivot_query *query)
{
	*c = (struct classes){.names = names, .part = part, .by_name = query->by_name};
	for (size_t i = 0; i < query->dims_n; i++)
		if (dimensions[query->dims[i]].part == part)
			c->dims[c->dims_n++] = query->dims[i];
	index_init(&c->by_keys);
	if (query->tree && c->dims_n == 1 && (c->dims[0] == DIM_CHAIN || c->dims[0] == DIM_CALLERS))
		c->chains = c->dims[0] == DIM_CHAIN ? CHAINS_FROM_ROOT : CHAINS_FROM_LEAF;
	c->anchor = KEY_NONE;
	for (size_t i = 0; i < query->filters_n; i++)
		if (query->filters[i].under && query->filters[i].dim == DIM_SYMBOL)
			c->anchor = query->filters[i].key;
	if (c->dims_n)
		c->class_of = mem_calloc(part_slots(names, part), sizeof(*c->class_of));
	classes_restrict(c, query->filters, query->filters_n);
}

void classes_restrict(struct classes *c, const struct filter *filters, size_t n)
{
	for (size_t i = 0; i < n && c->filters_n < FILTERS_MAX; i++)
		if (dimensions[filters[i].dim].part == c->part)
			c->filters[c->filters_n++] = filters[i];
	if (c->filters_n && !c->class_of)
		c->class_of = mem_calloc(part_slots(c->names, c->part), sizeof(*c->class_of));
}

void classes_deinit(struct classes *c)
{
	free(c->class_of);
	vec_free(&c->first);
	vec_free(&c->keys);
	vec_free(&c->above);
	vec_free(&c->frames);
	index_deinit(&c->by_keys);
}

int key_value_compare(const struct key_value *a, const struct key_value *b)
{
	if (a->kind != b->kind)
		return a->kind < b->kind ? -1 : 1;
	if (a->kind == KEY_NUMBER)
		return (a->number > b->number) - (a->number < b->number);
	/* most texts are interned, so that equal texts have equal pointers, which are faster to compare */
	return a->kind == KEY_UNKNOWN || a->text == b->text ? 0 : strcmp(a->text, b->text);
}

static uint64_t value_hash(const struct classes *c, const struct key_value *v)
{
	if (v->kind == KEY_UNKNOWN)
		return KEY_NONE;
	return v->kind == KEY_NUMBER ? v->number : index_hash_bytes(&c->by_keys, v->text, strlen(v->text));
}

struct candidate {
	const struct classes *classes;
	uint32_t id;
	uint64_t keys[DIM_COUNT];
};

static bool same_value(const struct classes *c, enum dimension_id dim, uint32_t a, uint32_t b)
{
	struct key_value x = dimension_value(c->names, dim, a), y = dimension_value(c->names, dim, b);
	return key_value_compare(&x, &y) == 0;
}

static bool is_of_class(const void *ctx, uint32_t class)
{
	const struct candidate *want = ctx;
	const struct classes *c = want->classes;
	if (memcmp(&c->keys.data[class * c->dims_n], want->keys, c->dims_n * sizeof(want->keys[0])) != 0)
		return false;
	for (size_t i = 0; c->by_name && i < c->dims_n; i++)
		if (!same_value(c, c->dims[i], want->id, c->first.data[class]))
			return false;
	return true;
}

static bool passes_filter(const struct classes *c, const struct filter *f, uint32_t id)
{
	if (f->accepts)
		return f->accepts(f->ctx, c->names, id);
	while (dimension_key(c->names, f->dim, id) != f->key) {
		id = f->under ? catalog_ctx_caller(c->names->cat, id) : CATALOG_NONE;
		if (id == CATALOG_NONE)
			return false;
	}
	return true;
}

static bool passes(const struct classes *c, uint32_t id)
{
	for (size_t i = 0; i < c->filters_n; i++)
		if (!passes_filter(c, &c->filters[i], id))
			return false;
	return true;
}

/* ---- classes of call chains: the nodes of a tree --------------------------------------------- */

struct step {
	const struct classes *classes;
	uint32_t above;
	uint64_t symbol;
};

static uint64_t symbol_of(const struct classes *c, uint32_t ctx)
{
	return dimension_key(c->names, DIM_SYMBOL, ctx);
}

static bool is_step(const void *ctx, uint32_t class)
{
	const struct step *want = ctx;
	const struct classes *c = want->classes;
	return c->above.data[class] == want->above && frame_key(c->names, c->first.data[class]) == want->symbol;
}

/* Returns the child of the node `above` for the function of a context; adds it if it is new. */
static uint32_t node_below(struct classes *c, uint32_t above, uint32_t ctx)
{
	struct step want = {c, above, frame_key(c->names, ctx)};
	uint64_t key = hash_u64((above == CLASS_NONE ? 0 : c->keys.data[above]) + 1) + want.symbol;
	uint64_t hash = index_hash(&c->by_keys, key);
	uint32_t class = index_find(&c->by_keys, hash, is_step, &want);
	if (class != INDEX_NONE)
		return class;
	class = (uint32_t)c->first.n;
	index_add(&c->by_keys, hash, class);
	vec_push(&c->first) = ctx;
	vec_push(&c->keys) = key;
	vec_push(&c->above) = above;
	return class;
}

/* Returns the tree node of a context's call chain: the class of all contexts with the same chain of functions.  Returns
 * CLASS_OUTSIDE if the chain lacks the anchor function. */
static uint32_t node_of_chain(struct classes *c, uint32_t ctx)
{
	size_t anchor = SIZE_MAX;
	c->frames.n = 0;
	for (; ctx != CATALOG_NONE; ctx = catalog_ctx_caller(c->names->cat, ctx)) {
		if (c->anchor != KEY_NONE && symbol_of(c, ctx) == c->anchor)
			anchor = c->frames.n;
		vec_push(&c->frames) = ctx;
	}
	if (c->anchor != KEY_NONE && anchor == SIZE_MAX)
		return CLASS_OUTSIDE;
	bool anchored = c->anchor != KEY_NONE, from_root = c->chains == CHAINS_FROM_ROOT;
	size_t begin = anchored ? anchor : from_root ? c->frames.n - 1 : 0;
	size_t n = from_root ? begin + 1 : c->frames.n - begin;
	uint32_t node = CLASS_NONE;
	for (size_t i = 0; i < n; i++)
		node = node_below(c, node, c->frames.data[from_root ? begin - i : begin + i]);
	return node;
}

uint32_t classes_above(const struct classes *c, uint32_t class)
{
	return class < c->above.n ? c->above.data[class] : CLASS_NONE;
}

/* ---- looking up the class of an id ----------------------------------------------------------- */

static uint32_t look_up(struct classes *c, uint32_t id)
{
	if (!passes(c, id))
		return CLASS_OUTSIDE;
	if (!c->dims_n)
		return 0;
	if (c->chains != CHAINS_NOT)
		return node_of_chain(c, id);
	struct candidate want = {.classes = c, .id = id};
	uint64_t hash = 0;
	for (size_t i = 0; i < c->dims_n; i++) {
		if (c->by_name) {
			struct key_value v = dimension_value(c->names, c->dims[i], id);
			want.keys[i] = value_hash(c, &v);
		} else
			want.keys[i] = dimension_key(c->names, c->dims[i], id);
		hash = index_hash(&c->by_keys, hash + want.keys[i]);
	}
	uint32_t class = index_find(&c->by_keys, hash, is_of_class, &want);
	if (class != INDEX_NONE)
		return class;
	class = (uint32_t)c->first.n;
	index_add(&c->by_keys, hash, class);
	/* If the key itself is an id (of a process), it represents the class; otherwise any id with the key (of a
	 * thread) does. */
	bool own_id = c->dims_n == 1 && dimensions[c->dims[0]].key_is_id && !c->by_name && want.keys[0] != KEY_NONE;
	vec_push(&c->first) = own_id ? (uint32_t)want.keys[0] : id;
	for (size_t i = 0; i < c->dims_n; i++)
		vec_push(&c->keys) = want.keys[i];
	return class;
}

uint32_t classes_find(struct classes *c, uint32_t id, size_t slot)
{
	uint32_t class = look_up(c, id);
	c->class_of[slot] = class + 1;
	return class;
}

uint32_t classes_id(const struct classes *c, uint32_t class)
{
	return class < c->first.n ? c->first.data[class] : CATALOG_NONE;
}

uint64_t classes_key(const struct classes *c, uint32_t class)
{
	if (class >= c->first.n)
		return KEY_NONE;
	const uint64_t *keys = &c->keys.data[class * c->dims_n];
	uint64_t key = keys[0];
	for (size_t i = 1; i < c->dims_n; i++)
		key = hash_u64(hash_u64(key) + keys[i]);
	return key;
}
