/* Distributions of test statistics; used only in src/compare. */
#ifndef COMPARE_DISTRIBUTION_H
#define COMPARE_DISTRIBUTION_H

#include <stdbool.h>
#include <stddef.h>

/* Returns the regularised incomplete beta function I_x(a, b), the cumulative distribution of Beta(a, b); a, b > 0. */
double beta_cdf(double x, double a, double b);
/* Returns the x in 0..1 for which beta_cdf(x, a, b) is p. */
double beta_quantile(double p, double a, double b);

/* Student's t distribution; df > 0: degrees of freedom, need not be an integer */
double t_two_sided(double t, double df); /* p-value: probability of a value at least as far from 0 as t */
double t_quantile(double p, double df);

/* Computes the distribution of Wilcoxon's signed-rank statistic: numbers 1..n get random signs, and the positive ones
 * are added up.  ret[w] is the probability that the sum is at most w, for w in 0..n(n+1)/2. */
void signed_rank_cdf(size_t n, double *ret);

#endif
