#include "os/launcher.h"

#include "base/limits.h"
#include "os/clock.h"
#include "os/command.h"
#include "os/output.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

enum {
	KILL_MS = 1000, /* time between SIGTERM and SIGKILL */
	TRIM_MS = 20,	/* time between two checks of the output's size: a command may print 1 GB/s */
	TEND_MS = 200,	/* time between two checks whether the launcher was stopped by a signal */
	NAME_CHARS = 64,
};

/* The requests of cyctop and the answers of the launcher process; each is one packet.  There are two answers for a
 * command: to ASK_PREPARE, and when it has ended. */
struct request {
	enum { ASK_PREPARE, ASK_GO, ASK_KILL, ASK_END } what;
	size_t command;
	char name[NAME_CHARS];
};
struct answer {
	int error;   /* errno of the failed request; 0: none */
	bool output; /* `error` is about creating the output file */
	pid_t pid;   /* process of the command, after ASK_PREPARE */
	struct launch_end end;
};

/* ---- in the launcher process: running the commands ------------------------------------------- */

struct launching {
	char *const *const *commands;
	size_t n;	  /* number of commands */
	const char *dir;  /* directory for the output of commands; NULL: none */
	int dir_fd;	  /* descriptor of `dir`, still right if something else is put at that path */
	int fd, children; /* socket to cyctop; signalfd of SIGCHLD */
	sigset_t mask;	  /* signal mask with which cyctop was started */
	struct command command;
	int out;      /* file for the output of the command */
	bool trimmed; /* the start of the output was deleted, see trim_output() */
	/* from_ns: when the command was started; kill_ns: when SIGKILL will follow; 0: never (CLOCK_MONOTONIC) */
	uint64_t from_ns, kill_ns;
};

static int open_output(const struct launching *l, const char *name)
{
	if (!l->dir)
		return open("/dev/null", O_WRONLY | O_CLOEXEC);
	int fd = output_create_at(l->dir_fd, name);
	if (fd < 0)
		errno = -fd;
	else
		fcntl(fd, F_SETFL, O_APPEND); /* the command's and the launcher's descriptor both write at the end */
	return fd < 0 ? -1 : fd;
}

/* Empties the output file if it is too long.  The command appends, so it goes on at offset 0. */
static void trim_output(struct launching *l)
{
	struct stat st;
	if (fstat(l->out, &st) == 0 && S_ISREG(st.st_mode) && st.st_size > LIMIT_OUTPUT_BYTES)
		l->trimmed |= ftruncate(l->out, 0) == 0;
}

/* Appends to the output the note that its beginning was cut off.  Call it only after the command has ended, because a
 * running command could write in between. */
static void end_output(struct launching *l)
{
	trim_output(l);
	if (l->trimmed)
		dprintf(l->out, "\n(cyctop: %s)\n", limit_row(REACHED_OUTPUT_BYTES)->sentence);
	l->trimmed = false;
}

/* Removes the output directory and its files, after cyctop was killed.  The directory is private and has no
 * subdirectories, so all its files are cyctop's. */
static void remove_dir(const struct launching *l)
{
	DIR *d = l->dir ? fdopendir(l->dir_fd) : NULL;
	for (const struct dirent *e = d ? readdir(d) : NULL; e; e = readdir(d))
		unlinkat(l->dir_fd, e->d_name, 0); /* removes no directories, and follows no links */
	if (d)
		rmdir(l->dir);
}

/* Descriptors that the command gets as standard input, output and error. */
struct process_setup {
	const struct launching *l;
	int in, out;
};
static bool set_up_process(const void *ctx)
{
	const struct process_setup *o = ctx;
	/* A session without a terminal: a command that tried to read the terminal in the background would be stopped
	 * for ever. */
	setsid();
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	return dup2(o->in, STDIN_FILENO) >= 0 && dup2(o->out, STDOUT_FILENO) >= 0 && dup2(o->out, STDERR_FILENO) >= 0 &&
	       sigprocmask(SIG_SETMASK, &o->l->mask, NULL) == 0;
}

/* Returns true if the request is valid.  So even a process that takes over the socket can run only the commands that
 * the user gave. */
static bool is_ours(const struct launching *l, const struct request *r)
{
	return r->command < l->n && !l->command.pid && memchr(r->name, '\0', NAME_CHARS) && !strchr(r->name, '/');
}

/* Prepares the process of a command.  set_up_process() makes it the leader of a process group, which kill(-pid) then
 * addresses.  Returns 0 or -errno. */
static int prepare(struct launching *l, const struct request *r, bool *no_output_ret)
{
	if (!is_ours(l, r))
		return -EINVAL;
	struct error err;
	struct process_setup o = {.l = l, .in = open("/dev/null", O_RDONLY | O_CLOEXEC)};
	o.out = o.in < 0 ? -1 : open_output(l, r->name);
	*no_output_ret = o.in >= 0 && o.out < 0;
	int rc = o.out < 0 ? -errno : command_prepare(&l->command, l->commands[r->command], set_up_process, &o, &err);
	if (o.in >= 0)
		close(o.in);
	if (rc < 0 && o.out >= 0)
		close(o.out);
	l->out = o.out;
	return rc;
}

static void answer(const struct launching *l, const struct answer *a)
{
	if (send(l->fd, a, sizeof(*a), MSG_NOSIGNAL) < 0)
		_exit(0); /* cyctop has ended, so the command must not start */
}

/* Sends the answer on the end of the command, if it has ended.  `error`: errno of exec; 0: exec succeeded. */
static void reap(struct launching *l, int error)
{
	struct answer a = {.end = {.error = error}};
	struct signalfd_siginfo si;
	while (read(l->children, &si, sizeof(si)) == sizeof(si))
		;
	siginfo_t ended = {.si_pid = 0};
	if (l->kill_ns && waitid(P_PID, (id_t)l->command.pid, &ended, WEXITED | WNOHANG | WNOWAIT) == 0 && ended.si_pid)
		kill(-l->command.pid, SIGKILL); /* children of the command that ignored SIGTERM */
	pid_t got = l->command.pid ? wait4(l->command.pid, &a.end.status, error ? 0 : WNOHANG, &a.end.usage) : 0;
	if (got != l->command.pid || !got)
		return;
	a.end.wall_ns = clock_ns(CLOCK_MONOTONIC) - l->from_ns;
	end_output(l);
	close(l->out);
	l->command.pid = 0;
	command_close(&l->command);
	l->kill_ns = 0;
	answer(l, &a);
}

static void go(struct launching *l)
{
	l->from_ns = clock_ns(CLOCK_MONOTONIC);
	int code = command_go(&l->command);
	if (code)
		reap(l, code);
}

static void kill_group(struct launching *l, int signal)
{
	if (!l->command.pid)
		return;
	kill(-l->command.pid, signal);
	l->kill_ns = clock_ns(CLOCK_MONOTONIC) + (uint64_t)KILL_MS * 1000000;
}

static void serve(struct launching *l)
{
	struct request r;
	ssize_t got = recv(l->fd, &r, sizeof(r), 0);
	if (got != sizeof(r)) { /* cyctop has ended, for whatever reason */
		kill_group(l, SIGKILL);
		remove_dir(l);
		_exit(0);
	}
	if (r.what == ASK_PREPARE) {
		struct answer a = {.output = false};
		a.error = -prepare(l, &r, &a.output);
		a.pid = l->command.pid;
		answer(l, &a);
	} else if (r.what == ASK_GO && l->command.pid) {
		go(l);
	} else if (r.what == ASK_KILL) {
		kill_group(l, SIGTERM);
	} else if (r.what == ASK_END) {
		kill_group(l, SIGKILL);
		_exit(0);
	}
}

/* Returns the timeout for poll() in ms; -1: no timeout. */
static int patience_ms(const struct launching *l)
{
	uint64_t now = clock_ns(CLOCK_MONOTONIC);
	if (l->kill_ns)
		return l->kill_ns > now ? (int)((l->kill_ns - now) / 1000000) + 1 : 0;
	return l->command.pid && l->dir ? TRIM_MS : -1;
}

static void launch(struct launching *l)
{
	sigset_t all, child;
	sigfillset(&all);
	sigemptyset(&child);
	sigaddset(&child, SIGCHLD);
	sigprocmask(SIG_BLOCK, &all, NULL); /* the launcher ignores ^C; cyctop tells it to end the command */
	signal(SIGCHLD, SIG_DFL);
	l->dir_fd = l->dir ? open(l->dir, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC) : -1;
	l->children = signalfd(-1, &child, SFD_CLOEXEC | SFD_NONBLOCK);
	for (;;) {
		struct pollfd fds[] = {{.fd = l->fd, .events = POLLIN}, {.fd = l->children, .events = POLLIN}};
		poll(fds, ARRAY_LEN(fds), patience_ms(l));
		if (l->kill_ns && clock_ns(CLOCK_MONOTONIC) >= l->kill_ns)
			kill_group(l, SIGKILL);
		if (l->command.pid)
			trim_output(l);
		if (fds[1].revents)
			reap(l, 0);
		if (fds[0].revents)
			serve(l);
	}
}

/* ---- in cyctop: requests to the launcher process --------------------------------------------- */

int launcher_start(char *const *const commands[], size_t n, const char *dir, struct launcher *ret, struct error *err)
{
	int ends[2];
	sigset_t mask;
	*ret = (struct launcher){.fd = -1};
	if (n > LAUNCHER_COMMANDS_MAX)
		return error_set(err, E2BIG, "more than %d commands", LAUNCHER_COMMANDS_MAX);
	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) < 0)
		return error_set(err, errno, "no socket to start commands by: %s", strerror(errno));
	sigprocmask(SIG_SETMASK, NULL, &mask);
	fflush(NULL);
	pid_t pid = fork();
	if (pid == 0) {
		close(ends[0]);
		launch(&(struct launching){.commands = commands, .n = n, .dir = dir, .fd = ends[1], .mask = mask});
	}
	int code = errno;
	close(ends[1]);
	if (pid < 0) {
		close(ends[0]);
		return error_set(err, code, "cannot start another process: %s", strerror(code));
	}
	*ret = (struct launcher){.pid = pid, .fd = ends[0]};
	return 0;
}

static int ask(struct launcher *l, const struct request *r, struct error *err)
{
	if (send(l->fd, r, sizeof(*r), MSG_NOSIGNAL) == sizeof(*r))
		return 0;
	return error_set(err, errno, "the process that starts commands is gone: %s", strerror(errno));
}

void launcher_tend(struct launcher *l)
{
	siginfo_t info = {.si_pid = 0};
	if (waitid(P_PID, (id_t)l->pid, &info, WSTOPPED | WNOHANG) < 0 || !info.si_pid)
		return;
	l->stopped = true;
	kill(l->pid, SIGCONT);
}

static int get(struct launcher *l, struct answer *ret, struct error *err)
{
	struct pollfd p = {.fd = l->fd, .events = POLLIN};
	ssize_t got;
	while (poll(&p, 1, TEND_MS) <= 0)
		launcher_tend(l);
	do
		got = recv(l->fd, ret, sizeof(*ret), 0);
	while (got < 0 && errno == EINTR);
	if (got == sizeof(*ret))
		return 0;
	return error_set(err, got < 0 ? errno : EPIPE, "the process that starts commands is gone");
}

int launcher_prepare(struct launcher *l, size_t command, const char *name, uint32_t *pid_ret, struct error *err)
{
	struct request r = {.what = ASK_PREPARE, .command = command};
	struct answer a;
	snprintf(r.name, sizeof(r.name), "%s", name);
	l->stopped = false;
	int rc = ask(l, &r, err);
	if (rc == 0)
		rc = get(l, &a, err);
	if (rc == 0 && a.error && a.output)
		rc = error_set(err, a.error, "cannot make a new file for what the command prints (%s): %s", r.name,
			       strerror(a.error));
	else if (rc == 0 && a.error)
		rc = error_set(err, a.error, "cannot start another process: %s", strerror(a.error));
	if (rc == 0)
		*pid_ret = (uint32_t)a.pid;
	return rc;
}

int launcher_go(struct launcher *l, struct error *err)
{
	return ask(l, &(struct request){.what = ASK_GO}, err);
}

void launcher_kill(struct launcher *l)
{
	struct error err;
	if (ask(l, &(struct request){.what = ASK_KILL}, &err) < 0)
		return; /* the launcher has ended, and killed the command before */
}

int launcher_wait(struct launcher *l, struct launch_end *ret, struct error *err)
{
	struct answer a;
	int rc = get(l, &a, err);
	if (rc == 0)
		*ret = a.end;
	return rc;
}

void launcher_stop(struct launcher *l)
{
	struct error err;
	if (l->fd < 0)
		return;
	(void)!ask(l, &(struct request){.what = ASK_END}, &err); /* the launcher may have ended already */
	close(l->fd);
	l->fd = -1;
	int status;
	pid_t got;
	while ((got = waitpid(l->pid, &status, WUNTRACED)) < 0 ? errno == EINTR : WIFSTOPPED(status))
		if (got > 0)
			kill(l->pid, SIGCONT);
}
