#include "base/alloc.h"
#include "base/limits.h"
#include "session/internal.h"

#include <stdlib.h>

void turns_forget(struct turns *t)
{
	for (size_t i = 0; i < SESSION_SIDES; i++) {
		model_destroy(t->sides[i]);
		t->sides[i] = NULL;
	}
}

void turns_rekey(const struct turns *t, const struct catalog *cat)
{
	for (size_t i = 0; i < SESSION_SIDES; i++)
		if (t->sides[i])
			model_rekey(t->sides[i], cat, NULL);
}

void turns_mark(const struct turns *t, const struct catalog *cat, struct catalog_used *used)
{
	for (size_t i = 0; i < SESSION_SIDES; i++)
		if (t->sides[i])
			model_mark(t->sides[i], cat, true, used);
}

/* Returns the number of complete pairs of turns; sets *bytes_ret to the memory of all turns. */
static size_t count(const struct turns *t, size_t *bytes_ret)
{
	size_t least = SIZE_MAX, bytes = 0;
	for (size_t i = 0; i < SESSION_SIDES; i++) {
		size_t own = 0, n = t->sides[i] ? model_turns(t->sides[i], &own) : 0;
		least = n < least ? n : least;
		bytes += own;
	}
	*bytes_ret = bytes;
	return least;
}

/* Drops pairs of turns, oldest first, until the limits hold, but keeps the newest pair.  Returns true if it dropped
 * any, and sets *reached_ret to the limit. */
static bool bound(struct turns *t, enum limit *reached_ret)
{
	size_t bytes, pairs;
	bool reached = false;
	while ((pairs = count(t, &bytes)) > 1 && (pairs > LIMIT_TURN_PAIRS || bytes > LIMIT_TURNS_BYTES)) {
		*reached_ret = pairs > LIMIT_TURN_PAIRS ? REACHED_TURN_PAIRS : REACHED_TURNS_BYTES;
		reached = true;
		for (size_t i = 0; i < SESSION_SIDES; i++)
			model_drop_turn(t->sides[i]);
	}
	return reached;
}

bool session_add_turn(struct session *s, size_t side, struct stretch of, const char **limit_ret)
{
	enum limit reached;
	struct turns *t = &s->turns;
	*limit_ret = NULL;
	if (side >= SESSION_SIDES || !model_add_turn(&t->sides[side], s->model, of))
		return false;
	if (bound(t, &reached))
		*limit_ret = limit_row(reached)->sentence;
	return true;
}

size_t session_turn_pairs(struct session *s)
{
	size_t bytes;
	return count(&s->turns, &bytes);
}

void session_forget_turns(struct session *s)
{
	turns_forget(&s->turns);
}

struct snapshot *session_snapshot_turns(struct session *s, size_t side, const struct query *query)
{
	const struct turns *t = &s->turns;
	size_t pairs = session_turn_pairs(s), bytes;
	if (!pairs || side >= SESSION_SIDES)
		return NULL;
	size_t n = model_turns(t->sides[side], &bytes);
	struct snapshot_interval *of = mem_calloc(n, sizeof(*of));
	model_newest(t->sides[side], 0, n, of);
	struct query q = session_complete(s, query);
	q.stretch = (struct stretch){of[0].start_ns, of[pairs - 1].end_ns};
	free(of);
	return snapshot_create(t->sides[side], session_names(s), &q);
}
