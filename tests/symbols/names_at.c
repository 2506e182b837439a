/* Prints the name of each address that standard input lists, as a hexadecimal number a line, with where it is from:
 *   names_at FILE
 * "-": it has none.  The addresses are those of the file. */
#include "resolve/elf/image.h"

#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

int main(int argc, char **argv)
{
	struct stat st;
	int fd = argc == 2 ? open(argv[1], O_RDONLY | O_CLOEXEC) : -1;
	if (fd < 0 || fstat(fd, &st) != 0)
		return 2;
	struct dso_image image = {0};
	int code = elf_read_file(fd, (uint64_t)st.st_size, &image);
	if (!image.symtab || code != 0)
		fprintf(stderr, "%s: %s\n", argv[1], image.why);
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
	close(fd);
	return any ? 0 : 1;
}
