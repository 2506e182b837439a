#include "base/alloc.h"
#include "base/fmt.h"
#include "base/index.h"
#include "base/intern.h"
#include "base/limits.h"
#include "base/load.h"
#include "base/build_id.h"
#include "base/modules.h"
#include "base/proc_maps.h"
#include "base/proc_stat.h"
#include "base/strbuf.h"

#include <errno.h>
#include <locale.h>
#include <math.h>
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
	/* & 0xff makes hashes collide, to test long probe sequences */
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

/* Numbers of both widths, in entries before which others stand. */
static void index_finds_entries_by_a_number(void **state)
{
	(void)state;
	struct entry {
		char before;
		uint32_t narrow;
		uint64_t wide;
	} *none = NULL, entries[500];
	struct index narrow, wide;
	index_init(&narrow);
	index_init(&wide);
	assert_int_equal(index_find_by(&narrow, none, narrow, 7u), INDEX_NONE);
	for (uint32_t i = 0; i < ARRAY_LEN(entries); i++) {
		entries[i] = (struct entry){.narrow = UINT32_MAX - i, .wide = (uint64_t)i << 32};
		index_add(&narrow, index_hash(&narrow, entries[i].narrow), i);
		index_add(&wide, index_hash(&wide, entries[i].wide), i);
	}
	for (uint32_t i = 0; i < ARRAY_LEN(entries); i++) {
		assert_int_equal(index_find_by(&narrow, entries, narrow, UINT32_MAX - i), i);
		assert_int_equal(index_find_by(&wide, entries, wide, (uint64_t)i << 32), i);
	}
	assert_int_equal(index_find_by(&narrow, entries, narrow, 0u), INDEX_NONE);
	assert_int_equal(index_find_by(&wide, entries, wide, UINT64_C(1)), INDEX_NONE);
	index_deinit(&narrow);
	index_deinit(&wide);
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

/* Two tables hash one key differently: collisions cannot be prepared. */
static void seeds_differ(void **state)
{
	(void)state;
	struct index a, b;
	index_init(&a);
	index_init(&b);
	assert_true(a.seed != b.seed);
	assert_true(index_hash_bytes(&a, "name", 4) != index_hash_bytes(&b, "name", 4));
	assert_true(index_hash_bytes(&a, "name", 4) == index_hash_bytes(&a, "name", 4));
	assert_true(index_hash(&a, 1) != index_hash(&b, 1));
	assert_true(index_hash(&a, 1) == index_hash(&a, 1));
	uint64_t before = index_hash(&a, 1);
	for (uint32_t i = 0; i < 100; i++)
		index_add(&a, index_hash(&a, i), i);
	index_clear(&a);
	assert_true(index_hash(&a, 1) == before);
	index_deinit(&a);
	index_deinit(&b);
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

/* printf() is right, but slow. */
static void fixed_numbers_are_those_of_printf(void **state)
{
	(void)state;
	static const double step[] = {1. / 16, 0.05, 0.001, 1. / 3, 12345.6785, 1e5};
	char ours[32], theirs[64];
	for (size_t i = 0; i < ARRAY_LEN(step); i++) {
		for (int k = 0; k < 20000; k++) {
			for (int decimals = 0; decimals < 5; decimals++) {
				fmt_fixed(ours, sizeof(ours), k * step[i], decimals);
				snprintf(theirs, sizeof(theirs), "%.*f", decimals, k * step[i]);
				assert_string_equal(ours, theirs);
			}
		}
	}
	static const double odd[] = {-0.0, -2.5, 999999999.9996, 1e9, 1e15, INFINITY, NAN};
	for (size_t i = 0; i < ARRAY_LEN(odd); i++) {
		fmt_fixed(ours, sizeof(ours), odd[i], 3);
		snprintf(theirs, sizeof(theirs), "%.3f", odd[i]);
		assert_string_equal(ours, theirs);
	}
	char few[5];
	fmt_fixed(few, sizeof(few), 1234.5678, 2);
	assert_string_equal(few, "1234");
	fmt_si(few, 4, 12345);
	assert_string_equal(few, "12.");
}

static void numbers_of_either_byte_order(void **state)
{
	(void)state;
	static const uint8_t bytes[] = {1, 2, 3, 4, 5, 6, 7, 8, 9};
	static const struct {
		size_t n;
		uint64_t little, big;
	} cases[] = {
		{1, 0x02, 0x02},
		{2, 0x0302, 0x0203},
		{4, 0x05040302, 0x02030405},
		{8, 0x0908070605040302, 0x0203040506070809},
	};
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		assert_true(load_number(bytes + 1, cases[i].n, false) == cases[i].little);
		assert_true(load_number(bytes + 1, cases[i].n, true) == cases[i].big);
	}
}

static void numbers_in_full(void **state)
{
	(void)state;
	static const struct {
		double v;
		const char *text;
	} rows[] = {{0, "0"},
		    {0.1, "0.1"},
		    {999, "999"},
		    {1000, "1,000"},
		    {1048576, "1,048,576"},
		    {1e15, "1,000,000,000,000,000"},
		    {-1234.5, "-1,234.5"},
		    {-123, "-123"}};
	char buf[40], small[6];
	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		fmt_grouped(buf, sizeof(buf), rows[i].v);
		assert_string_equal(buf, rows[i].text);
	}
	fmt_grouped(small, sizeof(small), 1e15);
	assert_true(strlen(small) < sizeof(small));
	fmt_utc(buf, sizeof(buf), 1795426200250999999);
	assert_string_equal(buf, "2026-11-23T09:30:00.250Z");
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
	/* a line that ends before the inode is refused, and no byte after its end is read */
	static const char whole[] = "1000-2000 r-xp 0 08:01 77";
	for (size_t n = 0; n < sizeof(whole) - 3; n++) {
		char *cut = mem_calloc(n + 1, 1);
		memcpy(cut, whole, n);
		assert_false(proc_maps_line(cut, &m));
		free(cut);
	}
}

#define REST " 0 0 20 0 1 0 12345 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 17 1 0 0 0 0 0\n"

static void task_lines(void **state)
{
	(void)state;
	struct task_stat st;
	assert_int_equal(task_stat_parse("42 (a name) S 7 1 1 0 -1 4194304 1 2 3 4 111 222" REST, &st), 0);
	assert_int_equal(st.tid, 42);
	assert_int_equal(st.ppid, 7);
	assert_string_equal(st.comm, "a name");
	assert_int_equal(st.user_ticks, 111);
	assert_int_equal(st.system_ticks, 222);
	assert_int_equal(st.start_ticks, 12345);
	assert_int_equal(st.cpu, 1);
	/* a name that imitates the rest of the line */
	assert_int_equal(task_stat_parse("43 (x) S 1 (\n9) R 8 1 1 0 -1 0 1 2 3 4 5 6" REST, &st), 0);
	assert_string_equal(st.comm, "x) S 1 (\n9");
	assert_int_equal(st.ppid, 8);
	assert_int_equal(st.user_ticks, 5);
	/* kernel threads may have long names */
	assert_int_equal(task_stat_parse("2 (kworker/u8:0-events_unbound) I 1 1 1 0 -1 0 1 2 3 4 5 6" REST, &st), 0);
	assert_string_equal(st.comm, "kworker/u8:0-ev");
	/* a program with 2,621,440 minor faults: bit 21 is set in minflt, not in flags */
	assert_int_equal(
		task_stat_parse("4711 (tracker) R 1 4711 4711 0 -1 4194560 2621440 0 3 0 98765 4321 0 0 20 0 8 0 "
				"111306 18446744073709551615 2998272 18446744073709551615 94855128412160 "
				"94855128436265 140725865609696 0 0 0 0 0 0 0 0 0 17 63 0 0 0 0 0 1 2 3 4 5 6 7 0\n",
				&st),
		0);
	assert_false(st.kernel);
	assert_int_equal(st.user_ticks, 98765);
	assert_int_equal(st.start_ticks, 111306);
	assert_int_equal(st.cpu, 63);
	/* a kernel thread */
	assert_int_equal(
		task_stat_parse("2 (kthreadd) S 0 0 0 0 -1 2129984 0 0 0 0 0 7 0 0 20 0 1 0 12 0 0 "
				"18446744073709551615 0 0 0 0 0 0 0 2147483647 0 1 0 0 0 1 0 0 0 0 0 0 0 0 0 0 0 0\n",
				&st),
		0);
	assert_true(st.kernel);
	static const char *const bad[] = {
		"", "42", "42 (x", "42 x) S", "x (y) S 1", "42 (x) S 1 1 1", "42 )x( S 1", "99999999999 (x) S 1 2 3",
	};
	for (size_t i = 0; i < ARRAY_LEN(bad); i++)
		assert_int_equal(task_stat_parse(bad[i], &st), -EBADMSG);
}

/* Writes a number as people read it: 4,194,304. */
static void grouped(char said[32], uint64_t v)
{
	char digits[24];
	size_t n = (size_t)snprintf(digits, sizeof(digits), "%llu", (unsigned long long)v), at = 0;
	for (size_t i = 0; i < n; i++) {
		if (i && (n - i) % 3 == 0)
			said[at++] = ',';
		said[at++] = digits[i];
	}
	said[at] = '\0';
}

/* If the sentence of a limit contains a number, it is the value of the limit. */
static void limits_say_what_they_are(void **state)
{
	(void)state;
	for (unsigned i = 0; i < LIMITS_N; i++) {
		const struct limit_row *row = limit_row((enum limit)i);
		char said[32];
		uint64_t v = row->value;
		if (row->unit == LIMIT_BYTES)
			snprintf(said, sizeof(said), v >> 30 ? "%llu GiB" : "%llu MiB",
				 (unsigned long long)(v >> (v >> 30 ? 30 : 20)));
		else
			grouped(said, v);
		if (!strstr(row->sentence, said))
			fail_msg("\"%s\" does not say %s", row->sentence, said);
		if (row->sentence[strlen(row->sentence) - 1] == '.' || strlen(row->sentence) > 110)
			fail_msg("\"%s\" is no short clause", row->sentence);
	}
}

/* Each limit has its own place in a set, the last one, too. */
static void sets_of_limits(void **state)
{
	(void)state;
	struct limit_set all = {0};
	assert_false(limit_any(&all));
	for (unsigned i = 0; i < LIMITS_N; i++) {
		struct limit_set one = {0};
		limit_reached(&one, (enum limit)i);
		assert_true(limit_any(&one) && limit_is_reached(&one, (enum limit)i));
		assert_false(limit_is_reached(&all, (enum limit)i));
		limit_add(&all, &one);
		limit_remove(&one, &all);
		assert_false(limit_any(&one));
	}
}

static void names_of_modules(void **state)
{
	(void)state;
	char name[16], line[] = "kernel/fs/my-fs.ko.xz: kernel/fs/other.ko\n", none[] = "no module\n",
		       empty[] = ": x\n";
	module_name("/lib/modules/6.1/kernel/fs/my-fs.ko.xz", name, sizeof(name));
	assert_string_equal(name, "[my_fs]");
	module_name("[my_fs]", name, sizeof(name));
	assert_string_equal(name, "[my_fs]");
	module_name("a_module_with_a_long_name", name, sizeof(name));
	assert_string_equal(name, "[a_module_with]");
	assert_true(modules_dep_line(line));
	assert_string_equal(line, "kernel/fs/my-fs.ko.xz");
	assert_false(modules_dep_line(none));
	assert_false(modules_dep_line(empty));
	char long_path[2000];
	memset(long_path, 'x', sizeof(long_path));
	strcpy(long_path + 1025, ":");
	assert_false(modules_dep_line(long_path));
}

/* The first note of another owner, then a build-id; every prefix of it has none. */
static void build_ids_in_notes(void **state)
{
	(void)state;
	static const uint32_t notes[] = {4, 4, 3, 0x00585858, 7, 4, 4, 3, 0x00554e47, 0x04030201};
	struct build_id id;
	notes_build_id((const uint8_t *)notes, sizeof(notes), false, &id);
	assert_int_equal(id.size, 4);
	assert_memory_equal(id.bytes, "\1\2\3\4", 4);
	for (size_t n = 0; n < sizeof(notes); n++) {
		notes_build_id((const uint8_t *)notes, n, false, &id);
		assert_int_equal(id.size, 0);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(mul_div_does_not_wrap),
		cmocka_unit_test(errors_carry_code_and_text),
		cmocka_unit_test(index_finds_after_growth_and_removal),
		cmocka_unit_test(index_finds_entries_by_a_number),
		cmocka_unit_test(interned_strings_are_one),
		cmocka_unit_test(seeds_differ),
		cmocka_unit_test(numbers_keep_their_width),
		cmocka_unit_test(fixed_numbers_are_those_of_printf),
		cmocka_unit_test(numbers_of_either_byte_order),
		cmocka_unit_test(numbers_in_full),
		cmocka_unit_test(strbuf_grows),
		cmocka_unit_test(lines_of_maps),
		cmocka_unit_test(task_lines),
		cmocka_unit_test(limits_say_what_they_are),
		cmocka_unit_test(sets_of_limits),
		cmocka_unit_test(names_of_modules),
		cmocka_unit_test(build_ids_in_notes),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
