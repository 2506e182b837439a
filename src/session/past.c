/* Queries over intervals that the session keeps: time ranges and timelines. */
#include "session/internal.h"

struct stretch session_extent(const struct session *s)
{
	return model_extent(session_shown(s));
}

void session_timeline(struct session *s, const struct timeline_query *query, size_t n, struct timeline *t)
{
	const struct query q = session_complete(s, query->query);
	struct timeline_query completed = *query;
	completed.query = &q;
	timeline_update(t, session_shown(s), &completed, n);
}
