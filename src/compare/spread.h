/* Estimates how well the mean of a side is known, from the spread of its intervals; used only in src/compare. */
#ifndef COMPARE_SPREAD_H
#define COMPARE_SPREAD_H

#include <cyctop/compare.h>

/* One side of a row, summed.  `valid` is false if it has no interval or denominator, or numbers that are not finite. */
struct side {
	const struct compare_series *series;
	double num, den;       /* sums over all intervals */
	double value;	       /* num / den */
	size_t num_in, den_in; /* number of intervals with num > 0; with den > 0 */
	bool valid;
};
struct side side_of(const struct compare_series *s);
/* Returns true if the side has enough samples for a logarithm of its value. */
bool side_has_samples(const struct side *s);
/* Returns true if the side has enough samples, in enough intervals, to estimate a spread. */
bool side_has_spread(const struct side *s);
/* Returns true if side `s`, which has no spread, may use the variance of `other`: `s` is long enough to be assumed to
 * vary alike, or `other` is many times as long. */
bool side_can_borrow(const struct side *s, const struct side *other);
/* Returns the variance of log(value) of side `s`, which has no spread, from the variance of side `other`. */
double side_borrowed_variance(const struct side *s, const struct side *other, double variance);
/* Returns the relative variance that `value` would have if its samples were independent. */
double side_sampling_variance(const struct side *s);

/* How a side varies: variance of log(value), effective number of intervals, degrees of freedom of the variance. */
struct spread {
	double variance, effective, df;
};
/* Returns the spread of a side for which side_has_spread() is true. */
struct spread side_spread(const struct side *s);

enum { LEVELS_MAX = 16 }; /* number of batch lengths: 1, 2, 4, ... intervals */
/* Sets ret[level] to the correlation of neighbouring batches, over both sides, for each batch length (2^level
 * intervals) of which both sides have enough batches.  Both sides must have a spread.  Returns the number of levels. */
size_t side_correlations(const struct side *x, const struct side *y, double *ret /* [LEVELS_MAX] */);
/* Gets, for a side of several files, the variance of log(value) from its intervals alone, and by how much the variance
 * of a single file exceeds it (may be negative).  Returns false if the side is one file. */
bool side_apart(const struct side *s, double *within_ret, double *apart_ret);
/* Noise that is estimated from all rows of a table together. */
struct table_noise {
	double correlation[LEVELS_MAX];
	double apart; /* *apart_ret of side_apart(), for the table; 0: no side has several files */
};
/* Computes the spreads of both sides, with correlations and a variance between files of at least `least`. */
void side_spreads(const struct side *x, const struct side *y, const struct table_noise *least, struct spread *spread_x,
		  struct spread *spread_y);

#endif
