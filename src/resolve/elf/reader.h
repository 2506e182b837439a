/* An open ELF file, shared by the parts of the reader (symbols.c, plt.c, unwind.c, ...).  The
 * file is not trusted: every offset, size and number in it is checked before it is used. */
#ifndef RESOLVE_ELF_READER_H
#define RESOLVE_ELF_READER_H

#include "base/alloc.h"
#include "base/limits.h"
#include "base/load.h"
#include "resolve/elf/image.h"
#include "resolve/table/region.h"
#include "resolve/table/symtab.h"

#include <elf.h>

struct code {
	uint64_t start, end;
};

struct image {
	int fd; /* file that is read; -1: the image is in memory */
	const uint8_t *bytes;
	uint64_t size;
	bool module;		  /* the image is of a kernel module, which is not linked */
	bool debug;		  /* the image is of a debug file, whose segments may differ from the program's */
	bool wide, big;		  /* 64-bit; big-endian */
	uint16_t type, machine;	  /* fields of the file header */
	VEC(Elf64_Shdr) sections; /* section headers; [0] is the null section; empty if they were stripped */
	VEC(Elf64_Phdr) segments;
	struct region section_names;
	VEC(struct code) code;	  /* code sections, or segments if there are no sections; sorted by address */
	struct limit_set *limits; /* gets the limits that are reached; NULL: limits are not noted */
};
static inline void image_reached(const struct image *im, enum limit which)
{
	if (im->limits)
		limit_reached(im->limits, which);
}

/* Reads the headers of an image whose bytes are set (headers.c).  Returns false if it is not an ELF file. */
CYC_MUST_CHECK bool image_read_headers(struct image *im);
const char *image_section_name(const struct image *im, const Elf64_Shdr *sh); /* returns the name; "": none */
size_t image_symbol_size(const struct image *im);
/* Decodes the symbol in the image_symbol_size() bytes at `at`. */
Elf64_Sym image_symbol(const struct image *im, const uint8_t *at);

/* Opens an image.  Returns 0, or -ENOEXEC with ret->why; call image_close() in either case. */
int image_open_file(struct image *im, int fd, uint64_t size, bool debug, struct dso_image *ret);
int image_open_memory(struct image *im, const void *bytes, size_t size, struct dso_image *ret);
int image_open_module(struct image *im, const void *bytes, size_t size, struct dso_image *ret);
void image_close(struct image *im);

/* Reads the bytes [offset, offset + n).  Returns false if not all of them are there. */
CYC_MUST_CHECK bool image_read(const struct image *im, uint64_t offset, void *buf, size_t n);
/* Reads bytes into a region that the caller frees. */
CYC_MUST_CHECK bool image_read_region(const struct image *im, uint64_t offset, uint64_t n, struct region *ret);
/* Reads bytes into a region, unless `n` is above the limit. */
CYC_MUST_CHECK bool image_read_limited(const struct image *im, uint64_t offset, uint64_t n, enum limit limit,
				       struct region *ret);
/* Reads bytes into a region if `n` is at most *left, the rest of the limit, and subtracts `n` from *left. */
CYC_MUST_CHECK bool image_read_part(const struct image *im, uint64_t offset, uint64_t n, enum limit limit, size_t *left,
				    struct region *ret);

/* Decodes a number of 1, 2, 4 or 8 bytes in the file's byte order. */
static inline uint64_t image_number(const struct image *im, const uint8_t *p, size_t n)
{
	return load_number(p, n, im->big);
}

/* Returns the index of a section by its name; 0: no section of that name has bytes in the file. */
size_t image_section(const struct image *im, const char *name);
/* Returns the index of the last section of that type; 0: there is none. */
size_t image_section_of_type(const struct image *im, uint32_t type);
void image_build_id(const struct image *im, struct build_id *ret);
/* Returns the piece of code that contains `addr`; NULL: there is none. */
const struct code *image_code_at(const struct image *im, uint64_t addr);
static inline bool is_code_section(const Elf64_Shdr *sh)
{
	return sh->sh_flags & SHF_EXECINSTR && sh->sh_flags & SHF_ALLOC;
}
/* Finds the file offset of the byte at an address, and the number of bytes from there to the end of its segment or
 * section. */
bool image_offset_of(const struct image *im, uint64_t addr, uint64_t *offset_ret, uint64_t *n_ret);

/* Returns how many bytes of a function are read: all, or CODE_BYTES_MAX, which code->why then says (code.c). */
size_t function_code_wanted(struct function_code *code);
/* Copies the code that ret->code is to get (code.c).  Returns 0, or -errno with ret->why. */
int image_copy_code(const struct image *im, const struct debug_places *places, struct dso_image *ret);

/* ---- parts of an image and their readers ------------------------------------------- */

/* Position of a symbol table, and of its names, in the file. */
struct symbols_place {
	uint64_t at, n; /* bytes */
	size_t each;
	uint64_t names_at, names_n;
};
/* Finds the position of the symbol table in a section.  Returns false if the section is damaged. */
bool image_symbols_place(const struct image *im, size_t section, struct symbols_place *ret);
/* Places of the tables of the dynamic linker, for files without sections. */
struct dynamic {
	struct symbols_place symbols;
	Elf64_Shdr relocations; /* relocations of the procedure linkage table: type, offset and size; size 0: none */
	uint64_t got;		/* address of the global offset table */
};
bool image_find_dynamic(const struct image *im, struct dynamic *ret);
/* The relocations that the dynamic linker applies at the start (DT_RELA). */
struct dynamic_relocations {
	uint64_t at, n; /* offset and length in the file, in bytes */
};
/* Finds these relocations.  Returns false if there are none. */
bool image_find_relocations(const struct image *im, struct dynamic_relocations *ret);

/* A symbol table to read. */
struct symbols_source {
	size_t section;			   /* index of the section with the table; 0: use `place` */
	const struct symbols_place *place; /* .dynsym, if it was found without sections; else NULL */
	enum sym_origin origin;
	uint64_t move; /* added to the addresses of the symbols */
};
/* Returns the offset that must be added to addresses in the debug file: the program may have been moved since its
 * debug file was made (prelink). */
uint64_t image_moved_by(const struct image *program, const struct image *debug);
/* Adds the symbols of a table.  Returns false if the table is damaged, and only a part was added. */
bool image_add_symbols(const struct image *im, const struct symbols_source *from, struct symtab_builder *b);

/* Adds the stubs of the procedure linkage table. */
void image_add_plt(const struct image *im, struct symtab_builder *b);

/* Result of the search for a program's debug file. */
struct debug_found {
	char *file; /* malloc'ed path of the file that was used; or NULL */
	int fd;	    /* that file, if `b` is NULL; else -1 */
	bool other_build, damaged;
};
/* Adds the symbols of the program's debug file; `b` NULL: only finds it.  Returns false if no such file was found. */
bool image_add_debug_file(const struct image *im, const struct debug_places *places, struct symtab_builder *b,
			  struct debug_found *ret);

/* Adds the symbols in .gnu_debugdata.  Returns 0; -ENOENT: there is no such section; -ENOEXEC: it is damaged;
 * -ENOSYS: this build has no liblzma. */
int image_add_minidebug(const struct image *im, struct symtab_builder *b);
/* Adds the functions of the table that the Go runtime reads.  Returns 0; -ENOENT: the file has no table; -ENOEXEC:
 * the table is damaged, and only a part was added. */
int image_add_go(const struct image *im, struct symtab_builder *b);
/* Adds the bounds of functions from .eh_frame. */
void image_add_ranges(const struct image *im, struct symtab_builder *b);

#endif
