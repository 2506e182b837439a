/* Which of its two periods a sample contains. */
#include "source/live/periods.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include <cmocka.h>

enum { N = 20, OVERHEAD = 1500, TARGET = 250000 };

/* Samples of a counter whose period grows as the kernel lets it: at each sample by an eighth of what the rate of the
 * last period asks for.  Each handler takes `overhead` events. */
static void grow(struct period_sample *s, bool ahead, uint64_t overhead)
{
	uint64_t period = 1, count = 0;
	for (size_t i = 0; i < N; i++) {
		uint64_t next = period + (TARGET * period / (period + overhead) - period) / 8 + 1;
		count += period + overhead;
		s[i] = (struct period_sample){ahead ? next : period, count};
		period = next;
	}
}

static void test_growing_periods_tell(void **state)
{
	(void)state;
	static const uint64_t overheads[] = {0, OVERHEAD, 10 * OVERHEAD};
	for (size_t i = 0; i < ARRAY_LEN(overheads); i++)
		for (int ahead = 0; ahead < 2; ahead++) {
			struct period_sample s[N];
			enum source_periods found;
			grow(s, ahead, overheads[i]);
			bool told = periods_judge(s, N, &found);
			if (overheads[i] <= OVERHEAD)
				assert_true(told);
			if (told) /* a slow handler may hide it, but never turn it round */
				assert_int_equal(found, ahead ? PERIODS_AHEAD : PERIODS_ELAPSED);
		}
}

static void test_equal_periods_do_not_tell(void **state)
{
	(void)state;
	struct period_sample s[N];
	enum source_periods found;
	for (size_t i = 0; i < N; i++)
		s[i] = (struct period_sample){100000, (i + 1) * 100000};
	assert_false(periods_judge(s, N, &found));
	assert_false(periods_judge(s, 1, &found));
	assert_false(periods_judge(s, 0, &found));
	for (size_t i = 0; i < N; i++) /* a counter that goes backwards */
		s[i].count = (N - i) * 100000;
	assert_false(periods_judge(s, N, &found));
}

/* The PMU of this machine, or of the emulated one. */
static void test_the_pmu_of_this_machine(void **state)
{
	(void)state;
	struct opener opener;
	struct perf_attr attr;
	struct event_spec specs[EVENTS_MAX];
	const struct attr_policy policy = {.default_freq = 999, .user_only = true};
	enum source_periods found;
	opener_init(&opener);
	(void)event_defaults(specs); /* the first is cycles */
	event_attr(&specs[0], &policy, &attr);
	int fd = perf_open(&attr, 0, -1);
	bool can = fd >= 0;
	if (can)
		close(fd);
	bool told = periods_probe(&opener, &attr, &found);
	if (!can) {
		assert_false(told);
		assert_int_equal(found, PERIODS_ELAPSED);
		skip();
	}
	printf("the PMU %s: %s\n", told ? "tells" : "does not tell", found == PERIODS_AHEAD ? "ahead" : "elapsed");
#if !defined(__x86_64__) && !defined(__i386__) && !defined(__powerpc__)
	assert_int_equal(found, PERIODS_ELAPSED);
#endif
	if (getenv("CYCTOP_PMU_EXACT")) /* on an emulated machine that raises an interrupt at the overflow, not later */
		assert_true(told);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_growing_periods_tell),
		cmocka_unit_test(test_equal_periods_do_not_tell),
		cmocka_unit_test(test_the_pmu_of_this_machine),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
