/* Groups facts into the rows of a table: one row an id. */
#ifndef MODEL_GROUP_H
#define MODEL_GROUP_H

#include <cyctop/model.h>

struct group {
	struct table table;
	size_t cap, events_n;
	uint32_t *row_of; /* [ids_n]: row + 1, 0 for none */
	uint32_t ids_n;
};
void group_init(struct group *g, uint32_t ids_n, size_t events_n);
/* Frees all but the table, which becomes the caller's. */
struct table group_finish(struct group *g);
void table_deinit(struct table *t);
/* The row of `id` (below ids_n); a new one is zeroed, and *fresh_ret says so.
 * Valid until the next call. */
struct row *group_row(struct group *g, uint32_t id, bool *fresh_ret);

#endif
