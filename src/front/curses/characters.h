/* Finds the encoding of the terminal's characters, by the locale that the environment names. */
#ifndef FRONT_CURSES_CHARACTERS_H
#define FRONT_CURSES_CHARACTERS_H

#include <stdbool.h>

/* Sets the locale's LC_CTYPE, and no other category, so that numbers keep the decimal point.  Returns whether the
 * terminal takes UTF-8: also where the environment names a locale of UTF-8 that is not installed.  A static executable
 * needs no locale that is installed (characters_static.c). */
bool characters_are_utf8(void);

/* Returns true if the environment names a locale of UTF-8. */
bool characters_named_utf8(void);

#endif
