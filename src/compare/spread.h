/* Private to the room: how well the mean of one side is known from the spread of its intervals. */
#ifndef COMPARE_SPREAD_H
#define COMPARE_SPREAD_H

#include <cyctop/compare.h>

/* One side, summed.  Not `valid`: it has no interval, no denominator, or numbers that are none. */
struct side {
	const struct compare_series *series;
	double num, den;       /* sums */
	double value;	       /* num / den */
	size_t num_in, den_in; /* intervals with num, with den */
	bool valid;
};
struct side side_of(const struct compare_series *s);
/* Are there enough samples? */
bool side_has_samples(const struct side *s);
/* Are there enough samples, in enough intervals, for a spread? */
bool side_has_spread(const struct side *s);
/* Of a side without a spread: was it seen long enough, beside `other`, which has a spread, to be taken to vary as that
 * one does?  It is long enough, too, if the other one has many stretches of its length. */
bool side_can_borrow(const struct side *s, const struct side *other);
/* The variance of such a side, by that of the other one's logarithm. */
double side_borrowed_variance(const struct side *s, const struct side *other, double variance);
/* The relative variance of `value` by its samples alone, were they independent. */
double side_sampling_variance(const struct side *s);

/* `variance` is that of log(value). */
struct spread {
	double variance, effective, df;
};
/* Of a side that has one. */
struct spread side_spread(const struct side *s);

enum { LEVELS_MAX = 16 }; /* batches of 1, 2, 4, ... intervals */
/* The correlation of neighbouring batches, of both sides together, of each length of which both have enough.  Both have
 * a spread.  Returns the number of lengths. */
size_t side_correlations(const struct side *x, const struct side *y, double *ret /* [LEVELS_MAX] */);
/* Of a side of several stretches: the variance of log(value) by its intervals alone, and by how much that of one
 * stretch is larger; may be below 0.  false: it is one stretch. */
bool side_apart(const struct side *s, double *within_ret, double *apart_ret);
/* What the rows of a table have in common. */
struct table_noise {
	double correlation[LEVELS_MAX];
	double apart; /* of side_apart(); 0: no side has several stretches */
};
/* The spreads of both sides, which are at least as noisy as `least`. */
void side_spreads(const struct side *x, const struct side *y, const struct table_noise *least, struct spread *spread_x,
		  struct spread *spread_y);

#endif
