/* Events per CPU (system.c), on files in place of perf events. */
#include "source/live/live.h"

#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

enum { CPUS = 2 };

/* The CPU went off and on, and its event did not open again: it is absent, and not at zero. */
static void an_event_that_is_not_open_again_is_absent(void **state)
{
	(void)state;
	struct live_cpu cpus[CPUS] = {{.online = true}, {.online = true}};
	struct live l = {.cpus_n = CPUS, .cpus = cpus, .info.events_n = 1};
	struct slot slots[CPUS] = {
		{.fd = -1, .before = {.value = 1, .opened = true}},
		{.fd = -1, .now = {.value = 70, .enabled_ns = 7, .running_ns = 7, .opened = true}},
	};
	struct counter counters[CPUS];
	slots[1].fd = open("/dev/null", O_RDONLY | O_CLOEXEC); /* reads as an event that has failed does */
	l.slots = slots;
	id_map_init(&l.ids);
	id_map_add(&l.ids, 0, 0, 0);
	system_read(&l, counters);
	assert_true(counters[1].opened && counters[1].value == 70);
	assert_false(counters[0].opened);
	cpus[1].online = false; /* the event counts nothing, though it is not closed yet */
	system_read(&l, counters);
	assert_true(!counters[1].opened && counters[1].value == 70);
	cpus[1].online = true;
	system_close_cpu(&l, 1);
	system_read(&l, counters);
	assert_false(counters[1].opened);
	assert_true(counters[1].value == 70 && counters[1].enabled_ns == 7); /* so that it continues from there */
	id_map_deinit(&l.ids);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(an_event_that_is_not_open_again_is_absent),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
