/* An ELF file that is being read, for the parts of the reader: symbols.c, plt.c,
 * unwind.c, ...  All of it comes from files anyone may have written: libelf checks the
 * headers, what they point to is checked here. */
#ifndef RESOLVE_ELF_READER_H
#define RESOLVE_ELF_READER_H

#include "base/alloc.h"
#include "resolve/elf/image.h"
#include "resolve/table/region.h"
#include "resolve/table/symtab.h"

#include <gelf.h>

struct code {
	uint64_t start, end;
};

struct image {
	int fd; /* -1: in memory */
	const uint8_t *bytes;
	uint64_t size;
	bool module; /* a kernel module, which is not linked yet */
	bool debug;  /* segments may say nothing of the program's file */
	Elf *elf;
	GElf_Ehdr ehdr;
	bool wide, big;
	VEC(GElf_Shdr) sections; /* the first is none; empty where they were stripped */
	VEC(GElf_Phdr) segments;
	VEC(struct code) code; /* sections that hold code, or where those were stripped, segments; by address */
};

/* 0 or -ENOEXEC with ret->why; image_close() in any case. */
int image_open_file(struct image *im, int fd, uint64_t size, bool debug, struct dso_image *ret);
int image_open_memory(struct image *im, const void *bytes, size_t size, struct dso_image *ret);
int image_open_module(struct image *im, const void *bytes, size_t size, struct dso_image *ret);
void image_close(struct image *im);

/* All of [offset, offset + n), or false. */
CYC_MUST_CHECK bool image_read(const struct image *im, uint64_t offset, void *buf, size_t n);
/* The same into a region, to be freed; at most `max` bytes. */
CYC_MUST_CHECK bool image_read_region(const struct image *im, uint64_t offset, uint64_t n, size_t max,
				      struct region *ret);

/* A number of `n` bytes in the file's byte order. */
static inline uint64_t image_number(const struct image *im, const uint8_t *p, size_t n)
{
	uint64_t v = 0;
	for (size_t i = 0; i < n; i++)
		v |= (uint64_t)p[i] << 8 * (im->big ? n - 1 - i : i);
	return v;
}

/* Its number, or 0: there is none of that name with bytes in the file. */
size_t image_section(const struct image *im, const char *name);
/* The last one of that type, or 0. */
size_t image_section_of_type(const struct image *im, uint32_t type);
void image_build_id(const struct image *im, struct build_id *ret);
/* The code that `addr` belongs to, or NULL. */
const struct code *image_code_at(const struct image *im, uint64_t addr);
static inline bool is_code_section(const GElf_Shdr *sh)
{
	return sh->sh_flags & SHF_EXECINSTR && sh->sh_flags & SHF_ALLOC;
}
/* Where in the file the byte of an address is, and how many follow it there. */
bool image_offset_of(const struct image *im, uint64_t addr, uint64_t *offset_ret, uint64_t *n_ret);

/* ---- parts ------------------------------------------------------------------------- */

/* A symbol table and its names, in the file. */
struct symbols_place {
	uint64_t at, n; /* bytes */
	size_t each;
	uint64_t names_at, names_n;
};
/* By the table's section; false: it is damaged. */
bool image_symbols_place(const struct image *im, size_t section, struct symbols_place *ret);
/* What the dynamic linker uses; for files without sections. */
struct dynamic {
	struct symbols_place symbols;
	GElf_Shdr relocations; /* of the linkage table: type, offset and size; size 0: none */
	uint64_t got;	       /* address of its words */
};
bool image_find_dynamic(const struct image *im, struct dynamic *ret);

/* Where symbols are read from. */
struct symbols_source {
	size_t section;			   /* or, where it has none, */
	const struct symbols_place *place; /* .dynsym; else NULL */
	enum sym_origin origin;
	uint64_t move; /* added to their addresses */
};
/* What to add to addresses of the program's split-off symbols: it may have been moved
 * since (prelink). */
uint64_t image_moved_by(const struct image *program, const struct image *debug);
/* Adds the symbols; false: they are damaged, what could be read was added. */
bool image_add_symbols(const struct image *im, const struct symbols_source *from, struct symtab_builder *b);

/* Adds the stubs of the procedure linkage table. */
void image_add_plt(const struct image *im, struct symtab_builder *b);

/* What the search for a program's debug file came to. */
struct debug_found {
	char *file; /* malloc'ed: the one that was used; or NULL */
	bool other_build, damaged;
};
/* Adds the symbols of the program's debug file; false: none was found. */
bool image_add_debug_file(const struct image *im, const struct debug_places *places, struct symtab_builder *b,
			  struct debug_found *ret);

/* Adds the symbols that are packed into the file.  0; -ENOENT: there are none, -ENOEXEC:
 * they are damaged, -ENOSYS: this build cannot unpack them. */
int image_add_minidebug(const struct image *im, struct symtab_builder *b);
/* Adds the bounds of functions from .eh_frame. */
void image_add_ranges(const struct image *im, struct symtab_builder *b);

#endif
