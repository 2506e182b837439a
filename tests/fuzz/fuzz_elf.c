/* Fuzzes the ELF reader with any bytes; a table that it returns must be usable. */
#include "resolve/elf/image.h"

#include <stdint.h>
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct build_id id;
	elf_build_id_memory(data, size, NULL, &id);
	notes_build_id(data, size, false, &id);
	notes_build_id(data, size, true, &id);
	if (id.size > sizeof(id.bytes))
		abort();
	struct dso_image image = {0};
	int r = elf_read_memory(data, size, &image);
	if ((r == 0) != (image.symtab != NULL) || (r < 0 && !image.why[0]))
		abort();
	for (size_t i = 0; r == 0 && i < image.segments_n; i++) {
		const struct segment *s = &image.segments[i];
		for (unsigned k = 0; k <= 64; k++) {
			uint64_t addr = s->vaddr + s->size / 64 * k;
			struct symtab_hit hit;
			if (symtab_find(image.symtab, addr, &hit) &&
			    ((!hit.name[0] && hit.origin != ORIGIN_UNWIND) || addr - hit.addr >= hit.size))
				abort();
		}
	}
	dso_image_deinit(&image);
	return 0;
}
