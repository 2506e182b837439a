/* What tells one ELF file from another: its build-id; and single symbols of it.
 * libelf checks that what it hands out lies within the file. */
#include "resolve/elf/reader.h"

#include <byteswap.h>
#include <libelf.h>
#include <stdio.h>
#include <string.h>

enum {
	NOTES_MAX = 1024 * 1024,
	NOTE_GNU_BUILD_ID = 3,
};

static uint32_t word_at(const uint8_t *p, bool swap)
{
	uint32_t v;
	memcpy(&v, p, sizeof(v));
	return swap ? bswap_32(v) : v;
}

/* name size, description size, type, name, description; each padded to 4 bytes. */
void notes_build_id(const uint8_t *notes, size_t n, bool swap, struct build_id *ret)
{
	*ret = (struct build_id){0};
	for (size_t at = 0; n - at >= 12;) {
		uint64_t name_n = word_at(notes + at, swap), desc_n = word_at(notes + at + 4, swap);
		uint32_t type = word_at(notes + at + 8, swap);
		uint64_t name = at + 12, desc = name + ((name_n + 3) & ~3ull), end = desc + ((desc_n + 3) & ~3ull);
		if (desc + desc_n > n)
			return;
		if (type == NOTE_GNU_BUILD_ID && name_n == 4 && memcmp(notes + name, "GNU", 4) == 0 && desc_n &&
		    desc_n <= sizeof(ret->bytes)) {
			ret->size = (uint8_t)desc_n;
			memcpy(ret->bytes, notes + desc, desc_n);
			return;
		}
		if (end > n)
			return;
		at = (size_t)end;
	}
}

static bool is_foreign(Elf *elf)
{
	const char *ident = elf_getident(elf, NULL);
	return ident && ident[EI_DATA] != (__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__ ? ELFDATA2LSB : ELFDATA2MSB);
}

static bool notes_at(Elf *elf, uint64_t offset, uint64_t size, struct build_id *ret)
{
	if (!size || size > NOTES_MAX)
		return false;
	const Elf_Data *data = elf_getdata_rawchunk(elf, (int64_t)offset, (size_t)size, ELF_T_BYTE);
	if (!data || !data->d_buf)
		return false;
	notes_build_id(data->d_buf, data->d_size, is_foreign(elf), ret);
	return ret->size > 0;
}

/* By sections first: a file of debug information may have program headers that are
 * not true of it. */
static void find_build_id(Elf *elf, struct build_id *ret)
{
	*ret = (struct build_id){0};
	if (!elf || elf_kind(elf) != ELF_K_ELF)
		return;
	for (Elf_Scn *scn = NULL; (scn = elf_nextscn(elf, scn));) {
		GElf_Shdr sh;
		if (gelf_getshdr(scn, &sh) && sh.sh_type == SHT_NOTE && notes_at(elf, sh.sh_offset, sh.sh_size, ret))
			return;
	}
	size_t n = 0;
	if (elf_getphdrnum(elf, &n) != 0)
		return;
	for (size_t i = 0; i < n && i < UINT16_MAX; i++) {
		GElf_Phdr ph;
		if (gelf_getphdr(elf, (int)i, &ph) && ph.p_type == PT_NOTE &&
		    notes_at(elf, ph.p_offset, ph.p_filesz, ret))
			return;
	}
}

void image_build_id(const struct image *im, struct build_id *ret)
{
	find_build_id(im->elf, ret);
}

void build_id_place(char *buf, size_t cap, const char *before, const struct build_id *id, const char *after)
{
	char hex[2 * sizeof(id->bytes) + 2] = "", *at = hex;
	for (size_t i = 0; i < id->size; i++)
		at += snprintf(at, 4, i ? "%02x" : "%02x/", id->bytes[i]);
	snprintf(buf, cap, "%s/.build-id/%s%s", before, hex, after);
}

void elf_build_id_file(int fd, struct build_id *ret)
{
	*ret = (struct build_id){0};
	if (elf_version(EV_CURRENT) == EV_NONE)
		return;
	Elf *elf = elf_begin(fd, ELF_C_READ, NULL);
	find_build_id(elf, ret);
	elf_end(elf);
}

void elf_build_id_memory(const void *image, size_t size, struct build_id *ret)
{
	*ret = (struct build_id){0};
	if (elf_version(EV_CURRENT) == EV_NONE)
		return;
	Elf *elf = elf_memory((char *)(uintptr_t)image, size); /* libelf only reads */
	find_build_id(elf, ret);
	elf_end(elf);
}

static bool find_in(Elf *elf, Elf_Scn *scn, const GElf_Shdr *sh, const char *name, uint64_t *ret)
{
	Elf_Data *data = elf_getdata(scn, NULL);
	GElf_Sym sym;
	for (int i = 0; data && gelf_getsym(data, i, &sym); i++) {
		const char *s = sym.st_name && sym.st_value ? elf_strptr(elf, sh->sh_link, sym.st_name) : NULL;
		if (s && strcmp(s, name) == 0) {
			*ret = sym.st_value;
			return true;
		}
	}
	return false;
}

bool elf_find_symbol(int fd, const char *name, uint64_t *ret)
{
	if (elf_version(EV_CURRENT) == EV_NONE)
		return false;
	Elf *elf = elf_begin(fd, ELF_C_READ, NULL);
	bool found = false;
	for (Elf_Scn *scn = NULL; elf && !found && (scn = elf_nextscn(elf, scn));) {
		GElf_Shdr sh;
		if (gelf_getshdr(scn, &sh) && sh.sh_type == SHT_SYMTAB)
			found = find_in(elf, scn, &sh, name, ret);
	}
	elf_end(elf);
	return found;
}
