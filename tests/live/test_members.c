/* Which tasks belong to a target (members.c), by records made up here. */
#include "source/live/members.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>

#include <cmocka.h>

static const uint64_t second = 1000000000;

static void children_of_members_are_members(void **state)
{
	(void)state;
	struct members m;
	members_init(&m);
	members_add(&m, 10, 10, 100);
	assert_true(members_fork(&m, 10, 11, 10, 110));	 /* a thread */
	assert_true(members_fork(&m, 20, 20, 11, 120));	 /* its child */
	assert_false(members_fork(&m, 30, 30, 29, 130)); /* a stranger */
	assert_false(members_has(&m, 10, 99));
	assert_true(members_has(&m, 10, 100) && members_has(&m, 11, 111) && members_has(&m, 20, 121));
	assert_false(members_has(&m, 20, 119));
	assert_false(members_has(&m, 30, 200) || members_has(&m, 0, 200));
	assert_int_equal(m.alive, 3);
	members_exit(&m, 20, 20, 200);
	assert_int_equal(m.alive, 2);
	assert_true(members_has(&m, 20, 201)); /* it still runs for a moment */
	members_settle(&m, 200 + 2 * second);
	assert_false(members_has(&m, 20, 300 + second));
	members_deinit(&m);
}

static void a_tid_passes_to_a_stranger_and_back(void **state)
{
	(void)state;
	struct members m;
	members_init(&m);
	members_add(&m, 10, 10, 0);
	assert_true(members_fork(&m, 20, 20, 10, 100));
	members_exit(&m, 20, 20, 200);
	assert_false(members_fork(&m, 20, 20, 99, 300));
	members_exit(&m, 20, 20, 400); /* the stranger's */
	assert_true(members_fork(&m, 20, 20, 10, 500));
	assert_int_equal(m.alive, 2);
	/* samples are looked up after all that */
	assert_true(members_has(&m, 20, 150) && members_has(&m, 20, 250));
	assert_false(members_has(&m, 20, 350));
	assert_true(members_has(&m, 20, 550));
	/* the same, where the EXIT record was lost */
	assert_false(members_fork(&m, 20, 20, 99, 600));
	assert_int_equal(m.alive, 1);
	assert_true(members_has(&m, 20, 550) && !members_has(&m, 20, 650));
	members_settle(&m, 700 + second);
	assert_false(members_has(&m, 20, 800));
	assert_true(members_has(&m, 10, 800));
	assert_int_equal(m.by_tid.n, 1);
	members_deinit(&m);
}

static void a_command_is_a_member_from_its_exec_on(void **state)
{
	(void)state;
	struct members m;
	members_init(&m);
	members_await_exec(&m, 10);
	assert_int_equal(m.alive, 1);
	assert_false(members_has(&m, 10, 100));
	assert_false(members_fork(&m, 11, 11, 10, 110));
	members_exec(&m, 99, 115); /* another process */
	members_exec(&m, 10, 120);
	assert_false(members_has(&m, 10, 119));
	assert_true(members_has(&m, 10, 120));
	assert_true(members_fork(&m, 12, 12, 10, 130));
	members_exit(&m, 10, 10, 140);
	members_exit(&m, 12, 12, 150);
	assert_int_equal(m.alive, 0);
	members_deinit(&m);
	/* one that could not be run */
	members_init(&m);
	members_await_exec(&m, 10);
	members_exit(&m, 10, 10, 100);
	assert_int_equal(m.alive, 0);
	members_deinit(&m);
}

/* A thread that calls exec goes on with the tid of the leader, whose EXIT record came before. */
static void a_thread_execs(void **state)
{
	(void)state;
	struct members m;
	members_init(&m);
	members_add(&m, 10, 10, 0);
	members_add(&m, 10, 11, 0);
	assert_true(members_fork(&m, 10, 12, 10, 100));
	members_exit(&m, 10, 11, 200);
	members_exit(&m, 10, 10, 200);
	assert_true(members_alive(&m, 10));
	members_exec(&m, 10, 210);
	assert_int_equal(m.alive, 1);
	members_settle(&m, 300 + second);
	assert_true(members_has(&m, 10, 300 + second));
	assert_false(members_alive(&m, 12));
	members_exit(&m, 10, 10, 400 + second);
	assert_int_equal(m.alive, 0);
	/* a leader that has gone ends with the last of its threads */
	members_add(&m, 20, 20, 500 + second);
	assert_true(members_fork(&m, 20, 21, 20, 510 + second));
	members_exit(&m, 20, 20, 520 + second);
	assert_int_equal(m.alive, 2);
	members_exit(&m, 20, 21, 530 + second);
	assert_int_equal(m.alive, 0);
	members_deinit(&m);
}

/* /proc is read before the rings: it may show tasks whose FORK record comes later. */
static void proc_is_ahead_of_the_records(void **state)
{
	(void)state;
	struct members m;
	members_init(&m);
	members_add(&m, 10, 10, 100);
	members_add(&m, 20, 20, 500); /* the user's: made by another user's process, which changed its user */
	members_add(&m, 30, 30, 500); /* made by a member */
	assert_false(members_fork(&m, 20, 20, 99, 200));
	assert_true(members_fork(&m, 30, 30, 10, 210));
	assert_int_equal(m.alive, 3);
	assert_false(members_has(&m, 20, 300));
	assert_true(members_has(&m, 20, 500) && members_has(&m, 30, 210));
	members_deinit(&m);
}

static bool is_odd(uint32_t pid, uint32_t tid)
{
	return pid == tid && tid % 2;
}

static void thousands_of_tasks_leave_nothing(void **state)
{
	(void)state;
	struct members m;
	uint64_t now = 1;
	members_init(&m);
	members_add(&m, 10, 10, 0);
	for (uint32_t i = 0; i < 200000; i++, now += second / 5000) {
		uint32_t tid = 100 + i % 30000;
		assert_true(members_fork(&m, tid, tid, 10, now));
		members_exit(&m, tid, tid, now + 1);
		members_settle(&m, now + 1);
	}
	assert_in_range(m.all.n, 5000, 6000); /* those of the last second */
	assert_true(m.ended.cap < 16384);
	members_settle(&m, now + 2 * second);
	assert_int_equal(m.by_tid.n, 1);
	/* whose EXIT record was lost is found by asking */
	for (uint32_t tid = 101; tid < 110; tid++)
		assert_true(members_fork(&m, tid, tid, 10, now));
	for (int i = 0; i < 100; i++)
		members_check(&m, is_odd, now);
	assert_int_equal(m.alive, 1 + 4);
	members_deinit(&m);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(children_of_members_are_members),
		cmocka_unit_test(a_tid_passes_to_a_stranger_and_back),
		cmocka_unit_test(a_command_is_a_member_from_its_exec_on),
		cmocka_unit_test(a_thread_execs),
		cmocka_unit_test(proc_is_ahead_of_the_records),
		cmocka_unit_test(thousands_of_tasks_leave_nothing),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
