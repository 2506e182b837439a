/* With a name service that takes two seconds, the screen does not wait, and batch output does. */
#include "app/users.h"

#include "os/clock.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

static char *slow(uint64_t uid)
{
	char name[32];
	usleep(2000000);
	snprintf(name, sizeof(name), "user%u", (unsigned)uid);
	return strdup(name);
}

static void the_screen_does_not_wait(void **state)
{
	(void)state;
	struct users *u = users_create(slow, 0);
	uint64_t start_ms = clock_ms(CLOCK_MONOTONIC);
	assert_string_equal(users_name(u, 4000000), "4000000");
	assert_string_equal(users_name(u, 0), "root");
	assert_true(clock_ms(CLOCK_MONOTONIC) - start_ms < 1500);
	for (int i = 0; i < 600 && strcmp(users_name(u, 4000000), "user4000000") != 0; i++)
		usleep(100000);
	assert_string_equal(users_name(u, 4000000), "user4000000");
	users_name(u, 4000001);
	users_destroy(u); /* while the thread is still waiting for the name service */
}

static void batch_waits(void **state)
{
	(void)state;
	struct users *u = users_create(slow, 60000);
	assert_string_equal(users_name(u, 4000000), "user4000000");
	users_destroy(u);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_screen_does_not_wait),
		cmocka_unit_test(batch_waits),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
