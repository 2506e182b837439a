/* Descriptions of terminals that are built into cyctop, for machines without a terminfo database, or whose database
 * lacks one. */
#ifndef FRONT_CURSES_TERMINALS_H
#define FRONT_CURSES_TERMINALS_H

#include <stddef.h>

struct terminal_entry {
	const char *name; /* a value of TERM */
	/* The terminal that is described: `name`, or one with the same behaviour. */
	const char *type;
	const char *description; /* "b64:...", for the variable TERMINFO */
};

/* Returns all entries, which infocmp printed when cyctop was built, if it was installed then. */
const struct terminal_entry *terminals_all(size_t *n_ret);
/* Returns the entry of this name; NULL: there is none. */
const struct terminal_entry *terminals_named(const char *name);
/* Returns the entry with the longest common beginning of names, for an unknown terminal: xterm-256color for
 * xterm-direct.  NULL: cyctop has no entries. */
const struct terminal_entry *terminals_like(const char *name);

#endif
