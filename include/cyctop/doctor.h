/* Room source: what this machine and this user can measure, a line a check. */
#ifndef CYCTOP_DOCTOR_H
#define CYCTOP_DOCTOR_H

#include <cyctop/base.h>

enum doctor_state { DOCTOR_OK, DOCTOR_LIMITED, DOCTOR_NO, DOCTOR_UNKNOWN };

struct doctor_line {
	const char *check, *name; /* `check`: for programs, never changes */
	enum doctor_state state;
	bool aside;	     /* cyctop itself measures the same without it */
	char what[280];	     /* of the machine, in a few words */
	char evidence[1100]; /* the file or the probe with its value */
	char remedy[400];    /* the command that changes it, or why none can; "": nothing to change */
};
enum { DOCTOR_LINES = 19 };

/* Opens events for a moment, and closes them; reads /proc and /sys; gives up privileges between the two.  It
 * changes nothing of the machine. */
void doctor_examine(struct doctor_line ret[static DOCTOR_LINES]);
const char *doctor_state_name(enum doctor_state state);
/* Does a line say that less is measured than could be? */
bool doctor_limits(const struct doctor_line *line);

#endif
