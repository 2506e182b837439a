/* The catalog, and the functions that add to it. */
#ifndef RESOLVE_NAMING_NAMES_H
#define RESOLVE_NAMING_NAMES_H

#include "base/alloc.h"
#include "base/index.h"
#include "base/intern.h"

#include <cyctop/catalog.h>

/* Ids without a meaning, which the next entries get. */
struct retired_ids {
	uint32_t *data;
	size_t n, cap;
};
struct names {
	struct catalog cat;
	size_t tasks_cap, syms_cap, dsos_cap;
	struct intern *strings;
	struct index by_code; /* (DSO, start, name) -> symbol; of a symbol `by_name`, with its size */
	/* (DSO, name or demangled name) -> the first symbol of that name; it represents those that are by_name
	 * (sym_info.same) */
	struct index by_name;
	struct retired_ids free_tasks, free_syms, free_dsos;
	/* number of calls of names_resolve() since names_retire_syms() */
	size_t resolved_n;
	size_t made_n;	   /* number of tasks and symbols added since names_retire_syms() */
	size_t strings_at; /* size of `strings` at which to call names_move_strings() */
};
void names_init(struct names *n);
void names_deinit(struct names *n);

/* These intern the strings of *info and return the new id. */
uint32_t names_add_task(struct names *n, const struct task_info *info);
uint32_t names_add_dso(struct names *n, const struct dso_info *info);
/* Gives a task another name, which is interned. */
void names_set_comm(struct names *n, uint32_t task, const char *comm);
/* Finds the symbol with the dso, addr and name of *info (and, if it is `by_name`, the size), or adds *info. */
uint32_t names_sym(struct names *n, const struct sym_info *info);
/* Adds a symbol that names_sym() does not find, for a sample that waits for its name.
 * info->name is not copied and must live as long as the catalog. */
uint32_t names_add_sym(struct names *n, const struct sym_info *info);
/* Resolves `sym` to `real`, which must resolve to itself.  Facts of `sym` become facts of
 * `real` when the model is re-keyed. */
void names_resolve(struct names *n, uint32_t sym, uint32_t real);
/* Makes symbols of the DSO that resolved to symbols which were resolved to others meanwhile resolve to those. */
void names_follow(struct names *n, uint32_t dso);
/* The file of `dso` was overwritten: its symbols belong to old code, unless the new table has
 * them, too. */
void names_outdate(struct names *n, uint32_t dso);
/* Sets the demangled name of a symbol; NULL: it is the raw one.  Finds out whether another symbol looks alike now. */
void names_set_pretty(struct names *n, uint32_t sym, const char *pretty);
/* Frees the id and invalidates references to it. */
void names_retire_task(struct names *n, uint32_t id);
void names_retire_dso(struct names *n, uint32_t id);
/* Does so for all symbols that are not in used[], which has names->cat.syms_n entries. */
void names_retire_syms(struct names *n, const bool *used);
/* Are there so many strings that unused ones should be freed? */
bool names_want_fewer_strings(const struct names *n);
/* Interns the strings of the catalog again, so that unused ones are dropped.  The caller does
 * the same with its own interned strings, and then frees the returned table with
 * intern_destroy(). */
struct intern *names_move_strings(struct names *n);

#endif
