/* Processes of which the kernel could not write all records. */
#include "base/limits.h"
#include "test_resolve_world.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>

#include <cmocka.h>

static void what_lost_records_told_is_read_from_proc(void **state)
{
	(void)state;
	struct world w = {0};
	struct resolver *r = make(&w, false);
	const struct record lost = {.type = RECORD_LOST};
	uint32_t ten = resolver_task(r, 10, 10, 1), twenty = resolver_task(r, 20, 20, 1);
	apply_comm(r, 10, 10, "shell", true); /* its next exec is lost */
	apply_comm(r, 20, 20, "brief", true);
	apply_mmap(r, 20, 0x700000, 0x1000, 0, "/own");
	assert_string_equal(task_of(r, resolver_task(r, 10, 10, 2))->comm, "shell");
	assert_string_equal(name_at(r, ten, 0x402010), "[unknown]");
	int identities = w.identities, maps = w.maps;

	resolver_apply(r, &lost);
	w.deny_pid = 20; /* it ended before its next sample was seen */
	resolver_check_processes(r, 5);
	for (uint64_t now_ns = 6; now_ns < 9; now_ns++) {
		resolver_check_processes(r, now_ns);
		assert_int_equal(resolver_task(r, 10, 10, now_ns), ten);
		assert_int_equal(resolver_task(r, 20, 20, now_ns), twenty);
	}
	assert_string_equal(task_of(r, ten)->comm, "p10.10");
	assert_string_equal(name_at(r, ten, 0x402010), "prog2");
	assert_string_equal(task_of(r, twenty)->comm, "brief");
	assert_string_equal(name_at(r, twenty, 0x700010), "own0");
	assert_int_equal(w.identities - identities, 2); /* once each */
	assert_int_equal(w.maps - maps, 1);
	assert_int_equal(resolver_catalog(r)->limits.n[REACHED_TASKS_KIB], 1);
	resolver_destroy(r);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_lost_records_told_is_read_from_proc),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
