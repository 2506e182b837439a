/* Functions for sides of comparisons, shared by the files of src/comparison. */
#ifndef COMPARISON_SIDE_H
#define COMPARISON_SIDE_H

#include <cyctop/comparison.h>

/* Lists the files whose functions have rows in a snapshot; `nameless`: only files of functions without names. */
void side_files(struct session *s, const struct snapshot *snap, bool nameless, struct function_files *ret);
/* Returns the name by which a symbol's row is matched within one session: `name`, demangled.  If other symbols of the
 * file have the same name, the symbol's address is appended, unless the file was rebuilt meanwhile.  Valid as long as
 * *buf and `name`. */
const char *side_name_apart(const struct catalog *cat, uint32_t sym, const char *name, struct strbuf *buf);
/* Returns the index of the event that a unit divides by; EVENTS_MAX: the session lacks it. */
size_t side_per_event(const struct measured *m, enum diff_unit unit);
/* Finds what became of the function of a row, for the screen.  Skips files whose symbol tables would take long to
 * search. */
void side_tell_function(struct diff *d, const struct diff_row *row,
			const struct function_files *const files[DIFF_SIDES], char *(*pretty)(const char *symbol));

/* Describes a snapshot of a session; `t`: a table of the snapshot.  *ret borrows `file`. */
void side_describe(struct session *s, const struct snapshot *snap, const struct diff_table *t, const char *file,
		   struct diff_about *ret);
/* Appends the session's filters, as text, to about->only. */
void side_add_only(const struct measured *m, struct diff_about *about);

#endif
