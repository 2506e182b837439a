/* Bounds the change of a row that has few samples, or none, on one side: neither the logarithm nor the spread of its
 * value can be computed there.  The other side tells how many samples are due if nothing has changed, and how clustered
 * samples are: all counts are divided by `cluster`, the ratio of the variance to the variance of independent samples.
 *
 * If nothing has changed, the number of samples on the side with few is binomial: of all samples, the fraction due /
 * (due + rest) is expected there.  The distribution function is the incomplete beta function, which also takes
 * fractional counts.  A test by the spread itself has to agree, because the steep tail of the binomial distribution
 * would give more certainty than a few effective intervals support. */
#include "compare/distribution.h"
#include "compare/verdict.h"

#include <math.h>

struct counts {
	double few, due; /* numbers of samples on the side with few: seen; due if nothing changed */
	double rest;	 /* number of samples on the other side */
	double cluster;
};

/* Counts the samples of both sides.  If the side with few has none, a sample is assumed to weigh as much as on the
 * other side or, if that is more, as in other rows of this side: the kernel may have lengthened the sampling period
 * here, so that a row gets fewer samples. */
static struct counts count(const struct side *few, const struct side *rest, const struct spread *spread)
{
	const struct compare_series *f = few->series, *r = rest->series;
	double n = (double)r->num_samples, seen = (double)f->num_samples;
	double weight = f->num_samples && few->num > 0 ? few->num / seen : fmax(rest->num / n, f->num_weight);
	/* the variance is an estimate: widens it by the ratio of t's quantile to the normal distribution's */
	double tail = t_quantile(0.975, spread->df) / 1.959964;
	double variance = spread->variance * tail * tail;
	if (f->den_samples)
		variance += 1 / (double)f->den_samples;
	double cluster = variance * n > 1 ? variance * n : 1;
	if (few->num_in && seen / (double)few->num_in > cluster)
		cluster = seen / (double)few->num_in;
	return (struct counts){
		.few = seen / cluster,
		.due = rest->value * few->den / weight / cluster,
		.rest = n / cluster,
		.cluster = cluster,
	};
}

static double p_of_counts(const struct counts *c)
{
	double part = c->due / (c->due + c->rest); /* expected fraction of the side with few samples */
	double so_few = beta_cdf(1 - part, c->rest, c->few + 1);
	double so_many = c->few > 0 ? beta_cdf(part, c->few, c->rest + 1) : 1;
	double p = 2 * (so_few < so_many ? so_few : so_many);
	return p < 1 ? p : 1;
}

/* Returns the p-value of the difference between both sides' values, tested by the spread of the side with many
 * samples. */
static double p_of_spread(const struct side *few, const struct side *rest, const struct spread *spread)
{
	/* the side with few samples, but with the other side's value: as if nothing had changed */
	struct side same = *few;
	same.value = rest->value;
	double error = sqrt(spread->variance + side_borrowed_variance(&same, rest, spread->variance));
	return error > 0 ? t_two_sided((1 - few->value / rest->value) / error, spread->df) : 0;
}

void change_bounded(const struct side *before, const struct side *after, bool few_before, struct compare_change *ret)
{
	const struct side *few = few_before ? before : after, *rest = few_before ? after : before;
	struct spread spread = side_spread(rest);
	struct counts c = count(few, rest, &spread);
	bool none = !(few->num > 0);
	*ret = change_unknown(!none ? CHANGE_BOUNDED : few_before ? CHANGE_NEW : CHANGE_VANISHED);
	if (!(c.due > 0) || !isfinite(c.due))
		return;
	/* Limits of a 95 % confidence interval of the ratio other side / this side.  At one limit, `few` or fewer
	 * samples have a probability of 2.5 %; at the other, `few` or more. */
	double x = beta_quantile(0.025, c.rest, c.few + 1), low = x / (1 - x) * c.due / c.rest, high = INFINITY;
	if (c.few > 0) {
		x = beta_quantile(0.025, c.few, c.rest + 1);
		high = x > 0 ? (1 - x) / x * c.due / c.rest : INFINITY;
	}
	ret->borrowed = true;
	if (!none)
		ret->change = after->value / before->value;
	ret->low = few_before ? low : 1 / high;
	ret->high = few_before ? high : 1 / low;
	ret->effective = spread.effective;
	ret->df = spread.df;
	ret->error = sqrt(1 / (c.few + 0.5) + 1 / c.rest);
	ret->smallest = change_smallest(ret->error, ret->df, 0.05);
	double p = p_of_counts(&c), q = p_of_spread(few, rest, &spread);
	ret->p = p > q ? p : q;
	ret->tested = true;
}
