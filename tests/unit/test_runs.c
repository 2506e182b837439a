/* The variance of a weight from the runs of its samples. */
#include "model/runs.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

static bool near(double value, double wanted, double part)
{
	return fabs(value - wanted) <= part * wanted;
}

/* `n` of 1000 samples of weight 1; the correlation of samples falls by a factor of 1 - u. */
static struct runs of(double n, double u)
{
	double share = n / 1000, edges = 2 * n * (1 - share) * u;
	return (struct runs){
		.var = n,
		.edges = edges,
		.far = edges * (2 - u),
		.share = share,
		.random = n * (1 - share),
		.unit = 1,
		.running = 1,
	};
}

static void long_runs_err_at_their_ends_alone(void **state)
{
	(void)state;
	/* 400 samples in 20 runs: 40 ends of 1/12 each, and those that the window cuts */
	struct runs r = of(400, 0);
	r.edges = 40;
	r.far = 80;
	assert_true(near(runs_variance(&r), 40 / 12.0, 0.1));
	/* samples on their own: 240 */
	r.edges = r.far = 2 * r.var;
	assert_true(runs_variance(&r) == r.random);
}

static void samples_without_order_are_independent(void **state)
{
	(void)state;
	for (double n = 1; n < 1000; n *= 2) {
		struct runs r = of(n, 1);
		r.edges = r.far = 2 * r.var;
		assert_true(runs_variance(&r) == r.random);
	}
}

/* The sum over regular samples against the integral, for exponentially falling correlation. */
static void turns_in_between_follow_the_formula(void **state)
{
	(void)state;
	double last = 0;
	for (double u = 0.05; u < 0.95; u += 0.05) {
		struct runs r = of(300, u);
		double a = -log(1 - u), wanted = r.random * (1 / tanh(a / 2) - 2 / a);
		assert_true(near(runs_variance(&r), wanted, 0.15));
		assert_true(runs_variance(&r) > last);
		last = runs_variance(&r);
	}
	struct runs fast = of(300, 1);
	fast.far *= 0.999; /* some belong together by chance */
	assert_in_range((uint64_t)runs_variance(&fast), (uint64_t)(0.8 * fast.random), (uint64_t)fast.random);
}

/* Functions that change at random within long slices: far samples differ no more than neighbours. */
static void slices_do_not_hide_what_is_random_in_them(void **state)
{
	(void)state;
	struct runs slices = of(300, 0.4), turns = slices;
	slices.far = slices.edges;
	assert_true(runs_variance(&slices) > 3 * runs_variance(&turns));
	assert_true(near(runs_variance(&slices), 0.8 * slices.edges / 2, 0.2));
}

static void sums_of_facts_are_bounded_by_chance(void **state)
{
	(void)state;
	struct runs r = of(600, 1); /* a process whose many functions take turns, so that no two neighbours are one's */
	r.edges = 2 * r.var;
	r.far = r.edges * 0.99;
	assert_true(runs_variance(&r) <= r.random);
}

static void time_off_the_counter_adds(void **state)
{
	(void)state;
	struct runs r = of(300, 0.05), off = r;
	off.running = 0.5;
	off.gap = 8;
	/* Where there is no counter, ends are uncertain by 8 periods, each of which stands for half of its weight:
	 * half of the ends that there are were seen, so to say, each for two. */
	double ratio = runs_variance(&off) / runs_variance(&r);
	assert_true(ratio > 1 + 8 * 8 / 4.0 / 2 && ratio < 1 + 8 * 8 / 2.0);
	off.running = 0.999;
	off.gap = 0.001;
	assert_true(near(runs_variance(&off), runs_variance(&r), 0.01));
}

static void no_input_gives_nonsense(void **state)
{
	(void)state;
	static const double values[] = {0, 1e-300, 0.5, 1, 7, 1e30, 3e38};
	for (size_t i = 0; i < sizeof(values) / sizeof(values[0]); i++)
		for (size_t k = 0; k < sizeof(values) / sizeof(values[0]); k++)
			for (int s = 0; s <= 2; s++) {
				struct runs r = {.var = 1e9,
						 .edges = values[i],
						 .far = values[k],
						 .share = s / 2.0,
						 .random = 1e9 * (1 - s / 2.0),
						 .unit = 1,
						 .running = 0.25,
						 .gap = 100};
				double v = runs_variance(&r);
				assert_true(v >= 0 && isfinite(v));
			}
	struct runs none = {.running = 1};
	assert_true(runs_variance(&none) == 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(long_runs_err_at_their_ends_alone),
		cmocka_unit_test(samples_without_order_are_independent),
		cmocka_unit_test(turns_in_between_follow_the_formula),
		cmocka_unit_test(slices_do_not_hide_what_is_random_in_them),
		cmocka_unit_test(sums_of_facts_are_bounded_by_chance),
		cmocka_unit_test(time_off_the_counter_adds),
		cmocka_unit_test(no_input_gives_nonsense),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
