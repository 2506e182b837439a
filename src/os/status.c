#include "os/status.h"

#include "os/file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

int os_status_at(int dir_fd, const char *path, struct proc_status *ret)
{
	enum { USUAL = 4096, MOST = 1024 * 1024 }; /* buffer sizes; MOST: 65,536 groups of 10 digits, and other lines */
	char usual[USUAL], *all = NULL;
	int fd = openat(dir_fd, path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
	if (fd < 0)
		return -errno;
	ssize_t n = os_reread(fd, usual, sizeof(usual));
	if (n == USUAL - 1)
		n = os_load(fd, MOST, &all);
	close(fd);
	if (n > 0)
		proc_status_parse(all ? all : usual, ret);
	free(all);
	return n > 0 ? 0 : n < 0 ? (int)n : -ESRCH;
}

int os_status(int32_t id, struct proc_status *ret)
{
	char path[32];
	snprintf(path, sizeof(path), "/proc/%d/status", id);
	return os_status_at(AT_FDCWD, path, ret);
}
