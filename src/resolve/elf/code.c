/* Copies the machine code of a function from its file. */
#include "resolve/elf/reader.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

void function_code_deinit(struct function_code *code)
{
	if (code->fd >= 0)
		close(code->fd);
	if (code->debug_fd >= 0)
		close(code->debug_fd);
	symtab_destroy(code->names);
	free(code->bytes);
	*code = (struct function_code){.fd = -1, .debug_fd = -1};
}

void inlined_function_deinit(struct inlined_function *f)
{
	for (uint32_t i = 0; i < f->calls_n; i++)
		free(f->calls[i].name);
	free(f->calls);
	free(f->spans);
	*f = (struct inlined_function){.sym = CATALOG_NONE};
}

/* Returns the index of the code section that contains the address; 0: none does, or its bytes are not in the file. */
static size_t section_at(const struct image *im, uint64_t addr)
{
	for (size_t i = 1; i < im->sections.n; i++) {
		const Elf64_Shdr *sh = &im->sections.data[i];
		if (is_code_section(sh) && sh->sh_type != SHT_NOBITS && addr >= sh->sh_addr &&
		    addr - sh->sh_addr < sh->sh_size)
			return i;
	}
	return 0;
}

/* Finds the file offset of the code at an address, and how many bytes of code follow. Returns false if there is no
 * code. */
static bool find_code(const struct image *im, uint64_t addr, uint64_t *offset_ret, uint64_t *n_ret)
{
	size_t i = section_at(im, addr);
	if (!im->sections.n)
		return image_offset_of(im, addr, offset_ret, n_ret);
	if (!i)
		return false;
	const Elf64_Shdr *sh = &im->sections.data[i];
	*offset_ret = sh->sh_offset + (addr - sh->sh_addr);
	*n_ret = sh->sh_size - (addr - sh->sh_addr);
	return true;
}

/* Returns an fd of the program's separate debug file; -1: there is none, or the program itself has line information. */
static int open_debug_file(const struct image *im, const struct debug_places *places)
{
	struct debug_found found;
	if (!places || image_section(im, ".debug_line") || !image_add_debug_file(im, places, NULL, &found))
		return -1;
	free(found.file);
	return found.fd;
}

size_t function_code_wanted(struct function_code *code)
{
	if (code->size <= CODE_BYTES_MAX)
		return (size_t)code->size;
	snprintf(code->why, sizeof(code->why),
		 "the function has more than 1 MiB of code, of which the rest is not shown");
	return CODE_BYTES_MAX;
}

int image_copy_code(const struct image *im, const struct debug_places *places, struct dso_image *ret)
{
	struct function_code *code = ret->code;
	uint64_t offset, n, want = function_code_wanted(code);
	if (!find_code(im, code->addr, &offset, &n))
		return dso_image_fail(ret, ENODATA,
				      im->debug ? "its debug file has its names, but not its code"
						: "its file has no code at the function's address");
	n = want < n ? want : n;
	uint8_t *bytes = mem_calloc((size_t)n + 1, 1);
	if (!n || !image_read(im, offset, bytes, (size_t)n)) {
		free(bytes);
		return dso_image_fail(ret, ENODATA, "its file ends before the function does");
	}
	code->bytes = bytes;
	code->n = (size_t)n;
	code->machine = im->machine;
	code->wide = im->wide;
	code->big = im->big;
	code->fd = im->fd < 0 || im->module || im->type == ET_CORE ? -1 : fcntl(im->fd, F_DUPFD_CLOEXEC, 0);
	code->debug_fd = open_debug_file(im, places);
	return 0;
}
