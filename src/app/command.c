#include "app/record.h"
#include "app/message.h"
#include "os/clock.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#ifndef SYS_pidfd_open
#define SYS_pidfd_open 434
#endif

enum {
	STATUS_NOT_FOUND = 127,
	STATUS_NOT_RUN = 126,
	STATUS_SIGNAL = 128,
	LOOK_MS = 100,	/* kernels before 5.3 have no pidfd to wait for */
	STOP_MS = 1000, /* between SIGTERM and giving up */
};

/* In the child: nothing to be recorded happens before the byte is there. */
static void wait_and_run(int go, int failed, char **argv, bool quiet)
{
	char byte;
	if (quiet && dup2(STDERR_FILENO, STDOUT_FILENO) < 0)
		_exit(STATUS_NOT_RUN);
	if (read(go, &byte, 1) != 1)
		_exit(STATUS_NOT_RUN); /* who was to record us has given up */
	execvp(argv[0], argv);
	int code = errno;
	if (write(failed, &code, sizeof(code)) < 0)
		_exit(STATUS_NOT_RUN);
	_exit(code == ENOENT ? STATUS_NOT_FOUND : STATUS_NOT_RUN);
}

int command_prepare(struct command *c, char **argv, bool quiet, struct error *err)
{
	int go[2], failed[2];
	*c = (struct command){.go = -1, .failed = -1, .fd = -1};
	if (pipe2(go, O_CLOEXEC) < 0 || pipe2(failed, O_CLOEXEC) < 0)
		return error_set(err, errno, "no pipe to start the command by: %s", strerror(errno));
	pid_t pid = fork();
	if (pid < 0)
		return error_set(err, errno, "cannot start another process: %s", strerror(errno));
	if (pid == 0) {
		close(go[1]);
		wait_and_run(go[0], failed[1], argv, quiet);
	}
	close(go[0]);
	close(failed[1]);
	*c = (struct command){.pid = pid, .go = go[1], .failed = failed[0]};
	c->fd = (int)syscall(SYS_pidfd_open, pid, 0); /* from 5.3 on */
	return 0;
}

int command_start(struct command *c, const char *name, struct error *err)
{
	int code = 0;
	bool sent = write(c->go, "", 1) == 1;
	/* the end of the pipe says that exec closed the other side */
	ssize_t got = sent ? read(c->failed, &code, sizeof(code)) : -1;
	close(c->go);
	c->go = -1;
	if (got == 0)
		return 0;
	command_wait(c, -1, STOP_MS);
	c->not_run = true;
	return error_set(err, code, "cannot run %s: %s", name, code ? strerror(code) : "it was ended before it began");
}

bool command_ended(struct command *c)
{
	int status;
	pid_t got;
	if (!c->pid)
		return true;
	do {
		got = waitpid(c->pid, &status, WNOHANG);
	} while (got < 0 && errno == EINTR);
	if (got == 0)
		return false;
	c->pid = 0;
	c->status = got < 0		  ? EXIT_FAILED
		    : WIFSIGNALED(status) ? STATUS_SIGNAL + WTERMSIG(status)
					  : WEXITSTATUS(status);
	return true;
}

bool command_wait(struct command *c, int stop_fd, int64_t timeout_ms)
{
	struct pollfd fds[] = {{.fd = c->fd, .events = POLLIN}, {.fd = stop_fd, .events = POLLIN}};
	int64_t now = (int64_t)clock_ms(CLOCK_MONOTONIC), end = timeout_ms < 0 ? INT64_MAX : now + timeout_ms;
	while (!command_ended(c) && now < end && !fds[1].revents) {
		int64_t ms = end - now < LOOK_MS ? end - now : LOOK_MS;
		poll(fds, ARRAY_LEN(fds), (int)ms);
		now = (int64_t)clock_ms(CLOCK_MONOTONIC);
	}
	return !c->pid;
}

void command_finish(struct command *c, const char *name, bool stop, int stop_fd)
{
	if (!stop && command_wait(c, stop_fd, -1))
		return;
	if (!c->pid)
		return;
	kill(c->pid, SIGTERM);
	if (!command_wait(c, -1, STOP_MS)) {
		c->status = EXIT_FAILED;
		message("%s ignores SIGTERM and runs on as process %d", name, (int)c->pid);
	}
}

void command_close(struct command *c)
{
	int fds[] = {c->go, c->failed, c->fd};
	bool started = c->go < 0;
	for (size_t i = 0; i < ARRAY_LEN(fds); i++)
		if (fds[i] >= 0)
			close(fds[i]);
	c->fd = -1;
	if (!started) /* it reads the end of the pipe and exits */
		command_wait(c, -1, STOP_MS);
}
