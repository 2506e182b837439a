#include "app/loop.h"
#include "os/clock.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/signalfd.h>
#include <sys/timerfd.h>
#include <time.h>
#include <unistd.h>

enum { EARLY_LOOKS = 20, EARLY_MS = 50, POLLED_MAX = 16 };
/* minimum time between two reads of a pipe, whose writer may write little at a time */
static const uint64_t pipe_rest_ns = 10000000;

int loop_open(struct loop *ret, struct session *session, int signals, int quit_fd, int keys, struct error *err)
{
	int timer = timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC | TFD_NONBLOCK);
	if (timer < 0)
		return error_set(err, errno, "no timer to refresh by: %s", strerror(errno));
	*ret = (struct loop){
		.session = session,
		.timer = timer,
		.signals = signals,
		.quit_fd = quit_fd,
		.keys = keys,
		.done = -1,
		.answer = -1,
		.switcher = -1,
		.command = -1,
		.prober = -1,
		.code = -1,
		.early = session ? EARLY_LOOKS : 0,
	};
	return 0;
}

void loop_close(struct loop *loop)
{
	close(loop->timer);
}

static struct timespec timespec_of(uint64_t ns)
{
	return (struct timespec){.tv_sec = (time_t)(ns / 1000000000u), .tv_nsec = (long)(ns % 1000000000u)};
}

void loop_timer(struct loop *loop, uint64_t first_ns, uint64_t delay_ns)
{
	struct itimerspec its = {.it_value = timespec_of(first_ns), .it_interval = timespec_of(delay_ns)};
	timerfd_settime(loop->timer, 0, &its, NULL);
}

static unsigned read_signals(int fd)
{
	unsigned wake = 0;
	struct signalfd_siginfo si;
	while (read(fd, &si, sizeof(si)) == sizeof(si)) {
		if (si.ssi_signo == SIGTSTP)
			wake |= WAKE_STOP;
		else
			wake |= WAKE_SIZE;
	}
	return wake;
}

/* Returns the maximum time to wait in ms; -1: no limit.  Sets *source_ret if the loop also waits for the source. */
static int wait_ms(const struct loop *loop, bool *source_ret)
{
	uint64_t now = clock_ns(CLOCK_MONOTONIC);
	*source_ret = now >= loop->rest_until_ns;
	if (loop->more_keys)
		return 0;
	if (!*source_ret)
		return (int)((loop->rest_until_ns - now) / 1000000 + 1);
	return loop->early > 0 ? EARLY_MS : -1;
}

/* Calls poll() with those entries that have a descriptor, since poll() refuses more entries than RLIMIT_NOFILE allows
 * files.  Sets revents of all entries. */
static int poll_open(struct pollfd *fds, size_t n, int ms)
{
	struct pollfd open[POLLED_MAX];
	nfds_t open_n = 0;
	for (size_t i = 0; i < n; i++)
		if (fds[i].fd >= 0)
			open[open_n++] = fds[i];
	int rc = poll(open, open_n, ms);
	for (size_t i = 0, at = 0; i < n; i++)
		fds[i].revents = fds[i].fd >= 0 ? open[at++].revents : 0;
	return rc;
}

unsigned loop_wait(struct loop *loop)
{
	enum { TIMER, SIGNALS, RING, KEYS, WOKEN };
	struct pollfd fds[] = {
		[TIMER] = {.fd = loop->timer, .events = POLLIN},
		[SIGNALS] = {.fd = loop->signals, .events = POLLIN},
		[RING] = {.events = POLLIN},
		[KEYS] = {.fd = loop->keys, .events = POLLIN},
		[WOKEN] = {.fd = loop->session ? session_resolver_fd(loop->session) : -1, .events = POLLIN},
		{.fd = loop->done, .events = POLLIN},
		{.fd = loop->answer, .events = POLLIN},
		{.fd = loop->switcher, .events = POLLIN},
		{.fd = loop->quit_fd, .events = POLLIN},
		{.fd = loop->command, .events = POLLIN},
		{.fd = loop->prober, .events = POLLIN},
		{.fd = loop->code, .events = POLLIN},
	};
	/* wakes[i]: the reason to wake up if fds[WOKEN + i] is readable. */
	static const unsigned wakes[] = {WAKE_NAMES, WAKE_DONE,	 WAKE_ANSWER, WAKE_SWITCHED,
					 WAKE_QUIT,  WAKE_ENDED, WAKE_PROBED, WAKE_CODE};
	_Static_assert(WOKEN + ARRAY_LEN(wakes) == ARRAY_LEN(fds), "each descriptor has a meaning");
	_Static_assert(ARRAY_LEN(fds) <= POLLED_MAX, "poll_open() has room for each");
	unsigned wake = 0;
	while (!wake) {
		bool source;
		int ms = wait_ms(loop, &source);
		fds[RING].fd = source && loop->session ? session_wake_fd(loop->session) : -1;
		int n = poll_open(fds, ARRAY_LEN(fds), ms);
		if (n < 0 && errno != EINTR)
			return WAKE_QUIT;
		if (n == 0 && source && !loop->more_keys) {
			loop->early--;
			wake |= WAKE_RING;
		}
		uint64_t ticks;
		if (fds[TIMER].revents && read(loop->timer, &ticks, sizeof(ticks)) == sizeof(ticks))
			wake |= WAKE_TICK;
		if (fds[SIGNALS].revents)
			wake |= read_signals(loop->signals);
		if (fds[RING].revents) {
			wake |= WAKE_RING;
			if (session_info(loop->session)->playable)
				loop->rest_until_ns = clock_ns(CLOCK_MONOTONIC) + pipe_rest_ns;
		}
		if (fds[KEYS].revents & POLLIN || loop->more_keys)
			wake |= WAKE_KEY;
		if (fds[KEYS].revents & ~POLLIN) /* the terminal is gone, even if input that it sent is still unread */
			wake |= WAKE_QUIT;
		for (size_t i = 0; i < ARRAY_LEN(wakes); i++)
			wake |= fds[WOKEN + i].revents ? wakes[i] : 0;
	}
	return wake;
}
