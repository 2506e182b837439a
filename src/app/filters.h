/* What the command line says of whom to show, as filters of all tables. */
#ifndef APP_FILTERS_H
#define APP_FILTERS_H

#include "app/options.h"

/* -p, -t or -u; -C; --comm. */
enum { APP_FILTERS_MAX = 3 };

struct filters {
	struct filter v[APP_FILTERS_MAX];
	size_t n;
	char text[256]; /* all of them in words: "process 17, command 'sh'"; "": none */
};
/* Refers to `o`.  What is measured here is chosen when it is measured, so that only --comm
 * is left. */
void filters_init(const struct options *o, struct filters *ret);

#endif
