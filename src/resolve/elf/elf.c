/* Everything read here comes from files anyone may have written: libelf checks the
 * headers, the tables' contents are checked below. */
#include "resolve/elf/image.h"

#include "base/alloc.h"
#include "resolve/table/symtab.h"

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
	PIECE_SYMBOLS = 8192, /* at least */
	PIECES_MAX = 16,      /* how often the strings may be read over */
	STRINGS_MAX = 1024 * 1024 * 1024,
	STRING_WINDOW = 64 * 1024,
};

struct image {
	int fd; /* -1: in memory */
	const uint8_t *bytes;
	uint64_t size;
	bool debug; /* segments may say nothing of the program's file */
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
	free(image->file);
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

/* Some tools that split debug information off leave the segments as they were; others
 * empty those whose bytes they drop, and move them. */
static bool is_usable(const struct image *im, const GElf_Phdr *ph, bool want_x)
{
	if (ph->p_type != PT_LOAD || !ph->p_filesz || (want_x && !(ph->p_flags & PF_X)))
		return false;
	return !im->debug || (want_x && ph->p_filesz == ph->p_memsz);
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
			if (!is_usable(im, &ph, want_x))
				continue;
			vec_push(&found) =
				(struct segment){.offset = ph.p_offset, .vaddr = ph.p_vaddr, .size = ph.p_filesz};
		}
	}
	if (found.n) {
		qsort(found.data, found.n, sizeof(*found.data), by_offset);
		ret->segments = mem_realloc(found.data, found.n, sizeof(*found.data));
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
	return n >= 2 && s[0] == '_' && !strchr("ZRD", s[1]);
}

static int rank_of(const GElf_Sym *sym, const char *name, size_t n, bool full)
{
	int bind = GELF_ST_BIND(sym->st_info);
	int rank = bind == STB_LOCAL ? 0 : bind == STB_WEAK ? 1 : 2;
	if (rank && !is_reserved(name, n))
		rank += 4; /* read() is a weak alias of __read(), and what people call */
	return rank * 4 + (GELF_ST_TYPE(sym->st_info) == STT_NOTYPE ? 0 : 2) + full;
}

/* A string table seen through a window.  Names are asked for in ascending order, so
 * that it is read once per piece of symbols and never held as a whole: it is the
 * largest part of a C++ library's symbols. */
struct strings {
	uint64_t offset, size; /* in the image */
	char *window;
	uint64_t at; /* offset in the table of what is in the window */
	size_t n;
};

struct table {
	GElf_Shdr shdr;
	struct strings strings;
	bool full; /* .symtab, not .dynsym */
};

/* The name at `offset`; *n_ret bytes, cut at SYMTAB_NAME_MAX.  NULL: there is none.
 * Valid until the next call. */
static const char *string_at(const struct image *im, struct strings *st, uint64_t offset, size_t *n_ret)
{
	if (offset >= st->size)
		return NULL;
	uint64_t left = st->size - offset; /* of the table */
	for (;;) {
		if (offset >= st->at && offset < st->at + st->n) {
			const char *name = st->window + (offset - st->at);
			size_t room = st->n - (size_t)(offset - st->at), n = strnlen(name, room);
			if (n < room || room == left || n >= SYMTAB_NAME_MAX) {
				*n_ret = n;
				return name;
			}
		}
		size_t want = left < STRING_WINDOW ? (size_t)left : STRING_WINDOW;
		if (!image_read(im, st->offset + offset, st->window, want)) {
			st->n = 0;
			return NULL;
		}
		st->at = offset;
		st->n = want;
	}
}

/* Does it name code?  Then its address is put right. */
static bool is_function(const struct image *im, const sections *code, GElf_Sym *sym)
{
	int type = GELF_ST_TYPE(sym->st_info);
	bool func = type == STT_FUNC || type == STT_GNU_IFUNC;
	if ((!func && (type != STT_NOTYPE || !sym->st_size)) || sym->st_shndx >= code->n)
		return false;
	const struct section *sec = &code->data[sym->st_shndx];
	if (im->ehdr.e_machine == EM_ARM && func)
		sym->st_value &= ~(GElf_Addr)1; /* Thumb */
	if (sym->st_value < sec->start || sym->st_value >= sec->end)
		return false;
	uint64_t room = sec->end - sym->st_value;
	if (sym->st_size > room)
		sym->st_size = room;
	return true;
}

static void add_symbol(const struct image *im, struct table *tab, const GElf_Sym *sym, struct symtab_builder *b)
{
	size_t n;
	const char *name = string_at(im, &tab->strings, sym->st_name, &n);
	if (!name)
		return;
	const char *version = n ? memchr(name + 1, '@', n - 1) : NULL;
	if (version)
		n = (size_t)(version - name);
	if (!is_mapping_symbol(name, n))
		symtab_add_bytes(b, sym->st_value, sym->st_size, name, n, rank_of(sym, name, n, tab->full), NULL);
}

static int by_name(const void *va, const void *vb)
{
	const GElf_Sym *a = va, *b = vb;
	return a->st_name < b->st_name ? -1 : a->st_name > b->st_name;
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

/* Memory for one piece of the symbol table. */
struct piece {
	uint8_t *raw;
	GElf_Sym *syms;
	size_t each; /* size of a symbol in the file */
};

static bool add_piece(const struct image *im, struct table *tab, const sections *code, struct piece *piece,
		      uint64_t first, size_t n, struct symtab_builder *b)
{
	uint64_t at;
	size_t each = piece->each, kept = 0;
	if (__builtin_add_overflow(tab->shdr.sh_offset, first * each, &at) || !image_read(im, at, piece->raw, n * each))
		return false;
	Elf_Data data = {.d_buf = piece->raw, .d_type = ELF_T_SYM, .d_version = EV_CURRENT, .d_size = n * each};
	Elf_Data native = data;
	if (!gelf_xlatetom(im->elf, &native, &data, im->ehdr.e_ident[EI_DATA]))
		return false;
	for (size_t i = 0; i < n; i++) {
		piece->syms[kept] = symbol_at(piece->raw, i, each == sizeof(Elf32_Sym));
		kept += is_function(im, code, &piece->syms[kept]);
	}
	qsort(piece->syms, kept, sizeof(*piece->syms), by_name);
	for (size_t i = 0; i < kept; i++)
		add_symbol(im, tab, &piece->syms[i], b);
	return true;
}

static bool add_symbols(const struct image *im, struct table *tab, const sections *code, struct symtab_builder *b)
{
	size_t each = gelf_fsize(im->elf, ELF_T_SYM, 1, EV_CURRENT);
	if (!each || tab->shdr.sh_entsize != each)
		return false;
	uint64_t n = tab->shdr.sh_size / each;
	n = n > SYMBOLS_MAX ? SYMBOLS_MAX : n;
	size_t most = n / PIECES_MAX > PIECE_SYMBOLS ? (size_t)(n / PIECES_MAX) : PIECE_SYMBOLS;
	most = most > n ? (size_t)n : most;
	struct piece piece = {
		.raw = mem_calloc(most, each),
		.syms = mem_calloc(most, sizeof(GElf_Sym)),
		.each = each,
	};
	tab->strings.window = mem_calloc(STRING_WINDOW, 1);
	bool ok = true;
	for (uint64_t i = 0; i < n && ok; i += most) {
		size_t part = n - i < most ? (size_t)(n - i) : most;
		ok = add_piece(im, tab, code, &piece, i, part, b);
	}
	free(tab->strings.window);
	free(piece.raw);
	free(piece.syms);
	return ok;
}

static bool find_strings(const struct image *im, struct table *tab)
{
	GElf_Shdr sh;
	Elf_Scn *scn = elf_getscn(im->elf, tab->shdr.sh_link);
	if (!scn || !gelf_getshdr(scn, &sh) || sh.sh_type != SHT_STRTAB)
		return false;
	if (sh.sh_offset > im->size || sh.sh_size > im->size - sh.sh_offset)
		return false;
	tab->strings.offset = sh.sh_offset;
	tab->strings.size = sh.sh_size < STRINGS_MAX ? sh.sh_size : STRINGS_MAX;
	return true;
}

static bool read_table(const struct image *im, size_t index, const sections *code, struct symtab_builder *b)
{
	struct table tab = {0};
	Elf_Scn *scn = elf_getscn(im->elf, index);
	bool ok = scn && gelf_getshdr(scn, &tab.shdr);
	tab.full = tab.shdr.sh_type == SHT_SYMTAB;
	return ok && find_strings(im, &tab) && add_symbols(im, &tab, code, b);
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
	if (!im->debug && !ret->segments_n)
		return dso_image_fail(ret, ENOEXEC, "it has no loadable segment");
	return read_symbols(im, ret);
}

static int read_file(int fd, uint64_t size, bool debug, struct dso_image *ret)
{
	if (elf_version(EV_CURRENT) == EV_NONE)
		return dso_image_fail(ret, ENOSYS, "libelf is too old");
	struct image im = {.fd = fd, .size = size, .debug = debug, .elf = elf_begin(fd, ELF_C_READ, NULL)};
	int r = read_image(&im, ret);
	elf_end(im.elf);
	return r;
}

int elf_read_file(int fd, uint64_t size, struct dso_image *ret)
{
	return read_file(fd, size, false, ret);
}

int elf_read_debug(int fd, uint64_t size, struct dso_image *ret)
{
	return read_file(fd, size, true, ret);
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
