/* Finds rows that stand for different code on each side, although their names are the same. */
#ifndef DIFF_APART_H
#define DIFF_APART_H

#include <cyctop/diff.h>

/* Is the row with these names, [n], such a function of a file that was built anew? */
bool apart_is(const struct diff_config *config, const enum dimension_id *dims, const struct key_value *names, size_t n,
	      char *file, size_t cap);

#endif
