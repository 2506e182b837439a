#include "app/signals.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <sys/signalfd.h>
#include <unistd.h>

static void (*crash_restore)(void);

int signals_open(int *quit_fd_ret)
{
	static const int ending[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT};
	sigset_t set;
	sigemptyset(&set);
	for (size_t i = 0; i < ARRAY_LEN(ending); i++)
		sigaddset(&set, ending[i]);
	int quit_fd = signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
	sigaddset(&set, SIGWINCH);
	sigaddset(&set, SIGTSTP);
	sigaddset(&set, SIGCONT);
	int fd = quit_fd < 0 ? -1 : signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
	if (fd < 0)
		return -errno;
	sigprocmask(SIG_BLOCK, &set, NULL);
	signal(SIGPIPE, SIG_IGN); /* write() returns EPIPE */
	if (quit_fd_ret)
		*quit_fd_ret = quit_fd;
	else
		close(quit_fd);
	return fd;
}

bool signals_quit(int quit_fd)
{
	struct pollfd p = {.fd = quit_fd, .events = POLLIN};
	return poll(&p, 1, 0) > 0;
}

static void on_crash(int sig)
{
	static const char text[] = "cyctop crashed; the terminal is restored. Please report what led to this.\n";
	if (crash_restore)
		crash_restore();
	if (write(STDERR_FILENO, text, sizeof(text) - 1) < 0)
		_exit(1);
	raise(sig); /* SA_RESETHAND: this time it is fatal, with the status and core it deserves */
}

void signals_on_crash(void (*restore)(void))
{
	static const int fatal[] = {SIGSEGV, SIGBUS, SIGABRT, SIGFPE, SIGILL, SIGSYS};
	struct sigaction sa = {.sa_handler = on_crash, .sa_flags = SA_RESETHAND | SA_NODEFER};
	crash_restore = restore;
	for (size_t i = 0; i < ARRAY_LEN(fatal); i++)
		sigaction(fatal[i], &sa, NULL);
}

void signals_stop_self(void)
{
	raise(SIGSTOP);
}
