/* Collects what the symbol tables of both sides have of the functions of rows. */
#ifndef DIFF_FUNCTIONS_H
#define DIFF_FUNCTIONS_H

#include <cyctop/diff.h>

/* Frees the functions; `f` may be NULL. */
void functions_destroy(struct diff_functions *f);

#endif
