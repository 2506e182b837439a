/* Prints the instructions of the largest functions of a file, to compare them with those of another disassembler:
 *	disasm FILE FUNCTIONS
 * A function is a line "FUNCTION START END", an instruction is "ADDRESS<tab>BYTES<tab>TEXT". */
#include "base/alloc.h"
#include "resolve/elf/image.h"

#include <cyctop/code.h>

#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

struct function {
	uint64_t addr, size;
};

static int by_size(const void *va, const void *vb)
{
	const struct function *a = va, *b = vb;
	return a->size != b->size ? (a->size < b->size ? 1 : -1) : a->addr < b->addr ? -1 : a->addr > b->addr;
}

static bool is_plain(const struct symtab_hit *hit)
{
	return hit->size && hit->name[0] && hit->origin != ORIGIN_PLT && hit->origin != ORIGIN_UNWIND;
}

static int print_function(int fd, uint64_t size, const struct symtab *names, const struct function *f)
{
	struct function_code code = {.addr = f->addr, .size = f->size, .fd = -1, .debug_fd = -1};
	struct dso_image image = {.code = &code};
	struct instructions in;
	if (elf_read_program(fd, size, NULL, &image) < 0) {
		fprintf(stderr, "disasm: %s\n", image.why);
		return 1;
	}
	instructions_read(&code, names, &in);
	printf("FUNCTION 0x%" PRIx64 " 0x%" PRIx64 "\n", f->addr, f->addr + f->size);
	for (size_t i = 0; i < in.n; i++) {
		printf("%" PRIx64 "\t", in.v[i].addr);
		for (size_t k = 0; k < in.v[i].size; k++)
			printf("%02x", code.bytes[in.v[i].addr - code.addr + k]);
		printf("\t%s\n", in.v[i].text);
	}
	bool told = !in.why;
	if (in.why)
		fprintf(stderr, "disasm: %s\n", in.why);
	instructions_deinit(&in);
	function_code_deinit(&code);
	return told ? 0 : 77;
}

int main(int argc, char **argv)
{
	VEC(struct function) functions = {0};
	struct dso_image image = {.symtab = NULL};
	struct symtab_hit hit;
	struct stat st;
	int fd = argc == 3 ? open(argv[1], O_RDONLY) : -1, status = 0;
	if (fd < 0 || fstat(fd, &st) != 0 || elf_read_program(fd, (uint64_t)st.st_size, NULL, &image) < 0) {
		fprintf(stderr, "usage: disasm FILE FUNCTIONS\n");
		return 2;
	}
	for (uint32_t i = 0; i < symtab_count(image.symtab); i++) {
		symtab_get(image.symtab, i, &hit);
		if (is_plain(&hit))
			vec_push(&functions) = (struct function){hit.addr, hit.size};
	}
	if (functions.n)
		qsort(functions.data, functions.n, sizeof(*functions.data), by_size);
	for (size_t i = 0; i < functions.n && i < strtoul(argv[2], NULL, 10) && !status; i++)
		status = print_function(fd, (uint64_t)st.st_size, image.symtab, &functions.data[i]);
	vec_free(&functions);
	dso_image_deinit(&image);
	return status;
}
