/* Instructions come from lines of the source, also of functions that were inlined. */
#include "../lib/scratch.h"
#include "resolve/elf/image.h"

#include <cyctop/code.h>

#include <fcntl.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

/* Reads a function of a file; with code.n 0, it is not there. */
static struct function_code read_function(const char *path, const char *name)
{
	struct function_code code = {.fd = -1, .debug_fd = -1};
	struct dso_image image = {0};
	struct symtab_hit hit;
	int fd = open(path, O_RDONLY);
	uint64_t size = (uint64_t)lseek(fd, 0, SEEK_END);
	assert_int_equal(elf_read_program(fd, size, NULL, &image), 0);
	for (uint32_t i = 0; i < symtab_count(image.symtab); i++) {
		symtab_get(image.symtab, i, &hit);
		if (strcmp(hit.name, name) == 0)
			code = (struct function_code){.addr = hit.addr, .size = hit.size, .fd = -1, .debug_fd = -1};
	}
	dso_image_deinit(&image);
	image.code = &code;
	assert_int_equal(elf_read_program(fd, size, NULL, &image), 0);
	close(fd);
	return code;
}

#if HAVE_DW
/* Returns the innermost call at an address, as lookups find it; NULL: it is in the function itself. */
static const struct inlined_call *call_at(const struct inlined_function *f, uint64_t addr)
{
	uint32_t call = 0;
	for (uint32_t i = 0; i < f->spans_n && f->spans[i].addr <= addr; i++)
		call = f->spans[i].call;
	return call ? &f->calls[call - 1] : NULL;
}
#endif

/* What was inlined is told for each address, as the lines of the source tell it. */
static void calls_that_were_inlined(void **state)
{
	(void)state;
	struct function_code code = read_function(FIXTURE_DIR "/libinlined.so", "outer_function");
	struct instructions in;
	struct code_places places;
	struct inlined_function f[2] = {{.addr = code.addr, .size = code.size}, {.addr = 1, .size = 1}};
	instructions_read(&code, NULL, &in);
	code_places_read(&code, &in, &places);
	bool told = code_inlines_read(&code, f, 2);
	assert_int_equal(f[1].spans_n, 0);
#if HAVE_DW
	assert_true(told);
	assert_null(code_inlines_missing());
	assert_true(f[0].calls_n > 0 && f[0].spans_n > 0);
	for (size_t i = 0; i < in.n; i++) {
		const struct inlined_call *call = call_at(&f[0], in.v[i].addr);
		assert_int_equal(call != NULL, places.v[i].inlined != NULL);
		if (call)
			assert_string_equal(call->name, places.v[i].inlined);
	}
#else
	assert_false(told);
	assert_non_null(strstr(code_inlines_missing(), "libdw"));
#endif
	inlined_function_deinit(&f[0]);
	code_places_deinit(&places);
	instructions_deinit(&in);
	function_code_deinit(&code);
}

static void lines_and_inlined_functions(void **state)
{
	(void)state;
	struct function_code code = read_function(FIXTURE_DIR "/libinlined.so", "outer_function");
	struct instructions in;
	struct code_places places;
	instructions_read(&code, NULL, &in);
	code_places_read(&code, &in, &places);
	struct source_texts *texts = source_texts_create();
	bool inner = false, outer = false;
	for (size_t i = 0; i < places.n; i++) {
		const struct code_place *p = &places.v[i];
		const char *text = source_text(texts, FIXTURE_SOURCE, p->line);
		bool inlined = p->inlined && strcmp(p->inlined, "inner_function") == 0;
		assert_true(!p->file || strstr(p->file, "inlined.c"));
		inner |= text && strstr(text, "INNER") && inlined;
		outer |= text && strstr(text, "OUTER") && !inlined;
	}
#if HAVE_DW
	assert_null(places.why);
	assert_int_equal(places.n, in.n);
	assert_true(inner && outer);
#else
	assert_true(!inner && !outer);
	assert_non_null(strstr(places.why, "libdw"));
#endif
	source_texts_destroy(texts);
	code_places_deinit(&places);
	instructions_deinit(&in);
	function_code_deinit(&code);
}

/* Whoever started the program may have it ignore the end of processes. */
static void ignored_ends(void **state)
{
	signal(SIGCHLD, SIG_IGN);
	lines_and_inlined_functions(state);
	signal(SIGCHLD, SIG_DFL);
}

/* Every file is damaged somewhere: the answer is a place, or a reason, and never anything else. */
static void damaged_debug_information(void **state)
{
	(void)state;
	char path[SCRATCH_PATH];
	size_t n;
	struct function_code code = read_function(FIXTURE_DIR "/libinlined.so", "outer_function");
	struct instructions in;
	instructions_read(&code, NULL, &in);
	uint8_t *whole = scratch_read(FIXTURE_DIR "/libinlined.so", &n);
	close(code.fd);
	close(scratch_file(path));
	for (size_t k = 0; k < 200; k++) {
		struct code_places places;
		size_t at = n * k / 200;
		uint8_t before = whole[at];
		whole[at] ^= (uint8_t)(1 + k % 255);
		scratch_write(path, whole, k % 3 ? n : at);
		whole[at] = before;
		code.fd = open(path, O_RDONLY);
		code_places_read(&code, &in, &places);
		assert_true(places.why ? !places.n : places.n == in.n);
		struct inlined_function f = {.addr = code.addr, .size = code.size};
		code_inlines_read(&code, &f, 1);
		for (uint32_t i = 0; i < f.calls_n; i++)
			assert_true(f.calls[i].within <= i && *f.calls[i].name);
		for (uint32_t i = 0; i < f.spans_n; i++)
			assert_true(f.spans[i].call <= f.calls_n);
		inlined_function_deinit(&f);
		code_places_deinit(&places);
		close(code.fd);
	}
	code.fd = -1;
	unlink(path);
	free(whole);
	instructions_deinit(&in);
	function_code_deinit(&code);
}

/* What is no source file is not opened for long, and not read. */
static void source_files_that_are_none(void **state)
{
	(void)state;
	char dir[SCRATCH_PATH], path[SCRATCH_PATH];
	scratch_dir(dir);
	scratch_path(path, "%s/fifo", dir);
	assert_int_equal(mkfifo(path, 0600), 0);
	struct source_texts *texts = source_texts_create();
	assert_null(source_text(texts, path, 1));
	assert_null(source_text(texts, "/dev/zero", 1));
	assert_null(source_text(texts, "/proc/self/environ", 1));
	assert_null(source_text(texts, "relative.c", 1));
	assert_null(source_text(texts, dir, 1));
	assert_null(source_text(texts, NULL, 1));
	scratch_path(path, "%s/a.c", dir);
	scratch_text(path, "one\n\nthree");
	assert_string_equal(source_text(texts, path, 1), "one");
	assert_string_equal(source_text(texts, path, 2), "");
	assert_string_equal(source_text(texts, path, 3), "three");
	assert_null(source_text(texts, path, 4));
	assert_null(source_text(texts, path, 0));
	source_texts_destroy(texts);
	scratch_remove(dir);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(lines_and_inlined_functions),
		cmocka_unit_test(calls_that_were_inlined),
		cmocka_unit_test(ignored_ends),
		cmocka_unit_test(damaged_debug_information),
		cmocka_unit_test(source_files_that_are_none),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
