/* Functions of symtab.c for the readers in this room, in addition to those in
 * <cyctop/resolve.h>. */
#ifndef RESOLVE_TABLE_SYMTAB_H
#define RESOLVE_TABLE_SYMTAB_H

#include "base/limits.h"
#include "resolve/table/region.h"

#include <cyctop/resolve.h>

/* symtab_add() for a name without a NUL.  Longer names than SYMTAB_NAME_MAX are cut off. */
void symtab_add_bytes(struct symtab_builder *b, uint64_t addr, uint64_t size, const char *name, size_t name_n, int rank,
		      const char *module);
/* Adds the end of a section: a symbol without a size before it ends here.  Any symbol at the
 * same address replaces the gap. */
void symtab_add_gap(struct symtab_builder *b, uint64_t addr);
/* The table lacks names of functions, as that of a stripped file: a symbol without a size does not reach far. */
void symtab_lacks_names(struct symtab_builder *b);
/* The limits that were reached; valid as long as the builder. */
const struct limit_set *symtab_builder_limits(const struct symtab_builder *b);
size_t symtab_builder_count(const struct symtab_builder *b);

/* Makes a table of a block; takes ownership of *block. */
struct symtab *symtab_of_block(struct region *block);

#endif
