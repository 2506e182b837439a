/* Finds out whether the terminal uses UTF-8, by the locale in the environment. */
#ifndef FRONT_CURSES_CHARACTERS_H
#define FRONT_CURSES_CHARACTERS_H

#include <stdbool.h>

/* Sets LC_CTYPE, and no other category of the locale, so that numbers keep the decimal point.  Returns true if the
 * terminal takes UTF-8, even if the UTF-8 locale that the environment names is not installed.  A static executable
 * needs no installed locale (characters_static.c). */
bool characters_are_utf8(void);

/* Returns true if the environment names a locale of UTF-8. */
bool characters_named_utf8(void);

#endif
