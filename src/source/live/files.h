/* Small files of /proc and /sys, read without stdio. */
#ifndef SOURCE_LIVE_FILES_H
#define SOURCE_LIVE_FILES_H

#include "base/fmt.h"

#include <cyctop/base.h>

#include <sys/types.h>

/* The start of the file, NUL-terminated, at most cap - 1 bytes; the length, or
 * -errno.  `dir_fd` as for openat(). */
CYC_MUST_CHECK ssize_t file_read_at(int dir_fd, const char *path, char *buf, size_t cap);
CYC_MUST_CHECK ssize_t file_read(const char *path, char *buf, size_t cap);
/* The same from offset 0 of an open fd: how /proc and /sys are read again. */
CYC_MUST_CHECK ssize_t file_reread(int fd, char *buf, size_t cap);
/* The first line, without its newline; "" where the file cannot be read. */
void file_read_line(const char *path, char *buf, size_t cap);
/* A decimal number; `otherwise` where there is none to read. */
int64_t file_read_int(const char *path, int64_t otherwise);

#endif
