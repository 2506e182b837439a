/* Finds the terminal type that ncurses shall use. */
#ifndef FRONT_CURSES_TYPE_H
#define FRONT_CURSES_TYPE_H

#include <cyctop/base.h>
#include <stdbool.h>

struct terminal_type {
	const char *name; /* for newterm(); valid as long as TERM is not changed */
	bool is_guess;	  /* the terminal in TERM is unknown, and is taken for `name` */
	bool is_set;	  /* TERMINFO is set to cyctop's description */
	char *before;	  /* the former value of TERMINFO, or NULL; owned */
};

/* Finds the type for newterm() in the terminfo database, or else among the descriptions built into cyctop: then
 * TERMINFO is set to one until terminal_type_end().  On failure *err has the reason, which newterm() does not tell. */
CYC_MUST_CHECK int terminal_type_begin(int fd, struct terminal_type *ret, struct error *err);
/* Restores TERMINFO, for the programs that cyctop starts. */
void terminal_type_end(struct terminal_type *t);

#endif
