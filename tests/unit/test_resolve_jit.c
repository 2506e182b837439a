/* Perf maps, jitdump files, and the tables that are made of them. */
#include "base/limits.h"
#include "resolve/jit/jit.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static int setup(void **state)
{
	struct jit_list *l = mem_calloc(1, sizeof(*l));
	jit_list_init(l);
	*state = l;
	return 0;
}

static int teardown(void **state)
{
	jit_list_deinit(*state);
	free(*state);
	return 0;
}

/* The name at an address; NULL: it has none. */
static char *name_at(const struct jit_list *l, uint64_t addr)
{
	static char buf[64];
	struct jit_table *t = jit_table_create(l, ORIGIN_PERF_MAP, false);
	struct symtab_hit hit;
	bool found = jit_table_find(t, addr, UINT64_MAX, &hit);
	if (found) {
		assert_int_equal(hit.origin, ORIGIN_PERF_MAP);
		snprintf(buf, sizeof(buf), "%s", hit.name);
	}
	jit_table_destroy(t);
	return found ? buf : NULL;
}

static size_t read_map(struct jit_list *l, const char *text, bool whole)
{
	return perf_map_read(text, strlen(text), whole, jit_list_add, l);
}

static void perf_map_lines(void **state)
{
	struct jit_list *l = *state;
	static const char text[] = "7f00001000 40 first\n"
				   "0x7F00001040 0x20 LazyCompile:~f g.js:1:2 \r\n"
				   "  7f00001060\t10  tabs \n";
	assert_int_equal(read_map(l, text, false), sizeof(text) - 1);
	assert_int_equal(l->code.n, 3);
	assert_null(name_at(l, 0x7f00000fff));
	assert_string_equal(name_at(l, 0x7f00001000), "first");
	assert_string_equal(name_at(l, 0x7f0000103f), "first");
	assert_string_equal(name_at(l, 0x7f00001040), "LazyCompile:~f g.js:1:2");
	assert_string_equal(name_at(l, 0x7f0000106f), "tabs");
	assert_null(name_at(l, 0x7f00001070));
}

static void perf_map_skips_malformed_lines(void **state)
{
	struct jit_list *l = *state;
	static const char text[] = "\n\n \nhello\n1000\n1000 10\n1000 10 \n1000 0 nothing\n-1000 10 sign\n"
				   "zz 10 digits\n1000 10g tail\nffffffffffffffff 10 wraps\n"
				   "11112222333344445 10 long\n1000 11112222333344445 long\n0x 1 x\n2000 10 good\n";
	assert_int_equal(read_map(l, text, false), sizeof(text) - 1);
	assert_int_equal(l->code.n, 1);
	assert_string_equal(name_at(l, 0x2000), "good");
	perf_map_read("3000 10 a\0b\n", 12, false, jit_list_add, l);
	assert_int_equal(l->code.n, 1);
}

/* A map that is read in pieces gives the same result, wherever it is cut. */
static void perf_map_in_pieces(void **state)
{
	struct jit_list *l = *state;
	static const char text[] = "1000 10 one\n2000 10 two and more\n3000 10 three";
	size_t n = sizeof(text) - 1;
	for (size_t cut = 0; cut <= n; cut++) {
		l->code.n = 0;
		size_t at = perf_map_read(text, cut, false, jit_list_add, l);
		assert_true(at <= cut);
		at += perf_map_read(text + at, n - at, false, jit_list_add, l);
		assert_int_equal(l->code.n, 2);
		assert_string_equal(text + at, "3000 10 three");
		assert_int_equal(perf_map_read(text + at, n - at, true, jit_list_add, l), n - at);
		assert_int_equal(l->code.n, 3);
	}
	assert_string_equal(name_at(l, 0x300f), "three");
}

static void later_code_hides_earlier_code(void **state)
{
	struct jit_list *l = *state;
	read_map(l, "1000 100 old\n1040 20 inner\n", false);
	assert_string_equal(name_at(l, 0x103f), "old");
	assert_string_equal(name_at(l, 0x1040), "inner");
	assert_string_equal(name_at(l, 0x105f), "inner");
	assert_string_equal(name_at(l, 0x1060), "old");
	read_map(l, "1000 100 newer\n", false);
	assert_string_equal(name_at(l, 0x1040), "newer");
	read_map(l, "f80 100 before\n10ff 10 after\n", false);
	assert_string_equal(name_at(l, 0x107f), "before");
	assert_string_equal(name_at(l, 0x1080), "newer");
	assert_string_equal(name_at(l, 0x10fe), "newer");
	assert_string_equal(name_at(l, 0x10ff), "after");
	assert_string_equal(name_at(l, 0x110e), "after");
	assert_null(name_at(l, 0x110f));
}

/* Random overlapping code, compared with an array that has an entry for each byte. */
static void overlaps_agree_with_an_array(void **state)
{
	struct jit_list *l = *state;
	enum { BYTES = 512, CODES = 200 };
	uint32_t seed = 1, there[BYTES] = {0};
	for (uint32_t i = 1; i <= CODES; i++) {
		seed = seed * 1664525 + 1013904223;
		uint32_t start = seed >> 16 & 255, size = (seed >> 8 & 63) + 1;
		char name[16];
		snprintf(name, sizeof(name), "f%u", i);
		jit_list_add(l, &(struct jit_code){.addr = start, .size = size, .name = name, .name_n = strlen(name)});
		for (uint32_t k = start; k < start + size; k++)
			there[k] = i;
	}
	for (int round = 0; round < 2; round++) {
		struct jit_table *t = jit_table_create(l, ORIGIN_JITDUMP, true);
		for (uint32_t k = 0; k < BYTES; k++) {
			struct symtab_hit hit;
			assert_int_equal(jit_table_find(t, k, 1, &hit), there[k] != 0);
			if (there[k])
				assert_int_equal(strtoul(hit.name + 1, NULL, 10), there[k]);
		}
		jit_table_destroy(t);
		/* shrinking twice drops covered code, and no other */
		l->live = true;
		for (int twice = 0; twice < 2; twice++) {
			l->shrink_at = 0;
			jit_list_add(l, &(struct jit_code){.addr = 1 << 20, .size = 1, .name = "x", .name_n = 1});
		}
		assert_true(l->code.n < CODES);
	}
}

static void beyond_the_limit_the_oldest_code_is_dropped(void **state)
{
	struct jit_list *l = *state;
	l->max_bytes = 64 * 1024;
	for (uint64_t i = 0; i < 10000; i++) {
		char name[16];
		snprintf(name, sizeof(name), "f%u", (unsigned)i);
		jit_list_add(l, &(struct jit_code){.addr = i * 16, .size = 16, .name = name, .name_n = strlen(name)});
		assert_true(jit_list_bytes(l) <= 80 * 1024);
	}
	assert_true(limit_is_reached(&l->reached, REACHED_JIT_PROCESS_BYTES));
	assert_false(limit_is_reached(&l->reached, REACHED_JIT_BYTES));
	assert_string_equal(name_at(l, 9999 * 16), "f9999");
	assert_string_equal(name_at(l, 9800 * 16), "f9800");
	assert_null(name_at(l, 0));
}

/* ---- code by time ----------------------------------------------------------------------- */

static void tell(struct jit_list *l, uint64_t addr, uint64_t size, uint64_t time_ns, const char *name)
{
	jit_list_add(l, &(struct jit_code){
				.addr = addr, .size = size, .time_ns = time_ns, .name = name, .name_n = strlen(name)});
}

/* Checks the name at an address and time; "": it has none. */
static void assert_then(const struct jit_table *t, uint64_t addr, uint64_t time_ns, const char *name)
{
	struct symtab_hit hit;
	bool found = jit_table_find(t, addr, time_ns, &hit);
	assert_string_equal(found ? hit.name : "", name);
	if (found)
		assert_true(hit.addr <= addr && addr - hit.addr < hit.size && hit.origin == ORIGIN_JITDUMP);
}

/* An address that is used again: each sample gets the code of its time. */
static void code_at_a_reused_address(void **state)
{
	struct jit_list *l = *state;
	tell(l, 0x1000, 0x100, 10, "first");
	tell(l, 0x1000, 0x40, 20, "second");
	tell(l, 0x3000, 0x10, 20, "alone");
	tell(l, 0x1020, 0x40, 30, "third");
	tell(l, 0x1000, 0x100, 40, "first"); /* the same code again */
	struct jit_table *t = jit_table_create(l, ORIGIN_JITDUMP, true);
	assert_then(t, 0x1000, 9, "");
	assert_then(t, 0x1000, 10, "first");
	assert_then(t, 0x1000, 19, "first");
	assert_then(t, 0x1000, 20, "second");
	assert_then(t, 0x103f, 29, "second");
	assert_then(t, 0x1040, 29, "first");
	assert_then(t, 0x103f, 30, "third");
	assert_then(t, 0x101f, 39, "second");
	assert_then(t, 0x105f, 39, "third");
	assert_then(t, 0x1060, 39, "first");
	assert_then(t, 0x1020, 40, "first");
	assert_then(t, 0x1020, UINT64_MAX, "first");
	assert_then(t, 0x3000, 19, "");
	assert_then(t, 0x3000, 20, "alone");
	jit_table_destroy(t);
	jit_list_forget_times(l);
	t = jit_table_create(l, ORIGIN_JITDUMP, false);
	assert_then(t, 0x1000, 0, "first");
	assert_then(t, 0x3000, 0, "alone");
	jit_table_destroy(t);
}

/* Moved code is at its new address from that time on; code of unknown name that moved there
 * hides the code that was there. */
static void code_that_moved_by_time(void **state)
{
	struct jit_list *l = *state;
	struct jit_code code = {.addr = 0x1000, .size = 0x10, .time_ns = 10, .index = 7, .numbered = true, .name = "m"};
	code.name_n = 1;
	jit_list_add(l, &code);
	code.time_ns = 20, code.addr = 0x2000, code.moved = true;
	jit_list_add(l, &code);
	tell(l, 0x1000, 0x10, 30, "other");
	code.time_ns = 40, code.addr = 0x2000, code.index = 99;
	jit_list_add(l, &code);
	struct jit_table *t = jit_table_create(l, ORIGIN_JITDUMP, true);
	assert_then(t, 0x2000, 19, "");
	assert_then(t, 0x2000, 39, "m");
	assert_then(t, 0x2000, 40, "");
	assert_then(t, 0x1000, 29, "m");
	assert_then(t, 0x1000, 30, "other");
	jit_table_destroy(t);
}

/* Of an entry in a perf map, only the time of the read is known. */
static void code_that_appears_late_in_the_map(void **state)
{
	struct jit_list *l = *state;
	tell(l, 0x1000, 0x100, 0, "out_of_date");
	tell(l, 0x1000, 0x100, 0, "early");
	tell(l, 0x1000, 0x40, 20, "not this");
	tell(l, 0x1000, 0x40, 20, "later");
	tell(l, 0x2000, 0x40, 20, "late");
	tell(l, 0x2000, 0x40, 30, "latest");
	tell(l, 0x2040, 0x40, 30, "new");
	struct jit_table *t = jit_table_create(l, ORIGIN_JITDUMP, false);
	assert_then(t, 0x1000, 19, "early");
	assert_then(t, 0x1040, 99, "early");
	assert_then(t, 0x1000, 20, "later");
	assert_then(t, 0x2000, 10, "late"); /* no other code is known to have been at this address */
	assert_then(t, 0x2000, 29, "late");
	assert_then(t, 0x2000, 30, "latest");
	assert_then(t, 0x2040, 1, "new");
	assert_then(t, 0x2080, 1, "");
	jit_table_destroy(t);
}

/* Random overlapping code at random times, compared with a search through all entries. */
static void times_agree_with_a_list(void **state)
{
	struct jit_list *l = *state;
	enum { BYTES = 320, CODES = 300 };
	uint32_t seed = 7;
	for (uint32_t i = 0; i < CODES; i++) {
		char name[16];
		seed = seed * 1664525 + 1013904223;
		snprintf(name, sizeof(name), "f%u", i);
		tell(l, seed >> 16 & 255, (seed >> 8 & 63) + 1, i / 2 + 1, name);
	}
	struct jit_table *t = jit_table_create(l, ORIGIN_JITDUMP, true);
	for (uint64_t time = 0; time <= CODES / 2 + 1; time += 3)
		for (uint64_t addr = 0; addr < BYTES; addr++) {
			const char *want = "";
			for (size_t i = 0; i < l->code.n; i++) {
				const struct jit_entry *e = &l->code.data[i];
				if (e->from_ns <= time && addr >= e->addr && addr - e->addr < e->size)
					want = e->name;
			}
			assert_then(t, addr, time, want);
		}
	jit_table_destroy(t);
}

/* ---- jitdump ------------------------------------------------------------------- */

struct dump {
	uint8_t bytes[4096];
	size_t n;
	bool swap;
};

static void put32(struct dump *d, uint32_t v)
{
	v = d->swap ? __builtin_bswap32(v) : v;
	memcpy(d->bytes + d->n, &v, 4);
	d->n += 4;
}

static void put64(struct dump *d, uint64_t v)
{
	v = d->swap ? __builtin_bswap64(v) : v;
	memcpy(d->bytes + d->n, &v, 8);
	d->n += 8;
}

static void put_header(struct dump *d, uint32_t magic, uint32_t version, uint32_t size)
{
	put32(d, magic);
	put32(d, version);
	put32(d, size);
	put32(d, 62); /* EM_X86_64 */
	put32(d, 0);
	put32(d, 4711);
	put64(d, 1);
	put64(d, 0);
	for (uint32_t at = 40; at < size; at++)
		d->bytes[d->n++] = 0xee;
}

static void put_prefix(struct dump *d, uint32_t id, uint32_t size)
{
	put32(d, id);
	put32(d, size);
	put64(d, 5);
}

static void put_load(struct dump *d, uint64_t addr, uint32_t size, uint64_t index, const char *name)
{
	uint32_t name_n = (uint32_t)strlen(name) + 1;
	put_prefix(d, 0, 56 + name_n + size);
	put32(d, 4711);
	put32(d, 4712);
	put64(d, addr);
	put64(d, addr);
	put64(d, size);
	put64(d, index);
	memcpy(d->bytes + d->n, name, name_n);
	d->n += name_n;
	memset(d->bytes + d->n, 0xcc, size);
	d->n += size;
}

static void put_move(struct dump *d, uint64_t from, uint64_t to, uint64_t size, uint64_t index)
{
	put_prefix(d, 1, 64);
	put32(d, 4711);
	put32(d, 4712);
	put64(d, to);
	put64(d, from);
	put64(d, to);
	put64(d, size);
	put64(d, index);
}

/* All types of records; the header is longer than the one we know. */
static struct dump dump_made(bool swap)
{
	struct dump d = {.swap = swap};
	put_header(&d, 0x4a695444, 1, 48);
	put_load(&d, 0x1000, 0x40, 1, "first");
	put_prefix(&d, 2, 32); /* debug info */
	put64(&d, 0x1000);
	put64(&d, 0);
	put_load(&d, 0x2000, 0x40, 2, "second");
	put_prefix(&d, 4, 24); /* unwinding info */
	put64(&d, 0);
	put_move(&d, 0x1000, 0x3000, 0x40, 1);
	put_prefix(&d, 77, 16); /* an unknown type */
	put_load(&d, 0x2000, 0x20, 3, "third");
	return d;
}

static void check_made(const struct jit_list *l)
{
	assert_string_equal(name_at(l, 0x303f), "first"); /* its new address */
	assert_string_equal(name_at(l, 0x1000), "first"); /* the old address is kept for older samples */
	assert_string_equal(name_at(l, 0x201f), "third");
	assert_string_equal(name_at(l, 0x2020), "second");
	assert_null(name_at(l, 0x2040));
}

static void jitdump_of_both_byte_orders(void **state)
{
	(void)state;
	for (int swap = 0; swap < 2; swap++) {
		struct jit_list l;
		jit_list_init(&l);
		struct dump d = dump_made(swap);
		struct jitdump j = {0};
		assert_int_equal(jitdump_read(&j, d.bytes, d.n, jit_list_add, &l), d.n);
		assert_null(j.why);
		assert_int_equal(j.pid, 4711);
		assert_int_equal(j.time_ns, 1);
		assert_false(j.ticks);
		assert_int_equal(l.code.data[0].from_ns, 5);
		assert_int_equal(j.machine, 62);
		assert_false(j.closed);
		assert_int_equal(j.damaged, 0);
		check_made(&l);
		jit_list_deinit(&l);
	}
}

/* A dump that grows: at any sizes, no record is read twice or lost. */
static void jitdump_in_pieces(void **state)
{
	(void)state;
	struct dump d = dump_made(false);
	for (size_t step = 1; step < 60; step++) {
		struct jit_list l;
		jit_list_init(&l);
		struct jitdump j = {0};
		uint64_t at = 0;
		for (size_t n = 0; n < d.n + step; n += step) {
			size_t there = n < d.n ? n : d.n;
			uint8_t *exact = mem_calloc(there + 1, 1);
			memcpy(exact, d.bytes, there);
			if (at < there)
				at += jitdump_read(&j, exact + at, there - (size_t)at, jit_list_add, &l);
			free(exact);
		}
		assert_int_equal(at, d.n);
		assert_int_equal(l.code.n, 4);
		check_made(&l);
		jit_list_deinit(&l);
	}
}

static void jitdump_ends(void **state)
{
	struct jit_list *l = *state;
	struct dump d = dump_made(false);
	struct jitdump j = {0};
	put_prefix(&d, 3, 16);
	size_t end = d.n;
	put_load(&d, 0x9000, 0x10, 9, "late");
	assert_int_equal(jitdump_read(&j, d.bytes, d.n, jit_list_add, l), end);
	assert_true(j.closed);
	assert_int_equal(jitdump_read(&j, d.bytes + end, d.n - end, jit_list_add, l), 0);
	assert_null(name_at(l, 0x9000));
}

static void files_that_are_not_jitdumps(void **state)
{
	struct jit_list *l = *state;
	static const struct {
		uint32_t magic, version, size;
	} bad[] = {{0x12345678, 1, 40}, {0x4a695444, 2, 40}, {0x4a695444, 1, 39}};
	for (size_t i = 0; i < ARRAY_LEN(bad); i++) {
		struct dump d = {0};
		struct jitdump j = {0};
		put_header(&d, bad[i].magic, bad[i].version, bad[i].size < 40 ? 40 : bad[i].size);
		if (bad[i].size < 40)
			d.bytes[8] = (uint8_t)bad[i].size;
		put_load(&d, 0x1000, 0x10, 1, "f");
		assert_int_equal(jitdump_read(&j, d.bytes, d.n, jit_list_add, l), 0);
		assert_non_null(j.why);
	}
	assert_int_equal(l->code.n, 0);
}

static void jitdump_with_damage(void **state)
{
	struct jit_list *l = *state;
	struct dump d = {0};
	struct jitdump j = {0};
	put_header(&d, 0x4a695444, 1, 40);
	put_prefix(&d, 0, 40); /* a LOAD record that is too small for its fields */
	put64(&d, 0), put64(&d, 0), put64(&d, 0);
	put_load(&d, 0x1000, 0x10, 1, "");
	put_load(&d, 0x1000, 0, 1, "no size");
	put_load(&d, UINT64_MAX - 4, 0x10, 1, "wraps");
	put_move(&d, 0x1000, 0x4000, 0x10, 99); /* a MOVE of code that was never loaded */
	put_load(&d, 0x5000, 0x10, 2, "good");
	size_t end = d.n;
	put_prefix(&d, 0, 8);
	put_load(&d, 0x6000, 0x10, 3, "behind it");
	assert_int_equal(jitdump_read(&j, d.bytes, d.n, jit_list_add, l), end);
	assert_int_equal(j.damaged, 4);
	assert_non_null(j.why);
	assert_string_equal(name_at(l, 0x5000), "good");
	assert_null(name_at(l, 0x4000));
	assert_null(name_at(l, 0x6000));
}

static void jitdump_with_a_long_name(void **state)
{
	struct jit_list *l = *state;
	enum { NAME = 20000 };
	struct dump d = {0};
	put_header(&d, 0x4a695444, 1, 40);
	put_prefix(&d, 0, 56 + NAME);
	put64(&d, 0), put64(&d, 0), put64(&d, 0x1000), put64(&d, 0x10), put64(&d, 1);
	uint8_t *bytes = mem_calloc(JITDUMP_PIECE, 1);
	memset(bytes, 'n', JITDUMP_PIECE);
	memcpy(bytes, d.bytes, d.n);
	struct jitdump j = {0};
	assert_int_equal(jitdump_read(&j, bytes, JITDUMP_PIECE, jit_list_add, l), 40 + 56 + NAME);
	assert_int_equal(l->code.n, 1);
	assert_int_equal(strlen(l->code.data[0].name), 4096);
	free(bytes);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(perf_map_lines, setup, teardown),
		cmocka_unit_test_setup_teardown(perf_map_skips_malformed_lines, setup, teardown),
		cmocka_unit_test_setup_teardown(perf_map_in_pieces, setup, teardown),
		cmocka_unit_test_setup_teardown(later_code_hides_earlier_code, setup, teardown),
		cmocka_unit_test_setup_teardown(overlaps_agree_with_an_array, setup, teardown),
		cmocka_unit_test_setup_teardown(beyond_the_limit_the_oldest_code_is_dropped, setup, teardown),
		cmocka_unit_test_setup_teardown(code_at_a_reused_address, setup, teardown),
		cmocka_unit_test_setup_teardown(code_that_moved_by_time, setup, teardown),
		cmocka_unit_test_setup_teardown(code_that_appears_late_in_the_map, setup, teardown),
		cmocka_unit_test_setup_teardown(times_agree_with_a_list, setup, teardown),
		cmocka_unit_test(jitdump_of_both_byte_orders),
		cmocka_unit_test(jitdump_in_pieces),
		cmocka_unit_test_setup_teardown(jitdump_ends, setup, teardown),
		cmocka_unit_test_setup_teardown(files_that_are_not_jitdumps, setup, teardown),
		cmocka_unit_test_setup_teardown(jitdump_with_damage, setup, teardown),
		cmocka_unit_test_setup_teardown(jitdump_with_a_long_name, setup, teardown),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
