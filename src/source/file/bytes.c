#include "source/file/bytes.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* ---- reading files and pipes ------------------------------------------------------ */

static ssize_t read_file(const struct bytes *b, uint64_t offset, void *buf, size_t n)
{
	ssize_t got;
	do
		got = offset > INT64_MAX ? 0 : pread(b->fd, buf, n, (off_t)offset);
	while (got < 0 && errno == EINTR);
	return got < 0 ? -errno : got;
}

/* Reads from a pipe; waits until it has bytes or ends.  Returns -ECANCELED when stop_fd becomes readable. */
static ssize_t read_pipe(const struct bytes *b, void *buf, size_t n)
{
	struct pollfd fds[] = {{.fd = b->fd, .events = POLLIN}, {.fd = b->stop_fd, .events = POLLIN}};
	for (;;) {
		if (poll(fds, ARRAY_LEN(fds), -1) < 0) { /* poll() failed, so revents is not set */
			if (errno != EINTR)
				return -errno;
			continue;
		}
		if (fds[1].revents)
			return -ECANCELED;
		ssize_t got = fds[0].revents ? read(b->fd, buf, n) : 0;
		if (got < 0 && errno != EINTR && errno != EAGAIN)
			return -errno;
		if (got >= 0 && fds[0].revents)
			return got;
	}
}

ssize_t bytes_get_some(const struct bytes *b, uint64_t offset, void *buf, size_t n)
{
	return b->wait_fd >= 0 ? read_pipe(b, buf, n) : read_file(b, offset, buf, n);
}

int bytes_get(const struct bytes *b, uint64_t offset, void *buf, size_t n)
{
	for (size_t at = 0; at < n;) {
		ssize_t got = bytes_get_some(b, offset + at, (uint8_t *)buf + at, n - at);
		if (got < 0)
			return (int)got;
		if (got == 0)
			return -ENODATA;
		at += (size_t)got;
	}
	return 0;
}

/* ---- opening files and pipes ------------------------------------------------------ */

enum { PIPE_BYTES = 1 << 20 };

static void of_fd(int fd, int stop_fd, const struct stat *st, struct bytes *ret)
{
	bool regular = S_ISREG(st->st_mode);
	if (S_ISFIFO(st->st_mode)) /* enlarges the pipe's buffer, so that the writer waits less; may fail */
		(void)!fcntl(fd, F_SETPIPE_SZ, PIPE_BYTES);
	*ret = (struct bytes){
		.fd = fd,
		.wait_fd = regular ? -1 : fd,
		.stop_fd = stop_fd > 0 ? stop_fd : -1,
		.size = regular ? (uint64_t)st->st_size : UINT64_MAX,
		.seekable = regular,
	};
}

/* Opens a regular file in a directory, unless it is a symbolic link. */
static int open_inside(const char *dir, const char *name, struct bytes *ret)
{
	char path[4096];
	int n = snprintf(path, sizeof(path), "%s/%s", dir, name);
	struct stat st;
	int fd = n < (int)sizeof(path) ? open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK | O_NOFOLLOW) : -1;
	if (fd < 0 || fstat(fd, &st) < 0 || !S_ISREG(st.st_mode)) {
		if (fd >= 0)
			close(fd);
		return -ENOENT;
	}
	of_fd(fd, -1, &st, ret);
	return 0;
}

int bytes_open_part(const char *dir, unsigned i, struct bytes *ret)
{
	char name[32];
	snprintf(name, sizeof(name), "data.%u", i);
	return open_inside(dir, name, ret);
}

int bytes_open(const char *path, int stop_fd, struct bytes *ret, struct error *err)
{
	bool standard = strcmp(path, "-") == 0;
	/* O_NONBLOCK: opening a FIFO must not wait for a writer; reading waits in read_pipe() */
	int fd = standard ? STDIN_FILENO : open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
	struct stat st;
	if (fd < 0 || fstat(fd, &st) < 0)
		return error_set(err, errno, "cannot open %s: %s", path, strerror(errno));
	if (S_ISDIR(st.st_mode)) {
		if (!standard)
			close(fd);
		if (open_inside(path, "data", ret) == 0) {
			ret->directory = true;
			return 0;
		}
		return error_set(err, ENOENT,
				 "%s is a directory, and not one with a recording: it has no file \"data\"", path);
	}
	if (standard && isatty(fd))
		return error_set(err, EINVAL, "standard input is a terminal, not a recording");
	of_fd(fd, stop_fd, &st, ret);
	return 0;
}

void bytes_close(struct bytes *b)
{
	if (b->fd != STDIN_FILENO)
		close(b->fd);
}
