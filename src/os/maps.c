#include "os/maps.h"

#include "base/alloc.h"
#include "os/file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { CHUNK = 16 * 1024 }; /* longer than any line: a path has at most 4 KiB, and a byte may be escaped as 4 bytes */

struct reading {
	maps_fn *fn;
	void *ctx;
	size_t maps, bytes;
};

static int take_line(struct reading *r, char *line)
{
	struct proc_map m;
	if (!proc_maps_line(line, &m) || !m.exec)
		return 0;
	if (!*m.path) {
		m.path = "//anon";
		m.offset = m.start;
	}
	r->maps++;
	return r->fn(r->ctx, &m);
}

/* Passes each complete line of buf[0..n) to the caller's function, until that returns anything but 0, and returns its
 * last value.  *used_ret: size of the lines passed, in bytes. */
static int take_lines(struct reading *r, char *buf, size_t n, size_t *used_ret)
{
	size_t at = 0;
	int rc = 0;
	for (char *nl; !rc && r->maps < LIMIT_MAPS && (nl = memchr(buf + at, '\n', n - at));
	     at = (size_t)(nl - buf) + 1) {
		*nl = '\0';
		rc = take_line(r, buf + at);
	}
	*used_ret = at;
	return rc;
}

static int read_lines(struct reading *r, int fd, char *buf)
{
	size_t n = 0;
	while (r->maps < LIMIT_MAPS && r->bytes < LIMIT_MAPS_BYTES) {
		ssize_t got = os_read_some(fd, buf + n, CHUNK - n);
		if (got < 0)
			return (int)got;
		if (got == 0)
			return r->bytes ? 0 : -ESRCH;
		n += (size_t)got;
		r->bytes += (size_t)got;
		size_t used;
		int rc = take_lines(r, buf, n, &used);
		if (rc)
			return rc;
		if (!used && n == CHUNK)
			used = n; /* the kernel writes no line as long as the buffer: drop it */
		memmove(buf, buf + used, n - used);
		n -= used;
	}
	return 0;
}

int maps_read(int32_t pid, maps_fn *fn, void *ctx, struct limit_set *limits)
{
	char path[32];
	struct reading r = {.fn = fn, .ctx = ctx};
	snprintf(path, sizeof(path), "/proc/%d/maps", pid);
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return -errno;
	char *buf = mem_calloc(CHUNK, 1);
	int rc = read_lines(&r, fd, buf);
	free(buf);
	close(fd);
	if (limits && r.maps >= LIMIT_MAPS)
		limit_reached(limits, REACHED_MAPS);
	if (limits && r.bytes >= LIMIT_MAPS_BYTES)
		limit_reached(limits, REACHED_MAPS_BYTES);
	return rc;
}
