#include "stage.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pty.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include <utmp.h>

#include <cmocka.h>

enum { PATIENCE_S = 300 }; /* a generous limit for busy machines */

static void child_main(const struct play *play, int report)
{
	if (play->term)
		setenv("TERM", play->term, 1);
	else
		unsetenv("TERM");
	setenv("LC_ALL", play->lang ? play->lang : "C.UTF-8", 1);
	/* what curses asks for besides; and LANGUAGE, of messages of libc */
	static const char *const others[] = {"LINES",
					     "COLUMNS",
					     "ESCDELAY",
					     "TERMINFO_DIRS",
					     "TERMINFO",
					     "TERMCAP",
					     "TERMPATH",
					     "NO_COLOR",
					     "COLORTERM",
					     "COLORFGBG",
					     "LANGUAGE",
					     "NCURSES_TRACE",
					     "BAUDRATE",
					     "NCURSES_NO_UTF8_ACS",
					     "NCURSES_NO_PADDING",
					     "NCURSES_NO_SETBUF",
					     "NCURSES_NO_HARD_TABS",
					     "NCURSES_NO_MAGIC_COOKIE",
					     "NCURSES_ASSUMED_COLORS",
					     "NCURSES_GPM_TERMS",
					     "NCURSES_CONSOLE2",
					     "CC"};
	for (size_t i = 0; i < sizeof(others) / sizeof(*others); i++)
		unsetenv(others[i]);
	if (play->stdin_null) {
		int fd = open("/dev/null", O_RDONLY);
		dup2(fd, STDIN_FILENO);
		close(fd);
	}
	play->run(report);
	_exit(0);
}

struct stage *stage_open(const struct play *play)
{
	struct stage *st = calloc(1, sizeof(*st));
	struct winsize size = {.ws_row = (unsigned short)play->rows, .ws_col = (unsigned short)play->cols};
	int fds[2];
	assert_non_null(st);
	assert_int_equal(pipe(fds), 0);
	assert_int_equal(openpty(&st->tty, &st->slave, NULL, NULL, &size), 0);
	assert_int_equal(tcgetattr(st->slave, &st->before), 0);
	st->child = fork();
	if (st->child == 0) {
		close(fds[0]);
		close(st->tty);
		login_tty(st->slave);
		child_main(play, fds[1]);
	}
	close(fds[1]);
	st->report = fds[0];
	return st;
}

/* A full buffer drops its older half, because the cases look at the end of the output. */
static size_t take(int fd, char *buf, size_t cap, size_t n)
{
	if (n + 1 >= cap) {
		memmove(buf, buf + cap / 2, n - cap / 2);
		n -= cap / 2;
	}
	ssize_t got = read(fd, buf + n, cap - n - 1);
	return got > 0 ? n + (size_t)got : n;
}

void stage_read(struct stage *st)
{
	struct pollfd p = {.fd = st->tty, .events = POLLIN};
	if (poll(&p, 1, 10) > 0 && p.revents & POLLIN)
		st->out_n = take(st->tty, st->out, sizeof(st->out), st->out_n);
}

void stage_wait(struct stage *st, const char *text)
{
	time_t give_up = time(NULL) + PATIENCE_S;
	while (time(NULL) < give_up) {
		if (text && strstr(st->said, text))
			return;
		struct pollfd p[2] = {{.fd = st->tty, .events = POLLIN}, {.fd = st->report, .events = POLLIN}};
		if (poll(p, 2, 10) < 0)
			continue;
		if (p[0].revents & POLLIN)
			st->out_n = take(st->tty, st->out, sizeof(st->out), st->out_n);
		if (p[1].revents & POLLIN)
			st->said_n = take(st->report, st->said, sizeof(st->said), st->said_n);
		else if (p[1].revents & POLLHUP && !(p[0].revents & POLLIN)) {
			if (!text)
				return;
			break;
		}
	}
	fail_msg("the child did not say \"%s\" but \"%s\"", text ? text : "(end)", st->said);
}

void stage_forget(struct stage *st)
{
	st->said_n = 0;
	memset(st->said, 0, sizeof(st->said));
}

void stage_type(struct stage *st, const char *keys)
{
	assert_int_equal(write(st->tty, keys, strlen(keys)), (ssize_t)strlen(keys));
}

int stage_end(struct stage *st)
{
	int status;
	stage_wait(st, NULL);
	stage_settle(st);
	assert_int_equal(waitpid(st->child, &status, 0), st->child);
	return status;
}

void stage_close(struct stage *st)
{
	close(st->tty);
	close(st->slave);
	close(st->report);
	free(st);
}

bool same_termios(int fd, const struct termios *want)
{
	struct termios now;
	assert_int_equal(tcgetattr(fd, &now), 0);
	return now.c_iflag == want->c_iflag && now.c_oflag == want->c_oflag && now.c_lflag == want->c_lflag &&
	       now.c_cflag == want->c_cflag;
}

void assert_left_sane(const struct stage *st)
{
	assert_true(same_termios(st->tty, &st->before));
	const char *tail = st->out_n > 200 ? st->out + st->out_n - 200 : st->out;
	assert_non_null(strstr(tail, "\033[?1049l"));
	assert_non_null(strstr(tail, "\033[?25h"));
	assert_true(strstr(tail, "\033[?1000l") || strstr(tail, "\033[?1006;1000l"));
}

size_t stage_settle(struct stage *st)
{
	/* The terminal passes on in order what is written to it, so that the child's output is before this mark. */
	static const char mark[] = "\036the test's mark\036";
	size_t n = strlen(mark);
	time_t give_up = time(NULL) + PATIENCE_S;
	assert_int_equal(write(st->slave, mark, n), (ssize_t)n);
	while (time(NULL) < give_up) {
		/* Not necessarily the end: a child that waits for a key may have written once more. */
		char *at = memmem(st->out, st->out_n, mark, n);
		if (at) {
			st->out_n -= n;
			memmove(at, at + n, (size_t)(st->out + st->out_n - at));
			st->out[st->out_n] = '\0';
			return (size_t)(at - st->out);
		}
		struct pollfd p = {.fd = st->tty, .events = POLLIN};
		if (poll(&p, 1, 1000) > 0 && p.revents & POLLIN)
			st->out_n = take(st->tty, st->out, sizeof(st->out), st->out_n);
	}
	fail_msg("the terminal does not pass on what is written to it");
	return 0;
}
