/* The method by which call chains are found: when frame pointers give way to copies of stacks, and when they return. */
#include <cyctop/session.h>

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>

enum { FEW = 1000, MANY = 10000, TOO_MANY = 20000 }; /* samples per second */

static enum chain_change next(struct chain_way *w, bool stacks, double whole, double cut, double rate)
{
	const struct trust trust = {.whole = whole, .cut = cut};
	return chain_way_next(w, stacks, &trust, rate);
}

static void broken_chains_call_for_copies(void **state)
{
	(void)state;
	struct chain_way w = {0};
	assert_int_equal(next(&w, false, 0.8, 0, FEW), CHAIN_STAYS);
	assert_int_equal(next(&w, false, 0.4, 0.4, FEW), CHAIN_STAYS);	/* longer copies would not be made */
	assert_int_equal(next(&w, false, 0.5, 0.2, MANY), CHAIN_STAYS); /* 82 MB a second */
	assert_int_equal(next(&w, false, 0.5, 0.2, FEW), CHAIN_BY_STACKS);
	assert_true(fabs(w.framed - 0.7) < 1e-12);
}

static void copies_that_help_stay(void **state)
{
	(void)state;
	struct chain_way w = {.framed = 0.5};
	assert_int_equal(next(&w, true, 0.5, 0.15, FEW), CHAIN_STAYS);
	assert_int_equal(next(&w, true, 0.9, 0, MANY), CHAIN_STAYS);
	assert_int_equal(next(&w, true, 0.9, 0, TOO_MANY), CHAIN_TOO_MANY);
	assert_true(w.given_up);
}

static void copies_that_do_not_help_are_given_up(void **state)
{
	(void)state;
	struct chain_way w = {.framed = 0.5};
	assert_int_equal(next(&w, true, 0.5, 0.05, FEW), CHAIN_NO_BETTER);
	assert_int_equal(next(&w, false, 0, 0, FEW), CHAIN_STAYS); /* for good */
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(broken_chains_call_for_copies),
		cmocka_unit_test(copies_that_help_stay),
		cmocka_unit_test(copies_that_do_not_help_are_given_up),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
