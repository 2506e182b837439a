/* Numbers of closed facts that stand beside them, each kind in an array of its own, which only sessions that have such
 * numbers have.  A new kind is a row of the table; whoever copies, orders, joins or selects facts takes all kinds
 * along. */
#ifndef MODEL_FACT_COLUMNS_H
#define MODEL_FACT_COLUMNS_H

#include "model/fact_time.h"

#include "base/alloc.h"

#include <stdlib.h>

/* A row: name of the array, type of a number, and the function that adds two of them. */
#define FACT_COLUMNS(C) C(times, fact_time, time_add)

struct fact_columns {
#define FACT_COLUMN_ARRAY(name, type, add) type *name; /* [number of facts]; NULL: no fact has any */
	FACT_COLUMNS(FACT_COLUMN_ARRAY)
#undef FACT_COLUMN_ARRAY
};

/* Makes arrays of zeros for the kinds that both have. */
static inline struct fact_columns columns_make(const struct fact_columns *a, const struct fact_columns *b, size_t n)
{
	struct fact_columns made;
#define FACT_COLUMN_MAKE(name, type, add) made.name = a->name && b->name ? mem_calloc(n + 1, sizeof(type)) : NULL;
	FACT_COLUMNS(FACT_COLUMN_MAKE)
#undef FACT_COLUMN_MAKE
	return made;
}

/* Makes the arrays of the kinds that `like` has longer. */
static inline void columns_grow(struct fact_columns *c, const struct fact_columns *like, size_t n)
{
#define FACT_COLUMN_GROW(name, type, add)                                                                              \
	if (like->name)                                                                                                \
		c->name = c->name ? mem_realloc(c->name, n + 1, sizeof(type)) : mem_calloc(n + 1, sizeof(type));
	FACT_COLUMNS(FACT_COLUMN_GROW)
#undef FACT_COLUMN_GROW
}

/* Gives the arrays another length, without clearing what is new. */
static inline void columns_resize(struct fact_columns *c, size_t n)
{
#define FACT_COLUMN_RESIZE(name, type, add)                                                                            \
	if (c->name)                                                                                                   \
		c->name = mem_realloc(c->name, n + 1, sizeof(type));
	FACT_COLUMNS(FACT_COLUMN_RESIZE)
#undef FACT_COLUMN_RESIZE
}

static inline void columns_free(struct fact_columns *c)
{
#define FACT_COLUMN_FREE(name, type, add) free(c->name);
	FACT_COLUMNS(FACT_COLUMN_FREE)
#undef FACT_COLUMN_FREE
	*c = (struct fact_columns){0};
}

/* Bytes beside each fact. */
static inline size_t columns_bytes(const struct fact_columns *c)
{
	size_t bytes = 0;
#define FACT_COLUMN_BYTES(name, type, add) bytes += c->name ? sizeof(type) : 0;
	FACT_COLUMNS(FACT_COLUMN_BYTES)
#undef FACT_COLUMN_BYTES
	return bytes;
}

/* Copies the numbers of one fact, of the kinds that `to` has; 0 for those that `from` lacks. */
static inline void columns_set(struct fact_columns *to, size_t at, const struct fact_columns *from, size_t from_at)
{
#define FACT_COLUMN_SET(name, type, add)                                                                               \
	if (to->name)                                                                                                  \
		to->name[at] = from->name ? from->name[from_at] : (type){0};
	FACT_COLUMNS(FACT_COLUMN_SET)
#undef FACT_COLUMN_SET
}

/* Adds them. */
static inline void columns_add(struct fact_columns *to, size_t at, const struct fact_columns *from, size_t from_at)
{
#define FACT_COLUMN_ADD(name, type, add)                                                                               \
	if (to->name && from->name)                                                                                    \
		to->name[at] = add(to->name[at], from->name[from_at]);
	FACT_COLUMNS(FACT_COLUMN_ADD)
#undef FACT_COLUMN_ADD
}

#endif
