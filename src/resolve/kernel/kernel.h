/* Kernel addresses: code that came and went while we looked (KSYMBOL), then the
 * kernel's own table. */
#ifndef RESOLVE_KERNEL_KERNEL_H
#define RESOLVE_KERNEL_KERNEL_H

#include "resolve/dso.h"

struct ksymbol {
	uint64_t start, end;
	uint32_t sym;
};

struct kernel {
	struct dsos *dsos;
	uint32_t dso;
	VEC(struct ksymbol) extra; /* sorted, disjoint */
};
void kernel_init(struct kernel *k, struct dsos *dsos);
void kernel_deinit(struct kernel *k);
uint32_t kernel_symbol(struct kernel *k, uint64_t addr);
/* Applies a KSYMBOL record; true: what was known of addresses is no longer so. */
bool kernel_ksymbol(struct kernel *k, const struct record *rec);

/* Applies a mapping of the kernel or a module; only recordings have them.  true: as
 * above. */
bool kernel_map(struct kernel *k, const struct record *rec);

#endif
