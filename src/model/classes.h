/* Groups ids of tasks, of contexts, of CPUs or of events into classes: two ids are of one class if a pivot's dimensions
 * give them the same keys.  Keys are computed and compared once for each id, not for each fact (sum of samples): a
 * million facts of a hundred functions need only a hundred comparisons of names. */
#ifndef MODEL_CLASSES_H
#define MODEL_CLASSES_H

#include "base/alloc.h"
#include "base/index.h"
#include "model/parts.h"

struct classes {
	const struct model_names *names;
	enum fact_part part;
	enum dimension_id dims[DIM_COUNT]; /* the pivot's dimensions of ids of `part` */
	size_t dims_n;
	struct filter filters[FILTERS_MAX]; /* the filters of pivot and query on ids of `part` */
	size_t filters_n;
	bool by_name;
	uint32_t *class_of;   /* [part_slots()]: 1 + class of an id, or CLASS_OUTSIDE; 0: not looked up yet */
	VEC(uint32_t) first;  /* [class]: an id of the class */
	VEC(uint64_t) keys;   /* [class * dims_n + i]: key of the class in dimension dims[i] */
	struct index by_keys; /* hash of the keys -> class */
	/* With call chains, each class is a node in a tree of functions, whose root is one end of the chains. */
	enum { CHAINS_NOT, CHAINS_FROM_ROOT, CHAINS_FROM_LEAF } chains;
	uint64_t anchor;      /* key of the function with which chains begin; KEY_NONE: any */
	VEC(uint32_t) above;  /* [class]: the parent node in the tree; CLASS_NONE: a root */
	VEC(uint32_t) frames; /* scratch: contexts of the chain that is looked up */
};
/* CLASS_NONE: the only class of a part without dimensions.  CLASS_OUTSIDE: an id that a filter
 * excludes. */
#define CLASS_NONE UINT32_MAX
#define CLASS_OUTSIDE (UINT32_MAX - 1)

void classes_init(struct classes *c, const struct model_names *names, enum fact_part part,
		  const struct pivot_query *query);
/* Adds those of the `n` filters that are on ids of c->part; ids that a filter excludes get CLASS_OUTSIDE. */
void classes_restrict(struct classes *c, const struct filter *filters, size_t n);
void classes_deinit(struct classes *c);
/* Returns the class of an id, and stores it in class_of[slot]; `slot` is the part_slot() of the id. */
uint32_t classes_find(struct classes *c, uint32_t id, size_t slot);

/* Returns true if a dimension or filter needs the classes of a part's ids; false: classifying can be skipped. */
static inline bool classes_matter(const struct classes *c)
{
	return c->class_of;
}

static inline uint32_t classes_of(struct classes *c, uint32_t id)
{
	size_t slot = part_slot(c->names, c->part, id);
	uint32_t known = c->class_of[slot];
	return known ? known - 1 : classes_find(c, id, slot);
}

/* Returns the parent of a class in the tree of call chains; CLASS_NONE: the class is a root, or there is no tree. */
uint32_t classes_above(const struct classes *c, uint32_t class);

/* Returns the id that represents the class in rows; CATALOG_NONE for CLASS_NONE. */
uint32_t classes_id(const struct classes *c, uint32_t class);
/* Returns the key of the class; with several dimensions, a hash of their keys; KEY_NONE for CLASS_NONE. */
uint64_t classes_key(const struct classes *c, uint32_t class);

/* Compares two values for sorting, like strcmp(): unknown values come first, then numbers, then texts. */
int key_value_compare(const struct key_value *a, const struct key_value *b);

#endif
