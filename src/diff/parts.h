/* Functions shared by the files of src/diff. */
#ifndef DIFF_PARTS_H
#define DIFF_PARTS_H

#include <cyctop/diff.h>

/* incomparable.c: returns true if names[n], of a row, mean a function without a name in a rebuilt file: on each side,
 * the row may be other code.  `file`: receives the file's name. */
bool row_is_incomparable(const struct diff_config *config, const enum dimension_id *dims, const struct key_value *names,
			 size_t n, char *file, size_t cap);

/* check.c: returns true if both sides have the same events, in the same order. */
bool check_same_events(const struct diff_about *a, const struct diff_about *b);
/* Returns true if both texts are known (not ""), and differ. */
bool check_texts_differ(const char *a, const char *b);

/* functions.c: frees the functions; `f` may be NULL. */
void functions_destroy(struct diff_functions *f);

#endif
