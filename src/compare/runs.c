#include "base/alloc.h"
#include "compare/distribution.h"
#include "base/sorted.h"
#include "compare/verdict.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
	T_PAIRS_MIN = 2,
	RANK_PAIRS_MIN = 8,
	RANK_PAIRS_MAX = 500, /* further pairs are ignored, as time grows with the cube of their number */
};

static void compare_by_t(const double *logs, size_t n, struct compare_change *ret)
{
	double mean = 0, squares = 0;
	for (size_t i = 0; i < n; i++)
		mean += logs[i] / (double)n;
	for (size_t i = 0; i < n; i++)
		squares += (logs[i] - mean) * (logs[i] - mean);
	change_fill(ret, mean, sqrt(squares / (double)(n - 1) / (double)n), (double)(n - 1));
}

/* Returns the sorted Walsh averages: the means of all pairs of values, including each value with itself.  The caller
 * frees them. */
static double *walsh_averages(const double *values, size_t n)
{
	double *ret = mem_calloc(n * (n + 1) / 2, sizeof(*ret));
	size_t m = 0;
	for (size_t i = 0; i < n; i++)
		for (size_t j = i; j < n; j++)
			ret[m++] = (values[i] + values[j]) / 2;
	sort_values(ret, m);
	return ret;
}

/* Returns the p-value of the signed-rank test.  Its statistic, the sum of the ranks of positive values, equals the
 * number of Walsh averages above 0; an average of 0 counts half. */
static double rank_p(const double *averages, size_t m, const double *cdf)
{
	double above = 0;
	for (size_t i = 0; i < m; i++)
		above += averages[i] > 0 ? 1 : averages[i] < 0 ? 0 : 0.5;
	double smaller = above < (double)m - above ? above : (double)m - above;
	double p = 2 * cdf[(size_t)ceil(smaller)];
	return p < 1 ? p : 1;
}

static void compare_by_ranks(const double *logs, size_t n, struct compare_change *ret)
{
	size_t m = n * (n + 1) / 2, outside = 0;
	double *averages = walsh_averages(logs, n), *cdf = mem_calloc(m + 1, sizeof(*cdf));
	signed_rank_cdf(n, cdf);
	while (cdf[outside] <= 0.025)
		outside++;
	outside--; /* now: number of averages below, and above, the confidence interval */
	double middle = sorted_median(averages, m);
	double low = averages[outside], high = averages[m - 1 - outside];
	double df = (double)(n - 1), error = (high - low) / 2 / t_quantile(0.975, df);
	change_fill(ret, middle, error, df);
	ret->low = exp(low);
	ret->high = exp(high);
	ret->p = rank_p(averages, m, cdf);
	free(averages);
	free(cdf);
}

enum runs_method compare_runs(const double *a, const double *b, size_t n, struct compare_change *ret)
{
	double *logs = mem_calloc(n, sizeof(*logs));
	size_t pairs = 0;
	for (size_t i = 0; i < n && pairs < RANK_PAIRS_MAX; i++)
		if (isfinite(a[i]) && isfinite(b[i]) && a[i] > 0 && b[i] > 0)
			logs[pairs++] = log(b[i]) - log(a[i]);
	enum runs_method method = pairs < T_PAIRS_MIN ? RUNS_NONE : pairs < RANK_PAIRS_MIN ? RUNS_T : RUNS_SIGNED_RANK;
	*ret = change_unknown(!pairs ? CHANGE_NONE : method == RUNS_NONE ? CHANGE_FEW_INTERVALS : CHANGE_OK);
	if (method == RUNS_NONE && pairs)
		ret->change = exp(logs[0]);
	else if (method == RUNS_T)
		compare_by_t(logs, pairs, ret);
	else if (method == RUNS_SIGNED_RANK)
		compare_by_ranks(logs, pairs, ret);
	ret->effective = (double)pairs;
	free(logs);
	return method;
}

struct runs_middle compare_middle(const double *values, size_t n)
{
	struct runs_middle ret = {.known = n > 0, .has_interval = n >= T_PAIRS_MIN};
	for (size_t i = 0; i < n; i++) {
		ret.value += values[i] / (double)n;
		ret.has_interval &= values[i] > 0;
	}
	if (!ret.has_interval)
		return ret;
	struct compare_change c;
	double *first = mem_calloc(n, sizeof(*first)); /* [run]: the first value, with which each run is compared */
	for (size_t i = 0; i < n; i++)
		first[i] = values[0];
	compare_runs(first, values, n, &c);
	free(first);
	ret.value = values[0] * c.change;
	ret.low = values[0] * c.low;
	ret.high = values[0] * c.high;
	return ret;
}

double compare_far(const double *values, size_t n, double *far_ret)
{
	/* with fewer standard deviations, every fifth command with few runs would have an outlier by chance */
	static const double sigmas = 8, sigma = 1.4826, least = 0.05;
	double *sorted = mem_calloc(n, sizeof(*sorted));
	memcpy(sorted, values, n * sizeof(*sorted));
	sort_values(sorted, n);
	double middle = sorted_median(sorted, n);
	for (size_t i = 0; i < n; i++)
		sorted[i] = fabs(values[i] - middle);
	sort_values(sorted, n);
	*far_ret = fmax(sigmas * sigma * sorted_median(sorted, n), least * middle);
	free(sorted);
	return middle;
}
