/* Asks a process to write the names of its JIT code to a file.  The process may lie in all that is read here, and any
 * user may write to its /tmp.  So files are opened through a descriptor of /proc/PID, which stays with the process even
 * if its pid is reused; no symbolic link is followed; only files of its user are trusted; waits have time limits. */
#include "attach/way.h"
#include "base/clean.h"
#include "base/proc_maps.h"
#include "os/clock.h"
#include "os/output.h"
#include "os/privileges.h"
#include "os/status.h"
#include "os/file.h"

#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

static const struct attach_way *const ways[RUNTIME_COUNT] = {
	[RUNTIME_JVM] = &attach_jvm,
	[RUNTIME_DOTNET] = &attach_dotnet,
};

/* ---- checking the process -------------------------------------------------------------------- */

static int find_process(struct attach *a)
{
	a->proc = attach_open_process(a->q->pid);
	a->pid_fd = os_pidfd((uint32_t)a->q->pid);
	if (a->proc < 0 || !attach_is_alive(a)) /* alive after both calls, so both descriptors are of this process */
		return attach_fail(a, ESRCH, "it has ended");
	if (os_status_at(a->proc, "status", &a->status) < 0)
		return attach_fail(a, EACCES, "/proc/%d/status cannot be read", a->q->pid);
	if (!a->status.whole)
		return attach_fail(a, EBADMSG, "this kernel does not say which signals it catches");
	if (a->status.ended)
		return attach_fail(a, ESRCH, "it has ended");
	if (geteuid() != 0 && geteuid() != a->status.uid)
		return attach_fail(a, EPERM, "it belongs to another user: only root and its owner may ask it");
	return 0;
}

/* Returns LIBRARY_FOREIGN if the process maps the library of a runtime that cannot be asked; otherwise LIBRARY_RUNTIME
 * if it maps the library of its runtime, or LIBRARY_OTHER.  Reads at most MAPS_MAX bytes of its mappings. */
static enum runtime_library mapped_library(int proc, enum runtime_kind kind)
{
	enum { MAPS_MAX = 16 * 1024 * 1024 };
	enum runtime_library found = LIBRARY_OTHER;
	char *text, *save = NULL;
	if (attach_load(proc, "maps", MAPS_MAX, &text) < 0)
		return LIBRARY_OTHER;
	for (char *line = strtok_r(text, "\n", &save); line; line = strtok_r(NULL, "\n", &save)) {
		struct proc_map map;
		enum runtime_library library =
			proc_maps_line(line, &map) ? runtime_library(kind, map.path) : LIBRARY_OTHER;
		found = library > found ? library : found;
	}
	free(text);
	return found;
}

static int check_process(struct attach *a)
{
	switch (mapped_library(a->proc, a->q->runtime)) {
	case LIBRARY_RUNTIME:
		break;
	case LIBRARY_FOREIGN:
		return attach_fail(a, ENOTSUP, "%s", a->way->foreign);
	default:
		return attach_fail(a, ENOTSUP, "%s", a->way->none);
	}
	if (a->status.stopped)
		return attach_fail(a, EAGAIN, "it is stopped, by a signal or a debugger");
	return a->way->prepare(a);
}

/* ---- becoming the owner of the process --------------------------------------------------------- */

static int become_owner(struct attach *a)
{
	const struct proc_status *st = &a->status;
	if (geteuid() != st->uid || getuid() != st->uid) {
		if (setgroups(0, NULL) != 0 || setresgid(st->gid, st->gid, st->gid) != 0 ||
		    setresuid(st->uid, st->uid, st->uid) != 0)
			return attach_fail(a, EPERM, "cyctop may not act as its owner here: %s", strerror(errno));
	} else if (a->way->own_group && st->uid != 0 && getegid() != st->gid) {
		return attach_fail(a, EPERM, "it answers its own group alone, which is not cyctop's");
	}
	privileges_drop(PRIVILEGES_NONE);
	return 0;
}

/* ---- creating the map's files, checking who listens at the socket ---------------------------- */

/* The number of files that the process may write: its perf map, and for .NET also "perfinfo". */
enum { FILES = 2 };
static bool file_name(const struct attach *a, int i, char buf[static 48])
{
	const char *const names[FILES] = {"perf", a->way->second_file};
	snprintf(buf, 48, "%s-%u.map", names[i] ? names[i] : "", a->status.own_pid);
	return names[i];
}

/* Checks that an existing file belongs to the process's user and has no second hard link.  Returns 0, or what
 * attach_fail() returned. */
static int check_file(struct attach *a, const char *name, struct stat *ret)
{
	if (fstatat(a->tmp, name, ret, AT_SYMLINK_NOFOLLOW) != 0)
		return attach_fail(a, ENOENT, "it says that it wrote /tmp/%s, which is not there", name);
	if (!S_ISREG(ret->st_mode) || ret->st_uid != a->status.uid || ret->st_nlink != 1)
		return attach_fail(a, EEXIST, "in the place of its map, /tmp/%s, is something else, or of another user",
				   name);
	return 0;
}

/* Creates the files before the process does: its open() would follow a symbolic link that another user may have placed
 * there.  Once a file exists, only its owner can replace it, because /tmp has the sticky bit. */
static int make_files(struct attach *a)
{
	char name[48];
	struct stat st;
	int rc = 0;
	for (int i = 0; i < FILES && rc == 0; i++) {
		int fd = file_name(a, i, name) ? output_create_at(a->tmp, name) : -ENOENT;
		a->made[i] = fd >= 0;
		if (fd >= 0)
			close(fd);
		else if (fd == -EEXIST)
			rc = check_file(a, name, &st);
		else if (fd != -ENOENT)
			rc = attach_fail(a, -fd, "/tmp/%s cannot be made for it: %s", name, strerror(-fd));
	}
	return rc;
}

/* Removes the files that make_files() created, if the question was never sent: they are still empty. */
static void remove_files(const struct attach *a)
{
	char name[48];
	for (int i = 0; i < FILES; i++)
		if (a->made[i] && file_name(a, i, name))
			unlinkat(a->tmp, name, 0);
}

static int check_written(struct attach *a, time_t since)
{
	char name[48];
	struct stat st;
	(void)file_name(a, 0, name);
	int rc = check_file(a, name, &st);
	if (rc == 0 && st.st_size == 0)
		return attach_fail(a, ENOENT, "it says that it wrote /tmp/%s, which is empty", name);
	if (rc == 0 && st.st_mtime < since)
		return attach_fail(a, ESTALE, "it says that it wrote /tmp/%s, which is older", name);
	return rc;
}

/* Checks that the process itself, and no other, listens at the socket. */
static int check_peer(struct attach *a)
{
	struct ucred peer;
	socklen_t n = sizeof(peer);
	if (getsockopt(a->socket, SOL_SOCKET, SO_PEERCRED, &peer, &n) != 0 || peer.pid != a->q->pid)
		return attach_fail(a, EPERM, "another process listens at its %s", a->way->socket);
	return 0;
}

/* ---- sending the question, receiving the answer -------------------------------------------------- */

/* Polls the socket for `events` until until_ms (CLOCK_MONOTONIC).  Returns false on timeout or error. */
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
	const struct attach_way *way = a->way;
	enum { KEPT = 4096, READ_MAX = 64 * 1024 };
	char answer[KEPT], rest[1024], why[200] = "";
	size_t n = 0, all = 0;
	uint64_t until = clock_ms(CLOCK_MONOTONIC) + a->place->answer_ms;
	if (!is_ready(a->socket, POLLOUT, until) ||
	    send(a->socket, way->question, way->question_n, MSG_NOSIGNAL) != (ssize_t)way->question_n)
		return attach_fail(a, EPIPE, "it closed its %s", way->socket);
	for (;;) {
		if (!is_ready(a->socket, POLLIN, until))
			return attach_fail(a, ETIMEDOUT, "it did not answer in time");
		bool kept = n < KEPT;
		ssize_t got = recv(a->socket, kept ? answer + n : rest, kept ? KEPT - n : sizeof(rest), 0);
		if (got < 0 && errno != EAGAIN && errno != EINTR)
			return attach_fail(a, EPIPE, "it closed its %s", way->socket);
		if (got == 0)
			break;
		n += kept && got > 0 ? (size_t)got : 0;
		all += got > 0 ? (size_t)got : 0;
		if (all > READ_MAX)
			return attach_fail(a, EBADMSG, "its answer is too long");
	}
	int rc = way->parse(answer, n, why, sizeof(why));
	return rc < 0 ? attach_fail(a, -rc, "%s", why) : 0;
}

static int open_tmp(struct attach *a)
{
	a->tmp = attach_open_folder(a, a->place->tmp);
	return a->tmp < 0 ? a->tmp : 0;
}

static int ask(struct attach *a)
{
	int (*const steps[])(struct attach *) = {
		find_process, open_tmp, check_process, become_owner, make_files, a->way->open, check_peer,
	};
	int rc = 0;
	for (size_t i = 0; rc == 0 && i < ARRAY_LEN(steps); i++)
		rc = steps[i](a);
	if (rc < 0) {
		remove_files(a);
		return rc;
	}
	time_t before = (time_t)(clock_ns(CLOCK_REALTIME) / 1000000000) - 1; /* -1: file times may lag the clock */
	rc = converse(a);
	return rc == 0 ? check_written(a, before) : rc;
}

/* Removes control characters from the answer's text, parts of which come from the other process. */
static void clean(struct attach_answer *ret)
{
	struct strbuf b = {0};
	clean_add(&b, ret->text, CLEAN_LINE);
	snprintf(ret->text, sizeof(ret->text), "%s", b.data ? b.data : "");
	strbuf_deinit(&b);
}

void attach_ask(const struct attach_question *q, const struct attach_place *place, struct attach_answer *ret)
{
	struct attach a = {.q = q, .place = place, .ret = ret};
	const int *fds[] = {&a.proc, &a.pid_fd, &a.tmp, &a.folder, &a.socket};
	a.proc = a.pid_fd = a.tmp = a.folder = a.socket = -1;
	*ret = (struct attach_answer){.number = q->number};
	a.way = q->runtime > RUNTIME_NONE && q->runtime < RUNTIME_COUNT ? ways[q->runtime] : NULL;
	if (a.way)
		(void)!ask(&a);
	else
		(void)!attach_fail(&a, EINVAL, "it has no runtime that can be asked");
	clean(ret);
	for (size_t i = 0; i < ARRAY_LEN(fds); i++)
		if (*fds[i] >= 0)
			close(*fds[i]);
}
