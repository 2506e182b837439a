#include "app/signals.h"

#include <errno.h>
#include <signal.h>
#include <sys/signalfd.h>
#include <unistd.h>

static void (*crash_restore)(void);

int signals_open(void)
{
	sigset_t set;
	static const int answered[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGWINCH, SIGTSTP, SIGCONT};
	sigemptyset(&set);
	for (size_t i = 0; i < ARRAY_LEN(answered); i++)
		sigaddset(&set, answered[i]);
	sigprocmask(SIG_BLOCK, &set, NULL);
	signal(SIGPIPE, SIG_IGN); /* writes say EPIPE */
	int fd = signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
	return fd < 0 ? -errno : fd;
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
