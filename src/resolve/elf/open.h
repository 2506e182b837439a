/* Opens files whose paths are not trusted.  The result is always below a given root, and a regular file of a file
 * system that stores files, not of /proc or the like; opening never waits, and changes nothing. */
#ifndef RESOLVE_ELF_OPEN_H
#define RESOLVE_ELF_OPEN_H

#include <stdbool.h>
#include <stdint.h>

/* Returns an fd of a regular file below `root`, even if `path` (absolute) or links in it lead elsewhere; or -errno.
 * -EINVAL: the file is not regular, or acts_when_read(). */
int open_below(const char *root, const char *path, uint64_t *size_ret);
/* Returns true if the file is on a file system on which reading may have an effect (/proc, /sys, ...). */
bool acts_when_read(int fd);
/* Opens a file as open_below() does, but fails if `path` itself is a symbolic link. */
int open_plain_below(const char *root, const char *path);
/* Opens a file at a path that the user gave, under the same conditions. */
int open_given(const char *path, uint64_t *size_ret);
/* Returns the generation of the file's inode, which tells files with a reused inode number apart; 0: the file system
 * has no generations. */
uint32_t file_generation(int fd);

#endif
