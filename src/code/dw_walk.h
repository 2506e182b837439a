/* Walks debug information, which may be malicious: only for code in a child process (os/child.h). */
#ifndef CODE_DW_WALK_H
#define CODE_DW_WALK_H

#include "code/dw_library.h"

#if HAVE_DW

#include <stdint.h>

enum { DW_RANGES_MAX = 4096 }; /* maximum number of address ranges of a DIE */

struct dw_file {
	Elf *elf;
	Dwarf *dwarf;
};
/* Opens a file; dw_file_close() must be called even after a failure.  Returns why the file's debug information cannot
 * be read, a sentence without its full stop; NULL: it can be read. */
const char *dw_file_open(const struct dw_library *lib, int fd, struct dw_file *ret);
void dw_file_close(const struct dw_library *lib, struct dw_file *file);

/* Finds the compilation unit of each address: sets units[i], and found[i] to whether it has one.  Reads all units once
 * if the file has no index. */
void dw_units(const struct dw_library *lib, Dwarf *dwarf, const uint64_t *addrs, size_t n, Dwarf_Die *units,
	      bool *found);

/* Calls take() for each call that was inlined into the function at [start, end), containing calls first.  `within`:
 * what take() returned for the containing call; 0: the function itself contains the call. */
void dw_walk(const struct dw_library *lib, Dwarf_Die *unit, uint64_t start, uint64_t end,
	     uint32_t (*take)(void *ctx, Dwarf_Die *die, uint32_t within), void *ctx);

#endif

#endif
