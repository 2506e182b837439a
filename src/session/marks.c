/* Copies of the model: a frozen one, and one with the marked intervals that are a baseline. */
#include "session/internal.h"

#include <string.h>

void session_models(const struct session *s, struct model *ret[static SESSION_MODELS])
{
	struct model *const all[SESSION_MODELS] = {s->model, s->frozen, s->marked, s->turns[0], s->turns[1]};
	memcpy(ret, all, sizeof(all));
}

void session_freeze(struct session *s, bool frozen)
{
	if (frozen == (s->frozen != NULL))
		return;
	model_destroy(s->frozen);
	s->frozen = frozen ? model_copy(s->model) : NULL;
}

static bool keep_marked(struct session *s, struct model *marked)
{
	if (!marked)
		return false;
	model_destroy(s->marked);
	s->marked = marked;
	return true;
}

/* Returns the start of the oldest interval that can be marked.  Joined intervals cannot: one may be half an hour long,
 * but would count as much as an interval of one refresh. */
static uint64_t newest_since(const struct session *s, uint64_t since_ns)
{
	uint64_t unjoined_ns = model_unjoined_ns(session_shown(s));
	return since_ns > unjoined_ns ? since_ns : unjoined_ns;
}

bool session_mark(struct session *s, uint64_t since_ns, size_t most)
{
	return keep_marked(s, model_copy_newest(session_shown(s), newest_since(s, since_ns), most));
}

bool session_mark_stretch(struct session *s, struct stretch of, size_t most)
{
	return keep_marked(s, model_copy_stretch(session_shown(s), of, most));
}

void session_unmark(struct session *s)
{
	model_destroy(s->marked);
	s->marked = NULL;
}

size_t session_intervals(const struct session *s, bool marked, uint64_t since_ns, size_t most,
			 struct snapshot_interval *ret)
{
	if (!marked)
		return model_newest(session_shown(s), newest_since(s, since_ns), most, ret);
	return s->marked ? model_newest(s->marked, since_ns, most, ret) : 0;
}

struct snapshot *session_snapshot_marked(struct session *s, const struct query *query)
{
	struct query q = session_complete(s, query);
	q.window = WINDOW_SLIDING;
	q.sliding_ns = INT64_MAX;
	q.since_ns = 0;
	q.stretch = (struct stretch){0};
	return s->marked ? snapshot_create(s->marked, session_names(s), &q) : NULL;
}
