/* What a word that a command line cannot have was probably meant to be. */
#ifndef APP_NEAREST_H
#define APP_NEAREST_H

#include "app/option_rows.h"

/* What a word may be the name of. */
enum word_kind { WORD_OPTION, WORD_COMMAND, WORD_COLUMN, WORD_KEY, WORD_TABLE, WORD_FORMAT };

/* One sentence of what to do, to be added to a message behind the word: ": did you mean -s share?";
 * `otherwise` where no word is near. */
void words_advice(const char *word, enum word_kind wanted, const char *otherwise, char *buf, size_t cap);
/* The same of an option ("-g", "--graph") that a command does not have. */
void words_option_advice(const char *word, enum command_id command, char *buf, size_t cap);

#endif
