/* Adds the symbols of an ELF symbol table to a symtab_builder, some thousands at a time, to save memory. */
#include "base/limits.h"
#include "resolve/elf/reader.h"
#include "resolve/table/sort.h"

#include <stdlib.h>
#include <string.h>

enum {
	PIECE_SYMBOLS = 8192, /* minimum symbols per piece */
	PIECES_MAX = 16,      /* maximum number of pieces: the string table is read once per piece */
	STRING_WINDOW = 64 * 1024,
};

/* ---- choosing and ranking symbols --------------------------------------------- */

/* Returns true for mapping symbols, with which assemblers mark code and data: $x, $d, $t, $a, perhaps with a suffix
 * after a dot or an instruction set ($xrv64i2p1). */
static bool is_mapping_symbol(const char *s, size_t n)
{
	return n >= 2 && s[0] == '$' && strchr("xdtabpm", s[1]) &&
	       (n == 2 || s[2] == '.' || (s[1] == 'x' && n > 4 && memcmp(s + 2, "rv", 2) == 0));
}

/* Returns true for a symbol without type and size: an assembler function, or just a label. */
static bool is_label(const Elf64_Sym *sym)
{
	return ELF64_ST_TYPE(sym->st_info) == STT_NOTYPE && !sym->st_size;
}

/* Returns true for labels that compilers and code annotations add, and that are no function names. */
static bool is_local_label(const char *s, size_t n)
{
	return !n || s[0] == '.' || (n == 3 && s[0] == 'L' && s[2] == 1);
}

/* Returns true for a name with a leading underscore, which C reserves for the implementation, unless the name is
 * mangled (_Z: C++, _R: Rust, _D: D). */
static bool is_reserved(const char *s, size_t n)
{
	return n >= 2 && s[0] == '_' && !strchr("ZRD", s[1]);
}

static int rank_of(const Elf64_Sym *sym, const char *name, size_t n, bool full)
{
	if (is_label(sym))
		return 0;
	int bind = ELF64_ST_BIND(sym->st_info);
	int rank = bind == STB_LOCAL ? 0 : bind == STB_WEAK ? 1 : 2;
	if (rank && !is_reserved(name, n))
		rank += 4; /* read() is a weak alias of __read(), but is the name that users know */
	return 1 + rank * 4 + (ELF64_ST_TYPE(sym->st_info) == STT_NOTYPE ? 0 : 2) + full;
}

/* A string table that is read through a window.  Names are looked up in ascending order of offset, so the table is read
 * once per piece of symbols, and is never in memory as a whole: it is the largest part of a C++ library's symbols. */
struct strings {
	uint64_t offset, size; /* place of the string table in the image */
	char *window;
	uint64_t at; /* offset of the window from the start of the string table */
	size_t n;
};

struct table {
	uint64_t at, n; /* offset in the image; size in bytes */
	struct strings strings;
	bool full;     /* .symtab, not .dynsym */
	uint64_t move; /* added to the addresses of symbols */
};

/* Returns the name at `offset` of the string table, *n_ret bytes, at most SYMTAB_NAME_MAX; NULL: there is none.  Valid
 * until the next call. */
static const char *string_at(const struct image *im, struct strings *st, uint64_t offset, size_t *n_ret)
{
	if (offset >= st->size)
		return NULL;
	uint64_t left = st->size - offset; /* bytes to the end of the table */
	for (;;) {
		if (offset >= st->at && offset < st->at + st->n) {
			const char *name = st->window + (offset - st->at);
			size_t room = st->n - (size_t)(offset - st->at);
			size_t n = strnlen(name, room < SYMTAB_NAME_MAX ? room : SYMTAB_NAME_MAX);
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

/* Returns the bounds of the symbol's code section or, without a section, of the code at its address; {0}: no code. */
static struct code code_of(const struct image *im, const Elf64_Sym *sym)
{
	const struct code *found = NULL;
	if (sym->st_shndx < SHN_LORESERVE && sym->st_shndx < im->sections.n) {
		const Elf64_Shdr *sh = &im->sections.data[sym->st_shndx];
		if (is_code_section(sh))
			return (struct code){sh->sh_addr, u64_add_sat(sh->sh_addr, sh->sh_size)};
	} else if (sym->st_shndx == SHN_ABS || sym->st_shndx == SHN_XINDEX || !im->sections.n) {
		found = image_code_at(im, sym->st_value);
	}
	return found ? *found : (struct code){0};
}

/* Returns true if the symbol is a function.  Corrects its address (modules, Thumb) and cuts its size to its section. */
static bool is_function(const struct image *im, Elf64_Sym *sym)
{
	int type = ELF64_ST_TYPE(sym->st_info);
	bool func = type == STT_FUNC || type == STT_GNU_IFUNC;
	if ((!func && type != STT_NOTYPE) || sym->st_shndx == SHN_UNDEF)
		return false;
	if (im->type == ET_REL && sym->st_shndx < im->sections.n)
		sym->st_value += im->sections.data[sym->st_shndx].sh_addr; /* st_value was an offset in the section */
	if (im->machine == EM_ARM && func)
		sym->st_value &= ~(Elf64_Addr)1; /* bit 0 marks Thumb code */
	struct code code = code_of(im, sym);
	if (sym->st_value < code.start || sym->st_value >= code.end)
		return false;
	uint64_t room = code.end - sym->st_value;
	if (sym->st_size > room)
		sym->st_size = room;
	return true;
}

static void add_symbol(const struct image *im, struct table *tab, const Elf64_Sym *sym, struct symtab_builder *b)
{
	size_t n;
	const char *name = string_at(im, &tab->strings, sym->st_name, &n);
	if (!name)
		return;
	const char *version = n ? memchr(name + 1, '@', n - 1) : NULL;
	if (version)
		n = (size_t)(version - name);
	if (!is_mapping_symbol(name, n) && !(is_label(sym) && is_local_label(name, n)))
		symtab_add_bytes(b, sym->st_value + tab->move, sym->st_size, name, n, rank_of(sym, name, n, tab->full),
				 NULL);
}

/* Memory for one piece of the symbol table. */
struct piece {
	uint8_t *raw;
	struct sort_row *rows; /* the functions among the symbols; key: st_name and st_info; rest: st_value, st_size */
	size_t each;	       /* size of one symbol in the file */
};

static struct sort_row row_of(const Elf64_Sym *sym)
{
	return (struct sort_row){(uint64_t)sym->st_name << 32 | sym->st_info, {sym->st_value, sym->st_size}};
}

static Elf64_Sym symbol_of(const struct sort_row *row)
{
	return (Elf64_Sym){
		.st_name = (uint32_t)(row->key >> 32),
		.st_info = (uint8_t)row->key,
		.st_value = row->rest[0],
		.st_size = row->rest[1],
	};
}

static bool add_piece(const struct image *im, struct table *tab, struct piece *piece, uint64_t first, size_t n,
		      struct symtab_builder *b)
{
	uint64_t at;
	size_t each = piece->each, kept = 0;
	if (__builtin_add_overflow(tab->at, first * each, &at) || !image_read(im, at, piece->raw, n * each))
		return false;
	for (size_t i = 0; i < n; i++) {
		Elf64_Sym sym = image_symbol(im, piece->raw + i * each);
		if (is_function(im, &sym))
			piece->rows[kept++] = row_of(&sym);
	}
	sort_rows(piece->rows, kept);
	for (size_t i = 0; i < kept; i++) {
		Elf64_Sym sym = symbol_of(&piece->rows[i]);
		add_symbol(im, tab, &sym, b);
	}
	return true;
}

static bool add_symbols(const struct image *im, struct table *tab, size_t each, struct symtab_builder *b)
{
	uint64_t n = tab->n / each;
	if (n > LIMIT_ELF_SYMBOLS) {
		image_reached(im, REACHED_ELF_SYMBOLS);
		n = LIMIT_ELF_SYMBOLS;
	}
	size_t most = n / PIECES_MAX > PIECE_SYMBOLS ? (size_t)(n / PIECES_MAX) : PIECE_SYMBOLS;
	most = most > n ? (size_t)n : most;
	struct piece piece = {
		.raw = mem_calloc(most, each),
		.rows = mem_calloc(most, sizeof(struct sort_row)),
		.each = each,
	};
	tab->strings.window = mem_calloc(STRING_WINDOW, 1);
	bool ok = true;
	for (uint64_t i = 0; i < n && ok; i += most) {
		size_t part = n - i < most ? (size_t)(n - i) : most;
		ok = add_piece(im, tab, &piece, i, part, b);
	}
	free(tab->strings.window);
	free(piece.raw);
	free(piece.rows);
	return ok;
}

bool image_symbols_place(const struct image *im, size_t section, struct symbols_place *ret)
{
	const Elf64_Shdr *sh = &im->sections.data[section];
	if (sh->sh_link >= im->sections.n)
		return false;
	const Elf64_Shdr *names = &im->sections.data[sh->sh_link];
	if (names->sh_type != SHT_STRTAB || names->sh_offset > im->size || names->sh_size > im->size - names->sh_offset)
		return false;
	*ret = (struct symbols_place){sh->sh_offset, sh->sh_size, sh->sh_entsize, names->sh_offset, names->sh_size};
	return true;
}

bool image_add_symbols(const struct image *im, const struct symbols_source *from, struct symtab_builder *b)
{
	struct symbols_place place;
	size_t each = image_symbol_size(im);
	symtab_origin(b, from->origin);
	if (from->place)
		place = *from->place;
	else if (!image_symbols_place(im, from->section, &place))
		return false;
	if (place.each != each)
		return false;
	if (place.names_n > LIMIT_ELF_STRINGS) {
		image_reached(im, REACHED_ELF_STRINGS);
		place.names_n = LIMIT_ELF_STRINGS;
	}
	struct table tab = {
		.at = place.at,
		.n = place.n,
		.strings = {.offset = place.names_at, .size = place.names_n},
		.full = !from->place && im->sections.data[from->section].sh_type == SHT_SYMTAB,
		.move = from->move,
	};
	return add_symbols(im, &tab, each, b);
}
