/* Functions of symtab.c and build.c for the other parts of the resolver, in addition to those in <cyctop/resolve.h>. */
#ifndef RESOLVE_TABLE_SYMTAB_H
#define RESOLVE_TABLE_SYMTAB_H

#include "base/limits.h"
#include "resolve/table/region.h"

#include <cyctop/resolve.h>

/* Adds a symbol as symtab_add() does, with a name without a NUL.  A name longer than SYMTAB_NAME_MAX is cut off. */
void symtab_add_bytes(struct symtab_builder *b, uint64_t addr, uint64_t size, const char *name, size_t name_n, int rank,
		      const char *module);
/* Adds the end of a section: a symbol without a size before it ends here.  Any symbol at the
 * same address replaces the gap. */
void symtab_add_gap(struct symtab_builder *b, uint64_t addr);
/* Says that the table lacks names of functions, as that of a stripped file does: a symbol without a size does not
 * reach far. */
void symtab_lacks_names(struct symtab_builder *b);
/* Returns the limits that were reached; valid as long as the builder. */
const struct limit_set *symtab_builder_limits(const struct symtab_builder *b);
size_t symtab_builder_count(const struct symtab_builder *b);

/* Makes a table of a block; takes ownership of *block. */
struct symtab *symtab_of_block(struct region *block);

#endif
