/* What symtab.c offers beyond <cyctop/resolve.h>, to the readers of this room. */
#ifndef RESOLVE_TABLE_SYMTAB_H
#define RESOLVE_TABLE_SYMTAB_H

#include <cyctop/resolve.h>

/* symtab_add() for a name that is not NUL-terminated.  Names longer than
 * SYMTAB_NAME_MAX are cut. */
enum { SYMTAB_NAME_MAX = 4096 };
void symtab_add_bytes(struct symtab_builder *b, uint64_t addr, uint64_t size, const char *name, size_t name_n, int rank,
		      const char *module);
/* A symbol before it that has no size ends here, and nothing begins: the end of a
 * section.  Any symbol at the same address wins over it. */
void symtab_add_gap(struct symtab_builder *b, uint64_t addr);
size_t symtab_builder_count(const struct symtab_builder *b);

#endif
