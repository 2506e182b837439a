/* Opens files whose paths come from others.  The result is always below a given root, and a
 * regular file of a file system with real files; opening never waits or has an effect. */
#ifndef RESOLVE_ELF_OPEN_H
#define RESOLVE_ELF_OPEN_H

#include <stdbool.h>
#include <stdint.h>

/* Returns an fd of a regular file below `root`, even if `path` (absolute) or links in it lead
 * elsewhere; or -errno.  -EINVAL: not a regular file, or one that acts_when_read(). */
int open_below(const char *root, const char *path, uint64_t *size_ret);
/* Is the file on a file system on which reading may have an effect (/proc, /sys, ...)? */
bool acts_when_read(int fd);
/* The same as open_below(), but fails if `path` itself is a symbolic link. */
int open_plain_below(const char *root, const char *path);
/* The same for a path that the user gave. */
int open_given(const char *path, uint64_t *size_ret);
/* The generation of the file's inode, which tells a reused inode number; 0: the file system has none. */
uint32_t file_generation(int fd);

#endif
