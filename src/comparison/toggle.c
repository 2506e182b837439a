#include <cyctop/comparison.h>

#include <stdio.h>

static const char names[SESSION_SIDES] = {'A', 'B'};

void toggle_begin(struct toggle *t, const struct session *s, size_t side)
{
	t->on = true;
	t->side = side;
	/* + 1: the interval that is open now began before the turn, so it is not part of the turn */
	t->from_ns = session_now_ns(s) + 1;
}

bool toggle_finish(struct toggle *t, struct session *s, const char **limit_ret)
{
	return session_add_turn(s, t->side, (struct stretch){t->from_ns, session_now_ns(s)}, limit_ret);
}

void toggle_say(const struct toggle *t, struct session *s, const char *limit, char *text, size_t cap)
{
	size_t pairs = session_turn_pairs(s);
	int n = snprintf(text, cap, "Turn %c is measured now; %zu pair%s so far", names[t->side], pairs,
			 pairs == 1 ? "" : "s");
	if (n < 0 || (size_t)n >= cap)
		return;
	if (limit)
		snprintf(text + n, cap - (size_t)n, ": %s.", limit);
	else if (pairs < COMPARE_PAIRS_MIN)
		snprintf(text + n, cap - (size_t)n, ", %d are needed.", COMPARE_PAIRS_MIN);
	else
		snprintf(text + n, cap - (size_t)n, ".");
}

void toggle_next(struct toggle *t, struct session *s, char *text, size_t cap)
{
	const char *limit;
	size_t side = t->on ? 1 - t->side : 0;
	if (!t->on) {
		toggle_begin(t, s, side);
		snprintf(text, cap,
			 "Turn %c is measured now. Switch to %c and press t, then back and t, and so on: %d pairs are "
			 "needed. B ends it.",
			 names[side], names[1 - side], COMPARE_PAIRS_MIN);
		return;
	}
	if (!toggle_finish(t, s, &limit)) {
		toggle_begin(t, s, t->side);
		snprintf(text, cap,
			 "Turn %c had no whole refresh, and does not count: it begins anew. Stay in %c, or go back to "
			 "it.",
			 names[t->side], names[t->side]);
		return;
	}
	toggle_begin(t, s, side);
	toggle_say(t, s, limit, text, cap);
}

void toggle_end(struct toggle *t, struct session *s)
{
	session_forget_turns(s);
	*t = (struct toggle){0};
}
