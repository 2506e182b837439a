/* Distributions, and the comparison of runs, against tables and textbooks. */
#include "compare/distribution.h"

#include <cyctop/compare.h>

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>

static bool near(double value, double wanted, double most)
{
	return fabs(value - wanted) <= most;
}

static void t_is_that_of_tables(void **state)
{
	(void)state;
	static const struct {
		double p, df, t;
	} rows[] = {
		{0.975, 1, 12.7062},  {0.975, 2, 4.30265},  {0.975, 5, 2.57058},   {0.975, 10, 2.22814},
		{0.975, 30, 2.04227}, {0.995, 4, 4.60409},  {0.9995, 20, 3.84952}, {0.95, 7, 1.89458},
		{0.8, 8, 0.888890},   {0.025, 5, -2.57058}, {0.975, 1e6, 1.95997},
	};
	for (size_t i = 0; i < ARRAY_LEN(rows); i++)
		assert_true(near(t_quantile(rows[i].p, rows[i].df), rows[i].t, 2e-5 * fabs(rows[i].t)));
	assert_true(near(t_two_sided(2, 10), 0.073388, 1e-6));
	assert_true(near(t_two_sided(-2, 10), 0.073388, 1e-6));
	assert_true(near(t_two_sided(12.7062, 1), 0.05, 1e-6));
	assert_true(near(t_two_sided(0, 3), 1, 1e-12));
	/* between whole degrees of freedom */
	double t = t_quantile(0.975, 7.5);
	assert_true(t < t_quantile(0.975, 7) && t > t_quantile(0.975, 8));
	/* far out, where table-wide tests look */
	assert_true(near(t_two_sided(t_quantile(1 - 5e-10, 3), 3) / 1e-9, 1, 1e-3));
	assert_true(isinf(t_quantile(1, 3)));
}

static void beta_is_the_binomial_distribution(void **state)
{
	(void)state;
	assert_true(near(beta_cdf(0.5, 2, 3), 0.6875, 1e-12));
	/* at most 4 of 20 with 0.3 each */
	assert_true(near(beta_cdf(0.7, 16, 5), 0.237508, 1e-6));
	/* none of 20 */
	assert_true(near(beta_cdf(0.5, 20, 1) / pow(0.5, 20), 1, 1e-9));
	assert_true(near(beta_cdf(0.5, 50000, 50000), 0.5, 1e-6));
	assert_true(beta_cdf(0, 2, 3) == 0 && beta_cdf(1, 2, 3) == 1 && beta_cdf(-1, 2, 3) == 0);
	assert_true(near(beta_quantile(0.025, 20, 1), pow(0.025, 1 / 20.0), 1e-9));
	assert_true(near(beta_quantile(0.6875, 2, 3), 0.5, 1e-9));
}

static void signed_ranks_are_those_of_tables(void **state)
{
	(void)state;
	double cdf[211];
	signed_rank_cdf(3, cdf);
	static const double three[] = {1, 2, 3, 5, 6, 7, 8};
	for (size_t w = 0; w < ARRAY_LEN(three); w++)
		assert_true(near(cdf[w], three[w] / 8, 1e-12));
	signed_rank_cdf(8, cdf);
	assert_true(near(cdf[3], 5 / 256.0, 1e-12) && near(cdf[4], 7 / 256.0, 1e-12));
	signed_rank_cdf(10, cdf);
	assert_true(near(cdf[8], 25 / 1024.0, 1e-12) && near(cdf[55], 1, 1e-12));
	signed_rank_cdf(20, cdf);
	assert_true(cdf[52] <= 0.025 && cdf[53] > 0.025);
}

/* Hollander and Wolfe, Nonparametric Statistical Methods: Hamilton's scale before and after a drug. */
static void ranks_of_a_textbook(void **state)
{
	(void)state;
	static const double before[] = {1.83, 0.50, 1.62, 2.48, 1.68, 1.88, 1.55, 3.06, 1.30};
	static const double after[] = {0.878, 0.647, 0.598, 2.05, 1.06, 1.29, 1.06, 3.14, 1.29};
	double a[9], b[9];
	for (int i = 0; i < 9; i++) { /* the book has differences, runs have ratios */
		a[i] = exp(before[i]);
		b[i] = exp(after[i]);
	}
	struct compare_change c;
	assert_int_equal(compare_runs(a, b, 9, &c), RUNS_SIGNED_RANK);
	assert_true(near(log(c.change), -0.46, 1e-9));
	assert_true(near(log(c.low), -0.786, 1e-9) && near(log(c.high), -0.010, 1e-9));
	assert_true(near(c.p, 2 * 0.01953, 1e-4));
	assert_true(c.tested && c.state == CHANGE_OK);
}

static void few_runs_are_compared_by_t(void **state)
{
	(void)state;
	/* log ratios of 0.1, 0.2, 0.3: mean 0.2, standard error 0.1 / sqrt(3) */
	double a[4] = {1, 2, 3, 4}, b[4] = {exp(0.1), 2 * exp(0.2), 3 * exp(0.3), 0};
	struct compare_change c;
	assert_int_equal(compare_runs(a, b, 4, &c), RUNS_T); /* the last pair has nothing */
	assert_true(near(log(c.change), 0.2, 1e-9) && near(c.df, 2, 0) && near(c.effective, 3, 0));
	assert_true(near(log(c.high), 0.2 + 4.30265 * 0.1 / sqrt(3), 1e-5));
	assert_true(near(c.p, t_two_sided(2 * sqrt(3), 2), 1e-9));
	assert_int_equal(compare_runs(a, b, 1, &c), RUNS_NONE);
	assert_true(near(c.change, exp(0.1), 1e-9) && c.low == 0 && isinf(c.high) && !c.tested && c.p == 1);
	assert_int_equal(compare_runs(a, b, 0, &c), RUNS_NONE);
	assert_true(c.state == CHANGE_NONE && c.change == 1);
	double bad[3] = {NAN, INFINITY, -1};
	assert_int_equal(compare_runs(bad, a, 3, &c), RUNS_NONE);
	assert_int_equal(c.state, CHANGE_NONE);
}

static void runs_that_do_not_differ(void **state)
{
	(void)state;
	double a[600];
	for (int i = 0; i < 600; i++)
		a[i] = 1 + i % 3;
	struct compare_change c;
	for (size_t n = 2; n <= 600; n += 299) {
		compare_runs(a, a, n, &c);
		assert_true(c.change == 1 && c.low == 1 && c.high == 1 && c.p == 1);
		assert_int_equal(compare_judge(&c, 1, 0.05, 0.01).real, 0);
	}
}

/* One outlier decides nothing from 8 pairs on. */
static void an_outlier_among_ranks(void **state)
{
	(void)state;
	double a[12], b[12];
	for (int i = 0; i < 12; i++) {
		a[i] = 1;
		b[i] = 1.05 + 0.001 * i;
	}
	b[7] = 9;
	struct compare_change c;
	compare_runs(a, b, 12, &c);
	assert_true(c.change > 1.05 && c.change < 1.06 && c.low > 1.04 && c.high < 1.07);
	assert_int_equal(compare_judge(&c, 1, 0.05, 0.01).real, 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(t_is_that_of_tables),
		cmocka_unit_test(beta_is_the_binomial_distribution),
		cmocka_unit_test(signed_ranks_are_those_of_tables),
		cmocka_unit_test(ranks_of_a_textbook),
		cmocka_unit_test(few_runs_are_compared_by_t),
		cmocka_unit_test(runs_that_do_not_differ),
		cmocka_unit_test(an_outlier_among_ranks),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
