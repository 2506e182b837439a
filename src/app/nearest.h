/* Guesses what was meant by a word that a command line cannot have. */
#ifndef APP_NEAREST_H
#define APP_NEAREST_H

#include "app/option_rows.h"

/* The kinds of words that cyctop knows. */
enum word_kind { WORD_OPTION, WORD_COMMAND, WORD_COLUMN, WORD_KEY, WORD_TABLE, WORD_FORMAT, WORD_PRESET };

/* Writes one sentence of advice, to be added to a message after the word: ": did you mean -s share?"; `otherwise` if
 * no word is near. */
void words_advice(const char *word, enum word_kind wanted, const char *otherwise, char *buf, size_t cap);
/* Writes such a sentence for an option ("-g", "--graph") that a command does not have. */
void words_option_advice(const char *word, enum command_id command, char *buf, size_t cap);

/* -EINVAL: the option takes one of what values() lists, and not this word. */
int words_refuse(const char *option, const char *word, void (*values)(struct strbuf *ret), enum word_kind wanted,
		 struct error *err);

#endif
