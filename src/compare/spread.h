/* Estimates how well the mean of one side is known from the spread of its intervals; private to the room. */
#ifndef COMPARE_SPREAD_H
#define COMPARE_SPREAD_H

#include <cyctop/compare.h>

/* One side, summed; not `valid` if it has no interval, no denominator, or numbers that are not finite. */
struct side {
	const struct compare_series *series;
	double num, den;       /* sums */
	double value;	       /* num / den */
	size_t num_in, den_in; /* numbers of intervals with num > 0, with den > 0 */
	bool valid;
};
struct side side_of(const struct compare_series *s);
/* Returns true if the side has enough samples. */
bool side_has_samples(const struct side *s);
/* Returns true if the side has enough samples, in enough intervals, for a spread. */
bool side_has_spread(const struct side *s);
/* Returns true if a side without a spread was seen long enough to be taken to vary like `other`, which has a spread:
 * also if `other` is many times as long. */
bool side_can_borrow(const struct side *s, const struct side *other);
/* The variance of such a side, from `variance`, that of the logarithm of the other side. */
double side_borrowed_variance(const struct side *s, const struct side *other, double variance);
/* The relative variance of `value` if its samples were independent. */
double side_sampling_variance(const struct side *s);

/* The spread of a side: variance of log(value), effective number of intervals, degrees of freedom. */
struct spread {
	double variance, effective, df;
};
/* Returns the spread of a side for which side_has_spread() is true. */
struct spread side_spread(const struct side *s);

enum { LEVELS_MAX = 16 }; /* number of lengths of batches: 1, 2, 4, ... intervals */
/* Computes the correlation of neighbouring batches on both sides together, for each length of which both sides have
 * enough batches.  Both must have a spread.  Returns the number of lengths. */
size_t side_correlations(const struct side *x, const struct side *y, double *ret /* [LEVELS_MAX] */);
/* Computes, for a side of several files, the variance of log(value) from its intervals alone, and by how much the
 * variance of one file is larger; may be below 0.  false: the side is one file. */
bool side_apart(const struct side *s, double *within_ret, double *apart_ret);
/* Noise that the rows of a table have in common. */
struct table_noise {
	double correlation[LEVELS_MAX];
	double apart; /* as in side_apart(); 0: no side has several files */
};
/* Computes the spreads of both sides, which are at least as noisy as `least`. */
void side_spreads(const struct side *x, const struct side *y, const struct table_noise *least, struct spread *spread_x,
		  struct spread *spread_y);

#endif
