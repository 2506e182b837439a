/* Fuzzes the parsers of perf maps and jitdumps: reads any bytes at once and in two pieces, and
 * checks the table that is made of the result. */
#include "resolve/jit/jit.h"

#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check(bool ok)
{
	if (!ok)
		abort();
}

static void check_table(const struct jit_list *l, bool timed)
{
	struct jit_table *t = jit_table_create(l, ORIGIN_JITDUMP, timed);
	for (size_t i = 0; i < l->code.n && i < 64; i++) {
		const struct jit_entry *e = &l->code.data[i];
		const uint64_t times[] = {0, e->from_ns, UINT64_MAX};
		struct symtab_hit hit;
		check(e->size && e->addr + e->size > e->addr);
		for (size_t k = 0; k < ARRAY_LEN(times); k++)
			if (jit_table_find(t, e->addr, times[k], &hit))
				check(hit.name[0] && e->addr - hit.addr < hit.size);
	}
	jit_table_destroy(t);
}

static void read_dump(struct jit_list *l, const uint8_t *data, size_t size, size_t cut)
{
	struct jitdump d = {0};
	uint64_t at = jitdump_read(&d, data, cut, jit_list_add, l);
	for (uint64_t before = 1; at < size && before;) {
		before = jitdump_read(&d, data + at, size - (size_t)at, jit_list_add, l);
		check(before || d.why || d.closed || size - (size_t)at < JITDUMP_PIECE);
		at += before;
	}
}

static void read_map(struct jit_list *l, const uint8_t *data, size_t size, size_t cut)
{
	const char *text = (const char *)data;
	size_t at = perf_map_read(text, cut, false, jit_list_add, l);
	check(at <= cut);
	check(perf_map_read(text + at, size - at, true, jit_list_add, l) == size - at);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	size_t cuts[] = {size, size / 2}, codes[2][2];
	for (size_t i = 0; i < ARRAY_LEN(cuts); i++) {
		for (int map = 0; map < 2; map++) {
			struct jit_list l;
			jit_list_init(&l);
			l.max_bytes = 20000;
			(map ? read_map : read_dump)(&l, data, size, cuts[i]);
			codes[i][map] = l.code.n;
			check_table(&l, !map);
			jit_list_deinit(&l);
		}
	}
	check(codes[0][0] == codes[1][0] && codes[0][1] == codes[1][1]);
	return 0;
}
