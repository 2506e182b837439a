/* The sides of comparisons: what a session measured, or a file of either kind has. */
#ifndef APP_SIDE_H
#define APP_SIDE_H

#include "app/app.h"

#include <cyctop/diff.h>
#include <cyctop/perfdata.h>

struct side {
	struct diff_about about;
	struct diff_table *table;
	struct function_files files; /* what its files are, and of a recording, which functions they have */
};
void side_deinit(struct side *side);
/* The files whose functions a snapshot of a session has; or only those of which it has functions without names. */
void side_files(struct session *s, const struct snapshot *snap, bool nameless, struct function_files *ret);
/* The name of a symbol of this session (`name`: for people), by which its row is matched with one of the same session:
 * if others of its file are called the same, with its address, unless the file was built anew meanwhile.  Valid as long
 * as *buf and `name`. */
const char *side_name_apart(const struct catalog *cat, uint32_t sym, const char *name, struct strbuf *buf);
/* The event of a unit, of this session; EVENTS_MAX: it has none. */
size_t side_per_event(const struct app *app, enum diff_unit unit);
/* For diff_config.rebuilt: may the files of that name be of several builds?  `files` are those of each side,
 * [DIFF_SIDES]. */
bool side_was_rebuilt(const void *files, const char *name);
/* Tells the rows of a comparison what became of their functions, by the files of each side; `pretty` as in
 * struct diff_grouping. */
void side_tell_functions(struct diff *d, const struct function_files files[DIFF_SIDES],
			 char *(*pretty)(const char *symbol));

/* The same of one row, for the screen: not of a table that takes long to search. */
void side_tell_function(struct diff *d, const struct diff_row *row,
			const struct function_files *const files[DIFF_SIDES], char *(*pretty)(const char *symbol));

/* Fills in what the snapshot of a session is; `t` is a table of it.  `file` stays borrowed. */
void side_describe(struct session *s, const struct snapshot *snap, const struct diff_table *t, const char *file,
		   struct diff_about *ret);
/* Adds what of it the filters of the command line leave. */
void side_add_only(const struct app *app, struct diff_about *about);
/* What was measured, as it is stored: of a stretch, or, without one, since `since_ns`. */
void side_take(struct app *app, struct stretch stretch, uint64_t since_ns, bool hide_self, struct side *ret);

/* Is the file a snapshot, by its content?  1 or 0, or an error. */
CYC_MUST_CHECK int side_is_snapshot(const char *path, struct error *err);
/* Writes what side_take() took as a snapshot. */
CYC_MUST_CHECK int side_write_snapshot(const struct side *side, FILE *out, struct error *err);
CYC_MUST_CHECK int side_read_snapshot(const char *path, struct side *ret, struct error *err);

#endif
