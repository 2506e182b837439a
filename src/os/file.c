#include "os/file.h"

#include "base/alloc.h"
#include "base/fmt.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

static int open_to_read(int dir_fd, const char *path)
{
	int fd = openat(dir_fd, path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
	return fd < 0 ? -errno : fd;
}

ssize_t os_read_some(int fd, void *buf, size_t n)
{
	ssize_t got;
	do
		got = read(fd, buf, n);
	while (got < 0 && errno == EINTR);
	return got < 0 ? -errno : got;
}

ssize_t os_pread(int fd, void *buf, size_t n, uint64_t offset)
{
	size_t at = 0;
	while (at < n) {
		ssize_t got = pread(fd, (char *)buf + at, n - at, (off_t)(offset + at));
		if (got < 0 && errno == EINTR)
			continue;
		if (got < 0)
			return -errno;
		if (got == 0)
			break;
		at += (size_t)got;
	}
	return (ssize_t)at;
}

ssize_t os_reread(int fd, char *buf, size_t cap)
{
	ssize_t n = os_pread(fd, buf, cap - 1, 0);
	buf[n < 0 ? 0 : n] = '\0';
	return n;
}

ssize_t os_read_at(int dir_fd, const char *path, char *buf, size_t cap)
{
	int fd = open_to_read(dir_fd, path);
	if (fd < 0)
		return fd;
	ssize_t n = os_reread(fd, buf, cap);
	close(fd);
	return n;
}

ssize_t os_read(const char *path, char *buf, size_t cap)
{
	return os_read_at(AT_FDCWD, path, buf, cap);
}

ssize_t os_load(int fd, size_t max, char **ret)
{
	size_t cap = max < 16 * 1024 ? max : 16 * 1024, n = 0;
	char *buf = mem_calloc(cap + 1, 1);
	while (n < max) {
		if (n == cap) {
			cap = cap < max / 2 ? cap * 2 : max;
			buf = mem_realloc(buf, cap + 1, 1);
		}
		ssize_t got = os_read_some(fd, buf + n, cap - n);
		if (got < 0) {
			free(buf);
			return got;
		}
		if (got == 0)
			break;
		n += (size_t)got;
	}
	buf[n] = '\0';
	*ret = buf;
	return (ssize_t)n;
}

void os_read_line_at(int dir_fd, const char *path, char *buf, size_t cap)
{
	if (os_read_at(dir_fd, path, buf, cap) < 0)
		buf[0] = '\0';
	buf[strcspn(buf, "\n")] = '\0';
}

void os_read_line(const char *path, char *buf, size_t cap)
{
	os_read_line_at(AT_FDCWD, path, buf, cap);
}

int64_t os_read_int_at(int dir_fd, const char *path, int64_t otherwise)
{
	char buf[32];
	if (os_read_at(dir_fd, path, buf, sizeof(buf)) <= 0)
		return otherwise;
	char *end;
	errno = 0;
	long long v = strtoll(buf, &end, 10);
	return end == buf || errno ? otherwise : v;
}

int64_t os_read_int(const char *path, int64_t otherwise)
{
	return os_read_int_at(AT_FDCWD, path, otherwise);
}

DIR *os_opendir_at(int dir_fd, const char *path)
{
	int fd = openat(dir_fd, path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *dir = fd < 0 ? NULL : fdopendir(fd);
	if (fd >= 0 && !dir)
		close(fd);
	return dir;
}

uint32_t os_next_id(DIR *dir)
{
	for (struct dirent *d; dir && (d = readdir(dir));) {
		const char *end = d->d_name;
		uint64_t id;
		if (text_u64(&end, &id) && !*end && id && id <= INT32_MAX)
			return (uint32_t)id;
	}
	return 0;
}

bool os_is_of_user(uint32_t pid, uid_t uid)
{
	char path[32];
	struct stat st;
	snprintf(path, sizeof(path), "/proc/%u", pid);
	return stat(path, &st) == 0 && st.st_uid == uid;
}

static bool link_is_ours(int dir_fd, const char *path)
{
	char text[32];
	ssize_t n = readlinkat(dir_fd, path, text, sizeof(text) - 1);
	text[n > 0 ? n : 0] = '\0';
	return strtol(text, NULL, 10) == getpid();
}

int os_pidfd(uint32_t pid)
{
#ifndef SYS_pidfd_open
	enum { SYS_pidfd_open = 434 };
#endif
	return (int)syscall(SYS_pidfd_open, (pid_t)pid, 0u);
}

bool os_proc_is_ours_at(int dir_fd)
{
	return link_is_ours(dir_fd, "proc/self");
}

bool os_proc_is_ours(void)
{
	return link_is_ours(AT_FDCWD, "/proc/self");
}
