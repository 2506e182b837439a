/* Names the stubs of the procedure linkage table (PLT), which have no symbols.  Each stub jumps through a word of the
 * global offset table; the relocation of this word names the function: "malloc@plt". */
#include "base/limits.h"
#include "base/sorted.h"
#include "resolve/elf/reader.h"
#include "resolve/elf/stub.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
	SECTIONS_MAX = 16, /* maximum number of sections with stubs, and of sections with relocations */
	STUB_MAX = 32,	   /* maximum bytes of a stub */
};

struct relocation {
	uint64_t word;
	uint64_t resolver; /* ifunc without a symbol: address of its resolver function */
	uint32_t symbol;   /* index in .dynsym; 0: no symbol */
	uint32_t number;   /* index in .rela.plt; ~0: of another section */
};

struct plt {
	const struct image *im;
	struct symtab_builder *b;
	VEC(struct relocation) words;	/* sorted by address of the word */
	VEC(uint32_t) by_number;	/* [index in .rela.plt]: index in `words`; ~0: none */
	struct region symbols, strings; /* .dynsym and .dynstr */
	size_t stubs_n;
	size_t left; /* bytes of code that may still be searched */
};

/* ---- reading relocations ----------------------------------------------------------- */

static bool is_ifunc_type(uint16_t machine, uint32_t type)
{
	switch (machine) {
	case EM_X86_64:
		return type == R_X86_64_IRELATIVE;
	case EM_386:
		return type == R_386_IRELATIVE;
	case EM_AARCH64:
		return type == R_AARCH64_IRELATIVE;
	case EM_ARM:
		return type == R_ARM_IRELATIVE;
	case EM_RISCV:
		return type == 58;
	default:
		return false;
	}
}

/* Returns the 32-bit word that the file has for address `addr`; 0: it has none. */
static uint64_t content_of(const struct image *im, uint64_t addr)
{
	uint64_t at, n;
	uint8_t v[4];
	return image_offset_of(im, addr, &at, &n) && image_read(im, at, v, 4) ? image_number(im, v, 4) : 0;
}

/* Decodes a relocation. Its addend is in the relocation itself (`with_addend`) or in the word to be relocated. Returns
 * false if the relocation does not name a function. */
static bool read_relocation(const struct plt *p, const uint8_t *at, bool with_addend, struct relocation *ret)
{
	size_t word = p->im->wide ? 8 : 4;
	uint64_t info = image_number(p->im, at + word, word);
	*ret = (struct relocation){
		.word = image_number(p->im, at, word),
		.symbol = (uint32_t)(info >> (p->im->wide ? 32 : 8)),
		.number = UINT32_MAX,
	};
	if (ret->symbol)
		return true;
	if (!is_ifunc_type(p->im->machine, (uint32_t)(p->im->wide ? info & UINT32_MAX : info & 0xff)))
		return false;
	ret->resolver = with_addend ? image_number(p->im, at + 2 * word, word) : content_of(p->im, ret->word);
	return true;
}

static void add_relocations(struct plt *p, const Elf64_Shdr *sh, bool of_plt)
{
	struct region bytes;
	bool with_addend = sh->sh_type == SHT_RELA;
	size_t each = (p->im->wide ? 8u : 4u) * (with_addend ? 3 : 2);
	if (!image_read_limited(p->im, sh->sh_offset, sh->sh_size, REACHED_PLT_BYTES, &bytes))
		return;
	for (size_t i = 0; i < bytes.n / each; i++) {
		struct relocation r;
		if (p->words.n >= LIMIT_PLT_RELOCATIONS) {
			image_reached(p->im, REACHED_PLT_RELOCATIONS);
			break;
		}
		if (!read_relocation(p, bytes.data + i * each, with_addend, &r))
			continue;
		if (of_plt)
			r.number = (uint32_t)i;
		vec_push(&p->words) = r;
	}
	region_free(&bytes);
}

static void sort_relocations(struct plt *p)
{
	sort_by_number(p->words.data, p->words.n, sizeof(*p->words.data), offsetof(struct relocation, word));
}

static void read_relocations(struct plt *p)
{
	const struct image *im = p->im;
	size_t of_plt = image_section(im, ".rela.plt"), found = 0;
	if (!of_plt)
		of_plt = image_section(im, ".rel.plt");
	for (size_t i = 1; i < im->sections.n && found < SECTIONS_MAX; i++) {
		const Elf64_Shdr *sh = &im->sections.data[i];
		if ((sh->sh_type != SHT_RELA && sh->sh_type != SHT_REL) || !(sh->sh_flags & SHF_ALLOC))
			continue;
		add_relocations(p, sh, i == of_plt);
		found++;
	}
	sort_relocations(p);
	for (size_t i = 0; i < p->words.n; i++) {
		uint32_t number = p->words.data[i].number;
		if (number == UINT32_MAX)
			continue;
		while (p->by_number.n <= number)
			vec_push(&p->by_number) = UINT32_MAX;
		p->by_number.data[number] = (uint32_t)i;
	}
}

static const struct relocation *find_relocation(const struct plt *p, const struct stub *stub)
{
	if (stub->lazy) {
		uint32_t i = stub->push < p->by_number.n ? p->by_number.data[stub->push] : UINT32_MAX;
		return i == UINT32_MAX ? NULL : &p->words.data[i];
	}
	return sorted_find(p->words.data, p->words.n, sizeof(*p->words.data), offsetof(struct relocation, word),
			   stub->word);
}

/* ---- adding stubs with their names ------------------------------------------------- */

static void read_names(struct plt *p, const struct symbols_place *dynsym)
{
	if (image_read_limited(p->im, dynsym->at, dynsym->n, REACHED_PLT_BYTES, &p->symbols) &&
	    !image_read_limited(p->im, dynsym->names_at, dynsym->names_n, REACHED_PLT_BYTES, &p->strings))
		region_free(&p->symbols);
}

/* Returns the name of a symbol, without a NUL; NULL: it has none. */
static const char *name_of(const struct plt *p, uint32_t symbol, size_t *n_ret)
{
	size_t each = image_symbol_size(p->im);
	if (symbol >= p->symbols.n / each)
		return NULL;
	uint64_t at = image_number(p->im, p->symbols.data + symbol * each, 4); /* st_name is at offset 0 */
	if (at >= p->strings.n)
		return NULL;
	*n_ret = strnlen((char *)p->strings.data + at, p->strings.n - at);
	return (char *)p->strings.data + at;
}

static void add_stub(struct plt *p, uint64_t addr, size_t size, const struct relocation *r)
{
	if (p->stubs_n >= LIMIT_PLT_STUBS) {
		image_reached(p->im, REACHED_PLT_STUBS);
		return;
	}
	p->stubs_n++;
	char name[SYMTAB_NAME_MAX];
	size_t n = 0;
	const char *s = r->symbol ? name_of(p, r->symbol, &n) : NULL;
	if (r->symbol && !n)
		return;
	if (s)
		snprintf(name, sizeof(name), "%.*s@plt", (int)(n < sizeof(name) - 5 ? n : sizeof(name) - 5), s);
	else /* an ifunc without a symbol: named as objdump and perf do */
		snprintf(name, sizeof(name), "*ABS*+%#" PRIx64 "@plt", r->resolver);
	symtab_add(p->b, addr, size, name, 0, NULL);
}

static void add_stubs(struct plt *p, const struct stub_code *code)
{
	struct {
		size_t at;
		const struct relocation *r;
	} last = {0};
	size_t step = stub_step(code), stride = 16;
	for (size_t at = step ? -code->addr % step : 0; step && at < code->n;) {
		struct stub stub;
		const struct relocation *r = stub_decode(code, at, &stub) ? find_relocation(p, &stub) : NULL;
		if (!r) {
			at += step;
			continue;
		}
		if (last.r) {
			stride = at - last.at <= STUB_MAX ? at - last.at : stride;
			add_stub(p, code->addr + last.at, stride, last.r);
		}
		last.at = at;
		last.r = r;
		at += (stub.n + step - 1) / step * step;
	}
	if (last.r)
		add_stub(p, code->addr + last.at, code->n - last.at < stride ? code->n - last.at : stride, last.r);
}

static bool is_plt(const struct image *im, const Elf64_Shdr *sh)
{
	if (!is_code_section(sh) || sh->sh_type == SHT_NOBITS)
		return false;
	const char *name = image_section_name(im, sh);
	return strncmp(name, ".plt", 4) == 0 || strcmp(name, ".iplt") == 0;
}

/* Searches the PLT sections for stubs, and adds these. */
static void add_sections(struct plt *p, struct stub_code *code)
{
	const struct image *im = p->im;
	size_t got = image_section(im, ".got.plt"), found = 0;
	size_t dynsym = image_section_of_type(im, SHT_DYNSYM);
	struct symbols_place place;
	got = got ? got : image_section(im, ".got");
	code->got = got ? im->sections.data[got].sh_addr : 0;
	for (size_t i = 1; i < im->sections.n && found < SECTIONS_MAX; i++) {
		const Elf64_Shdr *sh = &im->sections.data[i];
		struct region bytes;
		if (!is_plt(im, sh) ||
		    !image_read_part(im, sh->sh_offset, sh->sh_size, REACHED_PLT_BYTES, &p->left, &bytes))
			continue;
		if (!found++) {
			read_relocations(p);
			if (dynsym && image_symbols_place(im, dynsym, &place))
				read_names(p, &place);
		}
		code->bytes = bytes.data;
		code->n = bytes.n;
		code->addr = sh->sh_addr;
		add_stubs(p, code);
		region_free(&bytes);
	}
}

/* Searches all code for stubs, in a file without section headers. No other code is found, because only stubs jump
 * through a word with a PLT relocation. */
static void add_everywhere(struct plt *p, struct stub_code *code)
{
	const struct image *im = p->im;
	struct dynamic dynamic;
	if (!image_find_dynamic(im, &dynamic) || !dynamic.relocations.sh_size)
		return;
	add_relocations(p, &dynamic.relocations, false);
	sort_relocations(p);
	read_names(p, &dynamic.symbols);
	code->got = dynamic.got;
	for (size_t i = 0; i < im->code.n && i < SECTIONS_MAX; i++) {
		struct region bytes;
		uint64_t at, n;
		if (!image_offset_of(im, im->code.data[i].start, &at, &n) ||
		    !image_read_part(im, at, n, REACHED_PLT_BYTES, &p->left, &bytes))
			continue;
		code->bytes = bytes.data;
		code->n = bytes.n;
		code->addr = im->code.data[i].start;
		add_stubs(p, code);
		region_free(&bytes);
	}
}

void image_add_plt(const struct image *im, struct symtab_builder *b)
{
	struct plt p = {.im = im, .b = b, .left = LIMIT_PLT_BYTES};
	struct stub_code code = {.machine = im->machine, .wide = im->wide};
	if (!stub_step(&code))
		return;
	symtab_origin(b, ORIGIN_PLT);
	if (im->sections.n)
		add_sections(&p, &code);
	else
		add_everywhere(&p, &code);
	vec_free(&p.words);
	vec_free(&p.by_number);
	region_free(&p.symbols);
	region_free(&p.strings);
}
