/* Room source: checks what can be measured on this machine by this user; each check gives a struct doctor_line. */
#ifndef CYCTOP_DOCTOR_H
#define CYCTOP_DOCTOR_H

#include <cyctop/base.h>

enum doctor_state { DOCTOR_OK, DOCTOR_LIMITED, DOCTOR_NO, DOCTOR_UNKNOWN };

struct doctor_line {
	const char *check, *name; /* `check`: id in JSON, never renamed; `name`: in text output */
	enum doctor_state state;
	bool aside;	     /* the check is of something optional: without it, nothing less is measured */
	char what[280];	     /* the state, in words */
	char evidence[1100]; /* the file or probe that was looked at, and its value */
	char remedy[400];    /* command that improves the state, or why there is none; "": nothing to improve */
};
enum { DOCTOR_LINES = 19 };

/* Runs all checks.  Opens and closes events, drops privileges, then reads /proc and /sys; changes nothing on the
 * machine. */
void doctor_examine(struct doctor_line ret[static DOCTOR_LINES]);
const char *doctor_state_name(enum doctor_state state);
/* Returns true if the checked state limits what cyctop can measure. */
bool doctor_limits(const struct doctor_line *line);

#endif
