/* Finds the file behind a mapping of a running process. */
#ifndef RESOLVE_ELF_LIVE_FILE_H
#define RESOLVE_ELF_LIVE_FILE_H

#include <cyctop/resolve.h>

#include <sys/stat.h>

struct live_file {
	int fd; /* a regular file, open for reading */
	struct stat st;
	bool deleted; /* the file's path no longer exists, or names another file */
};
/* Opens the mapped file, which is looked for in several ways; never opens another file. Returns 0, or -errno with
 * image->why. -ESRCH: the process has ended or no longer maps the file; another process that maps it may help. */
int live_file_open(const struct dso_key *key, struct live_file *ret, struct dso_image *image);

/* Returns the position of the suffix " (deleted)" that the kernel appends to a path; NULL: the path has none. */
const char *deleted_suffix(const char *path);

#endif
