/* The parts of symbol tables: sorting, packed names, and the block that contains them. */
#include "resolve/table/block.h"
#include "resolve/table/names.h"
#include "resolve/table/sort.h"
#include "resolve/table/symtab.h"

#include <cyctop/base.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static uint64_t next(uint64_t *seed)
{
	*seed = *seed * 6364136223846793005u + 1442695040888963407u;
	return *seed >> 20 ^ *seed << 30;
}

/* ---- sorting ----------------------------------------------------------------------- */

/* Checks that the rows are in order and that none is missing. */
static void check_sorted(struct sort_row *rows, size_t n)
{
	uint64_t sum = 0, after = 0;
	for (size_t i = 0; i < n; i++) {
		rows[i].rest[0] = ~rows[i].key;
		rows[i].rest[1] = i;
		sum += rows[i].key * (i + 1);
	}
	sort_rows(rows, n);
	for (size_t i = 0; i < n; i++) {
		assert_true(i == 0 || rows[i - 1].key <= rows[i].key);
		assert_true(rows[i].rest[0] == ~rows[i].key);
		after += rows[i].key * (rows[i].rest[1] + 1);
	}
	assert_true(sum == after);
}

static void rows_of_any_kind(void **state)
{
	(void)state;
	enum { MOST = 100000 };
	struct sort_row *rows = calloc(MOST, sizeof(*rows));
	assert_non_null(rows);
	uint64_t seed = 1;
	static const size_t sizes[] = {0, 1, 2, 3, 24, 25, 26, 1000, MOST};
	static const uint64_t masks[] = {UINT64_MAX, 0xff, 0xfff0, UINT64_MAX << 40, 0xff000000000000ff, 0, 1};
	for (size_t s = 0; s < ARRAY_LEN(sizes); s++) {
		for (size_t m = 0; m < ARRAY_LEN(masks); m++) {
			for (size_t i = 0; i < sizes[s]; i++)
				rows[i].key = next(&seed) & masks[m];
			check_sorted(rows, sizes[s]);
			check_sorted(rows, sizes[s]);
		}
		for (size_t i = 0; i < sizes[s]; i++)
			rows[i].key = sizes[s] - i;
		check_sorted(rows, sizes[s]);
		/* a third in any order, then rows in order that begin below and end above, between or within those */
		for (size_t step = 1; step <= 100; step *= 10) {
			for (size_t i = 0; i < sizes[s]; i++)
				rows[i].key = i < sizes[s] / 3 ? 100 + next(&seed) % MOST : i * step;
			check_sorted(rows, sizes[s]);
		}
	}
	free(rows);
}

static void regions_of_any_size(void **state)
{
	(void)state;
	struct region r = {0};
	for (size_t i = 0; i < 300000; i++) {
		assert_true(region_reserve(&r, 1));
		r.data[r.n++] = (uint8_t)(i * 7);
	}
	region_trim(&r);
	assert_true(r.cap >= r.n);
	for (size_t i = 0; i < r.n; i++)
		assert_int_equal(r.data[i], (uint8_t)(i * 7));
	assert_false(region_reserve(&r, SIZE_MAX / 2));
	assert_int_equal(r.n, 300000);
	region_free(&r);
	assert_true(region_reserve(&r, 10));
	region_trim(&r);
	memset(r.data, 1, r.cap);
	region_free(&r);
	assert_null(r.data);
	region_free(&r);
}

/* ---- names -------------------------------------------------------------------------- */

static size_t make_name(uint64_t *seed, char *buf, size_t cap)
{
	static const char *const beginnings[] = {"",
						 "a",
						 "_ZN4made8internal",
						 "_ZN4made8internal5Class6method",
						 "_ZN4made8internal5Class6methodE\xc3\xa4\xff",
						 "\x01\x80"};
	size_t n = (size_t)snprintf(buf, cap, "%s", beginnings[next(seed) % ARRAY_LEN(beginnings)]);
	size_t more = next(seed) % 64 ? next(seed) % 40 : next(seed) % (cap - 64);
	for (size_t i = 0; i < more; i++)
		buf[n++] = (char)(next(seed) % 200 + 1);
	buf[n] = '\0';
	return n;
}

static void names_come_back_as_they_were(void **state)
{
	(void)state;
	enum { N = 20000, CAP = SYMTAB_NAME_MAX };
	struct names_writer p = {0};
	uint32_t *refs = calloc(N, sizeof(*refs));
	char name[CAP + 1], buf[CAP + 1];
	assert_non_null(refs);
	uint64_t seed = 7, again = 7;
	size_t total = 0;
	for (size_t i = 0; i < N; i++) {
		size_t n = make_name(&seed, name, CAP);
		total += n + 1;
		refs[i] = i % 100 == 99 ? names_add_whole(&p, name, n) : names_add(&p, name, n);
		assert_true(refs[i] != 0);
	}
	for (size_t i = 0; i < N; i++) {
		make_name(&again, name, CAP);
		assert_string_equal(names_get(p.bytes.data, p.bytes.n, refs[i], buf), name);
		if (i % 100 == 99)
			assert_string_equal((char *)p.bytes.data + refs[i], name);
	}
	assert_true(p.bytes.n <= total + sizeof(struct block_header));
	free(refs);
	region_free(&p.bytes);
}

static void names_alike_take_little(void **state)
{
	(void)state;
	struct names_writer p = {0};
	char name[128];
	size_t total = 0;
	for (unsigned i = 0; i < 10000; i++) {
		int n = snprintf(name, sizeof(name), "_ZN3one5space%u%s14method_%04x_ofEPKcS1_", i / 20 % 10,
				 i / 20 % 2 ? "9ClassName" : "14OtherClassName", i);
		total += (size_t)n + 1;
		assert_true(names_add(&p, name, (size_t)n) != 0);
	}
	assert_true(p.bytes.n < total * 2 / 3);
	region_free(&p.bytes);
}

/* ---- whole tables
 * ----------------------------------------------------------------------------- */

/* Many names for one address take no longer than many names for many addresses. */
static void a_hundred_thousand_aliases(void **state)
{
	(void)state;
	struct symtab_builder *b = symtab_builder_create();
	char name[64];
	for (unsigned i = 0; i < 100000; i++) {
		snprintf(name, sizeof(name), "alias_with_a_common_beginning_%06u", (i * 7919u + 1) % 100000);
		symtab_add(b, 0x1000, 16, name, 1, NULL);
	}
	struct symtab *t = symtab_finish(b);
	struct symtab_hit hit;
	assert_int_equal(symtab_count(t), 1);
	assert_true(symtab_find(t, 0x100f, &hit));
	assert_string_equal(hit.name, "alias_with_a_common_beginning_000000");
	symtab_destroy(t);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(rows_of_any_kind),
		cmocka_unit_test(regions_of_any_size),
		cmocka_unit_test(names_come_back_as_they_were),
		cmocka_unit_test(names_alike_take_little),
		cmocka_unit_test(a_hundred_thousand_aliases),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
