#include "attach/ask.h"

#include "os/privileges.h"

#include <cyctop/attach.h>

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#ifndef SYS_close_range
#define SYS_close_range 436
#endif

/* Closes the file descriptors from `first` to `last`. */
static void close_between(int first, int last)
{
	enum { ENOUGH = 1024 }; /* more descriptors than cyctop has open when it forks the helper */
	if (first > last || syscall(SYS_close_range, (unsigned)first, (unsigned)last, 0u) == 0)
		return;
	for (int i = first; i <= last && i < ENOUGH; i++) /* before Linux 5.9, which has no close_range() */
		close(i);
}

/* Closes all descriptors but `fd`, so that none stays open that cyctop closes; leaves the terminal. */
static void let_go(int fd)
{
	int null = open("/dev/null", O_RDWR | O_CLOEXEC);
	for (int i = 0; i <= STDERR_FILENO; i++)
		if (null < 0 || dup2(null, i) < 0)
			close(i);
	close_between(STDERR_FILENO + 1, fd - 1);
	close_between(fd + 1, INT_MAX);
	setsid(); /* so that ^C in the terminal does not end the helper */
}

/* Answers one question.  Runs in a child of its own, because attach_ask() changes the user of its process for good. */
static void answer(int fd, const struct attach_question *q)
{
	static const struct attach_place place = {"/tmp", ATTACH_OPEN_SECONDS * 1000, ATTACH_ANSWER_SECONDS * 1000};
	struct attach_answer a;
	alarm(ATTACH_HARD_SECONDS); /* ends this process if attach_ask() hangs, for instance in a file system */
	attach_ask(q, &place, &a);
	(void)!send(fd, &a, sizeof(a), MSG_NOSIGNAL);
	_exit(0);
}

static void serve(int fd)
{
	struct attach_question q;
	ssize_t n;
	while ((n = recv(fd, &q, sizeof(q), 0)) > 0 || (n < 0 && errno == EINTR)) {
		pid_t pid = n == sizeof(q) ? fork() : -1;
		if (pid == 0)
			answer(fd, &q);
	}
	_exit(0);
}

int attach_helper_start(void)
{
	int fds[2];
	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, fds) < 0)
		return -1;
	pid_t pid = fork();
	if (pid == 0) {
		let_go(fds[1]);
		signal(SIGCHLD, SIG_IGN); /* so that children, which run answer(), do not become zombies */
		prctl(PR_SET_NAME, "cyctop-asks", 0, 0, 0);
		privileges_drop(PRIVILEGES_BECOME);
		serve(fds[1]);
	}
	close(fds[1]);
	if (pid < 0) {
		close(fds[0]);
		return -1;
	}
	fcntl(fds[0], F_SETFL, O_NONBLOCK);
	return fds[0];
}
