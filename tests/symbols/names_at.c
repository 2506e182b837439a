/* Prints the name of each address that standard input lists, as a hexadecimal number a line, with where it is from:
 *   names_at [-p] FILE
 * "-": it has none.  With "-p", where in the source the function
 * that starts there begins instead.  The addresses are those of the file. */
#include "resolve/elf/image.h"

#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static bool print_names(int fd, uint64_t size, const char *path)
{
	struct dso_image image = {0};
	int code = elf_read_program(fd, size, NULL, &image);
	if (!image.symtab || code != 0)
		fprintf(stderr, "%s: %s\n", path, image.why);
	char line[64];
	while (image.symtab && fgets(line, sizeof(line), stdin)) {
		uint64_t addr = strtoull(line, NULL, 16);
		struct symtab_hit hit;
		bool found = symtab_find(image.symtab, addr, &hit) && hit.name[0];
		printf("%016" PRIx64 " %s %s\n", addr, found && hit.origin == ORIGIN_GO ? "go" : "-",
		       found ? hit.name : "-");
	}
	bool any = image.symtab;
	dso_image_deinit(&image);
	return any;
}

static void print_places(int fd, uint64_t size)
{
	char line[64];
	while (fgets(line, sizeof(line), stdin)) {
		uint64_t addr = strtoull(line, NULL, 16);
		char *place = elf_go_place(fd, size, addr);
		printf("%016" PRIx64 " %s\n", addr, place ? place : "-");
		free(place);
	}
}

int main(int argc, char **argv)
{
	struct stat st;
	bool places = argc == 3 && strcmp(argv[1], "-p") == 0;
	const char *path = argc == 2 + places ? argv[argc - 1] : "";
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0 || fstat(fd, &st) != 0)
		return 2;
	bool any = true;
	if (places)
		print_places(fd, (uint64_t)st.st_size);
	else
		any = print_names(fd, (uint64_t)st.st_size, path);
	close(fd);
	return any ? 0 : 1;
}
