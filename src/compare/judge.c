#include "base/alloc.h"
#include "base/sorted.h"
#include "compare/verdict.h"

#include <stdlib.h>

/* Returns how many of `m` sorted p-values are discoveries after Benjamini and Hochberg: the largest k for which the
 * k-th smallest is at most fdr * k / m. */
static size_t discoveries(const double *p, size_t m, double fdr)
{
	for (size_t k = m; k > 0; k--)
		if (p[k - 1] <= fdr * (double)k / (double)m)
			return k;
	return 0;
}

struct compare_summary compare_judge(struct compare_change *changes, size_t n, double fdr, double min_change)
{
	struct compare_summary ret = {0};
	double *values = mem_calloc(n, sizeof(*values));
	for (size_t i = 0; i < n; i++)
		if (changes[i].tested)
			values[ret.tested++] = changes[i].p;
	sort_values(values, ret.tested);
	size_t found = discoveries(values, ret.tested, fdr);
	if (ret.tested)
		ret.threshold = found ? values[found - 1] : 0;
	/* for compare_change.smallest: the threshold for the p-value of one more real change */
	double next = ret.tested ? fdr * (double)(found < ret.tested ? found + 1 : found) / (double)ret.tested : 0;
	for (size_t i = 0; i < n; i++) {
		struct compare_change *c = &changes[i];
		bool large = c->change >= 1 + min_change || c->change <= 1 - min_change;
		c->real = c->tested && found && c->p <= ret.threshold && large;
		ret.real += c->real;
		if (!c->tested)
			continue;
		c->smallest = change_smallest(c->error, c->df, next);
		if (c->smallest < 1 + min_change)
			c->smallest = 1 + min_change;
	}
	size_t spreads = 0;
	for (size_t i = 0; i < n; i++)
		if (changes[i].effective > 0)
			values[spreads++] = changes[i].effective;
	sort_values(values, spreads);
	if (spreads)
		ret.effective = sorted_median(values, spreads);
	ret.low_sensitivity = spreads && ret.effective < COMPARE_EFFECTIVE_MIN;
	free(values);
	return ret;
}
