/* Everything read here comes from files anyone may have written: libelf checks the
 * headers, the tables' contents are checked below. */
#include "resolve/image.h"

#include "base/alloc.h"
#include "resolve/region.h"
#include "resolve/symtab.h"

#include <errno.h>
#include <gelf.h>
#include <libelf.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum {
	SYMBOLS_MAX = 8 * 1024 * 1024,
	SECTIONS_MAX = 256 * 1024,
	SEGMENTS_MAX = 1024,
	STRINGS_MAX = 256 * 1024 * 1024,
	CHUNK_SYMBOLS = 2048,
};

struct image {
	int fd; /* -1: in memory */
	const uint8_t *bytes;
	uint64_t size;
	Elf *elf;
	GElf_Ehdr ehdr;
};

struct section {
	uint64_t start, end; /* of the code it holds; empty for all others */
};
typedef VEC(struct section) sections;

/* ---- results ------------------------------------------------------------------ */

void dso_image_deinit(struct dso_image *image)
{
	symtab_destroy(image->symtab);
	free(image->segments);
	*image = (struct dso_image){0};
}

int dso_image_fail(struct dso_image *image, int code, const char *fmt, ...)
{
	va_list ap;
	va_start(ap, fmt);
	vsnprintf(image->why, sizeof(image->why), fmt, ap);
	va_end(ap);
	return -code;
}

/* ---- bytes -------------------------------------------------------------------- */

/* All of [offset, offset + n), or false. */
static bool image_read(const struct image *im, uint64_t offset, void *buf, size_t n)
{
	if (offset > im->size || n > im->size - offset)
		return false;
	if (im->fd < 0) {
		memcpy(buf, im->bytes + offset, n);
		return true;
	}
	for (size_t got = 0; got < n;) {
		ssize_t r = pread(im->fd, (uint8_t *)buf + got, n - got, (off_t)(offset + got));
		if (r < 0 && errno == EINTR)
			continue;
		if (r <= 0)
			return false;
		got += (size_t)r;
	}
	return true;
}

/* ---- segments ----------------------------------------------------------------- */

static int by_offset(const void *va, const void *vb)
{
	const struct segment *a = va, *b = vb;
	return a->offset < b->offset ? -1 : a->offset > b->offset;
}

/* Loadable segments that may be executed; a linker may make several.  Where no
 * segment says so, all loadable ones. */
static void read_segments(const struct image *im, struct dso_image *ret)
{
	VEC(struct segment) found = {0};
	size_t n;
	if (elf_getphdrnum(im->elf, &n) != 0)
		return;
	n = n > SEGMENTS_MAX ? SEGMENTS_MAX : n;
	for (int want_x = 1; want_x >= 0 && !found.n; want_x--) {
		for (size_t i = 0; i < n; i++) {
			GElf_Phdr ph;
			if (!gelf_getphdr(im->elf, (int)i, &ph))
				break;
			if (ph.p_type != PT_LOAD || !ph.p_filesz || (want_x && !(ph.p_flags & PF_X)))
				continue;
			vec_push(&found) =
				(struct segment){.offset = ph.p_offset, .vaddr = ph.p_vaddr, .size = ph.p_filesz};
		}
	}
	if (found.n) {
		qsort(found.data, found.n, sizeof(*found.data), by_offset);
		ret->segments = xrealloc(found.data, found.n, sizeof(*found.data));
		ret->segments_n = found.n;
	}
}

/* ---- symbols ------------------------------------------------------------------ */

/* Names the assembler leaves to mark code and data in the text: $x, $d, $t, $a and
 * what follows a dot or an instruction set's name ($xrv64i2p1). */
static bool is_mapping_symbol(const char *s, size_t n)
{
	return n >= 2 && s[0] == '$' && strchr("xdtabpm", s[1]) &&
	       (n == 2 || s[2] == '.' || (s[1] == 'x' && n > 4 && memcmp(s + 2, "rv", 2) == 0));
}

/* A leading underscore marks an implementation's own name, unless it begins a
 * mangled one (_Z: C++, _R: Rust, _D: D). */
static bool is_reserved(const char *s, size_t n)
{
	return n >= 2 && s[0] == '_' && !memchr("ZRD", s[1], 3);
}

static int rank_of(const GElf_Sym *sym, const char *name, size_t n, bool full)
{
	int bind = GELF_ST_BIND(sym->st_info);
	int rank = bind == STB_LOCAL ? 0 : bind == STB_WEAK ? 1 : 2;
	if (rank && !is_reserved(name, n))
		rank += 4; /* read() is a weak alias of __read(), and what people call */
	return rank * 4 + (GELF_ST_TYPE(sym->st_info) == STT_NOTYPE ? 0 : 2) + full;
}

struct table {
	GElf_Shdr shdr;
	struct region strings;
	size_t strings_n;
	bool full; /* .symtab, not .dynsym */
};

static void add_symbol(const struct image *im, const struct table *tab, const sections *code, GElf_Sym *sym,
		       struct symtab_builder *b)
{
	int type = GELF_ST_TYPE(sym->st_info);
	bool func = type == STT_FUNC || type == STT_GNU_IFUNC;
	if (!func && (type != STT_NOTYPE || !sym->st_size))
		return;
	if (sym->st_shndx >= code->n || sym->st_name >= tab->strings_n)
		return;
	const struct section *sec = &code->data[sym->st_shndx];
	if (im->ehdr.e_machine == EM_ARM && func)
		sym->st_value &= ~(GElf_Addr)1; /* Thumb */
	if (sym->st_value < sec->start || sym->st_value >= sec->end)
		return;
	const char *name = (const char *)tab->strings.data + sym->st_name;
	size_t n = strnlen(name, tab->strings_n - sym->st_name);
	const char *version = n ? memchr(name + 1, '@', n - 1) : NULL;
	if (version)
		n = (size_t)(version - name);
	if (is_mapping_symbol(name, n))
		return;
	uint64_t room = sec->end - sym->st_value;
	symtab_add_bytes(b, sym->st_value, sym->st_size > room ? room : sym->st_size, name, n,
			 rank_of(sym, name, n, tab->full), NULL);
}

/* gelf_getsym() takes only data that belongs to a section. */
static GElf_Sym symbol_at(const uint8_t *table, size_t i, bool elf32)
{
	GElf_Sym sym;
	if (!elf32) {
		memcpy(&sym, table + i * sizeof(sym), sizeof(sym));
		return sym;
	}
	Elf32_Sym small;
	memcpy(&small, table + i * sizeof(small), sizeof(small));
	return (GElf_Sym){
		.st_name = small.st_name,
		.st_info = small.st_info,
		.st_other = small.st_other,
		.st_shndx = small.st_shndx,
		.st_value = small.st_value,
		.st_size = small.st_size,
	};
}

/* Reads the table in pieces: it is read once, in order, and may be large. */
static bool add_symbols(const struct image *im, const struct table *tab, const sections *code, struct symtab_builder *b)
{
	size_t each = gelf_fsize(im->elf, ELF_T_SYM, 1, EV_CURRENT);
	if (!each || tab->shdr.sh_entsize != each)
		return false;
	uint64_t n = tab->shdr.sh_size / each;
	n = n > SYMBOLS_MAX ? SYMBOLS_MAX : n;
	uint8_t *raw = xcalloc(CHUNK_SYMBOLS, each), *native = xcalloc(CHUNK_SYMBOLS, each);
	bool ok = true;
	for (uint64_t i = 0; i < n && ok; i += CHUNK_SYMBOLS) {
		size_t part = n - i < CHUNK_SYMBOLS ? (size_t)(n - i) : CHUNK_SYMBOLS;
		uint64_t at;
		ok = !__builtin_add_overflow(tab->shdr.sh_offset, i * each, &at) &&
		     image_read(im, at, raw, part * each);
		Elf_Data from = {.d_buf = raw, .d_type = ELF_T_SYM, .d_version = EV_CURRENT, .d_size = part * each};
		Elf_Data to = {.d_buf = native, .d_version = EV_CURRENT, .d_size = part * each};
		ok = ok && gelf_xlatetom(im->elf, &to, &from, im->ehdr.e_ident[EI_DATA]);
		for (size_t k = 0; ok && k < part; k++) {
			GElf_Sym sym = symbol_at(native, k, each == sizeof(Elf32_Sym));
			add_symbol(im, tab, code, &sym, b);
		}
	}
	free(raw);
	free(native);
	return ok;
}

/* The strings of the table, in one block: symbols point into it at random. */
static bool read_strings(const struct image *im, struct table *tab)
{
	GElf_Shdr sh;
	Elf_Scn *scn = elf_getscn(im->elf, tab->shdr.sh_link);
	if (!scn || !gelf_getshdr(scn, &sh) || sh.sh_type != SHT_STRTAB || sh.sh_size > STRINGS_MAX)
		return false;
	if (sh.sh_offset > im->size || sh.sh_size > im->size - sh.sh_offset)
		return false;
	if (!region_reserve(&tab->strings, sh.sh_size + 1) ||
	    !image_read(im, sh.sh_offset, tab->strings.data, sh.sh_size))
		return false;
	tab->strings_n = sh.sh_size;
	return true;
}

static bool read_table(const struct image *im, size_t index, const sections *code, struct symtab_builder *b)
{
	struct table tab = {0};
	Elf_Scn *scn = elf_getscn(im->elf, index);
	bool ok = scn && gelf_getshdr(scn, &tab.shdr);
	tab.full = tab.shdr.sh_type == SHT_SYMTAB;
	ok = ok && read_strings(im, &tab) && add_symbols(im, &tab, code, b);
	region_free(&tab.strings);
	return ok;
}

/* Where the code of each section is, and which sections are symbol tables. */
static void scan_sections(const struct image *im, sections *code, size_t *symtab_ret, size_t *dynsym_ret)
{
	vec_push(code) = (struct section){0};
	for (Elf_Scn *scn = NULL; code->n < SECTIONS_MAX && (scn = elf_nextscn(im->elf, scn));) {
		GElf_Shdr sh;
		struct section s = {0};
		if (gelf_getshdr(scn, &sh)) {
			if (sh.sh_flags & SHF_EXECINSTR && sh.sh_flags & SHF_ALLOC)
				s = (struct section){sh.sh_addr, u64_add_sat(sh.sh_addr, sh.sh_size)};
			if (sh.sh_type == SHT_SYMTAB)
				*symtab_ret = code->n;
			if (sh.sh_type == SHT_DYNSYM)
				*dynsym_ret = code->n;
		}
		vec_push(code) = s;
	}
}

static uint64_t symbols_in(const struct image *im, size_t index)
{
	GElf_Shdr sh;
	return gelf_getshdr(elf_getscn(im->elf, index), &sh) ? sh.sh_size : 0;
}

static int read_symbols(const struct image *im, struct dso_image *ret)
{
	sections code = {0};
	size_t full = 0, dynamic = 0;
	scan_sections(im, &code, &full, &dynamic);
	struct symtab_builder *b = symtab_builder_create();
	bool damaged = false;
	if (full)
		damaged |= !read_table(im, full, &code, b);
	/* A whole .symtab has all that .dynsym has; one that was cut down has not. */
	if (dynamic && (!full || damaged || symbols_in(im, full) < symbols_in(im, dynamic)))
		damaged |= !read_table(im, dynamic, &code, b);
	bool any = symtab_builder_count(b) > 0;
	for (size_t i = 0; any && i < code.n; i++)
		if (code.data[i].end > code.data[i].start)
			symtab_add_gap(b, code.data[i].end);
	vec_free(&code);
	if (any) {
		ret->symtab = symtab_finish(b);
		return 0;
	}
	symtab_builder_destroy(b);
	if (damaged)
		return dso_image_fail(ret, ENOEXEC, "its symbol table is damaged");
	if (full || dynamic)
		return dso_image_fail(ret, ENODATA, "its symbol table names no function (stripped)");
	return dso_image_fail(ret, ENODATA, "it has no symbol table (stripped)");
}

/* ---- whole images -------------------------------------------------------------- */

static int read_image(struct image *im, struct dso_image *ret)
{
	if (!im->elf || elf_kind(im->elf) != ELF_K_ELF || !gelf_getehdr(im->elf, &im->ehdr))
		return dso_image_fail(ret, ENOEXEC, "it is not an ELF file");
	if (im->ehdr.e_type != ET_EXEC && im->ehdr.e_type != ET_DYN)
		return dso_image_fail(ret, ENOEXEC, "it is neither a program nor a shared library");
	read_segments(im, ret);
	if (!ret->segments_n)
		return dso_image_fail(ret, ENOEXEC, "it has no loadable segment");
	return read_symbols(im, ret);
}

int elf_read_file(int fd, uint64_t size, struct dso_image *ret)
{
	if (elf_version(EV_CURRENT) == EV_NONE)
		return dso_image_fail(ret, ENOSYS, "libelf is too old");
	struct image im = {.fd = fd, .size = size, .elf = elf_begin(fd, ELF_C_READ, NULL)};
	int r = read_image(&im, ret);
	elf_end(im.elf);
	return r;
}

int elf_read_memory(const void *image, size_t size, struct dso_image *ret)
{
	if (elf_version(EV_CURRENT) == EV_NONE)
		return dso_image_fail(ret, ENOSYS, "libelf is too old");
	/* libelf takes a pointer to non-const, and reads only. */
	struct image im = {.fd = -1, .bytes = image, .size = size, .elf = elf_memory((char *)(uintptr_t)image, size)};
	int r = read_image(&im, ret);
	elf_end(im.elf);
	return r;
}
