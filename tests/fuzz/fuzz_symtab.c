/* Fuzzes the block of a symbol table that comes from another process: any bytes are refused, or
 * can be searched and read. */
#include "resolve/table/symtab.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct region block = {0};
	if (!region_reserve(&block, size + 1))
		return 0;
	memcpy(block.data, data, size);
	block.n = size;
	struct symtab *t = symtab_of_foreign_block(&block);
	if (!t)
		return 0;
	for (uint32_t i = 0; i < symtab_count(t); i++) {
		struct symtab_hit hit, found;
		symtab_get(t, i, &hit);
		if (strlen(hit.name) > size || (hit.module && strlen(hit.module) > size) || hit.origin >= ORIGIN_COUNT)
			abort();
		if (hit.size && !symtab_find(t, hit.addr, &found))
			abort();
	}
	symtab_destroy(t);
	return 0;
}
