/* Room source: what this machine and this user can measure, a line a check. */
#ifndef CYCTOP_DOCTOR_H
#define CYCTOP_DOCTOR_H

#include <cyctop/base.h>

enum doctor_state { DOCTOR_OK, DOCTOR_LIMITED, DOCTOR_NO, DOCTOR_UNKNOWN };

struct doctor_line {
	const char *check, *name; /* `check` is the id for programs, which never changes */
	enum doctor_state state;
	bool aside;	     /* cyctop measures the same without what this line is about */
	char what[280];	     /* the state in words */
	char evidence[1100]; /* file or probe, with its value */
	char remedy[400];    /* command that changes the state, or why none can; "": nothing to change */
};
enum { DOCTOR_LINES = 19 };

/* Fills the lines.  Opens events for a moment and closes them, gives up privileges, then reads /proc and /sys; changes
 * nothing of the machine. */
void doctor_examine(struct doctor_line ret[static DOCTOR_LINES]);
const char *doctor_state_name(enum doctor_state state);
/* Returns true if a line says that less is measured than could be. */
bool doctor_limits(const struct doctor_line *line);

#endif
