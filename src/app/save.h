/* Makes paths and contents of the files that keys write; writes snapshots. */
#ifndef APP_SAVE_H
#define APP_SAVE_H

#include <cyctop/comparison.h>
#include <cyctop/view.h>
#include <stdio.h>

/* Makes the path of a new file "cyctop-DATE-TIME.EXTENSION", for OUTPUT_NUMBERED.  The file is in `dir`; if that is
 * NULL, in the working directory or, if this is not writable, in /tmp. */
void save_path(const char *dir, const char *extension, char *buf, size_t cap);
/* Returns all rows of the panes as text of *n bytes, which the caller frees.  in->snap must not be NULL. */
char *save_tables(const struct view_input *in, size_t *n);
/* Writes `text` to a new file in `dir`, see save_path().  Sets `path` to the path that the file got. */
CYC_MUST_CHECK int save_file(const char *dir, const char *extension, const char *text, size_t n, char *path, size_t cap,
			     struct error *err);
/* Returns true if the path is that of a directory. */
bool save_is_directory(const char *path);

/* Writes the contents of a side (side_take()) as a snapshot file. */
CYC_MUST_CHECK int side_write_snapshot(const struct side *side, FILE *out, struct error *err);
/* Writes a snapshot to a file, and sets `path` to the path that it got.  `output`: the file to replace (output_open()),
 * or a directory, in which a new name is chosen; NULL: the directory cyctop in $XDG_STATE_HOME (~/.local/state) or, if
 * that cannot be made, the one of save_path(). */
CYC_MUST_CHECK int save_snapshot(const char *output, const struct side *side, char *path, size_t cap,
				 struct error *err);

#endif
