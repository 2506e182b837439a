/* Functions on symbol tables for the other parts of the resolver, besides those in <cyctop/resolve.h>. */
#ifndef RESOLVE_TABLE_SYMTAB_H
#define RESOLVE_TABLE_SYMTAB_H

#include "base/limits.h"
#include "resolve/table/region.h"

#include <cyctop/resolve.h>

/* Like symtab_add(), but `name` needs no NUL. */
void symtab_add_bytes(struct symtab_builder *b, uint64_t addr, uint64_t size, const char *name, size_t name_n, int rank,
		      const char *module);
/* Adds the end of a section, at which a symbol of size 0 before it ends.  A symbol at the same address replaces it. */
void symtab_add_gap(struct symtab_builder *b, uint64_t addr);
/* Notes that the table lacks functions (stripped file), so that symbols of size 0 reach less far. */
void symtab_lacks_names(struct symtab_builder *b);
/* Returns the reached limits; valid as long as the builder. */
const struct limit_set *symtab_builder_limits(const struct symtab_builder *b);
size_t symtab_builder_count(const struct symtab_builder *b);

/* Makes a table of a block; takes ownership of *block. */
struct symtab *symtab_of_block(struct region *block);

#endif
