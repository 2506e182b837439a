#include "model/group.h"

#include "base/alloc.h"

#include <stdlib.h>

void group_init(struct group *g, uint32_t ids_n, size_t events_n)
{
	*g = (struct group){
		.events_n = events_n,
		.row_of = mem_calloc(ids_n, sizeof(*g->row_of)),
		.ids_n = ids_n,
	};
}

struct table group_finish(struct group *g)
{
	struct table t = g->table;
	free(g->row_of);
	*g = (struct group){0};
	return t;
}

void table_deinit(struct table *t)
{
	for (size_t i = 0; i < t->n; i++)
		free(t->rows[i].sums);
	free(t->rows);
	*t = (struct table){0};
}

struct row *group_row(struct group *g, uint32_t id, bool *fresh_ret)
{
	uint32_t at = g->row_of[id];
	*fresh_ret = at == 0;
	if (at)
		return &g->table.rows[at - 1];
	if (g->table.n == g->cap)
		vec_grow((void **)&g->table.rows, &g->cap, g->table.n + 1, sizeof(*g->table.rows));
	struct row *row = &g->table.rows[g->table.n++];
	g->row_of[id] = (uint32_t)g->table.n;
	*row = (struct row){
		.sym = CATALOG_NONE,
		.task = CATALOG_NONE,
		.cpu = CATALOG_NONE,
		.top_sym = CATALOG_NONE,
		.sums = mem_calloc(g->events_n, sizeof(*row->sums)),
	};
	return row;
}
