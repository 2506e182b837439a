/* Files without section headers: the tables of the dynamic linker give the same names as the
 * whole file.  The programs were built with this test. */
#include "../lib/scratch.h"
#include "resolve/elf/image.h"

#include <cyctop/resolve.h>

#include <elf.h>
#include <link.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

struct file {
	uint8_t *bytes;
	size_t n;
};

/* Reads a program that was built with this test. */
static struct file program(const char *name, size_t name_n)
{
	struct file f = {0};
	char path[SCRATCH_PATH];
	scratch_path(path, FIXTURE_DIR "/linked_%.*s", (int)name_n, name);
	f.bytes = scratch_read(path, &f.n);
	return f;
}

/* Strips the section headers as sstrip does.  `wiped`: the table stays in the file, filled with
 * zeros. */
static void strip_sections(struct file *f, bool wiped)
{
	bool wide = f->bytes[EI_CLASS] == ELFCLASS64;
	Elf64_Ehdr big;
	Elf32_Ehdr small;
	memcpy(&big, f->bytes, sizeof(big));
	memcpy(&small, f->bytes, sizeof(small));
	size_t at = wide ? big.e_shoff : small.e_shoff;
	assert_true(at && at <= f->n);
	if (wiped) {
		memset(f->bytes + at, 0, f->n - at);
		return;
	}
	big.e_shoff = big.e_shnum = big.e_shstrndx = 0;
	small.e_shoff = small.e_shnum = small.e_shstrndx = 0;
	if (wide)
		memcpy(f->bytes, &big, sizeof(big));
	else
		memcpy(f->bytes, &small, sizeof(small));
	f->n = at;
}

/* Checks that every name in the stripped file is that in the whole file; counts the functions
 * and stubs with names. */
static void compare(const struct dso_image *whole, const struct dso_image *left, int *functions, int *stubs)
{
	*functions = *stubs = 0;
	for (size_t i = 0; i < left->segments_n; i++) {
		struct symtab_hit a, b;
		const struct segment *s = &left->segments[i];
		for (uint64_t at = s->vaddr; at < s->vaddr + s->size; at++) {
			if (!symtab_find(left->symtab, at, &a) || !a.name[0])
				continue;
			char name[256];
			snprintf(name, sizeof(name), "%s", a.name);
			assert_true(symtab_find(whole->symtab, at, &b));
			assert_string_equal(name, b.name);
			assert_int_equal(a.addr, b.addr);
			*functions += at == a.addr && a.origin == ORIGIN_DYNSYM;
			*stubs += at == a.addr && a.origin == ORIGIN_PLT;
		}
	}
}

#if defined(__x86_64__) || defined(__aarch64__)
/* Is there a stub for each function that the program imports? */
static bool has_stubs(const struct dso_image *image)
{
	static const char *const imported[] = {"rand@plt", "clock@plt", "fputs@plt"};
	unsigned seen = 0;
	for (size_t i = 0; i < image->segments_n; i++) {
		struct symtab_hit hit;
		const struct segment *s = &image->segments[i];
		for (uint64_t at = s->vaddr; at < s->vaddr + s->size; at++)
			for (unsigned k = 0; k < ARRAY_LEN(imported); k++)
				if (symtab_find(image->symtab, at, &hit) && hit.origin == ORIGIN_PLT &&
				    strcmp(hit.name, imported[k]) == 0)
					seen |= 1u << k;
	}
	return seen == (1u << ARRAY_LEN(imported)) - 1;
}
#endif

static void programs_linked_in_several_ways(void **state)
{
	(void)state;
	int built = 0;
	for (const char *name = LINKED; *name; name += strspn(name, " ")) {
		size_t name_n = strcspn(name, " ");
		for (int wiped = 0; wiped < 2 && strncmp(name, "exports_nothing", name_n) != 0; wiped++) {
			struct file f = program(name, name_n);
			struct dso_image whole = {0}, left = {0};
			assert_int_equal(elf_read_memory(f.bytes, f.n, &whole), 0);
			strip_sections(&f, wiped);
			assert_int_equal(elf_read_memory(f.bytes, f.n, &left), 0);
			assert_non_null(strstr(left.why, "stripped"));
			int functions, stubs;
			compare(&whole, &left, &functions, &stubs);
			print_message("%.*s: %d functions, %d stubs\n", (int)name_n, name, functions, stubs);
			assert_true(functions >= 3);
#if defined(__x86_64__) || defined(__aarch64__)
			assert_true(stubs >= 3);
			assert_true(has_stubs(&whole));
			assert_true(has_stubs(&left));
#endif
			dso_image_deinit(&whole);
			dso_image_deinit(&left);
			free(f.bytes);
			built++;
		}
		name += name_n;
	}
	assert_true(built >= 2);
}

/* The program exports nothing; its symbol table only has the functions that it imports. */
static void a_program_that_exports_nothing(void **state)
{
	(void)state;
	struct file f = program("exports_nothing", strlen("exports_nothing"));
	struct dso_image whole = {0}, left = {0};
	assert_int_equal(elf_read_memory(f.bytes, f.n, &whole), 0);
	strip_sections(&f, false);
	assert_int_equal(elf_read_memory(f.bytes, f.n, &left), 0);
	int functions, stubs;
	compare(&whole, &left, &functions, &stubs);
	assert_true(functions < 3);
	dso_image_deinit(&whole);
	dso_image_deinit(&left);
	free(f.bytes);
}

/* Finds offset and size of the first segment of a type. */
static bool find_segment(const struct file *f, uint32_t type, size_t *at, size_t *n)
{
	ElfW(Ehdr) header;
	memcpy(&header, f->bytes, sizeof(header));
	*at = *n = 0;
	for (size_t i = 0; i < header.e_phnum; i++) {
		ElfW(Phdr) ph;
		memcpy(&ph, f->bytes + header.e_phoff + i * sizeof(ph), sizeof(ph));
		*at = ph.p_offset;
		*n = ph.p_filesz;
		if (ph.p_type == type && ph.p_offset <= f->n && ph.p_filesz <= f->n - ph.p_offset)
			return true;
	}
	return false;
}

static void try_bytes(const struct file *f)
{
	struct dso_image image = {0};
	int r = elf_read_memory(f->bytes, f->n, &image);
	assert_true((r == 0) == (image.symtab != NULL));
	dso_image_deinit(&image);
}

/* The dynamic section, and the segment that leads to it, may contain anything. */
static void damage_is_survived(void **state)
{
	(void)state;
	static const uint8_t values[] = {0, 1, 0x7f, 0xff};
	struct file f = program("gnu", strlen("gnu"));
	size_t at, n;
	strip_sections(&f, false);
	assert_true(find_segment(&f, PT_DYNAMIC, &at, &n));
	for (size_t pass = 0; pass < 2; pass++) {
		for (size_t i = at; i < at + n; i++) {
			uint8_t was = f.bytes[i];
			for (size_t v = 0; v < sizeof(values); v++) {
				f.bytes[i] = values[v];
				try_bytes(&f);
			}
			f.bytes[i] = was;
		}
		/* hash tables, symbols and relocations are in the first pages */
		at = sizeof(ElfW(Ehdr));
		n = 2048;
	}
	for (n = f.n; f.n > 64; f.n -= n / 50)
		try_bytes(&f);
	free(f.bytes);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(programs_linked_in_several_ways),
		cmocka_unit_test(a_program_that_exports_nothing),
		cmocka_unit_test(damage_is_survived),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
