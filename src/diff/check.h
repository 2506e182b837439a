/* Checks what files of one side must have in common. */
#ifndef DIFF_CHECK_H
#define DIFF_CHECK_H

#include <cyctop/diff.h>

/* Returns true if both have the same events, in the same order. */
bool check_same_events(const struct diff_about *a, const struct diff_about *b);
/* Returns true if both texts are known, and differ. */
bool check_texts_differ(const char *a, const char *b);

#endif
