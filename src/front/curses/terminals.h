/* Terminfo descriptions that are built into cyctop, for machines without a terminfo database, or whose database lacks
 * the terminal. */
#ifndef FRONT_CURSES_TERMINALS_H
#define FRONT_CURSES_TERMINALS_H

#include <stddef.h>

struct terminal_entry {
	const char *name; /* a value of TERM */
	/* Name of the terminal that `description` is of: `name`, or a terminal that behaves in the same way. */
	const char *type;
	const char *description; /* "b64:...", the value of TERMINFO for this terminal */
};

/* Returns all entries.  They are made by infocmp when cyctop is built; without infocmp there are none. */
const struct terminal_entry *terminals_all(size_t *n_ret);
/* Returns the entry with this name; NULL: there is none. */
const struct terminal_entry *terminals_named(const char *name);
/* Returns the entry for an unknown terminal: the one whose name shares the longest beginning with `name`, as
 * xterm-256color with xterm-direct.  NULL: cyctop has no entries. */
const struct terminal_entry *terminals_like(const char *name);

#endif
