/* The code of a function comes from its file, and is that which runs. */
#include "../lib/scratch.h"
#include "resolve/elf/image.h"
#include "resolve/kernel/kcore.h"

#include <cyctop/resolve.h>

#include <dlfcn.h>
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

static struct resolver *make(bool background)
{
	struct resolver_config config = {
		.chain = &symbolizer_elf, .chain_n = 1, .proc = proc_live, .background = background};
	struct resolver *r;
	assert_int_equal(resolver_create(&config, &r, NULL), 0);
	return r;
}

static uint32_t symbol(struct resolver *r, const void *fn)
{
	uint32_t task = resolver_task(r, (uint32_t)getpid(), (uint32_t)getpid(), 0);
	uint32_t sym = resolver_symbol(r, task, MISC_USER, (uintptr_t)fn, 0);
	assert_true(resolver_settle(r, 20000));
	return resolver_catalog(r)->syms[sym].resolved;
}

static struct function_code read_code(struct resolver *r, uint32_t sym)
{
	struct function_code code;
	while (!resolver_function(r, sym, &code))
		resolver_collect(r);
	return code;
}

static void *open_copy(const char *path)
{
	size_t n;
	uint8_t *bytes = scratch_read(FIXTURE_DIR "/libwhere.so", &n);
	scratch_write(path, bytes, n);
	free(bytes);
	void *lib = dlopen(path, RTLD_NOW);
	assert_non_null(lib);
	return lib;
}

static void its_bytes_are_those_that_run(void **state)
{
	(void)state;
	void *lib = dlopen(FIXTURE_DIR "/libwhere.so", RTLD_NOW), *fn = dlsym(lib, "fixture_function");
	assert_non_null(fn);
	for (int background = 0; background < 2; background++) {
		struct resolver *r = make(background);
		uint32_t sym = symbol(r, fn);
		struct function_code code = read_code(r, sym);
		struct symtab_hit hit;
		assert_string_equal(code.why, "");
		assert_int_equal(code.n, resolver_catalog(r)->syms[sym].size);
		assert_memory_equal(code.bytes, fn, code.n);
		assert_true(code.fd >= 0 && code.machine && code.wide == (sizeof(void *) == 8));
		assert_true(symtab_find(code.names, code.addr, &hit));
		assert_string_equal(hit.name, "fixture_function");
		function_code_deinit(&code);
		assert_true(resolver_destroy(r));
	}
	dlclose(lib);
}

static void an_overwritten_file_has_other_code(void **state)
{
	(void)state;
	char dir[SCRATCH_PATH], path[SCRATCH_PATH];
	scratch_dir(dir);
	scratch_path(path, "%s/lib.so", dir);
	void *lib = open_copy(path);
	struct resolver *r = make(false);
	uint32_t sym = symbol(r, dlsym(lib, "fixture_function"));
	int fd = open(path, O_WRONLY | O_APPEND);
	assert_int_equal(write(fd, "x", 1), 1);
	close(fd);
	struct function_code code = read_code(r, sym);
	assert_null(code.bytes);
	assert_non_null(strstr(code.why, "overwritten"));
	function_code_deinit(&code);
	assert_true(resolver_destroy(r));
	dlclose(lib);
	scratch_remove(dir);
}

/* Links and permissions change the time of change, and no code: perf record links what it saw into its cache. */
static void a_linked_file_is_the_same(void **state)
{
	(void)state;
	char dir[SCRATCH_PATH], path[SCRATCH_PATH], other[SCRATCH_PATH];
	scratch_dir(dir);
	scratch_path(path, "%s/lib.so", dir);
	scratch_path(other, "%s/link", dir);
	void *lib = open_copy(path), *fn = dlsym(lib, "fixture_function");
	struct resolver *r = make(false);
	uint32_t sym = symbol(r, fn);
	struct stat before, after;
	assert_int_equal(stat(path, &before), 0);
	do { /* the clock of files goes in steps */
		unlink(other);
		assert_int_equal(link(path, other), 0);
		assert_int_equal(stat(path, &after), 0);
	} while (memcmp(&before.st_ctim, &after.st_ctim, sizeof(before.st_ctim)) == 0);
	struct function_code code = read_code(r, sym);
	assert_string_equal(code.why, "");
	assert_memory_equal(code.bytes, fn, code.n);
	function_code_deinit(&code);
	assert_true(resolver_destroy(r));
	dlclose(lib);
	scratch_remove(dir);
}

static void what_is_no_function_has_a_reason(void **state)
{
	(void)state;
	struct resolver *r = make(false);
	struct function_code code = read_code(r, symbol(r, (void *)16));
	assert_null(code.bytes);
	assert_non_null(strstr(code.why, "no function is known"));
	function_code_deinit(&code);
	assert_true(resolver_function(r, CATALOG_NONE, &code));
	assert_non_null(strstr(code.why, "no function is known"));
	function_code_deinit(&code);
	assert_true(resolver_destroy(r));
}

static void debug_files_have_no_code(void **state)
{
	(void)state;
	uint64_t size;
	struct function_code code = {.fd = -1, .debug_fd = -1};
	struct dso_image image = {0};
	int fd = open(FIXTURE_DIR "/split_apart", O_RDONLY);
	if (fd < 0)
		skip();
	size = (uint64_t)lseek(fd, 0, SEEK_END);
	assert_int_equal(elf_read_debug(fd, size, &image), 0);
	struct symtab_hit hit;
	for (uint32_t i = 0; i < symtab_count(image.symtab); i++) {
		symtab_get(image.symtab, i, &hit);
		if (strcmp(hit.name, "fixture_function") == 0)
			code = (struct function_code){.addr = hit.addr, .size = hit.size, .fd = -1, .debug_fd = -1};
	}
	dso_image_deinit(&image);
	image.code = &code;
	assert_true(code.addr && elf_read_debug(fd, size, &image) < 0);
	assert_non_null(strstr(image.why, "not its code"));
	assert_null(code.bytes);
	close(fd);

	const struct debug_places places = {.path = "/split_prog", .roots = {FIXTURE_DIR}};
	fd = open(FIXTURE_DIR "/split_prog", O_RDONLY);
	size = (uint64_t)lseek(fd, 0, SEEK_END);
	assert_int_equal(elf_read_program(fd, size, &places, &image), 0);
	assert_int_equal(code.n, code.size);
	function_code_deinit(&code);
	close(fd);
}

/* A file like /proc/kcore: segments without sections, with addresses of the kernel. */
static void the_kernel_has_its_code_in_memory(void **state)
{
	(void)state;
	static const uint64_t start = 0xffffffff81000000;
	struct {
		Elf64_Ehdr head;
		Elf64_Phdr segments[2];
		uint8_t code[64];
	} core = {
		.head = {.e_ident = {0x7f, 'E', 'L', 'F', ELFCLASS64, ELFDATA2LSB, EV_CURRENT},
			 .e_type = ET_CORE,
			 .e_machine = EM_X86_64,
			 .e_version = EV_CURRENT,
			 .e_phoff = sizeof(core.head),
			 .e_ehsize = sizeof(core.head),
			 .e_phentsize = sizeof(Elf64_Phdr),
			 .e_phnum = ARRAY_LEN(core.segments)},
		.segments = {{.p_type = PT_NOTE},
			     {.p_type = PT_LOAD,
			      .p_flags = PF_R | PF_W | PF_X,
			      .p_offset = sizeof(core) - sizeof(core.code),
			      .p_vaddr = start,
			      .p_filesz = sizeof(core.code),
			      .p_memsz = sizeof(core.code)}},
		.code = {0x55, [20] = 0xc3},
	};
	char path[SCRATCH_PATH];
	int fd = scratch_file(path);
	assert_int_equal(write(fd, &core, sizeof(core)), sizeof(core));
	struct function_code code = {.addr = start + 20, .size = 40, .fd = -1, .debug_fd = -1};
	struct dso_image image = {.code = &code};
	assert_int_equal(kcore_read(fd, &image), 0);
	assert_int_equal(code.n, 40);
	assert_int_equal(code.bytes[0], 0xc3);
	assert_int_equal(code.machine, EM_X86_64);
	function_code_deinit(&code);
	code.addr = start + sizeof(core.code);
	code.size = 1;
	assert_true(kcore_read(fd, &image) < 0);
	assert_null(code.bytes);
	assert_true(kcore_read(0, &image) < 0);
	assert_non_null(strstr(image.why, "/proc/kcore"));
	close(fd);
	unlink(path);
}

/* A probe within an instruction breaks the program, as one of a return does where something else was pushed. */
static void offsets_are_those_of_beginnings(void **state)
{
	(void)state;
	static const char *const paths[] = {FIXTURE_DIR "/where_pie", FIXTURE_DIR "/where_stripped"};
	uint64_t begin = 0, offset;
	char number[32];
	for (size_t i = 0; i < ARRAY_LEN(paths); i++) {
		struct error err = {0};
		if (i == 0)
			assert_int_equal(function_offset(paths[i], "fixture_function", &begin, &err), 0);
		snprintf(number, sizeof(number), "0x%llx", (unsigned long long)begin);
		assert_int_equal(function_offset(paths[i], number, &offset, &err), 0);
		assert_int_equal(offset, begin);
		snprintf(number, sizeof(number), "0x%llx", (unsigned long long)begin + 1);
		assert_int_equal(function_offset(paths[i], number, &offset, &err), -EINVAL);
		assert_non_null(strstr(err.text, i ? "within a function: it begins at 0x"
						   : "within a function, fixture_function: it begins at 0x"));
		assert_int_equal(function_offset(paths[i], "0x1", &offset, &err), -EINVAL);
		assert_non_null(strstr(err.text, "has no code at 0x1"));
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(its_bytes_are_those_that_run),	   cmocka_unit_test(an_overwritten_file_has_other_code),
		cmocka_unit_test(a_linked_file_is_the_same),	   cmocka_unit_test(what_is_no_function_has_a_reason),
		cmocka_unit_test(debug_files_have_no_code),	   cmocka_unit_test(the_kernel_has_its_code_in_memory),
		cmocka_unit_test(offsets_are_those_of_beginnings),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
