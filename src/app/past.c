#include "app/past.h"

#include "base/alloc.h"

#include <stdlib.h>

struct past {
	struct timeline timeline;
};

struct past *past_create(void)
{
	return mem_calloc(1, sizeof(struct past));
}

void past_destroy(struct past *p)
{
	if (!p)
		return;
	timeline_deinit(&p->timeline);
	free(p);
}

void past_update(struct past *p, struct session *s, struct view_state *st, int rows, int cols, struct view_input *in)
{
	in->past = (struct view_past){.extent = session_extent(s)};
	view_past_plan(st, in, rows, cols, &in->past);
	if (!in->past.n)
		return;
	const struct timeline_query query = {
		.query = &st->query,
		.event = in->past.event,
		.from_ns = in->past.from_ns,
		.column_ns = in->past.column_ns,
	};
	session_timeline(s, &query, in->past.n, &p->timeline);
	in->past.columns = p->timeline.columns;
}
