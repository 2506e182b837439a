/* Access to another process: files of /proc/PID, folders and sockets; ask.c tells which of them are trusted. */
#include "attach/way.h"
#include "base/proc_stat.h"
#include "os/file.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/openat2.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <unistd.h>

#ifndef SYS_openat2
#define SYS_openat2 437
#endif

int attach_fail(struct attach *a, int code, const char *fmt, ...)
{
	va_list args;
	va_start(args, fmt);
	vsnprintf(a->ret->text, sizeof(a->ret->text), fmt, args);
	va_end(args);
	a->ret->code = -code;
	return -code;
}

static bool read_ticks(int proc, uint64_t *ret)
{
	char buf[1024];
	struct task_stat st;
	if (os_read_at(proc, "stat", buf, sizeof(buf)) <= 0 || task_stat_parse(buf, &st) < 0)
		return false;
	*ret = st.start_ticks;
	return true;
}

int attach_open_process(int32_t pid)
{
	char path[32];
	snprintf(path, sizeof(path), "/proc/%d", pid);
	return open(path, O_PATH | O_DIRECTORY | O_CLOEXEC);
}

bool attach_start_ticks(int32_t pid, uint64_t *ret)
{
	int proc = attach_open_process(pid);
	bool ok = proc >= 0 && read_ticks(proc, ret);
	if (proc >= 0)
		close(proc);
	return ok;
}

bool attach_is_alive(const struct attach *a)
{
	uint64_t ticks;
	return read_ticks(a->proc, &ticks) && ticks == a->q->start_ticks;
}

ssize_t attach_load(int proc, const char *name, size_t max, char **ret)
{
	int fd = openat(proc, name, O_RDONLY | O_CLOEXEC);
	*ret = NULL;
	ssize_t n = fd < 0 ? -errno : os_load(fd, max, ret);
	if (fd >= 0)
		close(fd);
	return n;
}

int attach_open_folder(struct attach *a, const char *path)
{
	struct open_how how = {
		.flags = O_PATH | O_DIRECTORY | O_CLOEXEC,
		.resolve = RESOLVE_IN_ROOT | RESOLVE_NO_MAGICLINKS,
	};
	int root = openat(a->proc, "root", O_PATH | O_DIRECTORY | O_CLOEXEC);
	if (root < 0)
		return attach_fail(a, errno, "its root directory cannot be opened: %s", strerror(errno));
	int fd = (int)syscall(SYS_openat2, root, path, &how, sizeof(how));
	int code = errno;
	struct stat its, ours;
	/* If openat2() is missing, or forbidden by a seccomp filter (see open_below()), open() finds the same folder,
	 * provided that the process has the same root directory as cyctop. */
	if (fd < 0 && (code == ENOSYS || code == EPERM) && fstat(root, &its) == 0 && stat("/", &ours) == 0 &&
	    its.st_dev == ours.st_dev && its.st_ino == ours.st_ino) {
		fd = open(path, O_PATH | O_DIRECTORY | O_CLOEXEC);
		code = errno;
	}
	close(root);
	return fd < 0 ? attach_fail(a, code, "its %.60s cannot be opened: %s", path, strerror(code)) : fd;
}

/* Returns true if the file belongs to the process's user, or to root, who could impersonate that user anyway. */
static bool is_its(const struct attach *a, const struct stat *st)
{
	return st->st_uid == a->status.uid || st->st_uid == 0;
}

int attach_connect(struct attach *a, int folder, const char *name)
{
	struct stat st;
	struct sockaddr_un addr = {.sun_family = AF_UNIX};
	int file = openat(folder, name, O_PATH | O_NOFOLLOW | O_CLOEXEC);
	if (file < 0)
		return errno == ENOENT ? 0 : attach_fail(a, errno, "its %s: %s", a->way->socket, strerror(errno));
	if (fstat(file, &st) != 0 || !S_ISSOCK(st.st_mode) || !is_its(a, &st)) {
		close(file);
		return attach_fail(a, EEXIST, "in the place of its %s, %s, is something else", a->way->socket, name);
	}
	/* path of the opened file: it cannot be replaced meanwhile, as `name` can, and fits into sun_path */
	snprintf(addr.sun_path, sizeof(addr.sun_path), "/proc/self/fd/%d", file);
	a->socket = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	int rc = a->socket < 0 ? -1 : connect(a->socket, (struct sockaddr *)&addr, sizeof(addr));
	int code = rc < 0 ? errno : 0;
	close(file);
	if (rc == 0)
		return 1;
	if (a->socket >= 0)
		close(a->socket);
	a->socket = -1;
	/* ECONNREFUSED: the socket was left behind by an earlier process with this pid; EAGAIN: its queue is full.  In
	 * both cases the caller may try again. */
	return code == ECONNREFUSED || code == EAGAIN
		       ? 0
		       : attach_fail(a, code, "its %s: %s", a->way->socket, strerror(code));
}
