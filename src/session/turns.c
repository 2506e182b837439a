#include "base/alloc.h"
#include "base/limits.h"
#include "session/internal.h"

#include <stdlib.h>

/* Returns the number of complete pairs of turns (A and B); sets *bytes_ret to the memory of all turns. */
static size_t count(struct model *const sides[SESSION_SIDES], size_t *bytes_ret)
{
	size_t least = SIZE_MAX, bytes = 0;
	for (size_t i = 0; i < SESSION_SIDES; i++) {
		size_t own = 0, n = sides[i] ? model_turns(sides[i], &own) : 0;
		least = n < least ? n : least;
		bytes += own;
	}
	*bytes_ret = bytes;
	return least;
}

/* Drops pairs of turns, oldest first, until the limits hold, but keeps the newest pair.  Returns true if it dropped
 * any, and sets *reached_ret to the limit. */
static bool bound(struct model *const sides[SESSION_SIDES], enum limit *reached_ret)
{
	size_t bytes, pairs;
	bool reached = false;
	while ((pairs = count(sides, &bytes)) > 1 && (pairs > LIMIT_TURN_PAIRS || bytes > LIMIT_TURNS_BYTES)) {
		*reached_ret = pairs > LIMIT_TURN_PAIRS ? REACHED_TURN_PAIRS : REACHED_TURNS_BYTES;
		reached = true;
		for (size_t i = 0; i < SESSION_SIDES; i++)
			model_drop_turn(sides[i]);
	}
	return reached;
}

bool session_add_turn(struct session *s, size_t side, struct stretch of, const char **limit_ret)
{
	enum limit reached;
	*limit_ret = NULL;
	if (side >= SESSION_SIDES || !model_add_turn(&s->turns[side], s->model, of))
		return false;
	if (bound(s->turns, &reached))
		*limit_ret = limit_row(reached)->sentence;
	return true;
}

size_t session_turn_pairs(struct session *s)
{
	size_t bytes;
	return count(s->turns, &bytes);
}

void session_forget_turns(struct session *s)
{
	for (size_t i = 0; i < SESSION_SIDES; i++) {
		model_destroy(s->turns[i]);
		s->turns[i] = NULL;
	}
}

struct snapshot *session_snapshot_turns(struct session *s, size_t side, const struct query *query)
{
	size_t pairs = session_turn_pairs(s), bytes;
	if (!pairs || side >= SESSION_SIDES)
		return NULL;
	size_t n = model_turns(s->turns[side], &bytes);
	struct snapshot_interval *of = mem_calloc(n, sizeof(*of));
	model_newest(s->turns[side], 0, n, of);
	struct query q = session_complete(s, query);
	q.stretch = (struct stretch){of[0].start_ns, of[pairs - 1].end_ns};
	free(of);
	return snapshot_create(s->turns[side], session_names(s), &q);
}
