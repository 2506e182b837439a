/* Finds the symbols of an ELF file without section headers (from sstrip, packers, llvm-strip --strip-sections).  Such a
 * file still has what the dynamic linker needs: PT_DYNAMIC leads to the table of exported symbols and to the
 * relocations of the procedure linkage table. */
#include "resolve/elf/reader.h"

#include <stddef.h>

enum {
	DYNAMIC_MAX = 64 * 1024, /* maximum bytes of the dynamic section */
	BUCKETS_MAX = 4 * 1024 * 1024,
	CHAIN_MAX = 256 * 1024, /* maximum bytes of one chain of the hash table */
};

/* Values of tags in the dynamic section (DT_SYMTAB and so on); 0: the tag is missing. */
struct tags {
	uint64_t symtab, strtab, strsz, hash, gnu_hash, jmprel, pltrelsz, pltrel, pltgot, rela, relasz;
};

static const struct {
	uint64_t tag;
	size_t at;
} known[] = {
	{DT_SYMTAB, offsetof(struct tags, symtab)},	{DT_STRTAB, offsetof(struct tags, strtab)},
	{DT_STRSZ, offsetof(struct tags, strsz)},	{DT_HASH, offsetof(struct tags, hash)},
	{DT_GNU_HASH, offsetof(struct tags, gnu_hash)}, {DT_JMPREL, offsetof(struct tags, jmprel)},
	{DT_PLTRELSZ, offsetof(struct tags, pltrelsz)}, {DT_PLTREL, offsetof(struct tags, pltrel)},
	{DT_PLTGOT, offsetof(struct tags, pltgot)},	{DT_RELA, offsetof(struct tags, rela)},
	{DT_RELASZ, offsetof(struct tags, relasz)},
};

static void read_tags(const struct image *im, const struct region *table, struct tags *ret)
{
	size_t word = im->wide ? 8 : 4;
	*ret = (struct tags){0};
	for (size_t at = 0; table->n - at >= 2 * word; at += 2 * word) {
		uint64_t tag = image_number(im, table->data + at, word);
		if (tag == DT_NULL)
			return;
		for (size_t i = 0; i < ARRAY_LEN(known); i++)
			if (known[i].tag == tag)
				*(uint64_t *)((char *)ret + known[i].at) =
					image_number(im, table->data + at + word, word);
	}
}

static bool find_tags(const struct image *im, struct tags *ret)
{
	struct region table;
	for (size_t i = 0; i < im->segments.n; i++) {
		const Elf64_Phdr *ph = &im->segments.data[i];
		if (ph->p_type != PT_DYNAMIC || ph->p_filesz > DYNAMIC_MAX ||
		    !image_read_region(im, ph->p_offset, ph->p_filesz, &table))
			continue;
		read_tags(im, &table, ret);
		region_free(&table);
		return true;
	}
	return false;
}

/* ---- counting the dynamic symbols --------------------------------------------------- */

/* Reads the bytes at an address, at most `max`. Returns false if the file has no bytes for the address. */
static bool read_at(const struct image *im, uint64_t addr, uint64_t max, struct region *ret)
{
	uint64_t at, n;
	if (!image_offset_of(im, addr, &at, &n))
		return false;
	return image_read_region(im, at, n < max ? n : max, ret);
}

static uint64_t word_of(const struct image *im, const struct region *r, size_t i)
{
	return (i + 1) * 4 <= r->n ? image_number(im, r->data + i * 4, 4) : 0;
}

/* Returns the index of the last symbol. DT_GNU_HASH does not store the number of symbols, but the last symbol ends the
 * hash chain that begins at the highest index (`first`). `lowest`: index of the first symbol in any chain. */
static uint64_t last_of_chain(const struct image *im, uint64_t chains, uint64_t first, uint64_t lowest)
{
	struct region r;
	uint64_t last = first;
	if (!read_at(im, chains + (first - lowest) * 4, CHAIN_MAX, &r))
		return last;
	for (size_t i = 0; (i + 1) * 4 <= r.n; i++) {
		last = first + i;
		if (word_of(im, &r, i) & 1)
			break;
	}
	region_free(&r);
	return last;
}

static uint64_t count_gnu(const struct image *im, uint64_t table)
{
	struct region r;
	if (!read_at(im, table, 16, &r))
		return 0;
	uint64_t buckets_n = word_of(im, &r, 0), lowest = word_of(im, &r, 1), bloom_n = word_of(im, &r, 2);
	bool whole = r.n == 16;
	region_free(&r);
	uint64_t buckets = table + 16 + bloom_n * (im->wide ? 8 : 4), highest = 0;
	if (!whole || !buckets_n || buckets_n > BUCKETS_MAX || !read_at(im, buckets, buckets_n * 4, &r))
		return 0;
	for (size_t i = 0; i < buckets_n; i++) {
		uint64_t first = word_of(im, &r, i);
		highest = first > highest ? first : highest;
	}
	region_free(&r);
	if (highest < lowest) /* the file exports nothing */
		return lowest;
	return last_of_chain(im, buckets + buckets_n * 4, highest, lowest) + 1;
}

static uint64_t count_symbols(const struct image *im, const struct tags *t)
{
	struct region r;
	if (t->gnu_hash)
		return count_gnu(im, t->gnu_hash);
	if (!t->hash || !read_at(im, t->hash, 8, &r))
		return 0;
	uint64_t n = word_of(im, &r, 1);
	region_free(&r);
	return n;
}

/* ---- locating the tables of symbols and relocations in the file ------------------ */

static bool place_symbols(const struct image *im, const struct tags *t, struct symbols_place *ret)
{
	uint64_t n = count_symbols(im, t), room, names_room;
	ret->each = image_symbol_size(im);
	if (!n || !t->strsz || !image_offset_of(im, t->symtab, &ret->at, &room) ||
	    !image_offset_of(im, t->strtab, &ret->names_at, &names_room))
		return false;
	ret->n = n < room / ret->each ? n * ret->each : room / ret->each * ret->each;
	ret->names_n = t->strsz < names_room ? t->strsz : names_room;
	return ret->n > 0;
}

bool image_find_dynamic(const struct image *im, struct dynamic *ret)
{
	struct tags t;
	uint64_t room;
	*ret = (struct dynamic){0};
	if (!find_tags(im, &t) || !place_symbols(im, &t, &ret->symbols))
		return false;
	ret->got = t.pltgot;
	ret->relocations.sh_type = t.pltrel == DT_RELA ? SHT_RELA : SHT_REL;
	if (t.pltrelsz && image_offset_of(im, t.jmprel, &ret->relocations.sh_offset, &room))
		ret->relocations.sh_size = t.pltrelsz < room ? t.pltrelsz : room;
	return true;
}

bool image_find_relocations(const struct image *im, struct dynamic_relocations *ret)
{
	struct tags t;
	uint64_t room;
	if (!find_tags(im, &t) || !t.relasz || !image_offset_of(im, t.rela, &ret->at, &room))
		return false;
	ret->n = t.relasz < room ? t.relasz : room;
	return true;
}
