#include "os/signals.h"

#include "base/alloc.h"
#include "os/clock.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/signalfd.h>
#include <unistd.h>

enum {
	GRACE_CPU_NS = 1000000000, /* CPU time that the program may use after a signal that ends it */
	LOOK_MS = 50,
};

static void (*crash_restore)(void);

static const int meant[] = {SIGINT, SIGQUIT, SIGTERM};
static const int crashes[] = {SIGSEGV, SIGBUS, SIGABRT, SIGFPE, SIGILL, SIGSYS, SIGTRAP};

static bool is_among(int sig, const int *list, size_t n)
{
	size_t i = 0;
	while (i < n && list[i] != sig)
		i++;
	return i < n;
}

/* Returns true if cyctop ends on this signal.  SIGINT and SIGQUIT always end it, although shells start background
 * commands with both ignored.  Any other signal that was ignored at the start stays ignored, as nohup wants for
 * SIGHUP. */
static bool ends(int sig)
{
	/* Signals that do not end a program, or cannot be caught; and SIGPIPE and SIGXFSZ: cyctop ignores both, since a
	 * failed write returns an error. */
	static const int others[] = {SIGKILL, SIGSTOP, SIGTSTP, SIGTTIN, SIGTTOU, SIGCONT,
				     SIGCHLD, SIGURG,  SIGPIPE, SIGXFSZ, SIGWINCH};
	struct sigaction now;
	if (is_among(sig, meant, ARRAY_LEN(meant)))
		return true;
	if (is_among(sig, others, ARRAY_LEN(others)) || is_among(sig, crashes, ARRAY_LEN(crashes)))
		return false;
	return sigaction(sig, NULL, &now) == 0 && now.sa_handler != SIG_IGN;
}

static sigset_t ending(void)
{
	sigset_t set;
	sigemptyset(&set);
	for (int sig = 1; sig <= SIGRTMAX; sig++)
		if (ends(sig))
			sigaddset(&set, sig);
	return set;
}

void signals_usual(void)
{
	for (size_t i = 0; i < ARRAY_LEN(meant); i++)
		signal(meant[i], SIG_DFL);
}

void signals_ignore_failed_writes(void)
{
	signal(SIGPIPE, SIG_IGN); /* write() returns EPIPE */
	signal(SIGXFSZ, SIG_IGN); /* write() returns EFBIG */
}

int signals_quit_fd(void)
{
	sigset_t set = ending();
	return signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
}

int signals_open(int *quit_fd_ret, struct error *err)
{
	static const int others[] = {SIGWINCH, SIGTSTP, SIGCONT};
	sigset_t quit = ending(), set;
	sigemptyset(&set);
	for (size_t i = 0; i < ARRAY_LEN(others); i++)
		sigaddset(&set, others[i]);
	*quit_fd_ret = signals_quit_fd();
	int fd = *quit_fd_ret < 0 ? -1 : signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
	if (fd < 0) {
		int code = errno;
		if (*quit_fd_ret >= 0)
			close(*quit_fd_ret);
		return error_set(err, code, "cannot receive signals: %s", strerror(code));
	}
	sigprocmask(SIG_BLOCK, &quit, NULL);
	sigprocmask(SIG_BLOCK, &set, NULL);
	signals_ignore_failed_writes();
	return fd;
}

void signals_close(int fd, int quit_fd)
{
	if (fd < 0)
		return;
	close(fd);
	close(quit_fd);
}

void signals_stop(int fd)
{
	struct signalfd_siginfo si;
	while (read(fd, &si, sizeof(si)) == sizeof(si))
		if (si.ssi_signo == SIGTSTP)
			signals_stop_self();
}

bool signals_quit(int quit_fd)
{
	struct pollfd p = {.fd = quit_fd, .events = POLLIN};
	return poll(&p, 1, 0) > 0;
}

int signals_take(int quit_fd)
{
	struct signalfd_siginfo si;
	int sig = 0;
	while (read(quit_fd, &si, sizeof(si)) == sizeof(si))
		sig = (int)si.ssi_signo;
	return sig;
}

struct watch {
	int quit_fd;
	void (*end)(void);
};

static void *watch(void *ctx)
{
	struct watch w = *(struct watch *)ctx;
	struct pollfd quit = {.fd = w.quit_fd, .events = POLLIN};
	free(ctx);
	while (poll(&quit, 1, -1) < 0 && errno == EINTR)
		;
	uint64_t end_ns = clock_ns(CLOCK_PROCESS_CPUTIME_ID) + GRACE_CPU_NS;
	while (clock_ns(CLOCK_PROCESS_CPUTIME_ID) < end_ns)
		poll(NULL, 0, LOOK_MS);
	w.end();
	return NULL;
}

void signals_watch(int quit_fd, void (*end)(void))
{
	struct watch *w = mem_calloc(1, sizeof(*w));
	pthread_t thread;
	*w = (struct watch){.quit_fd = quit_fd, .end = end};
	if (pthread_create(&thread, NULL, watch, w) == 0)
		pthread_detach(thread);
	else
		free(w);
}

int signals_off_thread(pthread_t *ret, void *(*run)(void *ctx), void *ctx)
{
	sigset_t all, before;
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	int code = pthread_create(ret, NULL, run, ctx);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	return code;
}

static void on_crash(int sig)
{
	static const char text[] = "cyctop crashed; the terminal is restored. Please report what led to this.\n";
	if (crash_restore)
		crash_restore();
	if (write(STDERR_FILENO, text, sizeof(text) - 1) < 0)
		_exit(1);
	raise(sig); /* SA_RESETHAND: this time the signal is fatal, with the right status and core */
}

void signals_on_crash(void (*restore)(void))
{
	struct sigaction sa = {.sa_handler = on_crash, .sa_flags = SA_RESETHAND | SA_NODEFER};
	crash_restore = restore;
	for (size_t i = 0; i < ARRAY_LEN(crashes); i++)
		sigaction(crashes[i], &sa, NULL);
}

void signals_stop_self(void)
{
	raise(SIGSTOP);
}
