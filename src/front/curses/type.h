/* Finds the terminal type that ncurses shall use. */
#ifndef FRONT_CURSES_TYPE_H
#define FRONT_CURSES_TYPE_H

#include <cyctop/base.h>
#include <stdbool.h>

struct terminal_type {
	const char *name; /* for newterm(); valid as long as TERM is not changed */
	bool is_guess;	  /* the terminal type in TERM is unknown, and `name` is a similar one */
	bool is_set;	  /* TERMINFO was set to a description built into cyctop */
	char *before;	  /* the value that TERMINFO had before, owned; NULL: none */
};

/* Finds the type for newterm() in the terminfo database or, if it is not there, among the descriptions built into
 * cyctop.  TERMINFO has that description until terminal_type_end().  On failure, *err has the reason. */
CYC_MUST_CHECK int terminal_type_begin(int fd, struct terminal_type *ret, struct error *err);
/* Restores TERMINFO, which the programs that cyctop starts inherit. */
void terminal_type_end(struct terminal_type *t);

#endif
