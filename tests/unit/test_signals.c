/* os/signals: which signals end the program, and what if it does not come to that by itself. */
#include "app/message.h"
#include "os/signals.h"

#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

/* What a child writes to stderr, whose wait status is *status_ret. */
static void run(void (*child)(void), char text[static 256], int *status_ret)
{
	int fds[2];
	assert_int_equal(pipe(fds), 0);
	pid_t pid = fork();
	if (pid == 0) {
		dup2(fds[1], STDERR_FILENO);
		close(fds[0]);
		close(fds[1]);
		child();
		_exit(0);
	}
	close(fds[1]);
	size_t n = 0;
	for (ssize_t got; n < 255 && (got = read(fds[0], text + n, 255 - n)) > 0;)
		n += (size_t)got;
	text[n] = '\0';
	close(fds[0]);
	assert_int_equal(waitpid(pid, status_ret, 0), pid);
}

static void be_busy(void)
{
	int quit_fd;
	if (signals_open(&quit_fd, NULL) < 0)
		_exit(98);
	signals_watch(quit_fd, message_give_up);
	kill(getpid(), SIGTERM); /* raise() sends it to this thread alone */
	for (volatile unsigned i = 0;; i = i + 1)
		;
}

static void who_is_busy_is_ended(void **state)
{
	(void)state;
	char text[256];
	int status;
	run(be_busy, text, &status);
	assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 1);
	assert_string_equal(text, "cyctop: interrupted: the output is not complete\n");
}

/* A shell's background command ignores SIGINT and SIGQUIT, and one of nohup SIGHUP. */
static void ignore_some(void)
{
	static const int ends[] = {SIGINT, SIGQUIT, SIGTERM, SIGUSR1};
	int quit_fd;
	signal(SIGINT, SIG_IGN);
	signal(SIGQUIT, SIG_IGN);
	signal(SIGHUP, SIG_IGN);
	if (signals_open(&quit_fd, NULL) < 0)
		_exit(98);
	raise(SIGHUP);
	if (signals_quit(quit_fd))
		_exit(1);
	for (size_t i = 0; i < ARRAY_LEN(ends); i++) {
		raise(ends[i]);
		if (!signals_quit(quit_fd) || signals_take(quit_fd) != ends[i] || signals_quit(quit_fd))
			_exit(2);
	}
}

static void what_is_ignored_stays_so_but_for_what_is_meant(void **state)
{
	(void)state;
	char text[256];
	int status;
	run(ignore_some, text, &status);
	assert_true(WIFEXITED(status));
	assert_int_equal(WEXITSTATUS(status), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(who_is_busy_is_ended),
		cmocka_unit_test(what_is_ignored_stays_so_but_for_what_is_meant),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
