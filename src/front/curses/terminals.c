#include "front/curses/terminals.h"

#include <cyctop/base.h>
#include <string.h>

static const struct terminal_entry entries[] = {
#include "terminals.inc"
	{NULL, NULL, NULL},
};

const struct terminal_entry *terminals_all(size_t *n_ret)
{
	*n_ret = ARRAY_LEN(entries) - 1;
	return entries;
}

const struct terminal_entry *terminals_named(const char *name)
{
	for (const struct terminal_entry *e = entries; e->name; e++)
		if (strcmp(e->name, name) == 0)
			return e;
	return NULL;
}

static size_t shared_start(const char *a, const char *b)
{
	size_t n = 0;
	while (a[n] && a[n] == b[n])
		n++;
	return n;
}

const struct terminal_entry *terminals_like(const char *name)
{
	enum { CHANCE = 1 }; /* a single common letter may be chance */
	const struct terminal_entry *like = NULL;
	size_t best = CHANCE;
	for (const struct terminal_entry *e = entries; e->name; e++) {
		size_t n = shared_start(e->name, name);
		if (n > best) {
			best = n;
			like = e;
		}
	}
	/* most terminals imitate xterm, and those with fewer colours show similar ones */
	return like ? like : terminals_named(strstr(name, "256color") ? "xterm-256color" : "xterm");
}
