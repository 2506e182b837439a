/* The catalog, and functions that add entries to it or free them. */
#ifndef RESOLVE_NAMING_NAMES_H
#define RESOLVE_NAMING_NAMES_H

#include "base/alloc.h"
#include "base/index.h"
#include "base/intern.h"

#include <cyctop/catalog.h>

/* Freed ids, to be reused by new entries. */
struct retired_ids {
	uint32_t *data;
	size_t n, cap;
};
struct names {
	struct catalog cat;
	size_t tasks_cap, syms_cap, dsos_cap;
	struct intern *strings;
	struct index by_code; /* (DSO, address, name) -> symbol; for by_name symbols, the size is in the key, too */
	/* (DSO, name or demangled name) -> the first symbol with that name, which represents all by_name symbols with
	 * that name (sym_info.row_sym) */
	struct index by_name;
	struct retired_ids free_tasks, free_syms, free_dsos;
	/* number of calls of names_resolve() since names_retire_syms() */
	size_t resolved_n;
	size_t made_n;	   /* number of tasks and symbols added since names_retire_syms() */
	size_t strings_at; /* size of `strings` in bytes at which to call names_move_strings() */
};
/* Returns an id for a new element of an array of the catalog: a retired id, whose element keeps its contents (such as
 * its generation), or a new id, whose element is added at the end and set to zeros. */
uint32_t names_take_id(struct retired_ids *retired, void **rows, uint32_t *rows_n, size_t *cap, size_t row_bytes);
void names_init(struct names *n);
void names_deinit(struct names *n);

/* Add an entry to the catalog and return its id; the strings of *info are interned. */
uint32_t names_add_task(struct names *n, const struct task_info *info);
uint32_t names_add_dso(struct names *n, const struct dso_info *info);
/* Renames a task; interns the name. */
void names_set_comm(struct names *n, uint32_t task, const char *comm);
/* Returns the symbol with the dso, addr and name of *info (if by_name: also the size); adds *info if there is none. */
uint32_t names_sym(struct names *n, const struct sym_info *info);
/* Adds a symbol for a sample that waits for its name; names_sym() does not find it.  info->name is not copied and must
 * live as long as the catalog. */
uint32_t names_add_sym(struct names *n, const struct sym_info *info);
/* Resolves `sym` to `real`, which must resolve to itself. When the model computes its keys anew, numbers counted for
 * `sym` are counted for `real`. */
void names_resolve(struct names *n, uint32_t sym, uint32_t real);
/* Shortens chains: if a symbol of the DSO resolves to A, and A resolves to B, resolves the symbol to B. */
void names_follow(struct names *n, uint32_t dso);
/* Marks the symbols of a DSO whose file was overwritten as outdated, until they are found in the new table, too. */
void names_outdate(struct names *n, uint32_t dso);
/* Sets the demangled name of a symbol (NULL: it is not mangled), and marks symbols that look alike now. */
void names_set_pretty(struct names *n, uint32_t sym, const char *pretty);
/* Free an id for reuse; references to it become invalid. */
void names_retire_task(struct names *n, uint32_t id);
void names_retire_dso(struct names *n, uint32_t id);
/* Retires all symbols without used[sym]; used[] has names->cat.syms_n entries. */
void names_retire_syms(struct names *n, const bool *used);
/* Returns true if names_move_strings() is due, to free unused strings. */
bool names_want_fewer_strings(const struct names *n);
/* Interns the strings of the catalog into a new table, which drops unused ones.  Returns the old table: the caller
 * moves its own strings, too, then frees the old table with intern_destroy(). */
struct intern *names_move_strings(struct names *n);

#endif
