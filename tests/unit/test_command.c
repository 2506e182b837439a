/* The command that `cyctop record` runs: how it is ended. */
#include "os/command.h"

#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
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

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(it_ends_with_the_recorder),
		cmocka_unit_test(one_that_ignores_sigterm_is_left),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
