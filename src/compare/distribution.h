/* Distributions of test statistics, private to the room. */
#ifndef COMPARE_DISTRIBUTION_H
#define COMPARE_DISTRIBUTION_H

#include <stdbool.h>
#include <stddef.h>

/* The regularised incomplete beta function I_x(a, b), a and b above 0: the distribution of Beta(a, b). */
double beta_cdf(double x, double a, double b);
/* Returns the x in 0..1 with beta_cdf(x, a, b) = p. */
double beta_quantile(double p, double a, double b);

/* Student's t distribution with `df` degrees of freedom, above 0 and not necessarily whole. */
double t_two_sided(double t, double df); /* two-sided p: probability of a value at least as far from 0 as t */
double t_quantile(double p, double df);

/* Computes the distribution of Wilcoxon's signed-rank statistic, the sum of the ranks of the positive ones among `n`
 * numbers with random signs: ret[w] is the probability that the sum is at most w, for w in 0..n(n+1)/2. */
void signed_rank_cdf(size_t n, double *ret);

#endif
