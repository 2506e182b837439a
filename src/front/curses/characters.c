#include "front/curses/characters.h"

#include <stdlib.h>
#include <string.h>

bool characters_named_utf8(void)
{
	const char *wanted = getenv("LC_ALL");
	if (!wanted || !*wanted)
		wanted = getenv("LC_CTYPE");
	if (!wanted || !*wanted)
		wanted = getenv("LANG");
	return wanted && (strcasestr(wanted, "utf-8") || strcasestr(wanted, "utf8"));
}
