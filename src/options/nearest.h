/* Suggestions for unknown words of a command line: "did you mean ...?" */
#ifndef OPTIONS_NEAREST_H
#define OPTIONS_NEAREST_H

#include "options/rows.h"

/* Append advice to the message in *err: the most similar known word (": did you mean -s share?"); if no word is
 * similar, unknown->otherwise.  words_advise_option() is for an option ("-g", "--graph") that `command` does not have;
 * if no option is similar, it refers to --help. */
void words_advise(const struct unknown_word *unknown, struct error *err);
void words_advise_option(const char *word, enum command_id command, struct error *err);

#endif
