/* Restores the terminal, also from a signal handler after a crash.
 *
 * The program's only variables of file scope that change are here, because a signal handler gets no argument.  They are
 * written before `armed` is set, and do not change while it is set. */
#include "front/curses/terminal.h"

#include <term.h>

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <unistd.h>

static struct {
	char bytes[256]; /* resets attributes, colours, keypad, mouse and cursor; leaves the alternate screen */
	size_t n;
	int out_fd, tty_fd;
	struct termios before;
} saved;
static volatile sig_atomic_t armed;

enum { ROOM_MS = 30 }; /* how long each write waits until the terminal accepts more bytes */

static void add_bytes(const char *s, size_t n)
{
	if (n <= sizeof(saved.bytes) - saved.n) {
		memcpy(saved.bytes + saved.n, s, n);
		saved.n += n;
	}
}

/* Adds a terminfo string without its $<delay> marks, which write() would print; only hardware terminals need delays. */
static void add_capability(const char *name)
{
	char plain[64];
	size_t n = 0;
	/* tigetstr() takes a char * for historical reasons, but only reads it */
	const char *s = tigetstr((char *)(uintptr_t)name);
	if (!s || s == (const char *)-1)
		return;
	while (*s && n < sizeof(plain)) {
		if (s[0] == '$' && s[1] == '<') {
			const char *end = strchr(s, '>');
			if (!end)
				break;
			s = end + 1;
			continue;
		}
		plain[n++] = *s++;
	}
	add_bytes(plain, n);
}

void restore_arm(int out_fd, int tty_fd, const struct termios *before, bool color, bool mouse)
{
	armed = 0;
	saved.n = 0;
	saved.out_fd = out_fd;
	saved.tty_fd = tty_fd;
	saved.before = *before;
	if (mouse) {
		static const char mouse_off[] = "\033[?1006l\033[?1000l";
		add_bytes(mouse_off, sizeof(mouse_off) - 1);
	}
	add_capability("sgr0");
	if (color)
		add_capability("op");
	add_capability("rmkx");
	add_capability("cnorm");
	add_capability("rmcup");
	armed = 1;
}

void restore_active(bool active)
{
	armed = active;
}

void restore_modes(int tty_fd, const struct termios *before)
{
	/* The kernel stops a background process that changes terminal modes, unless the process blocks SIGTTOU. */
	sigset_t ttou, old;
	sigemptyset(&ttou);
	sigaddset(&ttou, SIGTTOU);
	sigprocmask(SIG_BLOCK, &ttou, &old);
	/* Switching flow control off resumes a terminal that ^S stopped, for which TCSADRAIN would wait for ever. */
	struct termios flowing = *before;
	flowing.c_iflag &= ~(tcflag_t)IXON;
	tcsetattr(tty_fd, TCSANOW, &flowing);
	tcsetattr(tty_fd, TCSANOW, before);
	sigprocmask(SIG_SETMASK, &old, NULL);
}

void screen_restore(void)
{
	if (!armed)
		return;
	armed = 0;
	int saved_errno = errno, flags = fcntl(saved.out_fd, F_GETFL);
	size_t done = 0;
	restore_modes(saved.tty_fd, &saved.before);
	fcntl(saved.out_fd, F_SETFL, flags | O_NONBLOCK); /* the terminal emulator may hang */
	for (int tries = 0; done < saved.n && tries < 16; tries++) {
		struct pollfd room = {.fd = saved.out_fd, .events = POLLOUT};
		ssize_t n = poll(&room, 1, ROOM_MS) > 0 ? write(saved.out_fd, saved.bytes + done, saved.n - done) : 0;
		if (n > 0)
			done += (size_t)n;
		else if (n < 0 && errno != EINTR && errno != EAGAIN)
			break;
	}
	fcntl(saved.out_fd, F_SETFL, flags);
	errno = saved_errno;
}
