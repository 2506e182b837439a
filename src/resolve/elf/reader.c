#include "resolve/elf/reader.h"

#include "base/sorted.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* ---- finding sections and addresses ----------------------------------------------------- */

size_t image_section(const struct image *im, const char *name)
{
	for (size_t i = 1; i < im->sections.n; i++) {
		const Elf64_Shdr *sh = &im->sections.data[i];
		if (sh->sh_type != SHT_NOBITS && sh->sh_type != SHT_NULL &&
		    strcmp(image_section_name(im, sh), name) == 0)
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

static void find_code(struct image *im)
{
	for (size_t i = 1; i < im->sections.n; i++) {
		const Elf64_Shdr *sh = &im->sections.data[i];
		if (is_code_section(sh) && sh->sh_size)
			vec_push(&im->code) = (struct code){sh->sh_addr, u64_add_sat(sh->sh_addr, sh->sh_size)};
	}
	for (size_t i = 0; !im->sections.n && i < im->segments.n; i++) {
		const Elf64_Phdr *ph = &im->segments.data[i];
		if (ph->p_type == PT_LOAD && ph->p_flags & PF_X && ph->p_filesz)
			vec_push(&im->code) = (struct code){ph->p_vaddr, u64_add_sat(ph->p_vaddr, ph->p_filesz)};
	}
	sort_by_number(im->code.data, im->code.n, sizeof(*im->code.data), offsetof(struct code, start));
}

const struct code *image_code_at(const struct image *im, uint64_t addr)
{
	const struct code *code = im->code.data;
	size_t n = sorted_up_to(code, im->code.n, sizeof(*code), offsetof(struct code, start), addr);
	return n && addr < code[n - 1].end ? &code[n - 1] : NULL;
}

bool image_offset_of(const struct image *im, uint64_t addr, uint64_t *offset_ret, uint64_t *n_ret)
{
	for (size_t i = 0; i < im->segments.n; i++) {
		const Elf64_Phdr *ph = &im->segments.data[i];
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

/* ---- opening an image ------------------------------------------------------------- */

struct image image_of_file(int fd, struct limit_set *limits)
{
	struct stat st;
	return (struct image){.fd = fd, .size = fstat(fd, &st) == 0 ? (uint64_t)st.st_size : 0, .limits = limits};
}

static int open_headers(struct image *im, struct dso_image *ret)
{
	if (!image_read_headers(im))
		return dso_image_fail(ret, ENOEXEC, "it is not an ELF file");
	if (im->module && im->type != ET_REL)
		return dso_image_fail(ret, ENOEXEC, "it is no kernel module");
	if (!im->module && im->type != ET_EXEC && im->type != ET_DYN)
		return dso_image_fail(ret, ENOEXEC, "it is neither a program nor a shared library");
	find_code(im);
	return 0;
}

int image_open_file(struct image *im, int fd, uint64_t size, bool debug, struct dso_image *ret)
{
	*im = (struct image){.fd = fd, .size = size, .debug = debug, .limits = &ret->limits};
	return open_headers(im, ret);
}

int image_open_memory(struct image *im, const void *bytes, size_t size, struct dso_image *ret)
{
	*im = (struct image){.fd = -1, .bytes = bytes, .size = size, .limits = &ret->limits};
	return open_headers(im, ret);
}

int image_open_module(struct image *im, const void *bytes, size_t size, struct dso_image *ret)
{
	*im = (struct image){.fd = -1, .bytes = bytes, .size = size, .module = true, .limits = &ret->limits};
	return open_headers(im, ret);
}

void image_close(struct image *im)
{
	region_free(&im->section_names);
	vec_free(&im->sections);
	vec_free(&im->segments);
	vec_free(&im->code);
}
