/* What each method of call chains asks of perf_event_open(): as perf record -vv --call-graph METHOD prints. */
#include "source/live/live.h"

#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>

enum { OTHERS = SAMPLE_IP | SAMPLE_TID };

static struct perf_attr attr_of(const struct live_config *config, bool defers)
{
	struct live l = {.config = *config, .defers = defers};
	/* what another method left */
	struct perf_attr a = {.sample_type = OTHERS | SAMPLE_CALLCHAIN | SAMPLE_REGS_USER | SAMPLE_STACK_USER,
			      .flags = ATTR_EXCLUDE_CALLCHAIN_USER | ATTR_DEFER_CALLCHAIN,
			      .sample_stack_user = 1,
			      .sample_regs_user = 1};
	attrs_chains(&l, &a);
	assert_int_equal(a.sample_type & OTHERS, OTHERS);
	a.sample_type &= ~(uint64_t)OTHERS;
	return a;
}

static void none_leaves_nothing(void **state)
{
	(void)state;
	struct perf_attr a = attr_of(&(struct live_config){.stack_bytes = 8192, .call_stacks = true}, true);
	assert_int_equal(a.sample_type, 0);
	assert_int_equal(a.flags, 0);
	assert_int_equal(a.sample_stack_user, 0);
	assert_int_equal(a.branch_sample_type, 0);
}

static void frame_pointers_are_the_kernels(void **state)
{
	(void)state;
	struct perf_attr a = attr_of(&(struct live_config){.chains = true}, false);
	assert_int_equal(a.sample_type, SAMPLE_CALLCHAIN);
	assert_int_equal(a.flags, 0);
	a = attr_of(&(struct live_config){.chains = true}, true);
	assert_int_equal(a.flags, ATTR_DEFER_CALLCHAIN);
}

static void copies_take_the_place_of_user_code(void **state)
{
	(void)state;
	if (!event_stack_registers())
		skip();
	struct perf_attr a = attr_of(&(struct live_config){.chains = true, .stack_bytes = 4096}, true);
	assert_int_equal(a.sample_type, SAMPLE_CALLCHAIN | SAMPLE_REGS_USER | SAMPLE_STACK_USER);
	assert_int_equal(a.flags, ATTR_EXCLUDE_CALLCHAIN_USER);
	assert_int_equal(a.sample_stack_user, 4096);
	assert_int_equal(a.sample_regs_user, event_stack_registers());
}

static void call_stacks_are_branch_stacks(void **state)
{
	(void)state;
	enum { USER = 1 << 0, CALL_STACK = 1 << 11, NO_FLAGS = 1 << 14, NO_CYCLES = 1 << 15 };
	struct perf_attr a = attr_of(&(struct live_config){.chains = true, .call_stacks = true}, true);
	assert_int_equal(a.sample_type, SAMPLE_CALLCHAIN | SAMPLE_BRANCH_STACK);
	assert_int_equal(a.branch_sample_type, USER | CALL_STACK | NO_FLAGS | NO_CYCLES);
	assert_int_equal(a.flags, 0); /* a deferred chain would have no marker of user code, where the calls belong */
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(none_leaves_nothing),
		cmocka_unit_test(frame_pointers_are_the_kernels),
		cmocka_unit_test(copies_take_the_place_of_user_code),
		cmocka_unit_test(call_stacks_are_branch_stacks),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
