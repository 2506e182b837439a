/* The file behind a mapping of a process that runs. */
#ifndef RESOLVE_ELF_LIVE_FILE_H
#define RESOLVE_ELF_LIVE_FILE_H

#include <cyctop/resolve.h>

#include <sys/stat.h>

struct live_file {
	int fd; /* of a regular file, for reading */
	struct stat st;
	bool deleted; /* at its path is nothing any more, or another file */
};
/* Finds the file that is mapped, by whatever way leads to it, and never another: 0, or
 * -errno with image->why.  -ESRCH: the process is gone, or does not map it any more, and
 * another that does might help. */
int live_file_open(const struct dso_key *key, struct live_file *ret, struct dso_image *image);

/* " (deleted)" at the end of a path of the kernel's: where it begins, or NULL. */
const char *deleted_suffix(const char *path);

#endif
