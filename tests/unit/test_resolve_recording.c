/* Names of programs in a recording: taken only from the files that ran. */
#include "test_resolve_program.h"

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <link.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/utsname.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

static struct build_id changed(struct build_id id)
{
	id.bytes[3] ^= 1;
	return id;
}

static const char *name_of(struct stage *s, const struct program *p)
{
	return stage_sym(s, MISC_USER, p->ip)->name;
}

static void assert_no_name(struct stage *s, const struct program *p, const char *why)
{
	const struct sym_info *sym = stage_sym(s, MISC_USER, p->ip);
	assert_int_equal(sym->state, SYM_UNRESOLVED);
	assert_non_null(strstr(stage_why(s, sym), why));
}

/* Checks that the function has no name, but bounds from the unwind table. */
static void assert_group(struct stage *s, const struct program *p)
{
	const struct sym_info *sym = stage_sym(s, MISC_USER, p->ip);
	assert_int_equal(sym->state, SYM_GROUP);
	assert_int_equal(sym->origin, ORIGIN_UNWIND);
	assert_int_equal(strncmp(sym->name, "[prog+0x", 8), 0);
}

/* ---- build-ids ---------------------------------------------------------------------- */

static void a_mapping_with_a_build_id(void **state)
{
	struct stage *s = *state;
	struct program p;
	program_load(&p);
	stage_open(s);
	stage_maps(s, p.path, &p.id);
	assert_string_equal(name_of(s, &p), "fixture_function");
	free(p.bytes);
}

static void a_build_id_of_the_whole_recording(void **state)
{
	struct stage *s = *state;
	struct program p;
	program_load(&p);
	struct build_id other = changed(p.id);
	stage_says(s, MISC_USER, "/some/other", &other);
	stage_says(s, MISC_GUEST_USER, p.path, &other);
	stage_says(s, MISC_KERNEL, p.path, &other);
	stage_says(s, MISC_USER, p.path, &p.id);
	stage_open(s);
	stage_maps(s, p.path, NULL);
	assert_string_equal(name_of(s, &p), "fixture_function");
	free(p.bytes);
}

/* Old recordings pad build-ids to 20 bytes, and do not contain their size. */
static void a_short_build_id_filled_up(void **state)
{
	struct stage *s = *state;
	struct program p;
	program_load(&p);
	p.bytes[0] = 0x7f;
	uint8_t *at = memmem(p.bytes, p.n, p.id.bytes, p.id.size);
	assert_non_null(at);
	at[-12] = 16; /* changes the size of the id in its note to 16; the rest of the id is padding then */
	struct build_id sixteen;
	elf_build_id_memory(p.bytes, p.n, NULL, &sixteen);
	if (sixteen.size != 16)
		skip(); /* a program of the other byte order */
	sixteen.size = 20;
	memset(sixteen.bytes + 16, 0, 4);
	stage_write(s, "/files/prog", p.bytes, p.n);
	char path[SCRATCH_PATH];
	scratch_path(path, "%s", stage_path(s, "/files/prog"));
	stage_says(s, MISC_USER, path, &sixteen);
	stage_open(s);
	stage_maps(s, path, NULL);
	assert_string_equal(name_of(s, &p), "fixture_function");
	free(p.bytes);
}

static void a_program_that_was_built_anew(void **state)
{
	struct stage *s = *state;
	struct program p;
	program_load(&p);
	program_rebuild(&p);
	stage_write(s, "/files/prog", p.bytes, p.n);
	char path[SCRATCH_PATH];
	scratch_path(path, "%s", stage_path(s, "/files/prog"));
	stage_open(s);
	stage_maps(s, path, &p.id);
	assert_no_name(s, &p, "build-id differs");
	stage_close(s);
	/* --symfs is trusted if the recording has no build-id, but not if the build-id differs */
	s->config.symfs = "/";
	stage_open(s);
	stage_maps(s, path, &p.id);
	assert_no_name(s, &p, "build-id differs");
	free(p.bytes);
}

static void no_build_id_no_name(void **state)
{
	struct stage *s = *state;
	struct program p;
	program_load(&p);
	stage_open(s);
	stage_maps(s, p.path, NULL);
	assert_no_name(s, &p, "--symfs DIR");
	stage_close(s);
	s->config.symfs = "/";
	stage_open(s);
	stage_maps(s, p.path, NULL);
	assert_string_equal(name_of(s, &p), "fixture_function");
	free(p.bytes);
}

/* Without the file, an address is shown as its offset in the file, for any address of the
 * mapping; in [unknown] it is not shown. */
static void addresses_stay(void **state)
{
	struct stage *s = *state;
	struct program p;
	program_load(&p);
	stage_open(s);
	assert_string_equal(stage_sym(s, MISC_USER, 0x7f001234)->name, "0x7f001234");
	assert_int_equal(stage_sym(s, MISC_USER, 0x7f001234)->state, SYM_NO_DSO);
	stage_maps(s, "/no/such/file", NULL);
	assert_string_equal(stage_sym(s, MISC_USER, STAGE_AT + 0x1abc)->name, "0x1abc");
	assert_string_equal(stage_sym(s, MISC_USER, STAGE_AT)->name, "[no symbol]");
	struct build_id other = changed(p.id); /* a file of another build */
	stage_maps(s, p.path, &other);
	assert_string_equal(stage_sym(s, MISC_USER, STAGE_AT + 0xfffff0)->name, "0xfffff0");
	assert_string_equal(stage_sym(s, MISC_KERNEL, 0xffffffff81001234)->name, "0xffffffff81001234");
	free(p.bytes);
}

/* A file that was read, with or without names, shows no addresses, because looking further is
 * useless. */
static void files_that_were_read_show_no_addresses(void **state)
{
	struct stage *s = *state;
	struct program p;
	program_load(&p);
	stage_open(s);
	stage_maps(s, p.path, &p.id);
	const struct sym_info *sym = stage_sym(s, MISC_USER, STAGE_AT + 0xfffff0);
	assert_string_equal(sym->name, "[no symbol]");
	assert_int_equal(sym->state, SYM_UNRESOLVED);
	assert_ptr_equal(stage_sym(s, MISC_USER, STAGE_AT + 0xffff00), sym);
	stage_maps(s, "//anon", NULL); /* memory without a file */
	assert_string_equal(stage_sym(s, MISC_USER, STAGE_AT + 0x1230)->name, "[no symbol]");
	stage_close(s);
	program_forget(&p);
	stage_write(s, "/files/prog", p.bytes, p.n);
	char path[SCRATCH_PATH];
	scratch_path(path, "%s", stage_path(s, "/files/prog"));
	stage_open(s);
	stage_maps(s, path, &p.id);
	assert_string_equal(name_of(s, &p), "[no symbol]");
	assert_no_name(s, &p, "stripped");
	free(p.bytes);
}

static void two_build_ids_for_one_path(void **state)
{
	struct stage *s = *state;
	struct program p;
	program_load(&p);
	struct build_id other = changed(p.id);
	stage_says(s, MISC_USER, p.path, &p.id);
	stage_says(s, MISC_USER, p.path, &other);
	stage_open(s);
	stage_maps(s, p.path, NULL);
	assert_no_name(s, &p, "no build-id");
	/* according to the mappings they are two files */
	stage_maps(s, p.path, &other);
	assert_no_name(s, &p, "build-id differs");
	stage_maps(s, p.path, &p.id);
	assert_string_equal(name_of(s, &p), "fixture_function");
	free(p.bytes);
}

static void nothing_here(void **state)
{
	struct stage *s = *state;
	struct program p;
	program_load(&p);
	stage_open(s);
	stage_maps(s, "/no/such/file", &p.id);
	assert_no_name(s, &p, "no file with its build-id");
	free(p.bytes);
}

/* ---- places of files -------------------------------------------------------------------- */

static void in_the_cache_of_the_home(void **state)
{
	struct stage *s = *state;
	struct program p;
	program_load(&p);
	char path[SCRATCH_PATH];
	stage_id_path(path, sizeof(path), "/home/.debug", &p.id, "/elf");
	stage_write(s, path, p.bytes, p.n);
	stage_open(s);
	stage_maps(s, "/gone/prog", &p.id);
	assert_string_equal(name_of(s, &p), "fixture_function");
	free(p.bytes);
}

static void in_the_cache_under_the_wrong_id(void **state)
{
	struct stage *s = *state;
	struct program p;
	program_load(&p);
	char path[SCRATCH_PATH];
	struct build_id other = changed(p.id);
	stage_id_path(path, sizeof(path), "/home/.debug", &other, "/elf");
	stage_write(s, path, p.bytes, p.n);
	stage_open(s);
	stage_maps(s, "/gone/prog", &other);
	assert_no_name(s, &p, "build-id differs");
	free(p.bytes);
}

static void stripped_with_debug_information(void **state)
{
	struct stage *s = *state;
	struct program p;
	program_load(&p);
	static const char *const places[] = {"/home/.debug", "/sys/usr/lib/debug"};
	char file[SCRATCH_PATH], debug[SCRATCH_PATH];
	for (size_t i = 0; i < 2; i++) {
		uint8_t *whole = memcpy(malloc(p.n), p.bytes, p.n);
		program_strip(&p);
		stage_write(s, "/sys/bin/prog", p.bytes, p.n);
		s->config.symfs = i ? strcpy(file, stage_path(s, "/sys")) : NULL;
		const char *mapped = i ? "/bin/prog" : strcpy(debug, stage_path(s, "/sys/bin/prog"));
		stage_open(s);
		stage_maps(s, mapped, &p.id);
		assert_group(s, &p);
		stage_close(s);
		char path[SCRATCH_PATH];
		stage_id_path(path, sizeof(path), places[i], &p.id, i ? ".debug" : "/debug");
		stage_write(s, path, whole, p.n);
		stage_open(s);
		stage_maps(s, mapped, &p.id);
		assert_string_equal(name_of(s, &p), "fixture_function");
		stage_close(s);
		unlink(stage_path(s, path));
		free(p.bytes);
		p.bytes = whole;
	}
	free(p.bytes);
}

/* Empties segments as objcopy does: a segment whose bytes were dropped has no position in the
 * file. */
static void program_empty_segments(struct program *p)
{
	ElfW(Ehdr) header;
	memcpy(&header, p->bytes, sizeof(header));
	for (size_t i = 0; i < header.e_phnum; i++) {
		ElfW(Phdr) ph;
		uint8_t *at = p->bytes + header.e_phoff + i * sizeof(ph);
		memcpy(&ph, at, sizeof(ph));
		if (ph.p_type == PT_LOAD && ph.p_flags & PF_X)
			ph.p_filesz = ph.p_offset = 0;
		memcpy(at, &ph, sizeof(ph));
	}
}

static void debug_information_alone(void **state)
{
	struct stage *s = *state;
	struct program p;
	program_load(&p);
	char path[SCRATCH_PATH];
	stage_id_path(path, sizeof(path), "/home/.debug", &p.id, "/debug");
	stage_write(s, path, p.bytes, p.n);
	stage_open(s);
	stage_maps(s, "/gone/prog", &p.id);
	assert_string_equal(name_of(s, &p), "fixture_function");
	stage_close(s);
	program_empty_segments(&p);
	stage_write(s, path, p.bytes, p.n);
	stage_open(s);
	stage_maps(s, "/gone/prog", &p.id);
	assert_no_name(s, &p, "only its debug information");
	free(p.bytes);
}

static void below_symfs(void **state)
{
	struct stage *s = *state;
	struct program p;
	program_load(&p);
	stage_write(s, "/sys/opt/prog", p.bytes, p.n);
	char root[SCRATCH_PATH];
	s->config.symfs = strcpy(root, stage_path(s, "/sys"));
	/* an absolute link starts at the root of the symfs tree */
	assert_int_equal(symlink("/opt", stage_path(s, "/sys/link")), 0);
	stage_open(s);
	stage_maps(s, "/opt/prog", NULL);
	assert_string_equal(name_of(s, &p), "fixture_function");
	stage_maps(s, "/link/prog", NULL);
	assert_string_equal(name_of(s, &p), "fixture_function");
	stage_maps(s, p.path, NULL);
	assert_no_name(s, &p, "no such file");
	free(p.bytes);
}

static void paths_of_the_user(void **state)
{
	struct stage *s = *state;
	struct error err;
	s->config.symfs = s->dir;
	s->config.kallsyms = "/dev/null";
	assert_int_equal(recording_names_check(&s->config, &err), 0);
	s->config.vmlinux = "/no/such/vmlinux";
	assert_int_equal(recording_names_check(&s->config, &err), -ENOENT);
	assert_non_null(strstr(err.text, "--vmlinux"));
	assert_non_null(strstr(err.text, "/no/such/vmlinux"));
	s->config.symfs = "/dev/null";
	assert_int_equal(recording_names_check(&s->config, &err), -ENOTDIR);
}

/* ---- hostile paths ------------------------------------------------------------------- */

static void no_way_out_of_symfs(void **state)
{
	struct stage *s = *state;
	struct program p;
	program_load(&p);
	stage_write(s, "/sys/inside", "x", 1);
	stage_write(s, "/secret", p.bytes, p.n);
	char root[SCRATCH_PATH];
	s->config.symfs = strcpy(root, stage_path(s, "/sys"));
	assert_int_equal(symlink("../secret", stage_path(s, "/sys/up")), 0);
	assert_int_equal(symlink(s->dir, stage_path(s, "/sys/away")), 0);
	stage_open(s);
	static const char *const paths[] = {"/../secret",
					    "/../../../../../../../tmp/x/../secret",
					    "/up",
					    "/away/secret",
					    "/./../secret",
					    "//../secret",
					    "/inside/../../secret"};
	for (size_t i = 0; i < sizeof(paths) / sizeof(*paths); i++) {
		stage_maps(s, paths[i], NULL);
		assert_no_name(s, &p, "");
	}
	/* a path that is not absolute is never opened */
	stage_maps(s, "../secret", NULL);
	assert_no_name(s, &p, "");
	free(p.bytes);
}

static void only_regular_files(void **state)
{
	struct stage *s = *state;
	struct program p;
	program_load(&p);
	stage_write(s, "/sys/inside", "x", 1);
	assert_int_equal(mkfifo(stage_path(s, "/sys/fifo"), 0600), 0);
	s->config.symfs = "/";
	stage_open(s);
	const char *const paths[] = {stage_path(s, "/sys/fifo"), "/dev/zero",  "/dev/tty",	 "/tmp",
				     "/proc/self/exe",		 "/proc/kmsg", "/proc/self/mem", "/sys/kernel/notes",
				     "/proc/self/fd/0"};
	for (size_t i = 0; i < sizeof(paths) / sizeof(*paths); i++) {
		stage_maps(s, paths[i], NULL);
		assert_no_name(s, &p, "");
		stage_maps(s, paths[i], &p.id);
		assert_no_name(s, &p, "");
	}
	free(p.bytes);
}

/* ---- symbols within the recording; [vdso] ------------------------------------------------ */

static void symbols_within_the_recording(void **state)
{
	struct stage *s = *state;
	struct pd_symbol symbols[] = {{.addr = 0x1100, .len = 0x80, .name = (char[]){"first"}},
				      {.addr = 0x1200, .len = 0x80, .name = (char[]){"second"}},
				      {.addr = UINT64_MAX - 4, .len = UINT64_MAX, .name = (char[]){"third"}},
				      {.addr = 0x1300, .len = 0x10, .name = NULL}};
	struct pd_file_symbols files[] = {{.path = (char[]){"/lib/a.so"},
					   .min_vaddr = 0x1000,
					   .min_vaddr_offset = 0x200,
					   .symbols = symbols,
					   .symbols_n = 4}};
	s->info.file_symbols = files;
	s->info.file_symbols_n = 1;
	stage_open(s);
	/* the array must not be used after creation, because it may have moved */
	s->info.file_symbols = NULL;
	stage_maps(s, "/lib/a.so", NULL);
	assert_string_equal(stage_sym(s, MISC_USER, STAGE_AT + 0x300)->name, "first");
	assert_string_equal(stage_sym(s, MISC_USER, STAGE_AT + 0x47f)->name, "second");
	assert_int_equal(stage_sym(s, MISC_USER, STAGE_AT + 0x480)->state, SYM_UNRESOLVED);
	assert_int_equal(stage_sym(s, MISC_USER, STAGE_AT + 0x510)->state, SYM_UNRESOLVED);
	assert_int_equal(stage_sym(s, MISC_USER, STAGE_AT)->state, SYM_UNRESOLVED);
	stage_maps(s, "/lib/b.so", NULL);
	assert_int_equal(stage_sym(s, MISC_USER, STAGE_AT + 0x300)->state, SYM_UNRESOLVED);
}

/* simpleperf maps each piece of JIT code to the same offset of its file, without the right to
 * execute. */
static void code_made_at_run_time(void **state)
{
	struct stage *s = *state;
	struct pd_symbol symbols[] = {{.addr = STAGE_AT + 0x40, .len = 0x40, .name = (char[]){"jit_one"}},
				      {.addr = STAGE_AT + 0x1000, .len = 0x40, .name = (char[]){"jit_two"}}};
	struct pd_file_symbols files[] = {
		{.path = (char[]){"data/x_jit_app_cache:15-17"}, .symbols = symbols, .symbols_n = 2}};
	s->info.file_symbols = files;
	s->info.file_symbols_n = 1;
	stage_open(s);
	for (size_t i = 0; i < 2; i++) {
		struct record rec = {.type = RECORD_MMAP2, .misc = MISC_USER};
		rec.u.mmap = (struct record_mmap){.pid = STAGE_PID,
						  .start = symbols[i].addr,
						  .len = 0x40,
						  .pgoff = 0x3c78,
						  .prot = 0x4000,
						  .filename = files[0].path};
		resolver_apply(s->r, &rec);
	}
	assert_string_equal(stage_sym(s, MISC_USER, STAGE_AT + 0x44)->name, "jit_one");
	assert_string_equal(stage_sym(s, MISC_USER, STAGE_AT + 0x1010)->name, "jit_two");
}

static void the_vdso_by_its_build_id(void **state)
{
	struct stage *s = *state;
	const void *image;
	size_t size;
	struct build_id id;
	if (!vdso_own(&image, &size))
		skip();
	elf_build_id_memory(image, size, NULL, &id);
	struct dso_image names = {0};
	if (!id.size || elf_read_memory(image, size, &names) < 0)
		skip();
	uint64_t at = 0;
	struct symtab_hit hit = {0};
	for (; at < size && !(symtab_find(names.symtab, at, &hit) && hit.name[0]); at++)
		;
	dso_image_deinit(&names);
	stage_open(s);
	stage_maps(s, "[vdso]", NULL);
	assert_int_equal(stage_sym(s, MISC_USER, STAGE_AT + at)->state, SYM_UNRESOLVED);
	stage_close(s);
	stage_says(s, MISC_USER, "[vdso]", &id);
	stage_open(s);
	stage_maps(s, "[vdso]", NULL);
	assert_int_equal(stage_sym(s, MISC_USER, STAGE_AT + at)->state, SYM_NAMED);
	stage_close(s);
	s->ids[0].id[0] ^= 1;
	stage_open(s);
	stage_maps(s, "[vdso]", NULL);
	assert_int_equal(stage_sym(s, MISC_USER, STAGE_AT + at)->state, SYM_UNRESOLVED);
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, stage_setup, stage_teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(a_mapping_with_a_build_id),
		TEST(a_build_id_of_the_whole_recording),
		TEST(a_short_build_id_filled_up),
		TEST(a_program_that_was_built_anew),
		TEST(no_build_id_no_name),
		TEST(addresses_stay),
		TEST(files_that_were_read_show_no_addresses),
		TEST(two_build_ids_for_one_path),
		TEST(nothing_here),
		TEST(in_the_cache_of_the_home),
		TEST(in_the_cache_under_the_wrong_id),
		TEST(stripped_with_debug_information),
		TEST(debug_information_alone),
		TEST(below_symfs),
		TEST(paths_of_the_user),
		TEST(no_way_out_of_symfs),
		TEST(only_regular_files),
		TEST(symbols_within_the_recording),
		TEST(code_made_at_run_time),
		TEST(the_vdso_by_its_build_id),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
