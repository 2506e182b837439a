/* Files that keys write. */
#ifndef APP_SAVE_H
#define APP_SAVE_H

#include "app/side.h"

/* The path of a new file "cyctop-DATE-TIME.EXTENSION" in the working directory, or in /tmp if that cannot be written
 * to. */
void save_path(char *buf, size_t cap, const char *extension);
/* All rows of the panes as text of *n bytes, which the caller frees; there must be a snapshot. */
char *save_tables(const struct view_input *in, size_t *n);
/* Writes a new file, or removes what it wrote of it.  0 or -errno. */
int save_file(const char *path, const char *text, size_t n);

/* Writes a side as a snapshot, under another name first, so that there is never a part of one.  `output` is a file,
 * which is replaced if it is a file of this user, or a directory for a file with a name of its own; NULL: that is the
 * directory cyctop in $XDG_STATE_HOME (~/.local/state), or that of save_path().  `path` gets where it is. */
CYC_MUST_CHECK int save_snapshot(const char *output, const struct side *side, char *path, size_t cap,
				 struct error *err);

#endif
