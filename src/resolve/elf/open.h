/* Opening files whose paths others chose: below a root and never beyond, only regular
 * files of real file systems; nothing waits or acts. */
#ifndef RESOLVE_ELF_OPEN_H
#define RESOLVE_ELF_OPEN_H

#include <stdint.h>

/* An fd of a regular file below `root`, whatever `path` (absolute) and links on the way
 * say, or -errno: -EINVAL for what is no regular file, or one that acts when it is read. */
int open_below(const char *root, const char *path, uint64_t *size_ret);
/* The same, and what `path` names is no link itself. */
int open_plain_below(const char *root, const char *path);
/* The same for a path of the user's own. */
int open_given(const char *path, uint64_t *size_ret);

#endif
