/* Functions of sides that the other files of this room need. */
#ifndef COMPARISON_SIDE_H
#define COMPARISON_SIDE_H

#include <cyctop/comparison.h>

/* Lists the files with functions in a snapshot of a session; `nameless`: only files with functions without names. */
void side_files(struct session *s, const struct snapshot *snap, bool nameless, struct function_files *ret);
/* Returns the name by which a symbol's row is matched with a row of the same session: `name`, which is demangled, and
 * its address if other symbols of its file have the same name, unless the file was rebuilt in the meantime.  Valid as
 * long as *buf and `name`. */
const char *side_name_apart(const struct catalog *cat, uint32_t sym, const char *name, struct strbuf *buf);
/* Returns the event of a unit; EVENTS_MAX: the session has none. */
size_t side_per_event(const struct measured *m, enum diff_unit unit);
/* Adds to one row what became of its function, for the screen; not if the symbol tables take long to search. */
void side_tell_function(struct diff *d, const struct diff_row *row,
			const struct function_files *const files[DIFF_SIDES], char *(*pretty)(const char *symbol));

/* Describes a snapshot of a session; `t` is a table of it.  `file` stays borrowed. */
void side_describe(struct session *s, const struct snapshot *snap, const struct diff_table *t, const char *file,
		   struct diff_about *ret);
/* Adds the filters, in words, to about->only. */
void side_add_only(const struct measured *m, struct diff_about *about);

#endif
