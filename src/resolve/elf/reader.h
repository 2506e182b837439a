/* An open ELF file, shared by its readers (symbols.c, plt.c, unwind.c, ...).  The file is not trusted: every offset,
 * size and number in it is checked before use. */
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
	int fd; /* file descriptor; -1: the image is in memory (`bytes`) */
	const uint8_t *bytes;
	uint64_t size;
	bool module;		  /* the image is of a kernel module, which is not linked */
	bool debug;		  /* a separate debug file, whose segments may differ from the program's */
	bool wide, big;		  /* wide: 64-bit; big: big-endian data */
	uint16_t type, machine;	  /* e_type and e_machine of the file header */
	VEC(Elf64_Shdr) sections; /* section headers; [0] is the null section; empty if they were stripped */
	VEC(Elf64_Phdr) segments;
	struct region section_names;
	VEC(struct code) code;	  /* code sections, or segments if there are no sections; sorted by address */
	struct limit_set *limits; /* receives the limits that were reached; NULL: they are not noted */
};
static inline void image_reached(const struct image *im, enum limit which)
{
	if (im->limits)
		limit_reached(im->limits, which);
}

/* Reads the headers (headers.c); fd or bytes, and size, must be set.  Returns false if it is not an ELF file. */
CYC_MUST_CHECK bool image_read_headers(struct image *im);
const char *image_section_name(const struct image *im, const Elf64_Shdr *sh); /* "": it has none */
size_t image_symbol_size(const struct image *im);
/* Decodes the symbol in the image_symbol_size() bytes at `at`. */
Elf64_Sym image_symbol(const struct image *im, const uint8_t *at);

/* Returns an image of the file, whose headers are not read; closed by image_close(). */
struct image image_of_file(int fd, struct limit_set *limits);
/* Open an image; `debug`: it is a separate debug file. Return 0, or -ENOEXEC with ret->why; call image_close() in
 * either case. */
int image_open_file(struct image *im, int fd, uint64_t size, bool debug, struct dso_image *ret);
int image_open_memory(struct image *im, const void *bytes, size_t size, struct dso_image *ret);
int image_open_module(struct image *im, const void *bytes, size_t size, struct dso_image *ret);
void image_close(struct image *im);

/* Reads the bytes [offset, offset + n) of the image. Returns false if the image ends earlier, or is unreadable. */
CYC_MUST_CHECK bool image_read(const struct image *im, uint64_t offset, void *buf, size_t n);
/* Reads bytes into a region that the caller frees. Returns false if the image ends earlier, or is unreadable. */
CYC_MUST_CHECK bool image_read_region(const struct image *im, uint64_t offset, uint64_t n, struct region *ret);
/* As image_read_region(), but returns false if `n` is above the limit. */
CYC_MUST_CHECK bool image_read_limited(const struct image *im, uint64_t offset, uint64_t n, enum limit limit,
				       struct region *ret);
/* As image_read_region(), but returns false if `n` is above *left, the unused rest of the limit; subtracts `n` from
 * *left. */
CYC_MUST_CHECK bool image_read_part(const struct image *im, uint64_t offset, uint64_t n, enum limit limit, size_t *left,
				    struct region *ret);

/* Decodes a number of 1, 2, 4 or 8 bytes in the file's byte order. */
static inline uint64_t image_number(const struct image *im, const uint8_t *p, size_t n)
{
	return load_number(p, n, im->big);
}

/* Returns the index of a section by its name; 0: no section of that name has bytes in the file. */
size_t image_section(const struct image *im, const char *name);
/* Returns the index of the last section of this type; 0: there is none. */
size_t image_section_of_type(const struct image *im, uint32_t type);
void image_build_id(const struct image *im, struct build_id *ret);
/* Returns the code section (or segment) that contains `addr`; NULL: none does. */
const struct code *image_code_at(const struct image *im, uint64_t addr);
static inline bool is_code_section(const Elf64_Shdr *sh)
{
	return sh->sh_flags & SHF_EXECINSTR && sh->sh_flags & SHF_ALLOC;
}
/* Finds the file offset of an address, and how many bytes its segment has from there on. Returns false if the file has
 * no bytes for the address. */
bool image_offset_of(const struct image *im, uint64_t addr, uint64_t *offset_ret, uint64_t *n_ret);

/* Returns how many bytes of a function to read: its size; or CODE_BYTES_MAX, with a message in code->why (code.c). */
size_t function_code_wanted(struct function_code *code);
/* Reads the code at ret->code->addr (code.c).  Returns 0, or -errno with ret->why. */
int image_copy_code(const struct image *im, const struct debug_places *places, struct dso_image *ret);

/* ---- readers of the parts of an image ---------------------------------------------- */

/* Where a symbol table and its names are in the file. */
struct symbols_place {
	uint64_t at, n; /* offset and size in bytes; `each`: size of a symbol */
	size_t each;
	uint64_t names_at, names_n;
};
/* Locates the symbol table that is a section.  Returns false if the section is damaged. */
bool image_symbols_place(const struct image *im, size_t section, struct symbols_place *ret);
/* The dynamic linker's tables, for files without section headers. */
struct dynamic {
	struct symbols_place symbols;
	Elf64_Shdr relocations; /* PLT relocations: type, offset and size; size 0: none */
	uint64_t got;		/* address of the global offset table */
};
bool image_find_dynamic(const struct image *im, struct dynamic *ret);
/* Relocations that the dynamic linker applies at start (DT_RELA). */
struct dynamic_relocations {
	uint64_t at, n; /* offset and size in bytes, in the file */
};
/* Finds the DT_RELA relocations.  Returns false if there are none. */
bool image_find_relocations(const struct image *im, struct dynamic_relocations *ret);

/* Which symbol table to read, and how to change its addresses. */
struct symbols_source {
	size_t section;			   /* section index of the table; 0: use `place` */
	const struct symbols_place *place; /* .dynsym of a file without section headers; NULL: use `section` */
	enum sym_origin origin;
	uint64_t move; /* is added to the symbols' addresses */
};
/* Returns what to add to addresses of the debug file to get those of the program, which prelink may have moved. */
uint64_t image_moved_by(const struct image *program, const struct image *debug);
/* Adds the symbols of a table.  Returns false if the table is damaged; only a part was then added. */
bool image_add_symbols(const struct image *im, const struct symbols_source *from, struct symtab_builder *b);

/* Adds names for the stubs of the procedure linkage table. */
void image_add_plt(const struct image *im, struct symtab_builder *b);

/* Result of the search for the separate debug file of a program. */
struct debug_found {
	char *file; /* malloc'ed path of the file; NULL: none was used */
	int fd;	    /* open file if image_add_debug_file() had no `b`, closed by the caller; else -1 */
	bool other_build, damaged;
};
/* Adds the symbols of the program's separate debug file; `b` NULL: only opens the file.  Returns false if there is
 * none. */
bool image_add_debug_file(const struct image *im, const struct debug_places *places, struct symtab_builder *b,
			  struct debug_found *ret);

/* Adds the symbols in .gnu_debugdata.  Returns 0; -ENOENT: there is no such section; -ENOEXEC: it is damaged;
 * -ENOSYS: this build has no liblzma. */
int image_add_minidebug(const struct image *im, struct symtab_builder *b);
/* Adds the functions of Go's function table.  Returns 0; -ENOENT: the file has none; -ENOEXEC: the table is damaged,
 * and only a part was added. */
int image_add_go(const struct image *im, struct symtab_builder *b);
/* Adds the bounds of functions, as in .eh_frame, for addresses without a symbol. */
void image_add_ranges(const struct image *im, struct symtab_builder *b);

#endif
