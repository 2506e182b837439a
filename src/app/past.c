#include "app/past.h"

void past_update(struct timeline *t, struct session *s, struct view_state *st, int rows, int cols,
		 struct view_input *in)
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
	session_timeline(s, &query, in->past.n, t);
	in->past.columns = t->columns;
}
