/* What /proc knows of a process.  Nothing here trusts its text: comm and paths are
 * what their owners made them. */
#include "base/alloc.h"
#include "base/proc_maps.h"

#include <cyctop/resolve.h>

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum {
	KTHREAD_FLAG = 0x00200000, /* PF_KTHREAD */
	MAPS_MAX = 65536,
	MAPS_CHUNK = 16 * 1024,
	MAPS_BYTES_MAX = 64 * 1024 * 1024,
};

/* As much of the file as fits, NUL-terminated; its length or -errno. */
static ssize_t slurp(const char *path, char *buf, size_t cap)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return -errno;
	size_t n = 0;
	ssize_t got;
	while (n < cap - 1 && (got = read(fd, buf + n, cap - 1 - n)) != 0) {
		if (got < 0 && errno == EINTR)
			continue;
		if (got < 0) {
			int code = errno;
			close(fd);
			return -code;
		}
		n += (size_t)got;
	}
	close(fd);
	buf[n] = '\0';
	return (ssize_t)n;
}

/* "1 (comm) S 0 1 1 0 -1 FLAGS ...": comm may hold anything, parentheses, too. */
static bool parse_stat(const char *text, char comm[16], bool *kthread_ret)
{
	const char *open = strchr(text, '('), *close = strrchr(text, ')');
	if (!open || !close || close < open)
		return false;
	size_t n = (size_t)(close - open - 1);
	n = n > 15 ? 15 : n;
	memset(comm, 0, 16);
	memcpy(comm, open + 1, n);
	unsigned long flags = 0;
	const char *at = close + 1;
	for (int field = 0; field < 7 && at; field++)
		at = strchr(at + 1, ' ');
	if (at)
		flags = strtoul(at, NULL, 10);
	*kthread_ret = flags & KTHREAD_FLAG;
	return true;
}

static int live_identity(void *ctx, int32_t pid, int32_t tid, char comm[16], uint32_t *uid_ret, bool *kthread_ret)
{
	(void)ctx;
	char path[64], buf[4096];
	snprintf(path, sizeof(path), "/proc/%d/task/%d/stat", pid, tid);
	ssize_t n = slurp(path, buf, sizeof(buf));
	if (n < 0)
		return (int)n;
	if (!parse_stat(buf, comm, kthread_ret))
		return -EBADMSG;
	*uid_ret = CATALOG_NONE;
	snprintf(path, sizeof(path), "/proc/%d/status", pid);
	if (slurp(path, buf, sizeof(buf)) < 0)
		return 0;
	const char *uid = strstr(buf, "\nUid:");
	if (uid)
		*uid_ret = (uint32_t)strtoul(uid + 5, NULL, 10);
	return 0;
}

/* What may not be run is left out. */
static bool parse_map(char *line, struct record_mmap *ret)
{
	struct proc_map m;
	if (!proc_maps_line(line, &m) || !m.exec)
		return false;
	*ret = (struct record_mmap){
		.start = m.start,
		.len = m.end - m.start,
		.pgoff = *m.path ? m.offset : m.start, /* as the kernel's records say of anonymous memory */
		.maj = m.maj,
		.min = m.min,
		.ino = m.ino,
		.prot = 5,
		.filename = *m.path ? m.path : "//anon",
	};
	return true;
}

static int live_maps(void *ctx, int32_t pid, uint64_t time_ns,
		     void (*add)(void *add_ctx, const struct record_mmap *map), void *add_ctx)
{
	(void)ctx, (void)time_ns;
	char path[64];
	snprintf(path, sizeof(path), "/proc/%d/maps", pid);
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return -errno;
	char *buf = mem_calloc(MAPS_CHUNK + 1, 1);
	size_t n = 0, total = 0, found = 0;
	int code = 0;
	while (found < MAPS_MAX && total < MAPS_BYTES_MAX) {
		ssize_t got = read(fd, buf + n, MAPS_CHUNK - n);
		if (got < 0 && errno == EINTR)
			continue;
		if (got < 0)
			code = -errno;
		if (got <= 0)
			break;
		n += (size_t)got;
		total += (size_t)got;
		size_t at = 0;
		for (char *nl; (nl = memchr(buf + at, '\n', n - at)); at = (size_t)(nl - buf) + 1) {
			*nl = '\0';
			struct record_mmap m;
			if (!parse_map(buf + at, &m))
				continue;
			m.pid = m.tid = (uint32_t)pid;
			add(add_ctx, &m);
			found++;
		}
		if (at == 0 && n == MAPS_CHUNK)
			at = n; /* no path is that long */
		memmove(buf, buf + at, n - at);
		n -= at;
	}
	free(buf);
	close(fd);
	/* A process that is being ended reads as having no maps. */
	return code ? code : total ? 0 : -ESRCH;
}

const struct proc_ops proc_live = {.identity = live_identity, .maps = live_maps};

static int none_identity(void *ctx, int32_t pid, int32_t tid, char comm[16], uint32_t *uid_ret, bool *kthread_ret)
{
	(void)ctx, (void)pid, (void)tid, (void)comm, (void)uid_ret, (void)kthread_ret;
	return -ENOENT;
}

static int none_maps(void *ctx, int32_t pid, uint64_t time_ns,
		     void (*add)(void *add_ctx, const struct record_mmap *map), void *add_ctx)
{
	(void)ctx, (void)pid, (void)time_ns, (void)add, (void)add_ctx;
	return -ENOENT;
}

const struct proc_ops proc_none = {.identity = none_identity, .maps = none_maps};
