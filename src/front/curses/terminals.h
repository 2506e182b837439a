/* Terminals that cyctop knows where the machine has no terminfo database, or one without them. */
#ifndef FRONT_CURSES_TERMINALS_H
#define FRONT_CURSES_TERMINALS_H

#include <stddef.h>

struct terminal_entry {
	const char *name; /* a value of TERM */
	/* The terminal that is described: `name`, or one that behaves alike. */
	const char *type;
	const char *description; /* "b64:...", for the variable TERMINFO */
};

/* All entries: infocmp printed them when cyctop was built, where it was there. */
const struct terminal_entry *terminals_all(size_t *n_ret);
/* The entry of this name; NULL: there is none. */
const struct terminal_entry *terminals_named(const char *name);
/* The entry whose name begins most like this name, for a terminal that nothing is known of: xterm-256color for
 * xterm-direct.  NULL where cyctop has no entries. */
const struct terminal_entry *terminals_like(const char *name);

#endif
