/* Reads the build-id of an ELF file, and finds single symbols in it. */
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

/* Looks at sections before segments, because a debug file may have the program headers of the
 * program, which do not fit it.  Reads at most LIMIT_ELF_NOTES_BYTES bytes of notes of either kind:
 * too many sections of notes must not hide the build-id that the kernel found in a segment. */
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

static void read_build_id(struct image *im, struct build_id *ret)
{
	*ret = (struct build_id){0};
	if (image_read_headers(im))
		image_build_id(im, ret);
	image_close(im);
}

void elf_build_id_file(int fd, struct limit_set *limits, struct build_id *ret)
{
	struct stat st;
	struct image im = {.fd = fd, .size = fstat(fd, &st) == 0 ? (uint64_t)st.st_size : 0, .limits = limits};
	read_build_id(&im, ret);
}

void elf_build_id_memory(const void *image, size_t size, struct limit_set *limits, struct build_id *ret)
{
	struct image im = {.fd = -1, .bytes = image, .size = size, .limits = limits};
	read_build_id(&im, ret);
}

static bool find_in(const struct image *im, const struct region *symbols, const struct region *names, const char *name,
		    uint64_t *ret)
{
	size_t each = image_symbol_size(im), n = strlen(name) + 1;
	for (size_t i = 0; i < symbols->n / each; i++) {
		Elf64_Sym sym = image_symbol(im, symbols->data + i * each);
		if (sym.st_value && sym.st_name < names->n && n <= names->n - sym.st_name &&
		    memcmp(names->data + sym.st_name, name, n) == 0) {
			*ret = sym.st_value;
			return true;
		}
	}
	return false;
}

bool elf_find_symbol(int fd, const char *name, struct limit_set *limits, uint64_t *ret)
{
	struct stat st;
	struct image im = {.fd = fd, .size = fstat(fd, &st) == 0 ? (uint64_t)st.st_size : 0, .limits = limits};
	bool found = false;
	size_t section = image_read_headers(&im) ? image_section_of_type(&im, SHT_SYMTAB) : 0;
	struct symbols_place place;
	struct region symbols, names;
	if (section && image_symbols_place(&im, section, &place) &&
	    image_read_limited(&im, place.at, place.n, REACHED_VMLINUX_SYMBOLS_BYTES, &symbols)) {
		if (image_read_limited(&im, place.names_at, place.names_n, REACHED_VMLINUX_SYMBOLS_BYTES, &names)) {
			found = find_in(&im, &symbols, &names, name, ret);
			region_free(&names);
		}
		region_free(&symbols);
	}
	image_close(&im);
	return found;
}
