/* The symbol table of a DSO and its state. */
#ifndef RESOLVE_NAMING_TABLES_H
#define RESOLVE_NAMING_TABLES_H

#include "resolve/elf/image.h"
#include "resolve/naming/dsos.h"

enum dso_state {
	DSO_NEW, /* no address was looked up yet */
	DSO_LOADING,
	DSO_READY,
	DSO_NAMELESS, /* there is no table; dso_info.why tells why */
};

struct dso_table {
	enum dso_state state;
	int32_t lost_pid; /* pid of a process that ended before its file could be opened; 0: none */
	uint8_t tries;
	/* dsos_clock() at which to read the file again, after descriptors or memory ran out; 0: never */
	uint32_t retry_at;
	uint32_t used_at;	/* dsos_clock() at the last lookup */
	bool renewed;		/* a new table is being read; the old one is still used */
	bool hidden;		/* the kernel hides its own symbols (kptr_restrict) */
	struct dso_image image; /* table and segments; in state DSO_NAMELESS only segments */
	uint32_t *named;	/* [index in the symtab]: symbol id + 1; 0: not in the catalog; NULL: all 0 */
	struct symtab *fetched; /* from a debuginfod server; searched before `image` */
};

/* Returns the table of a DSO; valid until dsos_drop_tables(). */
struct dso_table *dsos_table(struct dsos *d, uint32_t id);

#endif
