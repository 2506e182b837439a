/* Reads the headers of an ELF file: file header, section headers, program headers.  A header may claim any number of
 * entries; only entries within the file and within the limits are read.
 *
 * libelf converts each entry from the file's class and byte order.  libelf does not read the file itself, because it
 * would allocate as much memory as the headers claim, and search a string table without a NUL once per section. */
#include "base/limits.h"
#include "resolve/elf/reader.h"

#include <errno.h>
#include <libelf.h>
#include <string.h>

enum {
	SEGMENTS_MAX = 1024,
};

/* Position and size of the section and program headers, from the file header. */
struct tables {
	uint64_t segments_at, segments_n, segment_size;
	uint64_t sections_at, sections_n, section_size, names; /* names: index of the section with their names */
};

/* Converts n bytes of headers or symbols in place from the file's byte order; they have the same size in the file and
 * in memory. */
static bool translate(const struct image *im, Elf_Type type, void *rows, size_t n)
{
	Elf_Data data = {.d_buf = rows, .d_type = type, .d_version = EV_CURRENT, .d_size = n};
	unsigned order = im->big ? ELFDATA2MSB : ELFDATA2LSB;
	return elf_version(EV_CURRENT) != EV_NONE &&
	       (im->wide ? elf64_xlatetom(&data, &data, order) : elf32_xlatetom(&data, &data, order));
}

static bool read_file_header(struct image *im, struct tables *ret)
{
	union {
		unsigned char ident[EI_NIDENT];
		Elf32_Ehdr narrow;
		Elf64_Ehdr wide;
	} h;
	if (!image_read(im, 0, &h, sizeof(h.narrow)) || memcmp(h.ident, ELFMAG, SELFMAG) != 0)
		return false;
	uint8_t class = h.ident[EI_CLASS], order = h.ident[EI_DATA];
	if ((class != ELFCLASS32 && class != ELFCLASS64) || (order != ELFDATA2LSB && order != ELFDATA2MSB))
		return false;
	im->wide = class == ELFCLASS64;
	im->big = order == ELFDATA2MSB;
	size_t n = im->wide ? sizeof(h.wide) : sizeof(h.narrow);
	if (!image_read(im, 0, &h, n) || !translate(im, ELF_T_EHDR, &h, n))
		return false;
	im->type = h.wide.e_type; /* e_type has the same offset in both classes */
	im->machine = h.wide.e_machine;
	if (im->wide)
		*ret = (struct tables){
			.segments_at = h.wide.e_phoff,
			.segments_n = h.wide.e_phnum,
			.segment_size = h.wide.e_phentsize,
			.sections_at = h.wide.e_shoff,
			.sections_n = h.wide.e_shnum,
			.section_size = h.wide.e_shentsize,
			.names = h.wide.e_shstrndx,
		};
	else
		*ret = (struct tables){
			.segments_at = h.narrow.e_phoff,
			.segments_n = h.narrow.e_phnum,
			.segment_size = h.narrow.e_phentsize,
			.sections_at = h.narrow.e_shoff,
			.sections_n = h.narrow.e_shnum,
			.section_size = h.narrow.e_shentsize,
			.names = h.narrow.e_shstrndx,
		};
	return true;
}

/* Returns section header `i` of headers that translate() has converted. */
static Elf64_Shdr section_at(const struct image *im, const uint8_t *rows, size_t i)
{
	Elf64_Shdr wide;
	if (im->wide) {
		memcpy(&wide, rows + i * sizeof(wide), sizeof(wide));
		return wide;
	}
	Elf32_Shdr sh;
	memcpy(&sh, rows + i * sizeof(sh), sizeof(sh));
	return (Elf64_Shdr){
		.sh_name = sh.sh_name,
		.sh_type = sh.sh_type,
		.sh_flags = sh.sh_flags,
		.sh_addr = sh.sh_addr,
		.sh_offset = sh.sh_offset,
		.sh_size = sh.sh_size,
		.sh_link = sh.sh_link,
		.sh_info = sh.sh_info,
		.sh_addralign = sh.sh_addralign,
		.sh_entsize = sh.sh_entsize,
	};
}

/* Returns program header `i` of headers that translate() has converted. */
static Elf64_Phdr segment_at(const struct image *im, const uint8_t *rows, size_t i)
{
	Elf64_Phdr wide;
	if (im->wide) {
		memcpy(&wide, rows + i * sizeof(wide), sizeof(wide));
		return wide;
	}
	Elf32_Phdr ph;
	memcpy(&ph, rows + i * sizeof(ph), sizeof(ph));
	return (Elf64_Phdr){
		.p_type = ph.p_type,
		.p_flags = ph.p_flags,
		.p_offset = ph.p_offset,
		.p_vaddr = ph.p_vaddr,
		.p_paddr = ph.p_paddr,
		.p_filesz = ph.p_filesz,
		.p_memsz = ph.p_memsz,
		.p_align = ph.p_align,
	};
}

/* Reads the numbers of sections and segments that do not fit into the 16-bit fields of the file header; the first
 * section header has them. */
static void read_large_counts(const struct image *im, struct tables *t, size_t each)
{
	uint8_t row[sizeof(Elf64_Shdr)];
	if (!t->sections_at || !image_read(im, t->sections_at, row, each) || !translate(im, ELF_T_SHDR, row, each)) {
		t->sections_n = 0;
		return;
	}
	Elf64_Shdr first = section_at(im, row, 0);
	if (t->sections_n == 0)
		t->sections_n = first.sh_size;
	if (t->names == SHN_XINDEX)
		t->names = first.sh_link;
	if (t->segments_n == PN_XNUM)
		t->segments_n = first.sh_info;
}

/* Reads and converts a table of headers, at most the first `max`. Returns false if it is unreadable. */
static bool read_rows(const struct image *im, Elf_Type type, uint64_t at, uint64_t n, size_t each, size_t max,
		      struct region *ret)
{
	uint64_t rows = n < max ? n : max;
	if (!at || !image_read_region(im, at, rows * each, ret))
		return false;
	ret->n -= ret->n % each;
	if (translate(im, type, ret->data, ret->n))
		return true;
	region_free(ret);
	return false;
}

static void read_sections(struct image *im, const struct tables *t, size_t each)
{
	struct region rows;
	bool used = false;
	if (t->section_size != each ||
	    !read_rows(im, ELF_T_SHDR, t->sections_at, t->sections_n, each, LIMIT_ELF_SECTIONS, &rows))
		return;
	if (t->sections_n > LIMIT_ELF_SECTIONS)
		image_reached(im, REACHED_ELF_SECTIONS);
	vec_push(&im->sections) = (Elf64_Shdr){0};
	for (size_t i = 1; i < rows.n / each; i++) {
		vec_push(&im->sections) = section_at(im, rows.data, i);
		used |= im->sections.data[i].sh_type != SHT_NULL;
	}
	region_free(&rows);
	if (!used)
		im->sections.n = 0; /* some tools zero section headers instead of removing them */
}

static void read_segments(struct image *im, const struct tables *t)
{
	size_t each = im->wide ? sizeof(Elf64_Phdr) : sizeof(Elf32_Phdr);
	struct region rows;
	if (t->segment_size != each ||
	    !read_rows(im, ELF_T_PHDR, t->segments_at, t->segments_n, each, SEGMENTS_MAX, &rows))
		return;
	for (size_t i = 0; i < rows.n / each; i++)
		vec_push(&im->segments) = segment_at(im, rows.data, i);
	region_free(&rows);
}

static void read_section_names(struct image *im, uint64_t section)
{
	if (section >= im->sections.n || im->sections.data[section].sh_type != SHT_STRTAB)
		return;
	const Elf64_Shdr *sh = &im->sections.data[section];
	uint64_t n = sh->sh_size < LIMIT_ELF_SECTION_NAMES ? sh->sh_size : LIMIT_ELF_SECTION_NAMES;
	if (!image_read_region(im, sh->sh_offset, n, &im->section_names))
		return;
	if (n < sh->sh_size)
		image_reached(im, REACHED_ELF_SECTION_NAMES);
	im->section_names.data[im->section_names.n - 1] = '\0';
}

bool image_read_headers(struct image *im)
{
	struct tables t;
	if (!read_file_header(im, &t))
		return false;
	size_t each = im->wide ? sizeof(Elf64_Shdr) : sizeof(Elf32_Shdr);
	read_large_counts(im, &t, each);
	read_sections(im, &t, each);
	read_segments(im, &t);
	read_section_names(im, t.names);
	return true;
}

const char *image_section_name(const struct image *im, const Elf64_Shdr *sh)
{
	return sh->sh_name < im->section_names.n ? (const char *)im->section_names.data + sh->sh_name : "";
}

/* ---- decoding symbols ------------------------------------------------------------- */

size_t image_symbol_size(const struct image *im)
{
	return im->wide ? sizeof(Elf64_Sym) : sizeof(Elf32_Sym);
}

Elf64_Sym image_symbol(const struct image *im, const uint8_t *at)
{
	Elf64_Sym wide;
	Elf32_Sym sym;
	bool swap = im->big != BIG_ENDIAN_HOST;
	if (im->wide) {
		memcpy(&wide, at, sizeof(wide));
		if (swap)
			translate(im, ELF_T_SYM, &wide, sizeof(wide));
		return wide;
	}
	memcpy(&sym, at, sizeof(sym));
	if (swap)
		translate(im, ELF_T_SYM, &sym, sizeof(sym));
	return (Elf64_Sym){
		.st_name = sym.st_name,
		.st_info = sym.st_info,
		.st_other = sym.st_other,
		.st_shndx = sym.st_shndx,
		.st_value = sym.st_value,
		.st_size = sym.st_size,
	};
}
