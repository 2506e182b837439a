/* Turns of two states, A and B, one after the other: which one is being measured, and since when. */
#ifndef APP_TOGGLE_H
#define APP_TOGGLE_H

#include <cyctop/session.h>

struct toggle {
	bool on;
	size_t side;	  /* of the turn that is being measured: 0 is A, 1 is B */
	uint64_t from_ns; /* intervals that began before are not of it */
};

/* Begins a turn of that state.  The interval in which that is belongs to no turn. */
void toggle_begin(struct toggle *t, const struct session *s, size_t side);
/* Ends it.  false: it had no whole interval, and does not count.  *limit_ret: why an earlier pair was dropped; NULL:
 * none was. */
bool toggle_finish(struct toggle *t, struct session *s, const char **limit_ret);
/* Ends the turn, and begins one of the other state; the first one is of A.  Writes to `text` what is measured now, and
 * what to do. */
void toggle_next(struct toggle *t, struct session *s, char *text, size_t cap);
/* Says which turn is measured, and how many pairs there are. */
void toggle_say(const struct toggle *t, struct session *s, const char *limit, char *text, size_t cap);
/* Forgets all turns. */
void toggle_end(struct toggle *t, struct session *s);

#endif
