/* Compares typed words with known ones, to find what was misspelt. */
#ifndef BASE_WORDS_H
#define BASE_WORDS_H

#include <cyctop/base.h>

/* Returns the edit distance of two words, ignoring case: insertions, deletions, replacements, and swaps of neighbours.
 * WORD_FAR if one of them is longer than WORD_MAX. */
enum { WORD_MAX = 40, WORD_FAR = 1000 };
unsigned word_distance(const char *a, const char *b);

/* Returns true if the typed word may be a misspelling, or the beginning, of the known one. */
bool word_is_near(const char *typed, const char *known);

#endif
