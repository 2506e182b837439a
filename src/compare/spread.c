/* Estimates the variance of log(num / den).  To first order it is the variance of the sum of the intervals' relative
 * deviations, u = num / mean(num) - den / mean(den).
 *
 * Neighbouring intervals are alike, because a load has phases: their correlation tells how many independent intervals
 * they are worth.  This catches phases of about an interval's length.  For longer phases, intervals are joined to
 * batches of 2, 4, ... as long as there are enough batches, and the largest variance of all batch lengths is used.
 *
 * If a side has several files ("stretches"), no batch spans two files, and each file has its own mean.  Differences
 * between files give another variance, which is used if it is larger: f / (f - 1) * sum(d * d), where each of f files
 * has d = num / sum(num) - den / sum(den).
 *
 * The correlation is the least certain part.  A whole table gives a better estimate than one row, because all rows, on
 * both sides, are assumed to have about the same correlation: that of the load's phases. */
#include "compare/spread.h"

#include "base/alloc.h"

#include <math.h>
#include <stdlib.h>

static const double correlation_max = 0.95, effective_min = 2;

/* Returns true if a sum is in the range of real counts; products and quotients of such numbers are finite. */
static bool is_sane(double sum)
{
	return sum > 1e-60 && sum < 1e60;
}

struct side side_of(const struct compare_series *s)
{
	struct side ret = {.series = s};
	for (size_t i = 0; i < s->n; i++) {
		if (!isfinite(s->num[i]) || !isfinite(s->den[i]) || s->num[i] < 0 || s->den[i] < 0)
			return ret;
		ret.num += s->num[i];
		ret.den += s->den[i];
		ret.num_in += s->num[i] > 0;
		ret.den_in += s->den[i] > 0;
	}
	ret.valid = is_sane(ret.den) && (!(ret.num > 0) || is_sane(ret.num));
	ret.value = ret.valid ? ret.num / ret.den : 0;
	return ret;
}

static bool has_whole(const struct side *s)
{
	return s->valid && (!s->series->den_samples || s->series->den_samples >= COMPARE_SAMPLES_MIN);
}

bool side_has_samples(const struct side *s)
{
	return has_whole(s) && s->num > 0 && s->series->num_samples >= COMPARE_SAMPLES_MIN;
}

bool side_has_spread(const struct side *s)
{
	return side_has_samples(s) && s->num_in >= COMPARE_INTERVALS_MIN && s->den_in >= COMPARE_INTERVALS_MIN;
}

bool side_can_borrow(const struct side *s, const struct side *other)
{
	if (!has_whole(s) || !s->den_in)
		return false;
	bool is_short = s->den_in < COMPARE_INTERVALS_MIN && other->den_in / s->den_in >= COMPARE_INTERVALS_MIN;
	if (s->series->num_samples < COMPARE_SAMPLES_MIN)
		return is_short || s->den_in >= COMPARE_INTERVALS_MIN;
	/* if many samples are in only some intervals, samples are more clustered than on the other side */
	return is_short && s->num_in == s->den_in;
}

/* Multiplies the other side's variance by the ratio of the lengths, because the variance of a mean falls at most in
 * proportion to the length; and, if this side's value is smaller, by the ratio of the values, because fewer events vary
 * more. */
double side_borrowed_variance(const struct side *s, const struct side *other, double variance)
{
	double shorter = other->den / s->den, fewer = (double)other->den_in / (double)s->den_in;
	double less = s->value > 0 && s->value < other->value ? other->value / s->value : 1;
	return variance * (shorter > fewer ? shorter : fewer) * less;
}

double side_sampling_variance(const struct side *s)
{
	const struct compare_series *of = s->series;
	double v = of->num_samples ? 1 / (double)of->num_samples : 1;
	/* a row with samples in only some intervals runs in bursts: each such interval counts as one sample */
	if (s->num_in && s->num_in < s->den_in && v < 1 / (double)s->num_in)
		v = 1 / (double)s->num_in;
	return of->den_samples ? v + 1 / (double)of->den_samples : v;
}

/* Deviations of batches (joined neighbouring intervals) from the mean of the side. */
struct batches {
	double n;	    /* number of batches */
	double stretches;   /* number of files that have batches */
	double variance;    /* variance of one batch */
	double correlation; /* correlation of a batch with the next */
};

/* Sets *first_ret to the first interval of the p-th file, and returns the end of its intervals. */
static size_t part_end(const struct compare_series *of, size_t p, size_t *first_ret)
{
	*first_ret = of->parts_n ? of->parts[p] : 0;
	return p + 1 < of->parts_n ? of->parts[p + 1] : of->n;
}

static size_t parts_of(const struct compare_series *of)
{
	return of->parts_n ? of->parts_n : 1;
}

/* Returns the number of batches of this length in all files, less one for each file after the first, whose mean costs a
 * degree of freedom. */
static size_t count_batches(const struct compare_series *of, size_t length)
{
	size_t n = 0;
	for (size_t p = 0; p < parts_of(of); p++) {
		size_t first, end = part_end(of, p, &first), batches = (end - first) / length;
		n += p && batches ? batches - 1 : batches;
	}
	return n;
}

static double mean_deviation(const struct side *s, size_t first, size_t length)
{
	const struct compare_series *of = s->series;
	double sum = 0;
	for (size_t j = first; j < first + length; j++)
		sum += of->num[j] / s->num - of->den[j] / s->den;
	return sum * (double)of->n / (double)length;
}

struct sums {
	double n, stretches;
	double squares, products; /* sums of squared deviations from the file's mean; of products of neighbours */
};

/* Adds the batches of one file, intervals [first, end), to *sums; `means`: scratch memory, an element per batch. */
static void add_stretch(const struct side *s, size_t first, size_t end, size_t length, double *means, struct sums *sums)
{
	size_t n = (end - first) / length;
	double mean = 0;
	for (size_t i = 0; i < n; i++) {
		means[i] = mean_deviation(s, first + i * length, length);
		mean += means[i] / (double)n;
	}
	for (size_t i = 0; i < n; i++) {
		sums->squares += (means[i] - mean) * (means[i] - mean);
		if (i)
			sums->products += (means[i] - mean) * (means[i - 1] - mean);
	}
	sums->n += (double)n;
	sums->stretches += n > 0;
}

static struct batches batches_of(const struct side *s, size_t length)
{
	const struct compare_series *of = s->series;
	double *means = mem_calloc(of->n / length + 1, sizeof(*means));
	struct sums sums = {0};
	for (size_t p = 0; p < parts_of(of); p++) {
		size_t first, end = part_end(of, p, &first);
		add_stretch(s, first, end, length, means, &sums);
	}
	free(means);
	double q = sums.squares > 0 ? sums.products / sums.squares : 0;
	return (struct batches){
		.n = sums.n,
		.stretches = sums.stretches,
		.variance = sums.squares / (sums.n - sums.stretches),
		/* correction for bias: a short series looks less correlated than it is */
		.correlation = q + (1 + 3 * q) * sums.stretches / sums.n,
	};
}

static struct spread spread_of(const struct batches *b, double correlation)
{
	double q = correlation < 0 ? 0 : correlation > correlation_max ? correlation_max : correlation;
	double effective = b->n * (1 - q) / (1 + q);
	if (effective < effective_min)
		effective = effective_min;
	double df = effective - b->stretches;
	return (struct spread){.variance = b->variance / effective, .effective = effective, .df = df > 1 ? df : 1};
}

/* Raises the variance to at least the part that is due to the two ends of the time range: even if the load is perfectly
 * regular, each end cuts a sampling period, which has a variance of 1/12 of a sample's square. */
static void add_ends(const struct side *s, struct spread *spread)
{
	double samples = (double)s->series->num_samples, least = samples > 0 ? 1 / (6 * samples * samples) : 0;
	if (spread->variance < least)
		spread->variance = least;
}

/* Returns the variance of log(value) from the differences between the two or more files of a side. */
static double variance_of_parts(const struct side *s)
{
	const struct compare_series *of = s->series;
	double squares = 0, n = (double)of->parts_n;
	for (size_t p = 0; p < of->parts_n; p++) {
		size_t first, end = part_end(of, p, &first);
		double d = 0;
		for (size_t i = first; i < end; i++)
			d += of->num[i] / s->num - of->den[i] / s->den;
		squares += d * d;
	}
	return squares * n / (n - 1);
}

/* Adds the variance between files: the table's (`apart`, with `df` degrees of freedom); or uses this side's variance
 * between files if it is larger. */
static void add_parts(const struct side *s, double apart, size_t df, struct spread *spread)
{
	bool several = s->series->parts_n >= 2;
	double parts_df = several ? (double)(s->series->parts_n - 1) : (double)df;
	double own = several ? variance_of_parts(s) : 0, within = spread->variance;
	double between = apart / (double)parts_of(s->series);
	if (own > within + between) {
		spread->variance = own;
		spread->df = parts_df;
	} else if (between > 0) {
		spread->variance = within + between;
		spread->df = spread->variance * spread->variance /
			     (within * within / spread->df + between * between / parts_df);
	}
}

static bool can_join(const struct side *s, size_t length)
{
	return count_batches(s->series, length) >= COMPARE_INTERVALS_MIN;
}

/* Estimates the spread of a side from its intervals alone. */
static struct spread spread_of_intervals(const struct side *s)
{
	struct spread ret = {0};
	for (size_t length = 1; can_join(s, length); length *= 2) {
		struct batches b = batches_of(s, length);
		struct spread now = spread_of(&b, b.correlation);
		if (length == 1 || now.variance > ret.variance)
			ret = now;
	}
	add_ends(s, &ret);
	return ret;
}

struct spread side_spread(const struct side *s)
{
	struct spread ret = spread_of_intervals(s);
	add_parts(s, 0, 1, &ret);
	return ret;
}

static size_t further_parts(const struct side *s)
{
	return s->series->parts_n >= 2 ? s->series->parts_n - 1 : 1;
}

bool side_apart(const struct side *s, double *within_ret, double *apart_ret)
{
	if (s->series->parts_n < 2)
		return false;
	*within_ret = spread_of_intervals(s).variance;
	*apart_ret = (variance_of_parts(s) - *within_ret) * (double)s->series->parts_n;
	return true;
}

/* Returns the mean correlation of batches on both sides, whose loads are assumed to have the same correlation. */
static double common_correlation(const struct batches *x, const struct batches *y)
{
	return (x->correlation * x->n + y->correlation * y->n) / (x->n + y->n);
}

size_t side_correlations(const struct side *x, const struct side *y, double *ret)
{
	size_t level = 0;
	for (; level < LEVELS_MAX && can_join(x, (size_t)1 << level) && can_join(y, (size_t)1 << level); level++) {
		struct batches bx = batches_of(x, (size_t)1 << level), by = batches_of(y, (size_t)1 << level);
		ret[level] = common_correlation(&bx, &by);
	}
	return level;
}

void side_spreads(const struct side *x, const struct side *y, const struct table_noise *least, struct spread *spread_x,
		  struct spread *spread_y)
{
	struct batches bx = {0}, by = {0};
	for (size_t level = 0; level < LEVELS_MAX; level++) {
		size_t length = (size_t)1 << level;
		bool joins_x = can_join(x, length), joins_y = can_join(y, length);
		if (!joins_x && !joins_y)
			break;
		bx = joins_x ? batches_of(x, length)
			     : bx; /* a side with fewer intervals keeps the result of its longest batches */
		by = joins_y ? batches_of(y, length) : by;
		double q_x = bx.correlation, q_y = by.correlation;
		if (joins_x && joins_y) {
			double q = common_correlation(&bx, &by);
			q_x = q_y = q > least->correlation[level] ? q : least->correlation[level];
		}
		struct spread now_x = spread_of(&bx, q_x), now_y = spread_of(&by, q_y);
		if (!level || now_x.variance + now_y.variance > spread_x->variance + spread_y->variance) {
			*spread_x = now_x;
			*spread_y = now_y;
		}
	}
	add_ends(x, spread_x);
	add_ends(y, spread_y);
	add_parts(x, least->apart, further_parts(y), spread_x);
	add_parts(y, least->apart, further_parts(x), spread_y);
}
