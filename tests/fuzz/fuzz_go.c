/* Fuzzes the reader of Go's function tables.  The first byte gives the byte order; the rest is the table. */
#include "resolve/elf/go_table.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

struct seen {
	const uint8_t *from, *to;
	uint64_t n;
};

static void see(void *ctx, uint64_t start, uint64_t size, const char *name, size_t name_n)
{
	struct seen *s = ctx;
	const uint8_t *at = (const uint8_t *)name;
	s->n++;
	if (!size || start + size < start || !name_n || at < s->from || at + name_n >= s->to || memchr(name, 0, name_n))
		abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	if (size < 1)
		return 0;
	struct go_table t = {.data = data + 1, .n = size - 1, .big = data[0] & 1};
	struct seen seen = {.from = t.data, .to = t.data + t.n};
	uint64_t start, end;
	if (!go_table_open(&t) || !go_table_bounds(&t, &start, &end))
		return 0;
	go_table_read(&t, see, &seen);
	if (seen.n > t.functions)
		abort();
	return 0;
}
