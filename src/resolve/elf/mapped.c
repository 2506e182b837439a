/* The link of the chain that opens the mapped file itself. */
#include "resolve/elf/image.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* The inode number tells a replaced file.  The device does not: btrfs and overlayfs
 * report one to stat() and another in a mapping; overlayfs may also put the layer
 * into the upper half of the inode number. */
static bool is_mapped_file(const struct dso_key *key, const struct stat *st)
{
	return !key->ino || ((key->ino ^ st->st_ino) & UINT32_MAX) == 0;
}

/* An fd of a regular file, or -1 with the errno in *why_ret (ESTALE: another file
 * has taken its place).  Opening must neither wait (FIFO) nor act (device): what is
 * not a regular file is refused by O_PATH's fstat() before it is opened. */
static int open_checked(const struct dso_key *key, const char *path, struct stat *st, int *why_ret)
{
	int probe = open(path, O_PATH | O_CLOEXEC);
	if (probe < 0) {
		*why_ret = errno;
		return -1;
	}
	int fd = -1;
	if (fstat(probe, st) != 0)
		*why_ret = errno;
	else if (!S_ISREG(st->st_mode))
		*why_ret = EINVAL;
	else if (!is_mapped_file(key, st))
		*why_ret = ESTALE;
	else {
		char self[64];
		snprintf(self, sizeof(self), "/proc/self/fd/%d", probe);
		fd = open(self, O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
		*why_ret = errno;
	}
	close(probe);
	return fd;
}

static const char deleted[] = " (deleted)";

/* The places where the file may be found, best first: as the process sees it, as
 * we see it, and for a program deleted while it runs, through its process. */
static int open_mapped(const struct dso_key *key, struct stat *st, int *why_ret)
{
	char path[4200];
	int fd = -1;
	if (key->pid > 0) {
		int n = snprintf(path, sizeof(path), "/proc/%d/root%s", key->pid, key->path);
		if (n > 0 && (size_t)n < sizeof(path))
			fd = open_checked(key, path, st, why_ret);
	}
	int why = 0;
	if (fd < 0) {
		fd = open_checked(key, key->path, st, &why);
		if (why && (!*why_ret || *why_ret == ENOENT))
			*why_ret = why;
	}
	if (fd < 0 && key->pid > 0 && key->ino) {
		snprintf(path, sizeof(path), "/proc/%d/exe", key->pid);
		fd = open_checked(key, path, st, &why);
	}
	return fd;
}

static int fail_open(const struct dso_key *key, int why, struct dso_image *ret)
{
	size_t n = strlen(key->path), m = sizeof(deleted) - 1;
	if (n > m && strcmp(key->path + n - m, deleted) == 0)
		return dso_image_fail(ret, ENOENT, "the file was deleted; restart the process to see names");
	if (why == ESTALE)
		return dso_image_fail(ret, ESTALE, "the file was replaced; restart the process to see names");
	if (why == EINVAL)
		return dso_image_fail(ret, EINVAL, "it is not a regular file");
	char buf[64];
	return dso_image_fail(ret, ENOENT, "cannot open it: %s", strerror_r(why, buf, sizeof(buf)));
}

static int load_elf(void *ctx, const struct dso_key *key, struct dso_image *ret)
{
	(void)ctx;
	if (key->path[0] != '/' || key->path[1] == '/')
		return -ENOENT;
	struct stat st;
	int why = 0;
	int fd = open_mapped(key, &st, &why);
	if (fd < 0)
		return fail_open(key, why, ret);
	char root[32];
	snprintf(root, sizeof(root), "/proc/%d/root", key->pid);
	struct debug_places places = {
		.path = key->path,
		.roots = {key->pid > 0 ? root : "/", key->pid > 0 ? "/" : NULL},
		.home = getenv("HOME"),
	};
	int r = elf_read_program(fd, (uint64_t)st.st_size, &places, ret);
	close(fd);
	return r;
}

const struct symbolizer symbolizer_elf = {.name = "elf", .load = load_elf};
