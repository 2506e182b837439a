/* What the room asks of sides. */
#ifndef COMPARISON_SIDE_H
#define COMPARISON_SIDE_H

#include <cyctop/comparison.h>

/* The files whose functions a snapshot of a session has; or only those of which it has functions without names. */
void side_files(struct session *s, const struct snapshot *snap, bool nameless, struct function_files *ret);
/* The name of a symbol of this session (`name`: for people), by which its row is matched with one of the same session:
 * if others of its file are called the same, with its address, unless the file was built anew meanwhile.  Valid as long
 * as *buf and `name`. */
const char *side_name_apart(const struct catalog *cat, uint32_t sym, const char *name, struct strbuf *buf);
/* The event of a unit; EVENTS_MAX: the session has none. */
size_t side_per_event(const struct measured *m, enum diff_unit unit);
/* What side_tell_functions() does, of one row, for the screen: not of a table that takes long to search. */
void side_tell_function(struct diff *d, const struct diff_row *row,
			const struct function_files *const files[DIFF_SIDES], char *(*pretty)(const char *symbol));

/* Fills in what the snapshot of a session is; `t` is a table of it.  `file` stays borrowed. */
void side_describe(struct session *s, const struct snapshot *snap, const struct diff_table *t, const char *file,
		   struct diff_about *ret);
/* Adds what of it the filters leave. */
void side_add_only(const struct measured *m, struct diff_about *about);

#endif
