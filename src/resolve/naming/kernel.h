/* Finds symbols of kernel addresses: first in code that was loaded or removed during the measurement (KSYMBOL
 * records), then in the kernel's symbol table.
 *
 * The table of the running kernel changes when modules are loaded and unloaded; other changes (BPF programs,
 * trampolines) are only in records.  So the table is read again when the list of modules has changed, and when an
 * address has no name, but the latter less and less often. */
#ifndef RESOLVE_NAMING_KERNEL_H
#define RESOLVE_NAMING_KERNEL_H

#include "base/alloc.h"
#include "resolve/naming/dso.h"

struct ksymbol {
	uint64_t start, end;
	uint32_t sym;  /* CATALOG_NONE: the code was removed, and the table may still contain it */
	bool renewing; /* the table that is being read was requested after the removal */
};

struct kernel {
	struct dsos *dsos;
	struct names *names;
	uint32_t dso;
	uint32_t modules;	   /* DSO of a table of modules only; CATALOG_NONE: modules are in the table of `dso` */
	struct space *maps;	   /* mappings of modules in a recording; NULL: unknown */
	VEC(struct ksymbol) extra; /* code from KSYMBOL records; sorted, disjoint */
	bool live;
	/* value of dsos_clock() when the table was last requested; least time until the next request */
	uint32_t asked_at, wait;
	uint32_t looked_at;	  /* value of dsos_clock() when the list of modules was last read */
	uint64_t modules_print;	  /* modules_fingerprint() of that list; 0: the list could not be read */
	const char *modules_path; /* path of the list: "/proc/modules" */
};
void kernel_init(struct kernel *k, struct dsos *dsos);
void kernel_deinit(struct kernel *k);
/* Declares the kernel to be the one that runs now.  `modules_apart`: the table of "[kernel]" lacks
 * modules. */
void kernel_set_live(struct kernel *k, bool modules_apart);
/* Forgets everything from records. */
void kernel_restart(struct kernel *k);
/* `returns`: see struct resolver_lookup. */
uint32_t kernel_symbol(struct kernel *k, uint64_t addr, bool returns);
/* Applies a KSYMBOL record.  Returns true if the symbols of addresses changed. */
bool kernel_ksymbol(struct kernel *k, const struct record *rec);

/* Applies a mapping of the kernel or a module, which only recordings have.  Returns true if the symbols of addresses
 * changed. */
bool kernel_map(struct kernel *k, const struct record *rec);

/* Checks if modules were loaded or unloaded; to be called about once a second. */
void kernel_tend(struct kernel *k);
/* Takes over a new table; to be called after dsos_collect(). */
void kernel_adopted(struct kernel *k);

/* Do the parts of resolver_retire() for the kernel: mark the symbols and DSOs to which entries refer. */
void kernel_mark_syms(const struct kernel *k, bool *used);
void kernel_mark_dsos(const struct kernel *k, bool *used);

#endif
