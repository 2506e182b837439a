/* The catalog and what is needed to add to it. */
#ifndef RESOLVE_NAMES_H
#define RESOLVE_NAMES_H

#include "base/alloc.h"
#include "base/index.h"
#include "base/intern.h"

#include <cyctop/catalog.h>

struct names {
	struct catalog cat;
	size_t tasks_cap, syms_cap, dsos_cap;
	struct intern *strings;
	struct index named;    /* (dso, name) -> symbol */
	VEC(uint32_t) retired; /* task ids that may be given anew */
	VEC(uint32_t) spare;   /* likewise of symbols */
};
void names_init(struct names *n);
void names_deinit(struct names *n);

/* Strings in *info are interned here.  Return the new id. */
uint32_t names_add_task(struct names *n, const struct task_info *info);
uint32_t names_add_dso(struct names *n, const struct dso_info *info);
void names_set_dso(struct names *n, uint32_t id, const struct dso_info *info);
/* But for its name, which lives as long as the catalog already. */
uint32_t names_add_sym(struct names *n, const struct sym_info *info);

/* The symbol `name` of `dso`, one entry however many addresses bear the name;
 * `state`, `origin` and `addr` are those of the first. */
uint32_t names_sym(struct names *n, uint32_t dso, const char *name, enum sym_state state, enum sym_origin origin,
		   uint64_t addr);

#endif
