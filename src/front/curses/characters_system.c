#include "front/curses/characters.h"

#include <langinfo.h>
#include <locale.h>
#include <strings.h>

bool characters_are_utf8(void)
{
	if (!setlocale(LC_CTYPE, "") && characters_named_utf8())
		setlocale(LC_CTYPE, "C.UTF-8");
	return strcasecmp(nl_langinfo(CODESET), "UTF-8") == 0;
}
