/* Words as people type them: the known word that is nearest to one. */
#ifndef BASE_WORDS_H
#define BASE_WORDS_H

#include <cyctop/base.h>

/* The number of characters to insert, delete, replace or swap with their neighbour until both
 * words are equal, whatever their case.  WORD_FAR: one of them is longer than WORD_MAX. */
enum { WORD_MAX = 40, WORD_FAR = 1000 };
unsigned word_distance(const char *a, const char *b);

/* Are the words so near that one may be a misspelling of the other? */
bool word_is_near(const char *typed, const char *known);

#endif
