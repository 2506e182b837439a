#include "base/alloc.h"
#include "base/fmt.h"
#include "base/index.h"
#include "base/intern.h"
#include "base/proc_maps.h"
#include "base/strbuf.h"

#include <errno.h>
#include <locale.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static void mul_div_does_not_wrap(void **state)
{
	(void)state;
	assert_int_equal(u64_mul_div(10, 4, 1), 40);
	assert_int_equal(u64_mul_div(1ull << 62, 1ull << 40, 1ull << 41), 1ull << 61);
	assert_true(u64_mul_div(UINT64_MAX, 2, 1) == UINT64_MAX);
	assert_int_equal(u64_mul_div(5, 1, 0), 0);
	assert_true(u64_add_sat(UINT64_MAX - 1, 5) == UINT64_MAX);
}

static void errors_carry_code_and_text(void **state)
{
	(void)state;
	struct error err;
	assert_int_equal(error_set(&err, EACCES, "open %s", "x"), -EACCES);
	assert_string_equal(err.text, "open x");
	assert_int_equal(error_set(NULL, 0, "nobody reads this"), -EINVAL);
}

static bool same_key(const void *ctx, uint32_t pos)
{
	return *(const uint64_t *)ctx == pos * 3ull;
}

static void index_finds_after_growth_and_removal(void **state)
{
	(void)state;
	struct index ix;
	index_init(&ix);
	/* & 0xff: long probe sequences are part of the test */
	for (uint32_t i = 0; i < 2000; i++)
		index_add(&ix, hash_u64(i * 3ull) & ~0xffffff00000000ull, i);
	for (uint32_t i = 0; i < 2000; i += 2)
		index_remove(&ix, hash_u64(i * 3ull) & ~0xffffff00000000ull, i);
	for (uint64_t i = 0; i < 2000; i++) {
		uint64_t key = i * 3;
		uint32_t found = index_find(&ix, hash_u64(key) & ~0xffffff00000000ull, same_key, &key);
		assert_int_equal(found, i % 2 ? i : INDEX_NONE);
	}
	assert_int_equal(ix.n, 1000);
	index_deinit(&ix);
}

static void interned_strings_are_one(void **state)
{
	(void)state;
	struct intern *in = intern_create();
	const char *a = intern_string(in, "main"), *b = intern_bytes(in, "main+0x5", 4);
	assert_ptr_equal(a, b);
	assert_ptr_not_equal(a, intern_string(in, "mai"));
	assert_string_equal(intern_bytes(in, "ab\0cd", 5), "ab");
	char big[40000];
	memset(big, 'x', sizeof(big) - 1);
	big[sizeof(big) - 1] = 0;
	assert_ptr_equal(intern_string(in, big), intern_string(in, big));
	intern_destroy(in);
}

static void numbers_keep_their_width(void **state)
{
	(void)state;
	static const struct {
		double v;
		const char *text;
	} cases[] = {{0, "0"},	       {999, "999"},	  {9999, "9999"},   {9999.6, "10.0k"}, {12345, "12.3k"},
		     {999499, "999k"}, {999500, "1.00M"}, {1.5e9, "1.50G"}, {-1, "-"},	       {1e30, "inf"}};
	char buf[32];
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		fmt_si(buf, sizeof(buf), cases[i].v);
		assert_string_equal(buf, cases[i].text);
	}
	fmt_duration(buf, sizeof(buf), 62000000000ull);
	assert_string_equal(buf, "1:02");
	fmt_duration(buf, sizeof(buf), 3723ull * 1000000000);
	assert_string_equal(buf, "1:02:03");
	fmt_exact(buf, sizeof(buf), 0.1);
	assert_string_equal(buf, "0.1");
	fmt_fixed(buf, sizeof(buf), 2.345, 1);
	assert_string_equal(buf, "2.3");
}

static void strbuf_grows(void **state)
{
	(void)state;
	struct strbuf b = {0};
	for (int i = 0; i < 100; i++)
		strbuf_addf(&b, "%d,", i);
	assert_int_equal(b.n, 290);
	assert_memory_equal(b.data, "0,1,2,3,", 8);
	strbuf_deinit(&b);
}

static void lines_of_maps(void **state)
{
	(void)state;
	char text[200] = "7f00-8f00 r-xp 00001000 fe:1a 123456 /usr/lib/a b\\012c.so (deleted)";
	struct proc_map m;
	assert_true(proc_maps_line(text, &m));
	assert_int_equal(m.start, 0x7f00);
	assert_int_equal(m.end, 0x8f00);
	assert_int_equal(m.offset, 0x1000);
	assert_int_equal(m.maj, 0xfe);
	assert_int_equal(m.min, 0x1a);
	assert_int_equal(m.ino, 123456);
	assert_true(m.read && !m.write && m.exec && !m.shared);
	assert_string_equal(m.path, "/usr/lib/a b\nc.so (deleted)");
	strcpy(text, "ffffffffff600000-ffffffffff601000 -w-s 0 00:00 0");
	assert_true(proc_maps_line(text, &m));
	assert_true(!m.read && m.write && !m.exec && m.shared);
	assert_string_equal(m.path, "");
	static const char *const bad[] = {
		"",
		"1",
		"1-",
		"2-1 r-xp 0 0:0 0",
		"1-1 r-xp 0 0:0 0",
		"-1-2 r-xp 0 0:0 0",
		" 1-2 r-xp 0 0:0 0",
		"1-2 r-xp",
		"1-2 r-x 0 0:0 0",
		"1-2 r-xp 0 00 0",
		"1-2 r-xp 0 0:0 ",
		"1-2 r-xp 0 0:0 0x /f",
		"1-2 r-xp 0 100000000:0 0",
		"1-+2 r-xp 0 0:0 0",
	};
	for (size_t i = 0; i < ARRAY_LEN(bad); i++) {
		strcpy(text, bad[i]);
		assert_false(proc_maps_line(text, &m));
	}
	/* Cut anywhere before the inode, it is no line, and nothing beyond it is read. */
	static const char whole[] = "1000-2000 r-xp 0 08:01 77";
	for (size_t n = 0; n < sizeof(whole) - 3; n++) {
		char *cut = mem_calloc(n + 1, 1);
		memcpy(cut, whole, n);
		assert_false(proc_maps_line(cut, &m));
		free(cut);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(mul_div_does_not_wrap),
		cmocka_unit_test(errors_carry_code_and_text),
		cmocka_unit_test(index_finds_after_growth_and_removal),
		cmocka_unit_test(interned_strings_are_one),
		cmocka_unit_test(numbers_keep_their_width),
		cmocka_unit_test(strbuf_grows),
		cmocka_unit_test(lines_of_maps),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
