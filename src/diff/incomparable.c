/* Finds rows that cannot be compared: functions without names, which are known by their addresses only.  In another
 * build of the file, other code is at the same address. */
#include "diff/parts.h"

#include "base/alloc.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Returns true for the placeholder of a function without a name, such as "[libfoo.so.5+0x159e0]", and writes the name
 * of its file to `file`: "libfoo.so.5". */
static bool is_address(const char *symbol, char *file, size_t cap)
{
	static const char mark[] = "+0x", hex[] = "0123456789abcdef";
	size_t n = strlen(symbol), at = n;
	if (symbol[0] != '[' || symbol[n - 1] != ']')
		return false;
	while (at && strncmp(symbol + at, mark, sizeof(mark) - 1) != 0)
		at--;
	size_t digits = at ? strspn(symbol + at + sizeof(mark) - 1, hex) : 0;
	if (at < 2 || !digits || at + sizeof(mark) - 1 + digits + 1 != n)
		return false;
	snprintf(file, cap, "%.*s", (int)(at - 1), symbol + 1);
	return true;
}

bool row_is_incomparable(const struct diff_config *config, const enum dimension_id *dims, const struct key_value *names,
			 size_t n, char *file, size_t cap)
{
	for (size_t i = 0; i < n && config->rebuilt; i++)
		if (dims[i] == DIM_SYMBOL && names[i].kind == KEY_TEXT && is_address(names[i].text, file, cap))
			return config->rebuilt(config->rebuilt_ctx, file);
	return false;
}

void diff_builds_add(struct diff_builds *b, const char *path, const uint8_t *build_id, size_t size)
{
	struct diff_build build = {.path = mem_strdup(path)};
	if (size && size <= sizeof(build.build_id)) {
		build.build_id_size = (uint8_t)size;
		memcpy(build.build_id, build_id, size);
	}
	b->v = mem_realloc(b->v, b->n + 1, sizeof(*b->v));
	b->v[b->n++] = build;
}

void diff_builds_deinit(struct diff_builds *b)
{
	for (size_t i = 0; i < b->n; i++)
		free(b->v[i].path);
	free(b->v);
	*b = (struct diff_builds){.v = NULL};
}
