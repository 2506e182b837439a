/* Connects to a JVM by HotSpot's protocol: the client makes the file .attach_pidN and sends SIGQUIT; the JVM then
 * listens at .java_pidN.  Both are in /tmp, and N is the JVM's pid in its own namespace. */
#include "attach/jvm.h"
#include "attach/way.h"
#include "os/clock.h"
#include "os/output.h"
#include "os/status.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#ifndef SYS_pidfd_send_signal
#define SYS_pidfd_send_signal 424
#endif

/* The question: version of the protocol, the command "jcmd", three arguments (two are empty); each ends with NUL. */
static const char question[] = "1\0jcmd\0Compiler.perfmap\0\0";

static int prepare(struct attach *a)
{
	enum { CMDLINE_MAX = 1024 * 1024 };
	char *text;
	ssize_t n = attach_load(a->proc, "cmdline", CMDLINE_MAX, &text);
	if (n < 0)
		return 0;
	bool closed = jvm_is_closed(text, (size_t)n);
	free(text);
	return closed ? attach_fail(a, ENOTSUP, "it answers nobody (-XX:+DisableAttachMechanism)") : 0;
}

static void name_of(const struct attach *a, const char *what, char buf[48])
{
	snprintf(buf, 48, ".%s_pid%u", what, a->status.own_pid);
}

/* Connects to the socket of the JVM; returns what attach_connect() does. */
static int connect_to(struct attach *a)
{
	char name[48];
	name_of(a, "java", name);
	return attach_connect(a, a->tmp, name);
}

/* Creates the file .attach_pidN: without it, a JVM that gets SIGQUIT prints its threads instead of opening the
 * socket. */
static int make_trigger(struct attach *a, const char *name)
{
	struct stat st;
	for (int tries = 0;; tries++) {
		int fd = output_create_at(a->tmp, name);
		if (fd >= 0) {
			close(fd);
			return 0;
		}
		int code = -fd;
		/* removes, once, a file of this name: an earlier client was killed and left it behind */
		bool old = code == EEXIST && tries == 0 && fstatat(a->tmp, name, &st, AT_SYMLINK_NOFOLLOW) == 0 &&
			   S_ISREG(st.st_mode) && st.st_uid == a->status.uid && unlinkat(a->tmp, name, 0) == 0;
		if (!old)
			return attach_fail(a, code, "/tmp/%s cannot be made: %s", name, strerror(code));
	}
}

/* Sends SIGQUIT, if the process is still the one that the user confirmed.  Refuses if the process does not catch
 * SIGQUIT, as the signal would end it. */
static int send_quit(struct attach *a)
{
	struct proc_status now;
	if (!attach_is_alive(a) || os_status_at(a->proc, "status", &now) < 0 || now.ended)
		return attach_fail(a, ESRCH, "it has ended");
	if (!now.catches_quit)
		return attach_fail(
			a, ENOTSUP,
			"it does not catch SIGQUIT, which would end it (it has just started, or was with -Xrs)");
	int rc = a->pid_fd >= 0 ? (int)syscall(SYS_pidfd_send_signal, a->pid_fd, SIGQUIT, NULL, 0)
				: kill(a->q->pid, SIGQUIT); /* no pidfd before Linux 5.3, or if seccomp forbids it */
	return rc < 0 ? attach_fail(a, errno, "it cannot be sent a SIGQUIT: %s", strerror(errno)) : 0;
}

static int await_socket(struct attach *a)
{
	enum { LOOK_MS = 20 };
	uint64_t until = clock_ms(CLOCK_MONOTONIC) + a->place->open_ms;
	int rc;
	while ((rc = connect_to(a)) == 0) {
		if (!attach_is_alive(a))
			return attach_fail(a, ESRCH, "it has ended");
		if (clock_ms(CLOCK_MONOTONIC) >= until)
			return attach_fail(a, ETIMEDOUT, "it did not open its attach socket in time");
		(void)!poll(NULL, 0, LOOK_MS);
	}
	return rc < 0 ? rc : 0;
}

static int open_socket(struct attach *a)
{
	char trigger[48];
	int rc = connect_to(a);
	if (rc != 0)
		return rc < 0 ? rc : 0;
	if (!a->q->may_signal)
		return attach_fail(a, ENOENT, "its attach socket is gone; the key F asks it anew");
	if (!a->status.catches_quit)
		return send_quit(a); /* fails without sending SIGQUIT, and sets the reason */
	name_of(a, "attach", trigger);
	rc = make_trigger(a, trigger);
	if (rc < 0)
		return rc;
	rc = send_quit(a);
	if (rc == 0)
		rc = await_socket(a);
	unlinkat(a->tmp, trigger, 0);
	return rc < 0 ? rc : 0;
}

const struct attach_way attach_jvm = {
	.none = "it does not map libjvm.so, so it is no JVM",
	.foreign = "it is a JVM of another kind than HotSpot",
	.socket = "attach socket",
	.own_group = true,
	.prepare = prepare,
	.open = open_socket,
	.question = question,
	.question_n = sizeof(question),
	.parse = jvm_answer_parse,
};
