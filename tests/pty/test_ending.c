/* The built program on a pseudo terminal, which takes nothing, is gone, or gets signals: the program ends, and leaves
 * a sane terminal. */
#include "stage.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

enum { PATIENCE_S = 300, LOOK_MS = 10, FULL_BYTES = 4096 };

static const char *cyctop, *recording; /* set by main() before the first test */

static void become(char *const *argv)
{
	/* what this test inherited must not change its result */
	sigset_t none;
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
	for (int sig = 1; sig <= SIGRTMAX; sig++)
		signal(sig, SIG_DFL);
	execv(cyctop, argv);
	_exit(99);
}

static void become_cyctop(int report)
{
	(void)report;
	become((char *[]){(char *)"cyctop", (char *)"--demo", (char *)"-d", (char *)"0.2", NULL});
}

/* A terminal that tells no size, and an environment that lies. */
static void become_misled(int report)
{
	setenv("LINES", "30000", 1);
	setenv("COLUMNS", "99999999999", 1);
	become_cyctop(report);
}

static void become_player(int report)
{
	(void)report;
	become((char *[]){(char *)"cyctop", (char *)"-i", (char *)(uintptr_t)recording, NULL});
}

/* In a session without a terminal, as `su -c` makes one: nobody tells it that the terminal is gone. */
static void become_stranger(int report)
{
	pid_t pid = fork();
	if (pid == 0) {
		setsid();
		become_cyctop(report);
	}
	signal(SIGHUP, SIG_IGN);
	waitpid(pid, NULL, 0);
}

static struct stage *start_of_size(void (*run)(int report), int rows, int cols)
{
	const struct play play = {.term = "xterm-256color", .rows = rows, .cols = cols, .run = run};
	struct stage *st = stage_open(&play);
	while (!memmem(st->out, st->out_n, "Symbols", 7))
		stage_read(st);
	return st;
}

static struct stage *start(void (*run)(int report))
{
	return start_of_size(run, 35, 120);
}

/* Waits without reading what the child writes. */
static int end_unread(struct stage *st)
{
	int status = 0;
	for (int ms = 0; ms < PATIENCE_S * 1000; ms += LOOK_MS) {
		if (waitpid(st->child, &status, WNOHANG) == st->child)
			return status;
		poll(NULL, 0, LOOK_MS);
	}
	kill(st->child, SIGKILL);
	fail_msg("it does not end");
	return 0;
}

/* Has the child read all that was typed? */
static bool all_read(const struct stage *st)
{
	int n = 0;
	return ioctl(st->slave, FIONREAD, &n) == 0 && n == 0;
}

static bool is_full(const struct stage *st)
{
	struct pollfd p = {.fd = st->slave, .events = POLLOUT};
	return poll(&p, 1, 0) == 0;
}

static bool is_among(int sig, const int *list, size_t n)
{
	size_t i = 0;
	while (i < n && list[i] != sig)
		i++;
	return i < n;
}

static void every_signal_leaves_a_sane_terminal(void **state)
{
	(void)state;
	static const int harmless[] = {SIGKILL, SIGSTOP, SIGTSTP, SIGTTIN, SIGTTOU, SIGCONT,
				       SIGCHLD, SIGURG,	 SIGPIPE, SIGXFSZ, SIGWINCH};
	static const int crashes[] = {SIGSEGV, SIGBUS, SIGABRT, SIGFPE, SIGILL, SIGSYS, SIGTRAP};
	for (int sig = 1; sig <= SIGRTMAX; sig++) {
		struct sigaction now;
		if (is_among(sig, harmless, sizeof(harmless) / sizeof(*harmless)) || sigaction(sig, NULL, &now) < 0)
			continue; /* the C library's own cannot be handled */
		struct stage *st = start(become_cyctop);
		kill(st->child, sig);
		int status = stage_end(st);
		if (is_among(sig, crashes, sizeof(crashes) / sizeof(*crashes)))
			assert_true(WIFSIGNALED(status) && WTERMSIG(status) == sig);
		else
			assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 0);
		assert_left_sane(st);
		stage_close(st);
	}
}

static void harmless_signals_do_not_end_it(void **state)
{
	(void)state;
	static const int harmless[] = {SIGPIPE, SIGXFSZ, SIGCHLD, SIGURG, SIGCONT, SIGWINCH};
	struct stage *st = start(become_cyctop);
	for (size_t i = 0; i < sizeof(harmless) / sizeof(*harmless); i++)
		kill(st->child, harmless[i]);
	stage_type(st, "h");
	st->out_n = 0;
	while (!memmem(st->out, st->out_n, "Esc", 3))
		stage_read(st);
	stage_type(st, "\033q");
	int status = stage_end(st);
	assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 0);
	assert_left_sane(st);
	stage_close(st);
}

static void a_stopped_terminal_holds_nobody(void **state)
{
	(void)state;
	static const int signals[] = {SIGINT, SIGTERM, SIGHUP};
	for (size_t i = 0; i < sizeof(signals) / sizeof(*signals); i++) {
		struct stage *st = start(become_cyctop);
		stage_type(st, "\023\014"); /* ^S, and a key that is answered with a whole screen */
		assert_true(is_full(st));
		kill(st->child, signals[i]);
		int status = stage_end(st);
		assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 0);
		assert_left_sane(st);
		stage_close(st);
	}
}

static void a_terminal_that_nobody_reads_holds_nobody(void **state)
{
	(void)state;
	static const int signals[] = {SIGINT, SIGTERM, SIGUSR1};
	for (size_t i = 0; i < sizeof(signals) / sizeof(*signals); i++) {
		struct stage *st = start(become_cyctop);
		while (!is_full(st)) {
			if (all_read(st))
				stage_type(st, "\014");
			poll(NULL, 0, 1);
		}
		kill(st->child, signals[i]);
		int status = end_unread(st);
		assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 0);
		assert_true(same_termios(st->slave, &st->before));
		stage_close(st);
	}
}

static void it_ends_when_the_terminal_is_gone(void **state)
{
	(void)state;
	struct stage *st = start(become_stranger);
	close(st->tty);
	close(st->slave);
	int status = end_unread(st);
	assert_true(WIFEXITED(status));
	close(st->report);
	free(st);
}

/* Keys come faster than they are taken. */
static void a_flood_of_keys_holds_nobody(void **state)
{
	(void)state;
	struct stage *st = start(become_cyctop);
	char keys[FULL_BYTES];
	int status;
	memset(keys, 'j', sizeof(keys));
	fcntl(st->tty, F_SETFL, O_NONBLOCK);
	assert_true(write(st->tty, keys, sizeof(keys)) > 0);
	kill(st->child, SIGTERM);
	for (int i = 0; waitpid(st->child, &status, WNOHANG) != st->child; i++) {
		assert_true(i < 200000);
		if (write(st->tty, keys, sizeof(keys)) < 0)
			assert_int_equal(errno, EAGAIN);
		st->out_n = 0;
		stage_read(st);
	}
	assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 0);
	assert_true(same_termios(st->slave, &st->before));
	stage_close(st);
}

/* Who holds the other end of a terminal can give it four thousand million cells, of 100 bytes each. */
static void a_size_beyond_all_screens_is_cut(void **state)
{
	(void)state;
	static const struct winsize most = {.ws_row = 65535, .ws_col = 65535};
	for (int misled = 0; misled <= 1; misled++) {
		struct stage *st =
			misled ? start_of_size(become_misled, 0, 0) : start_of_size(become_cyctop, 65535, 65535);
		st->out_n = 0;
		assert_int_equal(ioctl(st->tty, TIOCSWINSZ, misled ? &most : &(struct winsize){.ws_row = 35}), 0);
		stage_type(st, "h");
		while (!memmem(st->out, st->out_n, "Esc", 3))
			stage_read(st);
		kill(st->child, SIGTERM);
		int status = stage_end(st);
		assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 0);
		assert_left_sane(st);
		stage_close(st);
	}
}

/* Space plays it and stops it, and End shows the whole again. */
static void a_paused_recording_can_be_read_to_its_end(void **state)
{
	(void)state;
	struct stage *st = start(become_player);
	stage_type(st, "  \033OFq");
	int status = stage_end(st);
	assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 0);
	assert_left_sane(st);
	stage_close(st);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_signal_leaves_a_sane_terminal),
		cmocka_unit_test(harmless_signals_do_not_end_it),
		cmocka_unit_test(a_stopped_terminal_holds_nobody),
		cmocka_unit_test(a_terminal_that_nobody_reads_holds_nobody),
		cmocka_unit_test(it_ends_when_the_terminal_is_gone),
		cmocka_unit_test(a_flood_of_keys_holds_nobody),
		cmocka_unit_test(a_size_beyond_all_screens_is_cut),
		cmocka_unit_test(a_paused_recording_can_be_read_to_its_end),
	};
	if (argc != 3)
		return 2;
	cyctop = argv[1];
	recording = argv[2];
	return cmocka_run_group_tests(tests, NULL, NULL);
}
