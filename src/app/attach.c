/* The protocol is HotSpot's: whoever wants to attach makes the file .attach_pidN and sends SIGQUIT; the JVM then
 * listens at .java_pidN; both are in /tmp, and N is its pid in its own namespace.
 *
 * Everything here is under the control of the process that is asked, and /tmp of everybody: what is opened is opened
 * through a descriptor of /proc/PID, which never becomes another process's, no link is followed, only what belongs to
 * the process's user is believed, and every wait has an end. */
#include "app/attach.h"

#include "app/privileges.h"
#include "base/alloc.h"
#include "base/jvm.h"
#include "base/proc_maps.h"
#include "base/proc_stat.h"
#include "os/clock.h"
#include "os/file.h"

#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <linux/openat2.h>
#include <poll.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <unistd.h>

#ifndef SYS_openat2
#define SYS_openat2 437
#endif
#ifndef SYS_pidfd_open
#define SYS_pidfd_open 434
#endif
#ifndef SYS_pidfd_send_signal
#define SYS_pidfd_send_signal 424
#endif

struct attach {
	const struct attach_question *q;
	const struct attach_place *place;
	struct attach_answer *ret;
	struct jvm_status status;
	int proc, pid_fd, tmp, socket; /* pid_fd: -1: the kernel gives none */
};

static int fail(struct attach *a, int code, const char *fmt, ...) __attribute__((format(printf, 3, 4)));
static int fail(struct attach *a, int code, const char *fmt, ...)
{
	va_list args;
	va_start(args, fmt);
	vsnprintf(a->ret->text, sizeof(a->ret->text), fmt, args);
	va_end(args);
	a->ret->code = -code;
	return -code;
}

/* ---- who it is ------------------------------------------------------------------------------- */

static bool read_ticks(int proc, uint64_t *ret)
{
	char buf[1024];
	struct task_stat st;
	if (os_read_at(proc, "stat", buf, sizeof(buf)) <= 0 || task_stat_parse(buf, &st) < 0)
		return false;
	*ret = st.start_ticks;
	return true;
}

static int open_proc(int32_t pid)
{
	char path[32];
	snprintf(path, sizeof(path), "/proc/%d", pid);
	return open(path, O_PATH | O_DIRECTORY | O_CLOEXEC);
}

bool attach_start_ticks(int32_t pid, uint64_t *ret)
{
	int proc = open_proc(pid);
	bool ok = proc >= 0 && read_ticks(proc, ret);
	if (proc >= 0)
		close(proc);
	return ok;
}

static bool is_alive(const struct attach *a)
{
	uint64_t ticks;
	return read_ticks(a->proc, &ticks) && ticks == a->q->start_ticks;
}

static int find_process(struct attach *a)
{
	char status[8192];
	a->proc = open_proc(a->q->pid);
	a->pid_fd = (int)syscall(SYS_pidfd_open, a->q->pid, 0);
	if (a->proc < 0 || !is_alive(a)) /* as it is, both descriptors are of this process */
		return fail(a, ESRCH, "it has ended");
	if (os_read_at(a->proc, "status", status, sizeof(status)) <= 0)
		return fail(a, EACCES, "/proc/%d/status cannot be read", a->q->pid);
	if (jvm_status_parse(status, &a->status) < 0)
		return fail(a, EBADMSG, "this kernel does not say which signals it catches");
	if (a->status.ended)
		return fail(a, ESRCH, "it has ended");
	if (geteuid() != 0 && geteuid() != a->status.uid)
		return fail(a, EPERM, "it belongs to another user: only root and its owner may ask it");
	return 0;
}

/* The library among the files that it maps; reads at most MAPS_MAX bytes. */
static enum jvm_kind mapped_library(int proc)
{
	enum { MAPS_MAX = 16 * 1024 * 1024 };
	enum jvm_kind kind = JVM_NONE;
	char *text, *save = NULL;
	int fd = openat(proc, "maps", O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return JVM_NONE;
	ssize_t n = os_load(fd, MAPS_MAX, &text);
	close(fd);
	if (n < 0)
		return JVM_NONE;
	for (char *line = strtok_r(text, "\n", &save); line; line = strtok_r(NULL, "\n", &save)) {
		struct proc_map map;
		enum jvm_kind found = proc_maps_line(line, &map) ? jvm_library(map.path) : JVM_NONE;
		kind = found == JVM_NONE ? kind : kind == JVM_OTHER ? kind : found;
	}
	free(text);
	return kind;
}

static bool is_closed(int proc)
{
	enum { CMDLINE_MAX = 1024 * 1024 };
	char *text;
	int fd = openat(proc, "cmdline", O_RDONLY | O_CLOEXEC);
	ssize_t n = fd < 0 ? -1 : os_load(fd, CMDLINE_MAX, &text);
	if (fd >= 0)
		close(fd);
	if (n < 0)
		return false;
	bool closed = jvm_is_closed(text, (size_t)n);
	free(text);
	return closed;
}

static int check_process(struct attach *a)
{
	switch (mapped_library(a->proc)) {
	case JVM_HOTSPOT:
		break;
	case JVM_OTHER:
		return fail(a, ENOTSUP, "it is a JVM of another kind than HotSpot");
	default:
		return fail(a, ENOTSUP, "it does not map libjvm.so, so it is no JVM");
	}
	if (is_closed(a->proc))
		return fail(a, ENOTSUP, "it answers nobody (-XX:+DisableAttachMechanism)");
	if (a->status.stopped)
		return fail(a, EAGAIN, "it is stopped, by a signal or a debugger");
	return 0;
}

/* ---- becoming its owner ------------------------------------------------------------------------ */

/* The folder of its sockets, as it sees it. */
static int open_tmp(struct attach *a)
{
	const char *tmp = a->place->tmp;
	struct open_how how = {
		.flags = O_PATH | O_DIRECTORY | O_CLOEXEC,
		.resolve = RESOLVE_IN_ROOT | RESOLVE_NO_MAGICLINKS,
	};
	int root = openat(a->proc, "root", O_PATH | O_DIRECTORY | O_CLOEXEC);
	if (root < 0)
		return fail(a, errno, "its files cannot be seen: %s", strerror(errno));
	a->tmp = (int)syscall(SYS_openat2, root, tmp, &how, sizeof(how));
	int code = errno;
	struct stat its, ours;
	/* As in open_below(): where the kernel has no openat2(), and the root is ours, open() does the same. */
	if (a->tmp < 0 && (code == ENOSYS || code == EPERM) && fstat(root, &its) == 0 && stat("/", &ours) == 0 &&
	    its.st_dev == ours.st_dev && its.st_ino == ours.st_ino) {
		a->tmp = open(tmp, O_PATH | O_DIRECTORY | O_CLOEXEC);
		code = errno;
	}
	close(root);
	return a->tmp < 0 ? fail(a, code, "its %s cannot be opened: %s", tmp, strerror(code)) : 0;
}

static int become_owner(struct attach *a)
{
	const struct jvm_status *st = &a->status;
	if (geteuid() != st->uid || getuid() != st->uid) {
		if (setgroups(0, NULL) != 0 || setresgid(st->gid, st->gid, st->gid) != 0 ||
		    setresuid(st->uid, st->uid, st->uid) != 0)
			return fail(a, EPERM, "cyctop may not act as its owner here: %s", strerror(errno));
	} else if (st->uid != 0 && getegid() != st->gid) {
		return fail(a, EPERM, "it answers its own group alone, which is not cyctop's");
	}
	privileges_drop(PRIVILEGES_NONE);
	return 0;
}

/* ---- the socket --------------------------------------------------------------------------------- */

static void name_of(const struct attach *a, const char *what, char buf[48])
{
	snprintf(buf, 48, ".%s_pid%u", what, a->status.own_pid);
}

/* Is the file what its owner made?  Root's own is as good, since root can do everything anyway. */
static bool is_its(const struct attach *a, const struct stat *st)
{
	return st->st_uid == a->status.uid || st->st_uid == 0;
}

/* The JVM opens its map with an ordinary call, which follows links: what stands there must be nobody else's. */
static int check_map(struct attach *a, bool written, time_t since)
{
	char name[48];
	struct stat st;
	snprintf(name, sizeof(name), "perf-%u.map", a->status.own_pid);
	if (fstatat(a->tmp, name, &st, AT_SYMLINK_NOFOLLOW) != 0)
		return written ? fail(a, ENOENT, "it says that it wrote /tmp/%s, which is not there", name) : 0;
	if (!S_ISREG(st.st_mode) || st.st_uid != a->status.uid || st.st_nlink != 1)
		return fail(a, EEXIST, "in the place of its map, /tmp/%s, is something else, or of another user", name);
	if (written && st.st_mtime < since)
		return fail(a, ESTALE, "it says that it wrote /tmp/%s, which is older", name);
	return 0;
}

/* 1: connected; 0: nobody listens there yet; or fails. */
static int connect_socket(struct attach *a)
{
	char name[48];
	struct stat st;
	struct sockaddr_un addr = {.sun_family = AF_UNIX};
	name_of(a, "java", name);
	int file = openat(a->tmp, name, O_PATH | O_NOFOLLOW | O_CLOEXEC);
	if (file < 0)
		return errno == ENOENT ? 0 : fail(a, errno, "its attach socket: %s", strerror(errno));
	if (fstat(file, &st) != 0 || !S_ISSOCK(st.st_mode) || !is_its(a, &st)) {
		close(file);
		return fail(a, EEXIST, "in the place of its attach socket, /tmp/%s, is something else", name);
	}
	/* a path that cannot be exchanged meanwhile, and is never too long */
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
	/* Nobody listens at what an earlier process of this pid left behind; EAGAIN: its queue is full. */
	return code == ECONNREFUSED || code == EAGAIN ? 0 : fail(a, code, "its attach socket: %s", strerror(code));
}

/* Is it the process itself that listens there? */
static int check_peer(struct attach *a)
{
	struct ucred peer;
	socklen_t n = sizeof(peer);
	if (getsockopt(a->socket, SOL_SOCKET, SO_PEERCRED, &peer, &n) != 0 || peer.pid != a->q->pid)
		return fail(a, EPERM, "another process listens at its attach socket");
	return 0;
}

/* Makes the file without which a JVM takes SIGQUIT for the order to print its threads. */
static int make_trigger(struct attach *a, const char *name)
{
	struct stat st;
	for (int tries = 0;; tries++) {
		int fd = openat(a->tmp, name, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
		if (fd >= 0) {
			close(fd);
			return 0;
		}
		int code = errno;
		/* somebody who asked before us was killed and left it behind */
		bool old = code == EEXIST && tries == 0 && fstatat(a->tmp, name, &st, AT_SYMLINK_NOFOLLOW) == 0 &&
			   S_ISREG(st.st_mode) && st.st_uid == a->status.uid && unlinkat(a->tmp, name, 0) == 0;
		if (!old)
			return fail(a, code, "/tmp/%s cannot be made: %s", name, strerror(code));
	}
}

/* The last thing before the signal is sent: the process is who it was, and would survive. */
static int send_quit(struct attach *a)
{
	char status[8192];
	struct jvm_status now;
	if (!is_alive(a) || os_read_at(a->proc, "status", status, sizeof(status)) <= 0 ||
	    jvm_status_parse(status, &now) < 0 || now.ended)
		return fail(a, ESRCH, "it has ended");
	if (!now.catches_quit)
		return fail(a, ENOTSUP,
			    "it does not catch SIGQUIT, which would end it (it has just started, or was with -Xrs)");
	int rc = a->pid_fd >= 0 ? (int)syscall(SYS_pidfd_send_signal, a->pid_fd, SIGQUIT, NULL, 0)
				: kill(a->q->pid, SIGQUIT); /* Linux before 5.3, or a container's filter */
	return rc < 0 ? fail(a, errno, "it cannot be sent a SIGQUIT: %s", strerror(errno)) : 0;
}

static int await_socket(struct attach *a)
{
	enum { LOOK_MS = 20 };
	uint64_t until = clock_ms(CLOCK_MONOTONIC) + a->place->open_ms;
	int rc;
	while ((rc = connect_socket(a)) == 0) {
		if (!is_alive(a))
			return fail(a, ESRCH, "it has ended");
		if (clock_ms(CLOCK_MONOTONIC) >= until)
			return fail(a, ETIMEDOUT, "it did not open its attach socket in time");
		(void)!poll(NULL, 0, LOOK_MS);
	}
	return rc < 0 ? rc : 0;
}

static int open_socket(struct attach *a)
{
	char trigger[48];
	int rc = connect_socket(a);
	if (rc != 0)
		return rc < 0 ? rc : check_peer(a);
	if (!a->q->may_signal)
		return fail(a, ENOENT, "its attach socket is gone; the key F asks it anew");
	if (!a->status.catches_quit)
		return send_quit(a); /* says why it is not sent */
	name_of(a, "attach", trigger);
	rc = make_trigger(a, trigger);
	if (rc < 0)
		return rc;
	rc = send_quit(a);
	if (rc == 0)
		rc = await_socket(a);
	unlinkat(a->tmp, trigger, 0);
	return rc < 0 ? rc : check_peer(a);
}

/* ---- question and answer ------------------------------------------------------------------------- */

/* Waits until the socket is ready; false: not in time. */
static bool is_ready(int fd, short events, uint64_t until_ms)
{
	struct pollfd p = {.fd = fd, .events = events};
	for (;;) {
		uint64_t now = clock_ms(CLOCK_MONOTONIC);
		int n = now >= until_ms ? 0 : poll(&p, 1, (int)(until_ms - now));
		if (n >= 0 || errno != EINTR)
			return n > 0;
	}
}

static int converse(struct attach *a)
{
	/* version, command, and three arguments, each ended by NUL */
	static const char question[] = "1\0jcmd\0Compiler.perfmap\0\0";
	enum { KEPT = 4096, READ_MAX = 64 * 1024 };
	char answer[KEPT], rest[1024], why[200] = "";
	size_t n = 0, all = 0;
	uint64_t until = clock_ms(CLOCK_MONOTONIC) + a->place->answer_ms;
	if (!is_ready(a->socket, POLLOUT, until) ||
	    send(a->socket, question, sizeof(question), MSG_NOSIGNAL) != (ssize_t)sizeof(question))
		return fail(a, EPIPE, "it closed its attach socket");
	for (;;) {
		if (!is_ready(a->socket, POLLIN, until))
			return fail(a, ETIMEDOUT, "it did not answer in time");
		bool kept = n < KEPT;
		ssize_t got = recv(a->socket, kept ? answer + n : rest, kept ? KEPT - n : sizeof(rest), 0);
		if (got < 0 && errno != EAGAIN && errno != EINTR)
			return fail(a, EPIPE, "it closed its attach socket");
		if (got == 0)
			break;
		n += kept && got > 0 ? (size_t)got : 0;
		all += got > 0 ? (size_t)got : 0;
		if (all > READ_MAX)
			return fail(a, EBADMSG, "what it answered is no answer");
	}
	int rc = jvm_answer_parse(answer, n, why, sizeof(why));
	return rc < 0 ? fail(a, -rc, "%s", why) : 0;
}

static int ask(struct attach *a)
{
	int rc = find_process(a);
	if (rc == 0)
		rc = check_process(a);
	if (rc == 0)
		rc = open_tmp(a);
	if (rc == 0)
		rc = become_owner(a);
	if (rc == 0)
		rc = check_map(a, false, 0);
	time_t before = (time_t)(clock_ns(CLOCK_REALTIME) / 1000000000) - 1; /* the clock of files is coarser */
	if (rc == 0)
		rc = open_socket(a);
	if (rc == 0)
		rc = converse(a);
	return rc == 0 ? check_map(a, true, before) : rc;
}

void attach_ask(const struct attach_question *q, const struct attach_place *place, struct attach_answer *ret)
{
	struct attach a = {.q = q, .place = place, .ret = ret, .proc = -1, .pid_fd = -1, .tmp = -1, .socket = -1};
	const int *fds[] = {&a.proc, &a.pid_fd, &a.tmp, &a.socket};
	*ret = (struct attach_answer){.code = 0};
	(void)!ask(&a);
	for (size_t i = 0; i < ARRAY_LEN(fds); i++)
		if (*fds[i] >= 0)
			close(*fds[i]);
}
