#include "base/alloc.h"
#include "base/sorted.h"
#include "compare/verdict.h"

#include <math.h>
#include <stdlib.h>

/* Computes a change if both sides have a spread: Welch's test, with Satterthwaite's degrees of freedom. */
static void change_of_spreads(const struct side *before, const struct side *after, const struct table_noise *least,
			      struct compare_change *ret)
{
	struct spread b, a;
	if (least) {
		side_spreads(before, after, least, &b, &a);
	} else {
		b = side_spread(before);
		a = side_spread(after);
	}
	double v = b.variance + a.variance;
	double parts = b.variance * b.variance / b.df + a.variance * a.variance / a.df;
	double df = parts > 0 ? v * v / parts : b.df + a.df;
	*ret = change_unknown(CHANGE_OK);
	ret->effective = b.effective < a.effective ? b.effective : a.effective;
	change_fill(ret, log(after->value / before->value), sqrt(v), df);
}

/* Computes a change if only one side has a spread; the other side is assumed to vary alike. */
static void change_of_one_spread(const struct side *before, const struct side *after, bool before_borrows,
				 struct compare_change *ret)
{
	const struct side *without = before_borrows ? before : after, *with = before_borrows ? after : before;
	if (!side_has_samples(without)) {
		change_bounded(before, after, before_borrows, ret);
		return;
	}
	struct spread s = side_spread(with);
	double variance = s.variance + side_borrowed_variance(without, with, s.variance);
	*ret = change_unknown(CHANGE_OK);
	ret->borrowed = true;
	ret->effective = s.effective;
	change_fill(ret, log(after->value / before->value), sqrt(variance), s.df);
}

void change_untested(const struct side *before, const struct side *after, struct compare_change *ret)
{
	bool samples = side_has_samples(before) && side_has_samples(after);
	*ret = change_unknown(!(before->num > 0)  ? CHANGE_NEW
			      : !(after->num > 0) ? CHANGE_VANISHED
			      : samples		  ? CHANGE_FEW_INTERVALS
						  : CHANGE_FEW_SAMPLES);
	if (before->num > 0 && after->num > 0) {
		double log_change = log(after->value / before->value);
		double error = sqrt(side_sampling_variance(before) + side_sampling_variance(after));
		ret->change = change_factor(log_change);
		ret->low = change_factor(log_change - 1.959964 * error);
		ret->high = change_factor(log_change + 1.959964 * error);
	}
}

/* Computes the change of a row.  `least`: see side_spreads(); NULL: noise is estimated from the row alone. */
static void change_of(const struct compare_series *before, const struct compare_series *after,
		      const struct table_noise *least, struct compare_change *ret)
{
	struct side b = side_of(before), a = side_of(after);
	if (!b.valid || !a.valid || !(b.num > 0 || a.num > 0)) {
		*ret = change_unknown(CHANGE_NONE);
		return;
	}
	bool spread_b = side_has_spread(&b), spread_a = side_has_spread(&a);
	if (spread_b && spread_a)
		change_of_spreads(&b, &a, least, ret);
	else if (spread_a && side_can_borrow(&b, &a))
		change_of_one_spread(&b, &a, true, ret);
	else if (spread_b && side_can_borrow(&a, &b))
		change_of_one_spread(&b, &a, false, ret);
	else
		change_untested(&b, &a, ret);
}

void compare_change(const struct compare_series *before, const struct compare_series *after, struct compare_change *ret)
{
	change_of(before, after, NULL, ret);
}

/* Sets ret[level], for each batch length (2^level intervals), to the upper quartile over all rows of the correlation
 * between neighbouring batches. */
static void table_correlations(const struct compare_series *before, const struct compare_series *after, size_t n,
			       double *ret)
{
	double *rows = mem_calloc(n, LEVELS_MAX * sizeof(*rows)); /* [level * n + row] */
	size_t rows_n[LEVELS_MAX] = {0};
	for (size_t i = 0; i < n; i++) {
		struct side b = side_of(&before[i]), a = side_of(&after[i]);
		double of_row[LEVELS_MAX];
		size_t levels = side_has_spread(&b) && side_has_spread(&a) ? side_correlations(&b, &a, of_row) : 0;
		for (size_t level = 0; level < levels; level++)
			rows[level * n + rows_n[level]++] = of_row[level];
	}
	for (size_t level = 0; level < LEVELS_MAX; level++) {
		sort_values(rows + level * n, rows_n[level]);
		ret[level] = rows_n[level] ? rows[level * n + rows_n[level] * 3 / 4] : 0;
	}
	free(rows);
}

/* Variances of a row on a side of several files: within files; additional variance of one file (side_apart()). */
struct apart {
	double within, of_one;
};

static int by_within(const void *pa, const void *pb)
{
	const struct apart *a = pa, *b = pb;
	return a->within < b->within ? -1 : a->within > b->within;
}

/* Returns how much more a table's files differ than their intervals predict, as variance of log(value): the upper
 * quartile over the rows with the smallest variance within files.  A single row is not enough: a few files may look
 * alike by chance. */
static double table_apart(const struct compare_series *before, const struct compare_series *after, size_t n)
{
	enum { KNOWN_MIN = 16 };
	struct apart *rows = mem_calloc(2 * n + 1, sizeof(*rows));
	size_t rows_n = 0;
	for (size_t i = 0; i < n; i++) {
		const struct side sides[] = {side_of(&before[i]), side_of(&after[i])};
		for (size_t k = 0; k < ARRAY_LEN(sides); k++)
			if (side_has_spread(&sides[k]))
				rows_n += side_apart(&sides[k], &rows[rows_n].within, &rows[rows_n].of_one);
	}
	qsort(rows, rows_n, sizeof(*rows), by_within);
	size_t known = rows_n / 4 > KNOWN_MIN ? rows_n / 4 : rows_n < KNOWN_MIN ? rows_n : KNOWN_MIN;
	double *of_one = mem_calloc(known + 1, sizeof(*of_one));
	for (size_t i = 0; i < known; i++)
		of_one[i] = rows[i].of_one;
	sort_values(of_one, known);
	double ret = known ? fmax(of_one[known * 3 / 4], 0) : 0;
	free(of_one);
	free(rows);
	return ret;
}

void compare_rows(const struct compare_series *before, const struct compare_series *after, size_t n,
		  struct compare_change *ret)
{
	struct table_noise least = {.apart = table_apart(before, after, n)};
	table_correlations(before, after, n, least.correlation);
	for (size_t i = 0; i < n; i++)
		change_of(&before[i], &after[i], &least, &ret[i]);
}
