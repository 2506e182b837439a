#include "resolve/elf/open.h"

#include "base/alloc.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/fs.h>
#include <linux/openat2.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/vfs.h>
#include <unistd.h>

#ifndef SYS_openat2
#define SYS_openat2 437
#endif

bool acts_when_read(int fd)
{
	static const uint32_t magic[] = {
		0x9fa0,	    /* proc */
		0x62656572, /* sysfs */
		0x64626720, /* debugfs */
		0x74726163, /* tracefs */
		0x27e0eb,   /* cgroup */
		0x63677270, /* cgroup2 */
		0x73636673, /* securityfs */
		0xf97cff8c, /* selinuxfs */
		0xcafe4a11, /* bpf */
		0x6165676c, /* pstore */
		0xde5e81e4, /* efivarfs */
	};
	struct statfs fs;
	if (fstatfs(fd, &fs) != 0)
		return true;
	for (size_t i = 0; i < ARRAY_LEN(magic); i++)
		if ((uint32_t)fs.f_type == magic[i])
			return true;
	return false;
}

int open_path_below(const char *root, const char *path, uint64_t flags)
{
	int dir = open(root, O_PATH | O_DIRECTORY | O_CLOEXEC);
	if (dir < 0)
		return -errno;
	struct open_how how = {.flags = O_PATH | O_CLOEXEC | flags, .resolve = RESOLVE_IN_ROOT | RESOLVE_NO_MAGICLINKS};
	int fd = (int)syscall(SYS_openat2, dir, path, &how, sizeof(how));
	int code = errno;
	close(dir);
	/* openat2() is missing before Linux 5.6, and the filter of a container may refuse it.
	 * For the root directory a plain open() does the same. */
	if (fd < 0 && (code == ENOSYS || code == EPERM) && strcmp(root, "/") == 0) {
		fd = open(path, O_PATH | O_CLOEXEC | (int)flags);
		code = errno;
	}
	return fd < 0 ? -code : fd;
}

int open_again(int path_fd)
{
	char self[64];
	snprintf(self, sizeof(self), "/proc/self/fd/%d", path_fd);
	int fd = open(self, O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
	return fd < 0 ? -errno : fd;
}

/* Opens for reading the file behind `probe`, an O_PATH descriptor or -errno; closes `probe`. */
static int open_probed(int probe, uint64_t *size_ret)
{
	if (probe < 0)
		return probe;
	struct stat st;
	int fd = -EINVAL;
	if (fstat(probe, &st) == 0 && S_ISREG(st.st_mode) && !acts_when_read(probe)) {
		fd = open_again(probe);
		*size_ret = (uint64_t)st.st_size;
	}
	close(probe);
	return fd;
}

int open_below(const char *root, const char *path, uint64_t *size_ret)
{
	return open_probed(open_path_below(root, path, 0), size_ret);
}

int open_plain_below(const char *root, const char *path)
{
	uint64_t size;
	return open_probed(open_path_below(root, path, O_NOFOLLOW), &size);
}

int open_executable(const char *path, uint64_t *size_ret)
{
	int probe = open(path, O_PATH | O_CLOEXEC);
	return open_probed(probe < 0 ? -errno : probe, size_ret);
}

int open_given(const char *path, uint64_t *size_ret)
{
	int fd = open(path, O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
	if (fd < 0)
		return -errno;
	struct stat st;
	if (fstat(fd, &st) == 0 && S_ISREG(st.st_mode)) {
		*size_ret = (uint64_t)st.st_size;
		return fd;
	}
	close(fd);
	return -EINVAL;
}

char *path_below(const char *root, const char *path)
{
	return mem_printf("%s%s", root[1] ? root : "", path);
}

uint32_t file_generation(int fd)
{
	unsigned long generation = 0; /* FS_IOC_GETVERSION is declared with long, but the kernel writes an int */
	return ioctl(fd, FS_IOC_GETVERSION, &generation) == 0 ? (uint32_t)generation : 0;
}
