/* Turns of two states, A and B, one after the other: which one is being measured, and since when. */
#ifndef APP_TOGGLE_H
#define APP_TOGGLE_H

#include <cyctop/session.h>

struct toggle {
	bool on;
	size_t side;	  /* of the turn that is being measured: 0 is A, 1 is B */
	uint64_t from_ns; /* intervals that began before are not of it */
};

/* Ends the turn, and begins one of the other state; the first one is of A.  The interval in which that is belongs to
 * neither.  Writes to `text` what is measured now, and what to do. */
void toggle_next(struct toggle *t, struct session *s, char *text, size_t cap);
/* Forgets all turns. */
void toggle_end(struct toggle *t, struct session *s);

#endif
