/* The command that `cyctop record` runs: how it is ended. */
#include "os/command.h"

#include <errno.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

static void start(struct command *c)
{
	char name[] = "sleep", seconds[] = "300", *argv[] = {name, seconds, NULL};
	struct error err;
	assert_int_equal(command_prepare(c, argv, NULL, NULL, &err), 0);
	assert_int_equal(command_start(c, name, &err), 0);
}

/* SIGTERM to the recorder is SIGTERM to the command. */
static void it_ends_with_the_recorder(void **state)
{
	(void)state;
	struct command c;
	int stop[2];
	assert_int_equal(pipe(stop), 0);
	assert_int_equal(write(stop[1], "", 1), 1);
	start(&c);
	assert_true(command_finish(&c, false, stop[0]));
	assert_int_equal(c.pid, 0);
	assert_int_equal(c.status, 128 + SIGTERM);
	command_close(&c);
	close(stop[0]);
	close(stop[1]);
}

/* One that ignores SIGTERM is not waited for. */
static void one_that_ignores_sigterm_is_left(void **state)
{
	(void)state;
	struct command c;
	signal(SIGTERM, SIG_IGN); /* which exec() does not change */
	start(&c);
	signal(SIGTERM, SIG_DFL);
	alarm(60); /* instead of waiting for ever */
	assert_false(command_finish(&c, true, -1));
	alarm(0);
	assert_int_not_equal(c.pid, 0);
	assert_int_equal(c.status, -1);
	assert_int_equal(kill(c.pid, SIGKILL), 0);
	assert_int_equal(waitpid(c.pid, NULL, 0), c.pid);
	command_close(&c);
}

static bool is_not_ready(const void *ctx)
{
	errno = *(const int *)ctx;
	return false;
}

static void what_cannot_be_prepared_leaves_nothing(void **state)
{
	(void)state;
	char name[] = "true", *argv[] = {name, NULL};
	struct rlimit old, few;
	struct command c;
	struct error err;
	int next = dup(STDIN_FILENO), code = EACCES;
	close(next);
	assert_int_equal(getrlimit(RLIMIT_NOFILE, &old), 0);
	few = (struct rlimit){.rlim_cur = (rlim_t)next + 3, .rlim_max = old.rlim_max}; /* one pipe, not two */
	assert_int_equal(setrlimit(RLIMIT_NOFILE, &few), 0);
	int rc = command_prepare(&c, argv, NULL, NULL, &err);
	assert_int_equal(setrlimit(RLIMIT_NOFILE, &old), 0);
	assert_int_equal(rc, -EMFILE);
	assert_int_equal(command_prepare(&c, argv, is_not_ready, &code, &err), -EACCES);
	assert_int_equal(c.pid, 0);
	assert_int_equal(waitpid(-1, NULL, WNOHANG), -1);
	command_close(&c);
	assert_int_equal(dup(STDIN_FILENO), next);
	close(next);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_cannot_be_prepared_leaves_nothing),
		cmocka_unit_test(it_ends_with_the_recorder),
		cmocka_unit_test(one_that_ignores_sigterm_is_left),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
