#include "resolve/elf/reader.h"

#include <errno.h>
#include <libelf.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum {
	SECTIONS_MAX = 256 * 1024,
	SEGMENTS_MAX = 1024,
};

/* ---- bytes -------------------------------------------------------------------- */

bool image_read(const struct image *im, uint64_t offset, void *buf, size_t n)
{
	if (offset > im->size || n > im->size - offset)
		return false;
	if (im->fd < 0) {
		memcpy(buf, im->bytes + offset, n);
		return true;
	}
	for (size_t got = 0; got < n;) {
		ssize_t r = pread(im->fd, (uint8_t *)buf + got, n - got, (off_t)(offset + got));
		if (r < 0 && errno == EINTR)
			continue;
		if (r <= 0)
			return false;
		got += (size_t)r;
	}
	return true;
}

bool image_read_region(const struct image *im, uint64_t offset, uint64_t n, size_t max, struct region *ret)
{
	*ret = (struct region){0};
	if (!n || n > max || offset > im->size || n > im->size - offset || !region_reserve(ret, (size_t)n))
		return false;
	ret->n = (size_t)n;
	if (image_read(im, offset, ret->data, ret->n))
		return true;
	region_free(ret);
	return false;
}

/* ---- places ------------------------------------------------------------------- */

size_t image_section(const struct image *im, const char *name)
{
	size_t names;
	if (elf_getshdrstrndx(im->elf, &names) != 0)
		return 0;
	for (size_t i = 1; i < im->sections.n; i++) {
		const GElf_Shdr *sh = &im->sections.data[i];
		if (sh->sh_type == SHT_NOBITS || sh->sh_type == SHT_NULL)
			continue;
		const char *s = elf_strptr(im->elf, names, sh->sh_name);
		if (s && strcmp(s, name) == 0)
			return i;
	}
	return 0;
}

size_t image_section_of_type(const struct image *im, uint32_t type)
{
	for (size_t i = im->sections.n; i-- > 1;)
		if (im->sections.data[i].sh_type == type)
			return i;
	return 0;
}

static int by_start(const void *va, const void *vb)
{
	const struct code *a = va, *b = vb;
	return a->start < b->start ? -1 : a->start > b->start;
}

static void find_code(struct image *im)
{
	for (size_t i = 1; i < im->sections.n; i++) {
		const GElf_Shdr *sh = &im->sections.data[i];
		if (is_code_section(sh) && sh->sh_size)
			vec_push(&im->code) = (struct code){sh->sh_addr, u64_add_sat(sh->sh_addr, sh->sh_size)};
	}
	for (size_t i = 0; !im->sections.n && i < im->segments.n; i++) {
		const GElf_Phdr *ph = &im->segments.data[i];
		if (ph->p_type == PT_LOAD && ph->p_flags & PF_X && ph->p_filesz)
			vec_push(&im->code) = (struct code){ph->p_vaddr, u64_add_sat(ph->p_vaddr, ph->p_filesz)};
	}
	if (im->code.n)
		qsort(im->code.data, im->code.n, sizeof(*im->code.data), by_start);
}

const struct code *image_code_at(const struct image *im, uint64_t addr)
{
	size_t low = 0, high = im->code.n;
	while (low < high) {
		size_t mid = low + (high - low) / 2;
		if (im->code.data[mid].start <= addr)
			low = mid + 1;
		else
			high = mid;
	}
	return low && addr < im->code.data[low - 1].end ? &im->code.data[low - 1] : NULL;
}

bool image_offset_of(const struct image *im, uint64_t addr, uint64_t *offset_ret, uint64_t *n_ret)
{
	for (size_t i = 0; i < im->segments.n; i++) {
		const GElf_Phdr *ph = &im->segments.data[i];
		if (ph->p_type != PT_LOAD || addr < ph->p_vaddr || addr - ph->p_vaddr >= ph->p_filesz)
			continue;
		uint64_t skip = addr - ph->p_vaddr, n = ph->p_filesz - skip;
		if (ph->p_offset > im->size || skip >= im->size - ph->p_offset)
			return false;
		*offset_ret = ph->p_offset + skip;
		*n_ret = n < im->size - *offset_ret ? n : im->size - *offset_ret;
		return true;
	}
	return false;
}

static uint64_t first_segment(const struct image *im)
{
	for (size_t i = 0; i < im->segments.n; i++)
		if (im->segments.data[i].p_type == PT_LOAD)
			return im->segments.data[i].p_vaddr;
	return 0;
}

uint64_t image_moved_by(const struct image *program, const struct image *debug)
{
	if (program->sections.n && program->code.n && debug->code.n)
		return program->code.data[0].start - debug->code.data[0].start;
	return first_segment(program) - first_segment(debug);
}

/* ---- opening ---------------------------------------------------------------------- */

static void read_headers(struct image *im)
{
	bool used = false;
	for (Elf_Scn *scn = NULL; im->sections.n < SECTIONS_MAX && (scn = elf_nextscn(im->elf, scn));) {
		GElf_Shdr sh;
		if (!im->sections.n)
			vec_push(&im->sections) = (GElf_Shdr){0};
		vec_push(&im->sections) = gelf_getshdr(scn, &sh) ? sh : (GElf_Shdr){0};
		used |= im->sections.data[im->sections.n - 1].sh_type != SHT_NULL;
	}
	if (!used)
		im->sections.n = 0; /* wiped, where others leave them out */
	size_t n;
	if (elf_getphdrnum(im->elf, &n) != 0)
		return;
	for (size_t i = 0; i < n && i < SEGMENTS_MAX; i++) {
		GElf_Phdr ph;
		if (!gelf_getphdr(im->elf, (int)i, &ph))
			return;
		vec_push(&im->segments) = ph;
	}
}

static int open_headers(struct image *im, struct dso_image *ret)
{
	if (!im->elf || elf_kind(im->elf) != ELF_K_ELF || !gelf_getehdr(im->elf, &im->ehdr))
		return dso_image_fail(ret, ENOEXEC, "it is not an ELF file");
	if (im->module && im->ehdr.e_type != ET_REL)
		return dso_image_fail(ret, ENOEXEC, "it is no kernel module");
	if (!im->module && im->ehdr.e_type != ET_EXEC && im->ehdr.e_type != ET_DYN)
		return dso_image_fail(ret, ENOEXEC, "it is neither a program nor a shared library");
	im->wide = im->ehdr.e_ident[EI_CLASS] == ELFCLASS64;
	im->big = im->ehdr.e_ident[EI_DATA] == ELFDATA2MSB;
	read_headers(im);
	find_code(im);
	return 0;
}

int image_open_file(struct image *im, int fd, uint64_t size, bool debug, struct dso_image *ret)
{
	*im = (struct image){.fd = fd, .size = size, .debug = debug};
	if (elf_version(EV_CURRENT) == EV_NONE)
		return dso_image_fail(ret, ENOSYS, "libelf is too old");
	im->elf = elf_begin(fd, ELF_C_READ, NULL);
	return open_headers(im, ret);
}

static int open_memory(struct image *im, const void *bytes, size_t size, bool module, struct dso_image *ret)
{
	*im = (struct image){.fd = -1, .bytes = bytes, .size = size, .module = module};
	if (elf_version(EV_CURRENT) == EV_NONE)
		return dso_image_fail(ret, ENOSYS, "libelf is too old");
	/* libelf takes a pointer to non-const, and reads only. */
	im->elf = elf_memory((char *)(uintptr_t)bytes, size);
	return open_headers(im, ret);
}

int image_open_memory(struct image *im, const void *bytes, size_t size, struct dso_image *ret)
{
	return open_memory(im, bytes, size, false, ret);
}

int image_open_module(struct image *im, const void *bytes, size_t size, struct dso_image *ret)
{
	return open_memory(im, bytes, size, true, ret);
}

void image_close(struct image *im)
{
	elf_end(im->elf);
	im->elf = NULL;
	vec_free(&im->sections);
	vec_free(&im->segments);
	vec_free(&im->code);
}
