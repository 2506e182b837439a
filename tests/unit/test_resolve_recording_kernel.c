/* Names of a recorded kernel: from a table of the same build, moved to where the kernel was. */
#include "test_resolve_recording_world.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static const uint64_t TEXT = 0xffffffff81000000, MODULE = 0xffffffffc0200000;
static const char table[] = "0000000000000000 A fixed_percpu_data\n"
			    "ffffffff81000000 T _stext\n"
			    "ffffffff81000000 T _text\n"
			    "ffffffff81000100 T first\n"
			    "ffffffff81000200 t second\n"
			    "ffffffff81000900 T last\n"
			    "ffffffffc0200010 t mod_first\t[my_mod]\n"
			    "ffffffffc0200400 t mod_second\t[my_mod]\n"
			    "ffffffffc0300000 t other_first\t[other]\n";

static const struct build_id some_id = {20, {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20}};

static void with_table(struct stage *s)
{
	static char path[SCRATCH_PATH];
	stage_write(s, "/kallsyms", table, sizeof(table) - 1);
	scratch_path(path, "%s", stage_path(s, "/kallsyms"));
	s->config.kallsyms = path;
}

static const char *name_of(struct stage *s, uint64_t ip)
{
	return stage_sym(s, MISC_KERNEL, ip)->name;
}

static const char *dso_of(struct stage *s, uint64_t ip)
{
	return resolver_catalog(s->r)->dsos[stage_sym(s, MISC_KERNEL, ip)->dso].path;
}

static void assert_no_name(struct stage *s, uint64_t ip, const char *why)
{
	const struct sym_info *sym = stage_sym(s, MISC_KERNEL, ip);
	assert_int_equal(sym->state, SYM_UNRESOLVED);
	assert_non_null(strstr(stage_why(s, sym), why));
}

/* Checks an address at which the recording has nothing. */
static void assert_unknown(struct stage *s, uint64_t ip)
{
	assert_int_equal(stage_sym(s, MISC_KERNEL, ip)->state, SYM_NO_DSO);
	assert_string_equal(dso_of(s, ip), "[unknown]");
}

/* ---- tables that the user gives --------------------------------------------------------- */

static void a_given_table(void **state)
{
	struct stage *s = *state;
	with_table(s);
	stage_open(s);
	stage_maps_kernel(s, TEXT, 0x1000, TEXT, "[kernel.kallsyms]_text");
	assert_string_equal(name_of(s, TEXT + 0x150), "first");
	assert_string_equal(name_of(s, TEXT + 0x200), "second");
	assert_string_equal(dso_of(s, TEXT + 0x200), "[kernel]");
	/* after the kernel's text, and in no recorded module */
	assert_unknown(s, TEXT + 0x1000);
	assert_unknown(s, MODULE + 0x10);
}

static void a_table_of_another_boot(void **state)
{
	struct stage *s = *state;
	with_table(s);
	stage_open(s);
	const uint64_t moved = 0x1b600000;
	stage_maps_kernel(s, TEXT + moved, 0x1000, TEXT + moved, "[kernel.kallsyms]_stext");
	stage_maps_kernel(s, MODULE, 0x1000, 0, "[my_mod]");
	assert_string_equal(name_of(s, TEXT + moved + 0x150), "first");
	assert_unknown(s, TEXT + 0x150);
	/* modules have other addresses after each boot */
	assert_no_name(s, MODULE + 0x10, "move at each boot");
	assert_string_equal(dso_of(s, MODULE + 0x10), "[my_mod]");
}

static void modules_where_they_were(void **state)
{
	struct stage *s = *state;
	with_table(s);
	stage_open(s);
	stage_maps_kernel(s, TEXT, 0x1000, TEXT, "[kernel.kallsyms]_text");
	stage_maps_kernel(s, MODULE, 0x1000, 0, "/lib/modules/6.1/kernel/my-mod.ko.xz");
	assert_string_equal(name_of(s, MODULE + 0x20), "mod_first");
	assert_string_equal(name_of(s, MODULE + 0x450), "mod_second");
	assert_string_equal(dso_of(s, MODULE + 0x20), "[my_mod]");
	assert_string_equal(name_of(s, TEXT + 0x150), "first");
}

/* Names that begin alike are stored as shared bytes and rest.  The table is searched for the
 * module's first functions before the name of the sampled function is used, which must still be
 * right. */
static void functions_of_a_module_that_begin_alike(void **state)
{
	struct stage *s = *state;
	char text[1024], path[SCRATCH_PATH], name[64];
	int n = snprintf(text, sizeof(text), "ffffffff81000000 T _text\n");
	for (unsigned i = 0; i < 6; i++)
		n += snprintf(text + n, sizeof(text) - (size_t)n, "%llx t my_module_function_%u\t[my_mod]\n",
			      MODULE + i * 0x40ull, i);
	stage_write(s, "/kallsyms", text, (size_t)n);
	scratch_path(path, "%s", stage_path(s, "/kallsyms"));
	s->config.kallsyms = path;
	stage_open(s);
	stage_maps_kernel(s, TEXT, 0x1000, TEXT, "[kernel.kallsyms]_text");
	stage_maps_kernel(s, MODULE, 0x1000, 0, "[my_mod]");
	for (unsigned i = 0; i < 6; i++) {
		snprintf(name, sizeof(name), "my_module_function_%u", i);
		assert_string_equal(name_of(s, MODULE + i * 0x40ull + 8), name);
	}
}

static void modules_that_moved(void **state)
{
	struct stage *s = *state;
	with_table(s);
	stage_open(s);
	stage_maps_kernel(s, TEXT, 0x1000, TEXT, "[kernel.kallsyms]_text");
	stage_maps_kernel(s, MODULE - 0x1000, 0x2000, 0, "[my_mod]");
	stage_maps_kernel(s, 0xffffffffc0300000, 0x1000, 0, "[my_other]");
	assert_no_name(s, MODULE + 0x20, "");
	assert_string_equal(dso_of(s, MODULE + 0x20), "[my_mod]");
	assert_no_name(s, 0xffffffffc0300010, "");
	assert_string_equal(dso_of(s, 0xffffffffc0300010), "[my_other]");
}

/* Old recordings map the kernel to the whole address space or, if addresses were hidden, to
 * nothing. */
static void strange_mappings(void **state)
{
	struct stage *s = *state;
	with_table(s);
	stage_open(s);
	stage_maps_kernel(s, 0, 0xffffffff9fffffff, TEXT + 0x100, "[kernel.kallsyms]_stext");
	assert_string_equal(name_of(s, TEXT + 0x250), "first");
	stage_close(s);
	stage_open(s);
	stage_maps_kernel(s, 0, 0, 0, "[kernel.kallsyms]_text");
	stage_maps_kernel(s, 0, 0, 0, "[my_mod]");
	stage_maps_kernel(s, UINT64_MAX - 2, 100, 0, "[]");
	stage_maps_kernel(s, UINT64_MAX - 2, 100, 0, "/");
	stage_maps_kernel(s, 0, 0, 0, "[kernel.kallsyms]_a_name_that_is_much_too_long_for_this");
	assert_string_equal(name_of(s, TEXT + 0x150), "first");
	assert_int_equal(stage_sym(s, MISC_KERNEL, UINT64_MAX)->state, SYM_UNRESOLVED);
}

static void a_given_kernel_of_another_build(void **state)
{
	struct stage *s = *state;
	char path[SCRATCH_PATH];
	stage_write(s, "/vmlinux", "no kernel", 9);
	s->config.vmlinux = strcpy(path, stage_path(s, "/vmlinux"));
	stage_says(s, MISC_KERNEL, "[kernel.kallsyms]", &some_id);
	stage_open(s);
	stage_maps_kernel(s, TEXT, 0x1000, TEXT, "[kernel.kallsyms]_text");
	assert_no_name(s, TEXT + 0x150, "build-id differs");
}

/* ---- tables found by build-id ---------------------------------------------------------- */

static void a_table_kept_in_the_home(void **state)
{
	struct stage *s = *state;
	char path[SCRATCH_PATH];
	stage_id_path(path, sizeof(path), "/home/.debug", &some_id, "/kallsyms");
	stage_write(s, path, table, sizeof(table) - 1);
	stage_says(s, MISC_KERNEL, "[kernel.kallsyms]", &some_id);
	stage_open(s);
	stage_maps_kernel(s, TEXT + 0x200000, 0x1000, TEXT + 0x200000, "[kernel.kallsyms]_text");
	assert_string_equal(name_of(s, TEXT + 0x200150), "first");
	stage_close(s);
	/* the recording must contain the position of the kernel */
	stage_open(s);
	stage_maps_kernel(s, TEXT, 0x1000, 0, "[kernel.kallsyms]");
	assert_no_name(s, TEXT + 0x150, "");
	stage_close(s);
	s->ids[0].id[19] ^= 1;
	stage_open(s);
	stage_maps_kernel(s, TEXT, 0x1000, TEXT, "[kernel.kallsyms]_text");
	assert_no_name(s, TEXT + 0x150, "another kernel");
}

static void no_build_id_no_name(void **state)
{
	struct stage *s = *state;
	stage_open(s);
	stage_maps_kernel(s, TEXT, 0x1000, TEXT, "[kernel.kallsyms]_text");
	stage_maps_kernel(s, MODULE, 0x1000, 0, "[my_mod]");
	assert_no_name(s, TEXT + 0x150, "--kallsyms");
	assert_no_name(s, MODULE + 0x10, "--kallsyms");
	assert_string_equal(dso_of(s, MODULE + 0x10), "[my_mod]");
}

/* ---- symbols within the recording -------------------------------------------------------- */

static void symbols_within_the_recording(void **state)
{
	struct stage *s = *state;
	struct pd_symbol symbols[] = {{.addr = TEXT + 0x100, .len = 0x80, .name = (char[]){"own"}}};
	struct pd_file_symbols files[] = {
		{.path = (char[]){"[kernel.kallsyms]"}, .kernel = true, .symbols = symbols, .symbols_n = 1}};
	s->info.file_symbols = files;
	s->info.file_symbols_n = 1;
	stage_open(s);
	stage_maps_kernel(s, TEXT, 0x1000, 0, "[kernel.kallsyms]");
	assert_string_equal(name_of(s, TEXT + 0x110), "own");
	stage_close(s);
	with_table(s); /* the table that the user gives is preferred */
	stage_open(s);
	stage_maps_kernel(s, TEXT, 0x1000, TEXT, "[kernel.kallsyms]_text");
	assert_string_equal(name_of(s, TEXT + 0x110), "first");
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, stage_setup, stage_teardown)

/* ---- reasons for missing names ----------------------------------------------------------- */

/* Each DSO without names has a sentence that says why. */
static void every_missing_name_has_a_reason(void **state)
{
	struct stage *s = *state;
	static const char *const mapped[] = {
		"//anon",	"[heap]",    "[stack]",	       "[vdso]",     "[vsyscall]", "[uprobes]", "/nowhere/so",
		"/memfd:x",	"/dev/zero", "/SYSV0000",      "/dev/shm/x", "relative",   "",		"/usr/bin/x",
		"[anon:thing]", "[vvar]",    "/anon_hugepage",
	};
	stage_open(s);
	for (size_t i = 0; i < ARRAY_LEN(mapped); i++) {
		stage_maps(s, mapped[i], NULL);
		const struct sym_info *sym = stage_sym(s, MISC_USER, STAGE_AT + 0x10 * (i + 1));
		if (sym->state == SYM_NAMED || strlen(stage_why(s, sym)) < 20)
			fail_msg("%s: '%s', '%s'", mapped[i], sym->name, stage_why(s, sym));
	}
	static const uint16_t modes[] = {MISC_KERNEL, MISC_HYPERVISOR, MISC_GUEST_KERNEL, MISC_GUEST_USER, MISC_USER};
	for (size_t i = 0; i < ARRAY_LEN(modes); i++)
		assert_true(strlen(stage_why(s, stage_sym(s, modes[i], 0x123456789))) > 20);
	stage_maps_kernel(s, MODULE, 0x1000, 0, "[my_mod]");
	assert_true(strlen(stage_why(s, stage_sym(s, MISC_KERNEL, MODULE + 0x10))) > 20);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(a_given_table),
		TEST(a_table_of_another_boot),
		TEST(modules_where_they_were),
		TEST(functions_of_a_module_that_begin_alike),
		TEST(modules_that_moved),
		TEST(strange_mappings),
		TEST(a_given_kernel_of_another_build),
		TEST(a_table_kept_in_the_home),
		TEST(no_build_id_no_name),
		TEST(symbols_within_the_recording),
		TEST(every_missing_name_has_a_reason),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
