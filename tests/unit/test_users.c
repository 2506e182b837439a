/* With a name service that hangs, the screen does not wait; with one that takes a while, batch output does. */
#include "os/users.h"

#include <semaphore.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

static sem_t answers; /* how many the service may give */

static char *name_of(uint64_t uid)
{
	char name[32];
	snprintf(name, sizeof(name), "user%u", (unsigned)uid);
	return strdup(name);
}

static char *hanging(uint64_t uid)
{
	while (sem_wait(&answers) != 0)
		continue;
	return name_of(uid);
}

static char *slow(uint64_t uid)
{
	usleep(200000);
	return name_of(uid);
}

static void the_screen_does_not_wait(void **state)
{
	(void)state;
	assert_int_equal(sem_init(&answers, 0, 0), 0);
	struct users *u = users_create(hanging, 0);
	assert_string_equal(users_name(u, 4000000), "4000000");
	assert_string_equal(users_name(u, 0), "root");
	assert_int_equal(sem_post(&answers), 0);
	for (int i = 0; i < 120000 && strcmp(users_name(u, 4000000), "user4000000") != 0; i++)
		usleep(1000);
	assert_string_equal(users_name(u, 4000000), "user4000000");
	users_name(u, 4000001);
	users_destroy(u); /* while the thread is still waiting for the name service */
}

static void batch_waits(void **state)
{
	(void)state;
	struct users *u = users_create(slow, 600000);
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
