/* Further numbers (CPU times, costs) of the facts (sums of samples) of a closed interval.  Each kind is an array
 * parallel to that of the facts, and NULL in sessions without such numbers.  A new kind needs only a line in
 * FACT_COLUMNS: the functions that copy, sort, join or select facts treat all kinds alike. */
#ifndef MODEL_FACT_COLUMNS_H
#define MODEL_FACT_COLUMNS_H

#include "model/fact_time.h"

#include <cyctop/model.h>

#include "base/alloc.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

/* What a missing number means, when facts that lack a kind of number are joined with facts that have it. */
enum { WITHOUT_IS_UNKNOWN, WITHOUT_IS_ZERO };

/* Calls C(kind, array, type, add, without) for each kind of number: its enum fact_number, the name and element type of
 * its array, the function that adds two numbers, and the meaning of a missing number. */
#define FACT_COLUMNS(C)                                                                                                \
	C(NUMBER_TIMES, times, fact_time, time_add, WITHOUT_IS_UNKNOWN)                                                \
	C(NUMBER_COSTS, costs, struct sample_costs, costs_add, WITHOUT_IS_ZERO)

static inline struct sample_costs costs_add(struct sample_costs a, struct sample_costs b)
{
	return (struct sample_costs){a.n + b.n, a.sum + b.sum, a.squares + b.squares};
}

struct fact_columns {
#define FACT_COLUMN_ARRAY(kind, name, type, add, without) type *name; /* [number of facts]; NULL: no fact has any */
	FACT_COLUMNS(FACT_COLUMN_ARRAY)
#undef FACT_COLUMN_ARRAY
};

/* Returns arrays of `n` zeros for each kind that both `a` and `b` have, and for each kind WITHOUT_IS_ZERO that only one
 * has. */
static inline struct fact_columns columns_make(const struct fact_columns *a, const struct fact_columns *b, size_t n)
{
	struct fact_columns made;
#define FACT_COLUMN_MAKE(kind, name, type, add, without)                                                               \
	made.name = ((without) == WITHOUT_IS_ZERO ? a->name || b->name : a->name && b->name)                           \
			    ? mem_calloc(n + 1, sizeof(type))                                                          \
			    : NULL;
	FACT_COLUMNS(FACT_COLUMN_MAKE)
#undef FACT_COLUMN_MAKE
	return made;
}

/* Returns true if `like` has a kind of number that `c` lacks. */
static inline bool columns_lack(const struct fact_columns *c, const struct fact_columns *like)
{
	bool lack = false;
#define FACT_COLUMN_LACK(kind, name, type, add, without) lack |= like->name && !c->name;
	FACT_COLUMNS(FACT_COLUMN_LACK)
#undef FACT_COLUMN_LACK
	return lack;
}

/* Lengthens the arrays from `had` numbers to `n`, for the kinds that `like` has.  The added numbers are 0. */
static inline void columns_grow(struct fact_columns *c, const struct fact_columns *like, size_t had, size_t n)
{
#define FACT_COLUMN_GROW(kind, name, type, add, without)                                                               \
	if (like->name && c->name) {                                                                                   \
		c->name = mem_realloc(c->name, n + 1, sizeof(type));                                                   \
		memset(&c->name[had], 0, (n + 1 - had) * sizeof(type));                                                \
	} else if (like->name) {                                                                                       \
		c->name = mem_calloc(n + 1, sizeof(type));                                                             \
	}
	FACT_COLUMNS(FACT_COLUMN_GROW)
#undef FACT_COLUMN_GROW
}

/* Changes the length of all arrays to `n`; added numbers are uninitialised. */
static inline void columns_resize(struct fact_columns *c, size_t n)
{
#define FACT_COLUMN_RESIZE(kind, name, type, add, without)                                                             \
	if (c->name)                                                                                                   \
		c->name = mem_realloc(c->name, n + 1, sizeof(type));
	FACT_COLUMNS(FACT_COLUMN_RESIZE)
#undef FACT_COLUMN_RESIZE
}

static inline void columns_free(struct fact_columns *c)
{
#define FACT_COLUMN_FREE(kind, name, type, add, without) free(c->name);
	FACT_COLUMNS(FACT_COLUMN_FREE)
#undef FACT_COLUMN_FREE
	*c = (struct fact_columns){0};
}

/* Returns the size of the numbers of one fact in bytes. */
static inline size_t columns_bytes(const struct fact_columns *c)
{
	size_t bytes = 0;
#define FACT_COLUMN_BYTES(kind, name, type, add, without) bytes += c->name ? sizeof(type) : 0;
	FACT_COLUMNS(FACT_COLUMN_BYTES)
#undef FACT_COLUMN_BYTES
	return bytes;
}

/* Returns which kinds of numbers there are: a bit for each enum fact_number. */
static inline uint32_t columns_kinds(const struct fact_columns *c)
{
	uint32_t kinds = 0;
#define FACT_COLUMN_KIND(kind, name, type, add, without) kinds |= c->name ? UINT32_C(1) << (kind) : 0;
	FACT_COLUMNS(FACT_COLUMN_KIND)
#undef FACT_COLUMN_KIND
	return kinds;
}

/* Copies the numbers of fact `from_at` to fact `at`, for the kinds that `to` has; 0 for those that `from` lacks. */
static inline void columns_set(struct fact_columns *to, size_t at, const struct fact_columns *from, size_t from_at)
{
#define FACT_COLUMN_SET(kind, name, type, add, without)                                                                \
	if (to->name)                                                                                                  \
		to->name[at] = from->name ? from->name[from_at] : (type){0};
	FACT_COLUMNS(FACT_COLUMN_SET)
#undef FACT_COLUMN_SET
}

/* Adds the numbers of fact `from_at` to those of fact `at`, for the kinds that both have. */
static inline void columns_add(struct fact_columns *to, size_t at, const struct fact_columns *from, size_t from_at)
{
#define FACT_COLUMN_ADD(kind, name, type, add, without)                                                                \
	if (to->name && from->name)                                                                                    \
		to->name[at] = add(to->name[at], from->name[from_at]);
	FACT_COLUMNS(FACT_COLUMN_ADD)
#undef FACT_COLUMN_ADD
}

#endif
