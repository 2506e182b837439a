#include "source/live/files.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static ssize_t read_all(int fd, char *buf, size_t cap)
{
	size_t n = 0;
	while (n < cap - 1) {
		ssize_t got = pread(fd, buf + n, cap - 1 - n, (off_t)n);
		if (got < 0 && errno == EINTR)
			continue;
		if (got < 0)
			return -errno;
		if (got == 0)
			break;
		n += (size_t)got;
	}
	buf[n] = '\0';
	return (ssize_t)n;
}

ssize_t file_read_at(int dir_fd, const char *path, char *buf, size_t cap)
{
	int fd = openat(dir_fd, path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return -errno;
	ssize_t n = read_all(fd, buf, cap);
	close(fd);
	return n;
}

ssize_t file_read(const char *path, char *buf, size_t cap)
{
	return file_read_at(AT_FDCWD, path, buf, cap);
}

ssize_t file_reread(int fd, char *buf, size_t cap)
{
	return read_all(fd, buf, cap);
}

void file_read_line(const char *path, char *buf, size_t cap)
{
	if (file_read(path, buf, cap) < 0)
		buf[0] = '\0';
	buf[strcspn(buf, "\n")] = '\0';
}

int64_t file_read_int(const char *path, int64_t otherwise)
{
	char buf[32];
	if (file_read(path, buf, sizeof(buf)) <= 0)
		return otherwise;
	char *end;
	errno = 0;
	long long v = strtoll(buf, &end, 10);
	return end == buf || errno ? otherwise : v;
}
