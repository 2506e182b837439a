/* Suggestions for unknown words of a command line: "did you mean ...?" */
#ifndef OPTIONS_NEAREST_H
#define OPTIONS_NEAREST_H

#include "options/rows.h"

/* Append advice to the message in *err: the most similar known word (": did you mean -s share?").  If none is similar:
 * unknown->otherwise, or for an option the hint that --help lists all options.  The second function is for an option
 * ("-g", "--graph") that `command` does not have. */
void words_advise(const struct unknown_word *unknown, struct error *err);
void words_advise_option(const char *word, enum command_id command, struct error *err);

#endif
