/* Compares pairs of turns (a turn of state A and one of B) by the differences of their relative deviations.  Noise that
 * both turns of a pair share cancels out; a drift of the load averages out, because chance decides which turn comes
 * first. */
#include "compare/verdict.h"

#include <math.h>

/* Returns how far interval `i` deviates from the value of the whole side, as a fraction of the mean of `n`
 * intervals. */
static double deviation(const struct side *s, size_t i, size_t n)
{
	return (s->series->num[i] / s->num - s->series->den[i] / s->den) * (double)n;
}

void compare_paired(const struct compare_series *before, const struct compare_series *after, struct compare_change *ret)
{
	size_t n = before->n < after->n ? before->n : after->n;
	struct compare_series series[2] = {*before, *after};
	series[0].n = series[1].n = n;
	struct side b = side_of(&series[0]), a = side_of(&series[1]);
	if (!b.valid || !a.valid || !(b.num > 0 || a.num > 0)) {
		*ret = change_unknown(CHANGE_NONE);
		return;
	}
	if (!side_has_samples(&b) || !side_has_samples(&a)) {
		compare_change(&series[0], &series[1], ret);
		return;
	}
	size_t least_in = n < COMPARE_INTERVALS_MIN ? n : COMPARE_INTERVALS_MIN;
	if (n < COMPARE_PAIRS_MIN || b.num_in < least_in || a.num_in < least_in) {
		change_untested(&b, &a, ret);
		return;
	}
	double squares = 0; /* sum of squared differences, whose mean is 0, because deviations sum to 0 */
	for (size_t i = 0; i < n; i++) {
		double d = deviation(&a, i, n) - deviation(&b, i, n);
		squares += d * d;
	}
	double variance = squares / (double)(n - 1) / (double)n;
	double least = 1 / (6 * (double)series[0].num_samples * (double)series[0].num_samples) +
		       1 / (6 * (double)series[1].num_samples * (double)series[1].num_samples);
	/* turns without a sample of the row tell little about the spread: they do not count as degrees of freedom */
	size_t with = b.num_in < a.num_in ? b.num_in : a.num_in;
	*ret = change_unknown(CHANGE_OK);
	ret->effective = (double)n;
	change_fill(ret, log(a.value / b.value), sqrt(variance > least ? variance : least), (double)(with - 1));
}
