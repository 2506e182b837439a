/* Symbols of modules in a recording: read from module files, which are not linked, often
 * compressed, and must be of the recorded build. */
#include "../lib/scratch.h"

#include "test_resolve_recording_world.h"

#include <libelf.h>

#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#if HAVE_ZLIB
#include <zlib.h>
#endif
#if HAVE_LZMA
#include <lzma.h>
#endif
#if HAVE_ZSTD
#include <zstd.h>
#endif

#include <cmocka.h>

static const uint64_t AT = 0xffffffffc0200000;
static const struct build_id some_id = {20, {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20}};
static const struct build_id other_id = {20, {9}};
static const char path[] = "/lib/modules/6.1.0/kernel/fs/my-mod.ko";

/* ---- a hand-made module ------------------------------------------------------------------ */

/* Expected layout: .text at 0, then .text.unlikely, then .exit.text aligned to 16.  .init.text,
 * the first section in the file, is freed after loading and has no place. */
static const struct section {
	const char *name;
	unsigned type, flags, size, align;
} sections[] = {
	{".init.text", SHT_PROGBITS, SHF_ALLOC | SHF_EXECINSTR, 0x40, 16},
	{".text", SHT_PROGBITS, SHF_ALLOC | SHF_EXECINSTR, 0x100, 16},
	{".data", SHT_PROGBITS, SHF_ALLOC | SHF_WRITE, 0x80, 32},
	{".text.unlikely", SHT_PROGBITS, SHF_ALLOC | SHF_EXECINSTR, 0x31, 1},
	{".exit.text", SHT_PROGBITS, SHF_ALLOC | SHF_EXECINSTR, 0x10, 16},
	{".note.gnu.build-id", SHT_NOTE, SHF_ALLOC, 36, 4},
	{".symtab", SHT_SYMTAB, 0, 0, 8},
	{".strtab", SHT_STRTAB, 0, 0, 1},
	{".shstrtab", SHT_STRTAB, 0, 0, 1},
};
static const struct symbol {
	const char *name;
	unsigned section, value, size, type;
} symbols[] = {
	{"", 0, 0, 0, STT_NOTYPE},
	{"mod_init", 1, 0, 0x40, STT_FUNC},
	{"mod_read", 2, 0, 0x80, STT_FUNC},
	{"mod_write", 2, 0x80, 0x80, STT_FUNC},
	{"mod_table", 3, 0, 0x80, STT_OBJECT},
	{"mod_panic", 4, 1, 0x30, STT_FUNC},
	{"mod_exit", 5, 0, 0x10, STT_FUNC},
};

struct text {
	char bytes[512];
	size_t n;
};

static unsigned add_text(struct text *t, const char *s)
{
	unsigned at = (unsigned)t->n;
	assert_true(t->n + strlen(s) + 1 <= sizeof(t->bytes));
	memcpy(t->bytes + t->n, s, strlen(s) + 1);
	t->n += strlen(s) + 1;
	return at;
}

static void fill(Elf *elf, Elf_Scn *scn, const struct section *s, void *bytes, size_t n)
{
	Elf64_Shdr *sh = elf64_getshdr(scn);
	Elf_Data *data = elf_newdata(scn);
	assert_true(elf && sh && data);
	sh->sh_type = s->type;
	sh->sh_flags = s->flags;
	sh->sh_addralign = s->align;
	*data = (Elf_Data){.d_buf = bytes,
			   .d_size = n,
			   .d_align = s->align,
			   .d_version = EV_CURRENT,
			   .d_type = s->type == SHT_SYMTAB ? ELF_T_SYM : ELF_T_BYTE};
}

/* The contents of a section, which must stay allocated until the file is written. */
struct contents {
	Elf64_Sym syms[ARRAY_LEN(symbols)];
	uint8_t zeros[0x100], note[36];
	struct text names, strings;
};

/* Makes a module file.  `name` NULL: as described above; otherwise the section `renamed`,
 * counted from 0, gets this name. */
static uint8_t *make_module(const struct build_id *id, uint16_t type, size_t renamed, const char *name, size_t *n_ret)
{
	static const uint8_t note[] = {4, 0, 0, 0, 20, 0, 0, 0, 3, 0, 0, 0, 'G', 'N', 'U', 0};
	struct contents *c = calloc(1, sizeof(*c));
	char file[SCRATCH_PATH];
	int fd = scratch_file(file);
	assert_true(elf_version(EV_CURRENT) != EV_NONE);
	Elf *elf = elf_begin(fd, ELF_C_WRITE, NULL);
	Elf64_Ehdr *eh = elf64_newehdr(elf);
	assert_non_null(eh);
	eh->e_ident[EI_DATA] = ELFDATA2LSB;
	eh->e_type = type;
	eh->e_machine = EM_X86_64;
	eh->e_version = EV_CURRENT;
	add_text(&c->names, "");
	add_text(&c->strings, "");
	memcpy(c->note, note, sizeof(note));
	memcpy(c->note + sizeof(note), id->bytes, 20);
	for (size_t i = 0; i < ARRAY_LEN(symbols); i++)
		c->syms[i] = (Elf64_Sym){.st_name = i ? add_text(&c->strings, symbols[i].name) : 0,
					 .st_info = (unsigned char)ELF64_ST_INFO(STB_GLOBAL, symbols[i].type),
					 .st_shndx = (uint16_t)symbols[i].section,
					 .st_value = symbols[i].value,
					 .st_size = symbols[i].size};
	for (size_t i = 0; i < ARRAY_LEN(sections); i++) {
		const struct section *s = &sections[i];
		Elf_Scn *scn = elf_newscn(elf);
		unsigned name_at = add_text(&c->names, i == renamed && name ? name : s->name);
		if (s->type == SHT_SYMTAB)
			fill(elf, scn, s, c->syms, sizeof(c->syms));
		else if (strcmp(s->name, ".strtab") == 0)
			fill(elf, scn, s, c->strings.bytes, c->strings.n);
		else if (s->type == SHT_STRTAB)
			fill(elf, scn, s, c->names.bytes, sizeof(c->names.bytes));
		else
			fill(elf, scn, s, s->type == SHT_NOTE ? c->note : c->zeros, s->size);
		elf64_getshdr(scn)->sh_name = name_at;
		if (s->type == SHT_SYMTAB) {
			elf64_getshdr(scn)->sh_link = (unsigned)i + 2;
			elf64_getshdr(scn)->sh_entsize = sizeof(Elf64_Sym);
			elf64_getshdr(scn)->sh_info = 1;
		}
	}
	eh->e_shstrndx = ARRAY_LEN(sections);
	assert_true(elf_update(elf, ELF_C_WRITE) > 0);
	elf_end(elf);
	close(fd);
	uint8_t *bytes = scratch_read(file, n_ret);
	unlink(file);
	free(c);
	return bytes;
}

static void put_module(struct stage *s, const char *at, const struct build_id *id)
{
	size_t n;
	uint8_t *bytes = make_module(id, ET_REL, 0, NULL, &n);
	stage_write(s, at, bytes, n);
	free(bytes);
}

static void begin(struct stage *s, const struct build_id *id)
{
	static char root[SCRATCH_PATH];
	if (id)
		stage_says(s, MISC_KERNEL, path, id);
	scratch_path(root, "%s", stage_path(s, ""));
	s->config.symfs = root;
	stage_open(s);
	stage_maps_kernel(s, AT, 0x1000, 0, path);
}

static const char *name_of(struct stage *s, uint64_t offset)
{
	return stage_sym(s, MISC_KERNEL, AT + offset)->name;
}

static void assert_named(struct stage *s)
{
	const struct catalog *cat = resolver_catalog(s->r);
	const struct sym_info *sym = stage_sym(s, MISC_KERNEL, AT + 0x10);
	assert_string_equal(sym->name, "mod_read");
	assert_int_equal(sym->origin, ORIGIN_MODULE);
	assert_string_equal(cat->dsos[sym->dso].path, "[my_mod]");
	assert_non_null(strstr(cat->dsos[sym->dso].file, ".ko"));
	assert_string_equal(name_of(s, 0x80), "mod_write");
	assert_string_equal(name_of(s, 0x101), "mod_panic");
	assert_string_equal(name_of(s, 0x140), "mod_exit");
	assert_int_equal(stage_sym(s, MISC_KERNEL, AT + 0x138)->state, SYM_UNRESOLVED);
	assert_int_equal(stage_sym(s, MISC_KERNEL, AT + 0x150)->state, SYM_UNRESOLVED);
}

static void assert_no_name(struct stage *s, const char *why)
{
	const struct sym_info *sym = stage_sym(s, MISC_KERNEL, AT + 0x10);
	assert_int_equal(sym->state, SYM_UNRESOLVED);
	if (!strstr(stage_why(s, sym), why))
		fail_msg("'%s' does not say '%s'", stage_why(s, sym), why);
}

/* ---- files that are used -------------------------------------------------------------------- */

static void by_its_path_and_build_id(void **state)
{
	struct stage *s = *state;
	put_module(s, path, &some_id);
	begin(s, &some_id);
	assert_named(s);
}

static void by_the_users_word(void **state)
{
	struct stage *s = *state;
	put_module(s, path, &some_id);
	begin(s, NULL);
	assert_named(s);
}

/* the mapping may contain only the name of the module */
static void by_the_list_of_its_kernel(void **state)
{
	struct stage *s = *state;
	static const char list[] = "kernel/a.ko: kernel/b.ko\nkernel/fs/my-mod.ko.xz:\n";
	char release[] = "6.1.0";
	put_module(s, "/lib/modules/6.1.0/kernel/fs/my-mod.ko.xz", &some_id);
	stage_write(s, "/lib/modules/6.1.0/modules.dep", list, sizeof(list) - 1);
	stage_says(s, MISC_KERNEL, "[my_mod]", &some_id);
	s->info.osrelease = release;
	char root[SCRATCH_PATH];
	scratch_path(root, "%s", stage_path(s, ""));
	s->config.symfs = root;
	stage_open(s);
	stage_maps_kernel(s, AT, 0x1000, 0, "[my_mod]");
	assert_named(s);
	s->info.osrelease = NULL;
}

static void in_the_home(void **state)
{
	struct stage *s = *state;
	char at[SCRATCH_PATH];
	stage_id_path(at, sizeof(at), "/home/.debug", &some_id, "/elf");
	put_module(s, at, &some_id);
	stage_says(s, MISC_KERNEL, path, &some_id);
	stage_open(s);
	stage_maps_kernel(s, AT, 0x1000, 0, path);
	assert_string_equal(name_of(s, 0x10), "mod_read");
}

/* ---- packed --------------------------------------------------------------------------------- */

#if HAVE_ZLIB || HAVE_LZMA || HAVE_ZSTD
static void packed(struct stage *s, const uint8_t *bytes, size_t n)
{
	stage_write(s, path, bytes, n);
	begin(s, &some_id);
	assert_named(s);
	stage_close(s);
	/* cut off, and damaged */
	stage_write(s, path, bytes, n / 2);
	begin(s, NULL);
	assert_no_name(s, "cannot be decompressed");
}
#endif

static void packed_by_gzip(void **state)
{
#if HAVE_ZLIB
	size_t n;
	uint8_t *bytes = make_module(&some_id, ET_REL, 0, NULL, &n), out[8192];
	z_stream z = {.next_in = bytes, .avail_in = (uInt)n, .next_out = out, .avail_out = sizeof(out)};
	assert_int_equal(deflateInit2(&z, 9, Z_DEFLATED, 16 + MAX_WBITS, 8, Z_DEFAULT_STRATEGY), Z_OK);
	assert_int_equal(deflate(&z, Z_FINISH), Z_STREAM_END);
	packed(*state, out, z.total_out);
	deflateEnd(&z);
	free(bytes);
#else
	struct stage *s = *state;
	stage_write(s, path, "\x1f\x8b", 2);
	begin(s, &some_id);
	assert_no_name(s, "compressed with gzip");
#endif
}

static void packed_by_xz(void **state)
{
#if HAVE_LZMA
	size_t n, out_n = 0;
	uint8_t *bytes = make_module(&some_id, ET_REL, 0, NULL, &n), out[8192];
	assert_int_equal(lzma_easy_buffer_encode(6, LZMA_CHECK_CRC32, NULL, bytes, n, out, &out_n, sizeof(out)),
			 LZMA_OK);
	packed(*state, out, out_n);
	free(bytes);
#else
	struct stage *s = *state;
	stage_write(s, path,
		    "\xfd"
		    "7zXZ",
		    5);
	begin(s, &some_id);
	assert_no_name(s, "compressed with xz");
#endif
}

static void packed_by_zstd(void **state)
{
#if HAVE_ZSTD
	size_t n;
	uint8_t *bytes = make_module(&some_id, ET_REL, 0, NULL, &n), out[8192];
	size_t out_n = ZSTD_compress(out, sizeof(out), bytes, n, 3);
	assert_false(ZSTD_isError(out_n));
	packed(*state, out, out_n);
	free(bytes);
#else
	struct stage *s = *state;
	stage_write(s, path, "\x28\xb5\x2f\xfd", 4);
	begin(s, &some_id);
	assert_no_name(s, "compressed with zstd");
#endif
}

/* ---- files that are not used
 * ------------------------------------------------------------------ */

static void another_build(void **state)
{
	struct stage *s = *state;
	put_module(s, path, &other_id);
	begin(s, &some_id);
	assert_no_name(s, "another build");
}

static void no_file(void **state)
{
	struct stage *s = *state;
	begin(s, &some_id);
	assert_no_name(s, "no file of its build");
}

static void nothing_to_know_it_by(void **state)
{
	struct stage *s = *state;
	stage_open(s);
	stage_maps_kernel(s, AT, 0x1000, 0, "[my_mod]");
	assert_no_name(s, "no build-id");
}

static void files_that_are_of_no_use(void **state)
{
	struct stage *s = *state;
	static const struct {
		uint16_t type;
		const char *first, *why;
	} cases[] = {
		{ET_DYN, NULL, "no kernel module"},
		{ET_REL, ".plt", "does not tell"},
	};
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		size_t n;
		uint8_t *bytes = make_module(&some_id, cases[i].type, 0, cases[i].first, &n);
		stage_write(s, path, bytes, n);
		free(bytes);
		begin(s, NULL);
		assert_no_name(s, cases[i].why);
		stage_close(s);
	}
	stage_write(s, path, "", 0);
	begin(s, NULL);
	assert_no_name(s, "empty");
	stage_close(s);
	stage_write(s, path, "\177ELF and nothing else", 21);
	begin(s, NULL);
	assert_no_name(s, "");
}

/* The kernel enlarges some tables between code sections: code before such a table has a known
 * address, code after it has not. */
static void in_front_of_a_table_that_grows(void **state)
{
	struct stage *s = *state;
	size_t n;
	uint8_t *bytes = make_module(&some_id, ET_REL, 2, ".plt", &n);
	stage_write(s, path, bytes, n);
	free(bytes);
	begin(s, NULL);
	assert_string_equal(name_of(s, 0x10), "mod_read");
	assert_string_equal(name_of(s, 0xff), "mod_write");
	for (uint64_t at = 0x100; at < 0x200; at++) {
		const struct sym_info *sym = stage_sym(s, MISC_KERNEL, AT + at);
		assert_int_equal(sym->state, SYM_UNRESOLVED);
		assert_non_null(strstr(stage_why(s, sym), "behind"));
	}
}

/* Damages each byte of the headers in turn: there must be no crash and no read beyond the end. */
static void damaged_files(void **state)
{
	(void)state;
	size_t n;
	uint8_t *bytes = make_module(&some_id, ET_REL, 0, NULL, &n);
	for (size_t at = 0; at < n; at++) {
		uint8_t *copy = malloc(n);
		memcpy(copy, bytes, n);
		copy[at] ^= 0xff;
		struct dso_image image = {0};
		int r = elf_read_module(copy, n, &image);
		assert_true(r == 0 || image.why[0]);
		dso_image_deinit(&image);
		r = elf_read_module(bytes, at, &image);
		assert_true(r == 0 || image.why[0]);
		dso_image_deinit(&image);
		free(copy);
	}
	free(bytes);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, stage_setup, stage_teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(by_its_path_and_build_id),
		TEST(by_the_users_word),
		TEST(by_the_list_of_its_kernel),
		TEST(in_the_home),
		TEST(packed_by_gzip),
		TEST(packed_by_xz),
		TEST(packed_by_zstd),
		TEST(another_build),
		TEST(no_file),
		TEST(nothing_to_know_it_by),
		TEST(files_that_are_of_no_use),
		TEST(in_front_of_a_table_that_grows),
		TEST(damaged_files),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
