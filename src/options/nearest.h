/* Guesses what was meant by a word that a command line cannot have. */
#ifndef OPTIONS_NEAREST_H
#define OPTIONS_NEAREST_H

#include "options/rows.h"

/* Append one sentence of advice to the message in an error, ": did you mean -s share?", or what is said otherwise: for
 * a word, and for an option ("-g", "--graph") that a command does not have. */
void words_advise(const struct unknown_word *unknown, struct error *err);
void words_advise_option(const char *word, enum command_id command, struct error *err);

#endif
