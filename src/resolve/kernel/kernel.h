/* Kernel addresses: code that came and went while we looked (KSYMBOL), then the
 * kernel's own table.
 *
 * Of the kernel that runs that table changes: modules come and go, and only records
 * tell of the rest (BPF programs, trampolines).  So it is read anew when the list of
 * modules changed, or, ever more seldom, when an address has no name. */
#ifndef RESOLVE_KERNEL_KERNEL_H
#define RESOLVE_KERNEL_KERNEL_H

#include "resolve/dso.h"

struct ksymbol {
	uint64_t start, end;
	uint32_t sym;  /* CATALOG_NONE: code that is gone; the table may not know it yet */
	bool renewing; /* gone before the table that is being read was asked for */
};

struct kernel {
	struct dsos *dsos;
	uint32_t dso;
	uint32_t modules;	   /* a DSO for the table of modules alone, or CATALOG_NONE: `dso` has them */
	VEC(struct ksymbol) extra; /* sorted, disjoint */
	bool live;
	uint32_t asked_at, wait;  /* when its table was last asked for, in dsos.clock; how long to wait now */
	uint32_t looked_at;	  /* when the list of modules was last read */
	uint64_t modules_print;	  /* what was in it; 0: nothing */
	const char *modules_path; /* "/proc/modules" */
};
void kernel_init(struct kernel *k, struct dsos *dsos);
void kernel_deinit(struct kernel *k);
/* It is the kernel that runs.  `modules_apart`: the table of "[kernel]" lacks them. */
void kernel_set_live(struct kernel *k, bool modules_apart);
/* What records told of it is forgotten. */
void kernel_restart(struct kernel *k);
uint32_t kernel_symbol(struct kernel *k, uint64_t addr);
/* Applies a KSYMBOL record; true: what was known of addresses is no longer so. */
bool kernel_ksymbol(struct kernel *k, const struct record *rec);

/* Applies a mapping of the kernel or a module; only recordings have them.  true: as
 * above. */
bool kernel_map(struct kernel *k, const struct record *rec);

/* About once a second: has anything changed? */
void kernel_tend(struct kernel *k);
/* Tables were adopted. */
void kernel_adopted(struct kernel *k);

/* What tells one list of modules (/proc/modules) from another: their names, sizes and
 * places, not how often they are in use.  0: there is none. */
uint64_t modules_fingerprint(const char *path);

/* "/lib/modules/6.1/kernel/fs/ext4/ext4.ko.xz", "[ext4]" -> "[ext4]"; the kernel itself
 * writes names with an underscore where files may have a dash. */
void module_name(const char *path, char *buf, size_t cap);

#endif
