#include "os/command.h"

#include "os/clock.h"
#include "os/file.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum {
	STATUS_NOT_FOUND = 127,
	STATUS_NOT_RUN = 126,
	STATUS_SIGNAL = 128,
	LOOK_MS = 100,	/* time between two polls: kernels before 5.3 have no pidfd to wait for */
	STOP_MS = 1000, /* time from SIGTERM until command_finish() gives up */
};

static void close_all(const int *fds, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (fds[i] >= 0)
			close(fds[i]);
}

/* Runs in the child: waits for the byte of command_go(), then executes the command.  So the parent can open its
 * counters before the command does anything. */
static void wait_and_run(char *const argv[], command_ready_fn *ready, const void *ctx, int go, int failed)
{
	char byte;
	if ((!ready || ready(ctx)) && write(failed, &(int){0}, sizeof(int)) == sizeof(int)) {
		if (read(go, &byte, 1) != 1)
			_exit(STATUS_NOT_RUN); /* the parent has ended, or given up */
		execvp(argv[0], argv);
	}
	int code = errno;
	if (write(failed, &code, sizeof(code)) < 0)
		_exit(STATUS_NOT_RUN);
	_exit(code == ENOENT ? STATUS_NOT_FOUND : STATUS_NOT_RUN);
}

int command_prepare(struct command *c, char *const argv[], command_ready_fn *ready, const void *ctx, struct error *err)
{
	int go[2] = {-1, -1}, failed[2] = {-1, -1};
	bool piped = pipe2(go, O_CLOEXEC) == 0 && pipe2(failed, O_CLOEXEC) == 0;
	pid_t pid = piped ? fork() : -1;
	if (pid == 0) {
		close(go[1]);
		wait_and_run(argv, ready, ctx, go[0], failed[1]);
	}
	int code = pid < 0 ? errno : 0;
	close_all((int[]){go[0], failed[1]}, 2);
	*c = (struct command){.pid = pid > 0 ? pid : 0, .go = go[1], .failed = failed[0], .fd = -1, .status = -1};
	if (pid > 0 && read(failed[0], &code, sizeof(code)) != sizeof(code))
		code = 0; /* the child has ended; command_go() will find that out */
	if (code) {
		command_close(c);
		return error_set(err, code, "cannot start another process: %s", strerror(code));
	}
	c->fd = os_pidfd((uint32_t)pid);
	return 0;
}

int command_go(struct command *c)
{
	int code = 0;
	if (write(c->go, "", 1) != 1)
		code = EPIPE;
	/* no error came, but the end of the pipe: exec() succeeded, and closed the child's side */
	else if (read(c->failed, &code, sizeof(code)) != sizeof(code))
		code = 0;
	close(c->go);
	c->go = -1;
	return code;
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
	c->signal = got > 0 && WIFSIGNALED(status) ? WTERMSIG(status) : 0;
	c->status = got < 0 ? -1 : WIFSIGNALED(status) ? STATUS_SIGNAL + WTERMSIG(status) : WEXITSTATUS(status);
	return true;
}

/* Waits until the command has ended, or stop_fd is readable (-1: none), or `timeout_ms` is over (negative: no limit).
 * Returns true if the command has ended. */
static bool command_wait(struct command *c, int stop_fd, int64_t timeout_ms)
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

int command_start(struct command *c, const char *name, struct error *err)
{
	int code = command_go(c);
	if (code == 0)
		return 0;
	command_wait(c, -1, STOP_MS);
	c->not_run = true;
	return error_set(err, code, "cannot run %s: %s", name,
			 code == EPIPE ? "it was ended before it began" : strerror(code));
}

bool command_finish(struct command *c, bool stop, int stop_fd)
{
	if (!stop && command_wait(c, stop_fd, -1))
		return true;
	if (c->pid)
		kill(c->pid, SIGTERM);
	return command_wait(c, -1, STOP_MS);
}

void command_close(struct command *c)
{
	bool waits = c->go >= 0;
	close_all((int[]){c->go, c->failed, c->fd}, 3);
	c->go = c->failed = c->fd = -1;
	if (waits) /* the child reads the end of the pipe, and exits without running the command */
		command_wait(c, -1, STOP_MS);
}

void command_path(const char *name, char path[static COMMAND_PATH])
{
	const char *dirs = getenv("PATH");
	snprintf(path, COMMAND_PATH, "%s", name);
	for (dirs = dirs && !strchr(name, '/') ? dirs : ""; *dirs; dirs += strspn(dirs, ":")) {
		size_t n = strcspn(dirs, ":");
		snprintf(path, COMMAND_PATH, "%.*s/%s", (int)n, dirs, name);
		dirs += n;
		if (access(path, X_OK) == 0)
			return;
	}
}
