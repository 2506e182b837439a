/* Walks debug information, which may be made to do harm: for code that runs apart (apart.h). */
#ifndef CODE_DW_WALK_H
#define CODE_DW_WALK_H

#include "code/dw_library.h"

#if HAVE_DW

#include <stdint.h>

enum { DW_RANGES_MAX = 4096 }; /* ranges of addresses of one DIE */

struct dw_file {
	Elf *elf;
	Dwarf *dwarf;
};
/* Opens a file.  Returns why its debug information cannot be read, a sentence without its full stop; NULL: it can.
 * Either way it must be closed. */
const char *dw_file_open(const struct dw_library *lib, int fd, struct dw_file *ret);
void dw_file_close(const struct dw_library *lib, struct dw_file *file);

/* Finds the compilation units of `n` addresses: units[i], if found[i], which are false before.  Without an index in the
 * file, all units are looked at, once. */
void dw_units(const struct dw_library *lib, Dwarf *dwarf, const uint64_t *addrs, size_t n, Dwarf_Die *units,
	      bool *found);

/* Calls take() for the calls that were inlined into the function at [start, end), each after the one that it is within.
 * `within`: what take() returned for that one; 0: it is in the function itself. */
void dw_walk(const struct dw_library *lib, Dwarf_Die *unit, uint64_t start, uint64_t end,
	     uint32_t (*take)(void *ctx, Dwarf_Die *die, uint32_t within), void *ctx);

#endif

#endif
