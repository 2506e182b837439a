/* Opens files at untrusted paths.  The result is always a regular file below the given root, and never of /proc or the
 * like; opening neither blocks nor has side effects. */
#ifndef RESOLVE_ELF_OPEN_H
#define RESOLVE_ELF_OPEN_H

#include <stdbool.h>
#include <stdint.h>

/* Returns an fd of a regular file below `root`, or -errno.  Absolute paths and symbolic links are resolved within
 * `root`.  -EINVAL: not a regular file, or acts_when_read().  *size_ret: size in bytes. */
int open_below(const char *root, const char *path, uint64_t *size_ret);
/* Returns an O_PATH fd of what is at `path` below `root`, resolved as by open_below(), or -errno. `flags`: more flags
 * of open(). */
int open_path_below(const char *root, const char *path, uint64_t flags);
/* Opens for reading the file of an O_PATH fd.  Returns an fd or -errno. */
int open_again(int path_fd);
/* Returns "ROOT/path" as text for the user, malloc'ed. */
char *path_below(const char *root, const char *path);
/* Returns true if the file is of a file system where reading may have side effects (/proc, /sys, ...). */
bool acts_when_read(int fd);
/* As open_below(), but fails if `path` itself is a symbolic link.  Returns an fd or -errno. */
int open_plain_below(const char *root, const char *path);
/* Opens a program at the user's path.  Returns an fd or -errno; -EINVAL: not a regular file, or acts_when_read(). */
int open_executable(const char *path, uint64_t *size_ret);
/* Opens a file at the user's path, anywhere. Returns an fd or -errno; -EINVAL: not a regular file. */
int open_given(const char *path, uint64_t *size_ret);
/* Returns the generation of the file's inode, which differs if an inode number is reused; 0: the file system has
 * none. */
uint32_t file_generation(int fd);

#endif
