/* Finds the function table of Go programs (pclntab).  It has the name of every Go function even in a stripped program,
 * because the Go runtime needs it for stack traces. */
#include "base/limits.h"
#include "resolve/elf/go_table.h"
#include "resolve/elf/reader.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

enum {
	PIECE = 1 << 20, /* bytes of a segment to search at once; a multiple of GO_TABLE_ALIGN */
	/* rank of Go's names, above that of any symbol of .dynsym, because Go programmers know the names in this
	 * table */
	RANK = 28,
};

/* ---- applying relocations ------------------------------------------------------- */

/* Returns the machine's relocation type that adds the load address to a word. */
static uint32_t relative_type(uint16_t machine)
{
	switch (machine) {
	case EM_X86_64:
		return R_X86_64_RELATIVE;
	case EM_AARCH64:
		return R_AARCH64_RELATIVE;
	case EM_S390:
		return R_390_RELATIVE;
	case EM_PPC64:
		return R_PPC64_RELATIVE;
	case EM_RISCV:
		return R_RISCV_RELATIVE;
	default:
		return 0; /* other machines have the addresses in the file itself */
	}
}

/* Applies relocations to the table: in a position-independent file, some linkers write addresses only into the
 * relocations, and zeros into the table. */
static void relocate(const struct image *im, uint64_t addr, struct region *table)
{
	const Elf64_Xword type = relative_type(im->machine);
	const size_t each = sizeof(Elf64_Rela), word = 8;
	struct dynamic_relocations found;
	struct region r;
	if (!type || !im->wide || !image_find_relocations(im, &found) ||
	    !image_read_limited(im, found.at, found.n, REACHED_GO_TABLE_BYTES, &r))
		return;
	for (size_t at = 0; r.n - at >= each; at += each) {
		uint64_t place = image_number(im, r.data + at, word), info = image_number(im, r.data + at + word, word);
		uint64_t value = image_number(im, r.data + at + 2 * word, word);
		if (ELF64_R_TYPE(info) != type || place < addr || place - addr > table->n ||
		    table->n - (place - addr) < word)
			continue;
		for (size_t i = 0; i < word; i++)
			table->data[place - addr + i] = (uint8_t)(value >> 8 * (im->big ? word - 1 - i : i));
	}
	region_free(&r);
}

/* ---- reading functions from a table ----------------------------------------------- */

struct adding {
	const struct image *im;
	struct symtab_builder *b;
};

static void add_function(void *ctx, uint64_t start, uint64_t size, const char *name, size_t name_n)
{
	const struct adding *a = ctx;
	const struct code *code = image_code_at(a->im, start);
	if (code)
		symtab_add_bytes(a->b, start, size < code->end - start ? size : code->end - start, name, name_n, RANK,
				 NULL);
}

static int add_functions(const struct image *im, const struct go_table *t, void *ctx)
{
	(void)im;
	struct adding *a = ctx;
	symtab_origin(a->b, ORIGIN_GO);
	return go_table_read(t, add_function, a) ? 0 : -ENOEXEC;
}

/* Returns true if the first and the last function are in code; bytes that look like a table by chance rarely pass
 * this. */
static bool is_in_code(const struct image *im, const struct go_table *t)
{
	uint64_t start, end;
	return go_table_bounds(t, &start, &end) && image_code_at(im, start) && image_code_at(im, end - 1);
}

/* What to do with the pclntab of a file: fn() is called with the table, and returns 0, or -ENOEXEC if it is damaged. */
struct use {
	int (*fn)(const struct image *im, const struct go_table *t, void *ctx);
	void *ctx;
};

/* Passes the table in `r`, which is at `addr`, to use->fn and returns its result; -ENOENT: `r` is not a table. */
static int use_table(const struct image *im, uint64_t addr, struct region *r, const struct use *use)
{
	struct go_table t = {.data = r->data, .n = r->n, .big = im->big};
	if (!go_table_open(&t))
		return -ENOENT;
	if (!is_in_code(im, &t)) {
		relocate(im, addr, r);
		if (!go_table_open(&t) || !is_in_code(im, &t))
			return -ENOENT;
	}
	return use->fn(im, &t, use->ctx);
}

static int use_bytes(const struct image *im, uint64_t addr, uint64_t offset, uint64_t n, const struct use *use)
{
	struct region r;
	if (n < GO_TABLE_HEADER_MAX || !image_read_region(im, offset, n, &r))
		return -ENOENT;
	int code = use_table(im, addr, &r, use);
	region_free(&r);
	return code;
}

/* ---- finding the table in the file ---------------------------------------------------- */

/* Searches `piece`, the bytes at offset `from` of segment `ph`, for a pclntab, and passes it to use->fn. Returns the
 * result of use->fn; -ENOENT: no pclntab was found. */
static int search_piece(const struct image *im, const Elf64_Phdr *ph, uint64_t from, const struct region *piece,
			const struct use *use)
{
	for (size_t at = 0; piece->n - at >= GO_TABLE_HEADER_MAX; at += GO_TABLE_ALIGN) {
		if (!go_table_begins(piece->data + at, piece->n - at, im->big))
			continue;
		uint64_t skip = from + at, n = ph->p_filesz - skip;
		if (n > LIMIT_GO_TABLE_BYTES)
			n = LIMIT_GO_TABLE_BYTES;
		int code = use_bytes(im, ph->p_vaddr + skip, ph->p_offset + skip, n, use);
		if (code != -ENOENT)
			return code;
	}
	return -ENOENT;
}

/* Searches the segments without code for the pclntab. The table has no section of its own in files without section
 * headers, and in position-independent files that the C compiler's linker made. */
static int search(const struct image *im, const struct use *use)
{
	int code = -ENOENT;
	size_t left = LIMIT_GO_SEARCH_BYTES;
	for (size_t i = 0; i < im->segments.n && code == -ENOENT; i++) {
		const Elf64_Phdr *ph = &im->segments.data[i];
		if (ph->p_type != PT_LOAD || ph->p_flags & PF_X || ph->p_offset % GO_TABLE_ALIGN)
			continue;
		/* pieces overlap by one header, which may lie across their border */
		for (uint64_t from = 0; from < ph->p_filesz && code == -ENOENT; from += PIECE) {
			uint64_t rest = ph->p_filesz - from, n = PIECE + GO_TABLE_HEADER_MAX;
			struct region piece;
			if (!image_read_part(im, ph->p_offset + from, rest < n ? rest : n, REACHED_GO_SEARCH_BYTES,
					     &left, &piece))
				return -ENOENT;
			code = search_piece(im, ph, from, &piece, use);
			region_free(&piece);
		}
	}
	return code;
}

/* Returns true if the notes contain the note that Go's linker adds. */
static bool has_go_note(const struct image *im, const struct region *notes)
{
	enum { HEAD = 12, WORD = 4, TYPE_BUILD_ID = 4 };
	static const char owner[WORD] = "Go";
	for (size_t at = 0; notes->n - at >= HEAD + sizeof(owner);) {
		const uint8_t *note = notes->data + at;
		uint64_t owner_n = image_number(im, note, WORD), n = image_number(im, note + WORD, WORD);
		if (image_number(im, note + 2 * (size_t)WORD, WORD) == TYPE_BUILD_ID && owner_n == sizeof(owner) &&
		    memcmp(note + HEAD, owner, sizeof(owner)) == 0)
			return true;
		uint64_t whole = HEAD + (owner_n + 3) / 4 * 4 + (n + 3) / 4 * 4;
		if (whole > notes->n - at)
			return false;
		at += (size_t)whole;
	}
	return false;
}

/* Returns true if the file is a Go program.  Looks at segments of notes, because some tools that strip files damage
 * the names of a Go program's sections. */
static bool is_go(const struct image *im)
{
	size_t left = LIMIT_ELF_NOTES_BYTES;
	bool found = false;
	for (size_t i = 0; i < im->segments.n && !found; i++) {
		const Elf64_Phdr *ph = &im->segments.data[i];
		struct region notes;
		if (ph->p_type != PT_NOTE ||
		    !image_read_part(im, ph->p_offset, ph->p_filesz, REACHED_ELF_NOTES_BYTES, &left, &notes))
			continue;
		found = has_go_note(im, &notes);
		region_free(&notes);
	}
	return found;
}

static int use_section(const struct image *im, const char *name, const struct use *use)
{
	size_t i = image_section(im, name);
	if (!i)
		return -ENOENT;
	const Elf64_Shdr *sh = &im->sections.data[i];
	uint64_t n = sh->sh_size;
	if (n > LIMIT_GO_TABLE_BYTES) {
		image_reached(im, REACHED_GO_TABLE_BYTES);
		return -ENOENT;
	}
	int code = use_bytes(im, sh->sh_addr, sh->sh_offset, n, use);
	return code == -ENOENT ? -ENOEXEC : code;
}

/* Finds the table of the file and passes it to use->fn.  Returns -ENOENT if the file has no table, -ENOEXEC if the
 * table is damaged. */
static int use_any(const struct image *im, const struct use *use)
{
	if (im->debug)
		return -ENOENT;
	int code = use_section(im, ".gopclntab", use);
	if (code == -ENOENT)
		code = use_section(im, ".data.rel.ro.gopclntab", use);
	if (code == -ENOENT && is_go(im))
		code = search(im, use);
	return code;
}

int image_add_go(const struct image *im, struct symtab_builder *b)
{
	return use_any(im, &(struct use){add_functions, &(struct adding){.im = im, .b = b}});
}

/* ---- finding where a function is in the source ------------------------------------------ */

struct placing {
	uint64_t start;
	char *text;
};

static int place(const struct image *im, const struct go_table *t, void *ctx)
{
	(void)im;
	struct placing *p = ctx;
	struct go_place found;
	if (!go_table_declared(t, p->start, &found) || found.file_n > SYMTAB_NAME_MAX)
		return 0;
	p->text = mem_printf("%.*s:%" PRIu32, (int)found.file_n, found.file, found.line);
	return 0;
}

char *elf_go_place(int fd, uint64_t size, uint64_t start)
{
	struct image im;
	struct dso_image why = {0};
	struct placing p = {.start = start};
	if (image_open_file(&im, fd, size, false, &why) == 0)
		use_any(&im, &(struct use){place, &p});
	image_close(&im);
	dso_image_deinit(&why);
	return p.text;
}
