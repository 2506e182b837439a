/* Reads build-ids of ELF files, and finds the addresses of symbols by name. */
#include "base/limits.h"
#include "resolve/elf/reader.h"

#include <stdio.h>
#include <string.h>

static bool read_note(const struct image *im, uint64_t offset, uint64_t size, size_t *left, struct build_id *ret)
{
	struct region notes;
	if (!image_read_part(im, offset, size, REACHED_ELF_NOTES_BYTES, left, &notes))
		return false;
	notes_build_id(notes.data, notes.n, im->big != BIG_ENDIAN_HOST, ret);
	region_free(&notes);
	return ret->size > 0;
}

/* Finds the build-id. Sections come first, because a debug file may have the program headers of the program, which do
 * not fit its contents. At most LIMIT_ELF_NOTES_BYTES of notes are read from sections, and as much from segments: a
 * file with very many note sections must not hide the build-id in a segment, which the kernel reports. */
void image_build_id(const struct image *im, struct build_id *ret)
{
	size_t left = LIMIT_ELF_NOTES_BYTES;
	*ret = (struct build_id){0};
	for (size_t i = 0; i < im->sections.n; i++) {
		const Elf64_Shdr *sh = &im->sections.data[i];
		if (sh->sh_type == SHT_NOTE && read_note(im, sh->sh_offset, sh->sh_size, &left, ret))
			return;
	}
	left = LIMIT_ELF_NOTES_BYTES;
	for (size_t i = 0; i < im->segments.n; i++) {
		const Elf64_Phdr *ph = &im->segments.data[i];
		if (ph->p_type == PT_NOTE && read_note(im, ph->p_offset, ph->p_filesz, &left, ret))
			return;
	}
}

void build_id_place(char *buf, size_t cap, const char *before, const struct build_id *id, const char *after)
{
	char hex[2 * sizeof(id->bytes) + 2] = "", *at = hex;
	for (size_t i = 0; i < id->size; i++)
		at += snprintf(at, 4, i ? "%02x" : "%02x/", id->bytes[i]);
	snprintf(buf, cap, "%s/.build-id/%s%s", before, hex, after);
}

void build_id_cached(char *buf, size_t cap, const char *home, const struct build_id *id, const char *after)
{
	char before[2100];
	snprintf(before, sizeof(before), "%.2048s/.debug", home);
	build_id_place(buf, cap, before, id, after);
}

static void read_build_id(struct image *im, struct build_id *ret)
{
	*ret = (struct build_id){0};
	if (image_read_headers(im))
		image_build_id(im, ret);
	image_close(im);
}

void elf_build_id_file(int fd, struct limit_set *limits, struct build_id *ret)
{
	struct image im = image_of_file(fd, limits);
	read_build_id(&im, ret);
}

void elf_build_id_memory(const void *image, size_t size, struct limit_set *limits, struct build_id *ret)
{
	struct image im = {.fd = -1, .bytes = image, .size = size, .limits = limits};
	read_build_id(&im, ret);
}

/* Bytes of a symbol table, and of the names in it. */
struct table {
	struct region symbols, names;
};

static bool read_table(const struct image *im, uint32_t type, struct table *ret)
{
	size_t section = image_section_of_type(im, type);
	struct symbols_place place;
	if (!section || !image_symbols_place(im, section, &place) ||
	    !image_read_limited(im, place.at, place.n, REACHED_SEARCHED_SYMBOLS_BYTES, &ret->symbols))
		return false;
	if (image_read_limited(im, place.names_at, place.names_n, REACHED_SEARCHED_SYMBOLS_BYTES, &ret->names))
		return true;
	region_free(&ret->symbols);
	return false;
}

static void free_table(struct table *t)
{
	region_free(&t->names);
	region_free(&t->symbols);
}

/* Calls fn() for each symbol with an address, as long as fn() returns true. */
static void each_symbol(const struct image *im, const struct table *t,
			bool (*fn)(void *ctx, const char *name, uint64_t value), void *ctx)
{
	size_t each = image_symbol_size(im);
	for (size_t i = 0; i < t->symbols.n / each; i++) {
		Elf64_Sym sym = image_symbol(im, t->symbols.data + i * each);
		const char *name = sym.st_name < t->names.n ? (const char *)t->names.data + sym.st_name : NULL;
		if (sym.st_value && name && memchr(name, 0, t->names.n - sym.st_name) && !fn(ctx, name, sym.st_value))
			return;
	}
}

struct search {
	const char *name;
	uint64_t value;
	bool found;
};

static bool compare(void *ctx, const char *name, uint64_t value)
{
	struct search *s = ctx;
	s->found = strcmp(name, s->name) == 0;
	s->value = value;
	return !s->found;
}

bool elf_find_symbol(int fd, const char *name, struct limit_set *limits, uint64_t *ret)
{
	struct image im = image_of_file(fd, limits);
	struct search s = {.name = name};
	static const uint32_t types[] = {SHT_SYMTAB, SHT_DYNSYM};
	struct table t;
	bool readable = image_read_headers(&im);
	for (size_t i = 0; readable && !s.found && i < ARRAY_LEN(types); i++) {
		if (!read_table(&im, types[i], &t))
			continue;
		each_symbol(&im, &t, compare, &s);
		free_table(&t);
	}
	if (s.found)
		*ret = s.value;
	image_close(&im);
	return s.found;
}

/* Computes the load bias (address in memory minus address in the file), given that file offset `offset` is mapped at
 * `start`.  Returns false if no code segment has this offset. */
static bool moved_by(const struct image *im, uint64_t offset, uint64_t start, uint64_t *ret)
{
	for (size_t i = 0; i < im->segments.n; i++) {
		const Elf64_Phdr *ph = &im->segments.data[i];
		/* the kernel maps whole pages, so a mapping begins before its segment */
		uint64_t page = ph->p_align > 1 && !(ph->p_align & (ph->p_align - 1)) ? ph->p_align : 1;
		uint64_t begins = ph->p_offset & ~(page - 1);
		if (ph->p_type != PT_LOAD || !(ph->p_flags & PF_X) || offset < begins ||
		    offset >= ph->p_offset + ph->p_filesz)
			continue;
		*ret = start - (ph->p_vaddr + (offset - ph->p_offset));
		return true;
	}
	return false;
}

struct exports {
	exported_fn *fn;
	void *ctx;
	uint64_t moved;
};

static bool pass_on(void *ctx, const char *name, uint64_t value)
{
	const struct exports *e = ctx;
	e->fn(e->ctx, name, value + e->moved);
	return true;
}

bool elf_exported(int fd, uint64_t offset, uint64_t start, struct limit_set *limits, exported_fn *fn, void *ctx)
{
	struct image im = image_of_file(fd, limits);
	struct exports e = {.fn = fn, .ctx = ctx};
	struct table t;
	bool ok = image_read_headers(&im) && moved_by(&im, offset, start, &e.moved) && read_table(&im, SHT_DYNSYM, &t);
	if (ok) {
		each_symbol(&im, &t, pass_on, &e);
		free_table(&t);
	}
	image_close(&im);
	return ok;
}
