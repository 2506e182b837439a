/* --budget: the rate that keeps within it. */
#include <cyctop/session.h>

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>

enum { ASKED = 800 };

static uint64_t rate(double own, double samples, uint64_t now_hz)
{
	const struct budget b = {.most = 0.01, .sample_ns = 2000, .asked_hz = ASKED};
	const struct budget_cost cost = {.own = own, .samples = samples, .cpus_n = 4};
	return budget_rate(&b, &cost, now_hz);
}

static void the_cost_has_two_parts(void **state)
{
	(void)state;
	const struct budget b = {.most = 0.01, .sample_ns = 2000};
	const struct budget_cost cost = {.own = 0.003, .samples = 10000, .cpus_n = 4};
	assert_true(fabs(budget_part(&b, &cost) - 0.008) < 1e-12); /* 10,000 samples of 2 us are 20 ms of 4 s */
}

static void it_stays_within(void **state)
{
	(void)state;
	assert_int_equal(rate(0.009, 0, ASKED), ASKED);
	assert_int_equal(rate(0.02, 0, ASKED), ASKED * 4 / 10); /* to 0.8 of the budget */
	assert_int_equal(rate(0, 40000, ASKED), ASKED * 4 / 10);
	assert_int_equal(rate(0.5, 0, ASKED), ASKED / 10); /* not by more at once */
	assert_int_equal(rate(0.5, 0, 20), 10);		   /* the least */
}

static void it_goes_back_to_the_rate_asked_for(void **state)
{
	(void)state;
	assert_int_equal(rate(0.006, 0, 200), 200); /* it would soon have to go down again */
	assert_int_equal(rate(0.004, 0, 200), 400);
	assert_int_equal(rate(0.001, 0, 200), 400); /* at most twice as high at once */
	assert_int_equal(rate(0.001, 0, 700), ASKED);
	assert_int_equal(rate(0, 0, 700), ASKED);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_cost_has_two_parts),
		cmocka_unit_test(it_stays_within),
		cmocka_unit_test(it_goes_back_to_the_rate_asked_for),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
