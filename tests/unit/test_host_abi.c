/* Does this machine's kernel header have what <cyctop/abi.h> lacks?  Fails if it has newer bits or record types. */
#include <cyctop/abi.h>

#include <linux/perf_event.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

static void the_kernel_header_has_no_newer_bits(void **state)
{
	(void)state;
	assert_true(PERF_SAMPLE_MAX <= SAMPLE_KNOWN + 1u);
	assert_true(PERF_FORMAT_MAX <= READ_KNOWN + 1u);
	assert_true(PERF_RECORD_MAX <= RECORD_CALLCHAIN_DEFERRED + 1);
	/* a new bit of branch_sample_type may add a field to records, as two of the known bits
	 * do */
	assert_true(PERF_SAMPLE_BRANCH_MAX_SHIFT <= 20);
	assert_true(sizeof(struct perf_event_attr) <= sizeof(struct perf_attr));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_kernel_header_has_no_newer_bits),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
