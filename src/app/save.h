/* Writes the files of keys. */
#ifndef APP_SAVE_H
#define APP_SAVE_H

#include <cyctop/comparison.h>
#include <cyctop/view.h>
#include <stdio.h>

/* Makes the path of a new file "cyctop-DATE-TIME.EXTENSION", for OUTPUT_NUMBERED.  `dir` NULL: the working
 * directory, or /tmp if that cannot be written to. */
void save_path(const char *dir, const char *extension, char *buf, size_t cap);
/* Returns all rows of the panes as text of *n bytes, which the caller frees; there must be a snapshot. */
char *save_tables(const struct view_input *in, size_t *n);
/* Writes a new file with that text, of the name that save_path() makes, and sets `path` to its final path. */
CYC_MUST_CHECK int save_file(const char *dir, const char *extension, const char *text, size_t n, char *path, size_t cap,
			     struct error *err);
/* Returns true if there is a directory of that path. */
bool save_is_directory(const char *path);

/* Writes what side_take() took, as a snapshot. */
CYC_MUST_CHECK int side_write_snapshot(const struct side *side, FILE *out, struct error *err);
/* Writes a snapshot to a file, and sets `path` to its final path.  `output` is a path that output_open() takes to
 * replace what is there, or a directory for a file with its own name; NULL: the directory cyctop in $XDG_STATE_HOME
 * (~/.local/state), or that of save_path(). */
CYC_MUST_CHECK int save_snapshot(const char *output, const struct side *side, char *path, size_t cap,
				 struct error *err);

#endif
