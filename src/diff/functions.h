/* What the symbol tables of both sides say of the functions of rows. */
#ifndef DIFF_FUNCTIONS_H
#define DIFF_FUNCTIONS_H

#include <cyctop/diff.h>

/* May be NULL. */
void functions_destroy(struct diff_functions *f);

#endif
