#include "os/write.h"

#include "base/alloc.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <unistd.h>

enum {
	FULL_MS = 10,		/* pause before the next try, if a terminal took only some of the bytes */
	BUFFER_BYTES = 1 << 16, /* buffer of a stream */
};

/* Waits until the descriptor is writable.  `full`: write() failed with EAGAIN although poll() said writable, so only
 * pauses FULL_MS.  Returns 1 if the descriptor is writable, or has an error that write() will report; 0: try again;
 * -EINTR: stop_fd is readable, and patience_ms is over. */
static int wait_for_room(const struct os_writer *o, bool full, int *waited_ms)
{
	struct pollfd fds[] = {{.fd = o->stop_fd, .events = POLLIN}, {.fd = full ? -1 : o->fd, .events = POLLOUT}};
	if (poll(fds, ARRAY_LEN(fds), full ? FULL_MS : -1) < 0)
		return errno == EINTR ? 0 : -errno;
	if (!fds[0].revents)
		return 1;
	if (*waited_ms >= o->patience_ms)
		return -EINTR;
	if (fds[1].revents)
		return 1;
	*waited_ms += FULL_MS;
	return poll(fds + 1, 1, FULL_MS) > 0 || full;
}

/* Writes as much as is possible without blocking.  A pipe that poll() finds writable takes PIPE_BUF bytes.  A terminal
 * may have room for a single byte, so O_NONBLOCK is set for this write only: the shell shares the open file. */
static ssize_t write_some(int fd, const void *bytes, size_t n)
{
	int flags = isatty(fd) ? fcntl(fd, F_GETFL) : -1;
	if (flags < 0 || flags & O_NONBLOCK)
		return write(fd, bytes, n < PIPE_BUF ? n : PIPE_BUF);
	fcntl(fd, F_SETFL, flags | O_NONBLOCK);
	ssize_t put = write(fd, bytes, n);
	int code = errno;
	fcntl(fd, F_SETFL, flags);
	errno = code;
	return put;
}

int os_write(const struct os_writer *o, const void *bytes, size_t n)
{
	bool full = false;
	int waited_ms = 0;
	for (size_t at = 0; at < n;) {
		int room = wait_for_room(o, full, &waited_ms);
		if (room < 0)
			return room;
		ssize_t put = room ? write_some(o->fd, (const char *)bytes + at, n - at) : 0;
		full = put < 0 && errno == EAGAIN;
		if (put < 0 && !full && errno != EINTR)
			return -errno;
		if (put > 0) {
			at += (size_t)put;
			waited_ms = 0;
		}
	}
	return 0;
}

static ssize_t write_stream(void *cookie, const char *bytes, size_t n)
{
	struct os_writer *o = cookie;
	if (!o->failed)
		o->failed = -os_write(o, bytes, n);
	errno = o->failed;
	return o->failed ? 0 : (ssize_t)n; /* 0: failure, see fopencookie(3) */
}

FILE *os_writer_stream(struct os_writer *o)
{
	FILE *ret = fopencookie(o, "w", (cookie_io_functions_t){.write = write_stream});
	if (!ret)
		mem_exhausted();
	setvbuf(ret, NULL, _IOFBF, BUFFER_BYTES);
	return ret;
}
