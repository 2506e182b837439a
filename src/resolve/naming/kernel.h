/* Finds the symbols of kernel addresses: first in code that was loaded or removed during the measurement (KSYMBOL
 * records), then in the kernel's symbol table.
 *
 * The table of the running kernel changes when modules are loaded and unloaded; other changes (BPF programs,
 * trampolines) are only in records. So the table is read again when the list of modules has changed. It is also read
 * again when an address has no name, but with longer and longer pauses. */
#ifndef RESOLVE_NAMING_KERNEL_H
#define RESOLVE_NAMING_KERNEL_H

#include "base/alloc.h"
#include "resolve/naming/dso.h"

struct ksymbol {
	uint64_t start, end;
	uint32_t sym;  /* CATALOG_NONE: removed code, which the table may still contain */
	bool renewing; /* the table is being read, and was requested after the removal */
};

struct kernel {
	struct dsos *dsos;
	struct names *names;
	uint32_t dso;
	uint32_t modules;	   /* DSO with a table of the modules only; CATALOG_NONE: `dso` has them */
	struct space *maps;	   /* mappings of kernel modules, in a recording; NULL: unknown */
	VEC(struct ksymbol) extra; /* from KSYMBOL records; sorted, disjoint */
	bool live;
	/* dsos_clock() when the table was last requested; minimum pause until the next request */
	uint32_t asked_at, wait;
	uint32_t looked_at;	  /* dsos_clock() when the list of modules was last read */
	uint64_t modules_print;	  /* modules_fingerprint() at looked_at; 0: unreadable */
	const char *modules_path; /* file with the list of modules, "/proc/modules" */
};
void kernel_init(struct kernel *k, struct dsos *dsos);
void kernel_deinit(struct kernel *k);
/* Notes that the kernel is the running one, not a recorded one. `modules_apart`: the table of "[kernel]" lacks
 * modules. */
void kernel_set_live(struct kernel *k, bool modules_apart);
/* Forgets what came from records, before a recording is read again from its beginning. */
void kernel_restart(struct kernel *k);
/* Returns the symbol of a kernel address; `returns`: see struct resolver_lookup. */
uint32_t kernel_symbol(struct kernel *k, uint64_t addr, bool returns);
/* Applies a KSYMBOL record.  Returns true if addresses now have other symbols. */
bool kernel_ksymbol(struct kernel *k, const struct record *rec);

/* Applies a mapping of the kernel or a module, which only recordings have.  Returns true if addresses now have other
 * symbols. */
bool kernel_map(struct kernel *k, const struct record *rec);

/* Checks whether modules were loaded or unloaded; call it about once a second. */
void kernel_tend(struct kernel *k);
/* Drops the entries that a renewed table makes superfluous; call it after dsos_collect(). */
void kernel_adopted(struct kernel *k);

/* The parts of resolver_retire() for the kernel: mark the symbols and DSOs that entries refer to. */
void kernel_mark_syms(const struct kernel *k, bool *used);
void kernel_mark_dsos(const struct kernel *k, bool *used);

#endif
