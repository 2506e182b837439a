/* The bounds on what is spent on JVMs that lie, over all processes. */
#include "resolve/jit/jvm_budget.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

static const uint64_t ms = 1000000, minute = 60000 * ms;
enum { LIAR = 1000, OTHER = 1001, READING_MS = 500, FIRSTS_MS = 1000, ALL_MS = 6000 };

/* Processes of a user that exec over and over, each of which takes all the time that a reading may: for ten minutes. */
static void a_storm_of_liars_is_bounded_by_user(void **state)
{
	(void)state;
	struct jvm_budget b = {0};
	uint64_t spent = 0;
	for (uint64_t now = minute; now < 11 * minute; now += 10 * ms) {
		if (jvm_budget_left(&b, LIAR, true, now)) {
			jvm_budget_spend(&b, LIAR, true, now, READING_MS * ms);
			spent += READING_MS * ms;
		}
		assert_true(jvm_budget_left(&b, OTHER, true, now)); /* meanwhile, others' are read at once */
	}
	assert_in_range(spent, 10 * FIRSTS_MS * ms, (11 * FIRSTS_MS + READING_MS) * ms);
}

/* The same of as many users as one likes, and of processes that were read before. */
static void all_together_are_bounded(void **state)
{
	(void)state;
	for (int first = 0; first < 2; first++) {
		struct jvm_budget b = {0};
		uint64_t spent = 0;
		uint32_t uid = 0;
		for (uint64_t now = minute; now < 11 * minute; now += 10 * ms)
			if (jvm_budget_left(&b, uid++, first, now)) {
				jvm_budget_spend(&b, uid - 1, first, now, READING_MS * ms);
				spent += READING_MS * ms;
			}
		assert_in_range(spent, 10 * ALL_MS * ms, (11 * ALL_MS + READING_MS) * ms);
	}
}

/* Short readings, one soon after the other, that take less than the bound. */
static void less_than_the_bound_is_never_refused(void **state)
{
	(void)state;
	struct jvm_budget b = {0};
	for (uint64_t now = minute; now < 5 * minute; now += 50 * ms) {
		assert_true(jvm_budget_left(&b, OTHER, true, now));
		jvm_budget_spend(&b, OTHER, true, now, FIRSTS_MS * ms / 60 / 25);
	}
}

/* What was not read at once is read within a minute. */
static void time_brings_it_back(void **state)
{
	(void)state;
	struct jvm_budget b = {0};
	jvm_budget_spend(&b, LIAR, true, minute, (FIRSTS_MS + READING_MS) * ms);
	assert_false(jvm_budget_left(&b, LIAR, true, minute));
	assert_false(jvm_budget_left(&b, LIAR + JVM_BUDGET_USERS, true, minute)); /* shares the entry */
	assert_true(jvm_budget_left(&b, LIAR, false, minute));			  /* one that was read before */
	assert_false(jvm_budget_left(&b, LIAR, true, minute - 1));		  /* a clock that goes back */
	assert_true(jvm_budget_left(&b, LIAR, true, 2 * minute));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_storm_of_liars_is_bounded_by_user),
		cmocka_unit_test(all_together_are_bounded),
		cmocka_unit_test(less_than_the_bound_is_never_refused),
		cmocka_unit_test(time_brings_it_back),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
