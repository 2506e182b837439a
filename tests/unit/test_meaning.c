/* Which names of two recordings mean the same. */
#include "diff/meaning.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static const struct {
	enum dimension_id dim;
	const char *value, *meaning;
} cases[] = {
	/* copies and pieces of functions */
	{DIM_SYMBOL, "parse", "parse"},
	{DIM_SYMBOL, "parse.isra.0", "parse"},
	{DIM_SYMBOL, "parse.constprop.12", "parse"},
	{DIM_SYMBOL, "parse.part.2", "parse"},
	{DIM_SYMBOL, "parse.cold", "parse"},
	{DIM_SYMBOL, "parse.cold.3", "parse"},
	{DIM_SYMBOL, "parse.llvm.1234567890123456789", "parse"},
	{DIM_SYMBOL, "parse.lto_priv.0", "parse"},
	{DIM_SYMBOL, "parse.isra.0.constprop.1.part.2.cold", "parse"},
	{DIM_SYMBOL, "parse.lto_priv.0.llvm.77", "parse"},
	{DIM_SYMBOL, "parse.__uniq.1234.llvm.5", "parse"},
	{DIM_SYMBOL, "ns::parse(int) [clone .isra.0]", "ns::parse(int)"},
	{DIM_SYMBOL, "ns::parse(int) [clone .isra.0] [clone .cold]", "ns::parse(int)"},
	{DIM_SYMBOL, "ns::parse(int) [clone .constprop.0.cold]", "ns::parse(int)"},
	{DIM_SYMBOL, "_ZN2ns5parseEi.isra.0", "_ZN2ns5parseEi"},
	/* Rust's hashes */
	{DIM_SYMBOL, "core::fmt::write::h0123456789abcdef", "core::fmt::write"},
	{DIM_SYMBOL, "core::fmt::write::h0123456789abcdef.llvm.99", "core::fmt::write"},
	{DIM_SYMBOL, "_ZN4core3fmt5write17h0123456789abcdefE", "_ZN4core3fmt5writeE"},
	{DIM_SYMBOL, "_ZN4core3fmt5write17h0123456789abcdefE.llvm.7", "_ZN4core3fmt5writeE"},
	{DIM_SYMBOL, "core[846817f741e54dfd]::fmt::write", "core::fmt::write"},
	{DIM_SYMBOL, "<alloc[f0e1d2c3b4a59687]::Vec<u8> as core[846817f741e54dfd]::Drop>::drop",
	 "<alloc::Vec<u8> as core::Drop>::drop"},
	/* what only looks so */
	{DIM_SYMBOL, "main.func1.2", "main.func1.2"}, /* a closure in Go */
	{DIM_SYMBOL, "counter.0", "counter.0"},
	{DIM_SYMBOL, "isra.0", "isra.0"},
	{DIM_SYMBOL, "parse.isra", "parse.isra"},
	{DIM_SYMBOL, "parse.isra.", "parse.isra."},
	{DIM_SYMBOL, "parse.isra.x", "parse.isra.x"},
	{DIM_SYMBOL, "parse.hot.1", "parse.hot.1"},
	{DIM_SYMBOL, "parse.cold_start", "parse.cold_start"},
	{DIM_SYMBOL, "f(int) [clone .avx2.0]", "f(int) [clone .avx2.0]"}, /* other code for other CPUs */
	{DIM_SYMBOL, "path::h0123456789abcde", "path::h0123456789abcde"},
	{DIM_SYMBOL, "path::h0123456789abcdeg", "path::h0123456789abcdeg"},
	{DIM_SYMBOL, "::h0123456789abcdef", "::h0123456789abcdef"},
	{DIM_SYMBOL, "array[7]::get", "array[7]::get"},
	{DIM_SYMBOL, ".cold", ".cold"},
	{DIM_SYMBOL, ".plt", ".plt"},
	{DIM_SYMBOL, " [clone .isra.0]", " [clone .isra.0]"},
	{DIM_SYMBOL, "", ""},
	/* groups of stripped code */
	{DIM_SYMBOL, "[libfoo.so.5+0x159e0]", "[libfoo.so.5+0x159e0]"},
	/* files */
	{DIM_DSO, "/usr/lib/x86_64-linux-gnu/libz.so.1.2.13", "libz.so.1"},
	{DIM_DSO, "/usr/lib/x86_64-linux-gnu/libz.so.1.3", "libz.so.1"},
	{DIM_DSO, "/opt/v2/libz.so.1", "libz.so.1"},
	{DIM_DSO, "/lib/x86_64-linux-gnu/libc-2.31.so", "libc.so.6"},
	{DIM_DSO, "/lib/x86_64-linux-gnu/libpthread-2.31.so (deleted)", "libpthread.so.0"},
	{DIM_DSO, "/lib/libc-2.31.so.1", "libc-2.31.so.1"},
	{DIM_DSO, "/lib/libc-2..so", "libc-2..so"},
	{DIM_DSO, "/lib/libc-2.", "libc-2."},
	{DIM_DSO, "/lib/libcc-2.31.so", "libcc-2.31.so"},
	{DIM_DSO, "/opt/v2/libz.so", "libz.so"},
	{DIM_DSO, "/opt/libfoo.so.1.2-rc1", "libfoo.so.1.2-rc1"},
	{DIM_DSO, "/opt/libfoo-1.2.so", "libfoo-1.2.so"},
	{DIM_DSO, "/srv/app (deleted)", "app"},
	{DIM_DSO, "/srv/libapp.so.3.1 (deleted)", "libapp.so.3"},
	{DIM_DSO, " (deleted)", " (deleted)"},
	{DIM_DSO, "app", "app"},
	{DIM_DSO, "/srv/", "/srv/"},
	{DIM_DSO, "", ""},
	{DIM_DSO, "[kernel]", "[kernel]"},
	{DIM_DSO, "[vdso]", "[vdso]"},
	{DIM_DSO, "/tmp/perf-4711.map", "perf.map"},
	{DIM_DSO, "/tmp/perf-x.map", "perf-x.map"},
	{DIM_DSO, "/home/u/.debug/jit/jitted-4711-3.so", "jitted.so"},
	/* all else by its value */
	{DIM_COMM, "/a/b.cold", "/a/b.cold"},
	{DIM_PID, "17", "17"},
	{DIM_PARENT, "make (17)", "make (17)"},
	{DIM_CGROUP, "/system.slice/x.service", "/system.slice/x.service"},
};

static void names_keep_what_they_mean(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct strbuf b = {0};
		strbuf_add(&b, ">");
		meaning_add(&b, cases[i].dim, cases[i].value);
		if (strcmp(b.data + 1, cases[i].meaning) != 0)
			fail_msg("'%s' became '%s', not '%s'", cases[i].value, b.data + 1, cases[i].meaning);
		strbuf_deinit(&b);
	}
}

/* What is left of a name means itself. */
static void meanings_do_not_change_again(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct strbuf b = {0};
		strbuf_add(&b, "");
		meaning_add(&b, cases[i].dim, cases[i].meaning);
		assert_string_equal(b.n ? b.data : "", cases[i].meaning);
		strbuf_deinit(&b);
	}
}

static void suffixes_say_what_of_a_function_a_name_is_of(void **state)
{
	(void)state;
	static const struct {
		const char *name, *pieces;
	} names[] = {
		{"parse", ""},
		{"parse.part.2.cold", ".part.cold"},
		{"parse.cold.3", ".cold"},
		{"parse.isra.0.constprop.1", ".isra.constprop"},
		{"parse.lto_priv.0.llvm.77", ""},
		{"parse.cold_start", ""},
		{"ns::parse(int) [clone .part.0] [clone .cold]", ".part.cold"},
		{"core::fmt::write::h0123456789abcdef.cold", ".cold"},
		{"[libfoo.so.5+0x159e0]", ""},
		{"", ""},
	};
	for (size_t i = 0; i < ARRAY_LEN(names); i++) {
		struct strbuf b = {0};
		meaning_add_pieces(&b, names[i].name);
		assert_string_equal(b.data, names[i].pieces);
		strbuf_deinit(&b);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(names_keep_what_they_mean),
		cmocka_unit_test(meanings_do_not_change_again),
		cmocka_unit_test(suffixes_say_what_of_a_function_a_name_is_of),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
