/* Fuzzes the reader of Go's function tables.  The first byte gives the byte order; the rest is the table. */
#include "resolve/elf/go_table.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

struct seen {
	const struct go_table *table;
	const uint8_t *from, *to;
	uint64_t n;
};

enum { PLACES = 64 }; /* functions whose places are looked up */

static void check_place(const struct seen *s, const struct go_place *p)
{
	const uint8_t *file = (const uint8_t *)p->file;
	if (!p->line || !p->file_n || file < s->from || file + p->file_n >= s->to || memchr(p->file, 0, p->file_n))
		abort();
}

static void see_place(const struct seen *s, uint64_t start)
{
	struct go_place p;
	if (go_table_declared(s->table, start, &p))
		check_place(s, &p);
	if (go_table_line(s->table, start + 1, &p))
		check_place(s, &p);
}

static void see(void *ctx, uint64_t start, uint64_t size, const char *name, size_t name_n)
{
	struct seen *s = ctx;
	const uint8_t *at = (const uint8_t *)name;
	s->n++;
	if (!size || start + size < start || !name_n || at < s->from || at + name_n >= s->to || memchr(name, 0, name_n))
		abort();
	if (s->n <= PLACES)
		see_place(s, start);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	if (size < 1)
		return 0;
	struct go_table t = {.data = data + 1, .n = size - 1, .big = data[0] & 1};
	struct seen seen = {.table = &t, .from = t.data, .to = t.data + t.n};
	uint64_t start, end;
	if (!go_table_open(&t) || !go_table_bounds(&t, &start, &end))
		return 0;
	go_table_read(&t, see, &seen);
	if (seen.n > t.functions)
		abort();
	return 0;
}
