/* Room compare: decides which differences between two time ranges are real, and which are noise.  Pure: arithmetic, no
 * I/O.
 *
 * A table is compared in three steps: compare_reference() and compare_reference_narrow() find the reference, whose
 * weight is the denominator of all rows; compare_rows() computes each row's change with its confidence interval;
 * compare_judge() decides over all rows of one metric which changes are real.  compare_paired() replaces
 * compare_rows() where the two states took turns, compare_runs() compares runs of two commands.
 *
 * No function returns NaN.  Formulas, and how good they are: doc/comparing-details.md. */
#ifndef CYCTOP_COMPARE_H
#define CYCTOP_COMPARE_H

#include <cyctop/base.h>

/* One side of one row: numerator and denominator of its value in each interval, in order of time.
 *
 *   unit                     num                      den                                   den_samples
 *   share                    weight of the row        weight of all rows                    of all rows
 *   against the reference    weight of the row        weight of the reference's rows        of these rows
 *   per second               weight of the row        length of the interval                0
 *   per unit of an event     weight of the row        counted events of the machine         0
 *   a ratio (IPC)            the row's numerator      the row's denominator                 of the denominator
 *
 * The caller leaves out intervals in which one of the events had no counter.  Intervals in which the row had no
 * sample are included, with num 0. */
struct compare_series {
	const double *num, *den; /* [n], none negative */
	size_t n;		 /* number of intervals */
	uint64_t num_samples;
	uint64_t den_samples; /* 0: den is counted, not sampled */
	/* Mean weight of a sample of num on this side, over all rows; 0: the same as on the other side.  Tells how many
	 * samples were to be expected in a row that has none. */
	double num_weight;
	/* If the side consists of several files: index of the first interval of each file, [parts_n]; parts[0] is 0.
	 * Differences between files are part of the noise.  parts_n below 2: the side is one file. */
	const size_t *parts;
	size_t parts_n;
};

/* Numbers of intervals and samples that a side needs, so that its spread can be estimated; see CHANGE_FEW_... */
enum { COMPARE_INTERVALS_MIN = 8, COMPARE_SAMPLES_MIN = 20 };
/* With a smaller effective number of intervals, a comparison finds hardly anything: compare_paired() is better. */
enum { COMPARE_EFFECTIVE_MIN = 6 };

enum change_state {
	CHANGE_NONE,	    /* nothing to compare: no intervals, no denominator, no sample on either side */
	CHANGE_OK,	    /* both sides have enough intervals with samples */
	CHANGE_BOUNDED,	    /* one side has few samples, which give only a bound; the other side has enough */
	CHANGE_NEW,	    /* no sample before: `change` and `high` are INFINITY, `low` is a bound */
	CHANGE_VANISHED,    /* no sample after: `change` and `low` are 0, `high` is a bound */
	CHANGE_FEW_SAMPLES, /* not tested: too few samples; the confidence interval is that of sampling noise alone */
	/* not tested: too few intervals to see how the load varies, so that the confidence interval is too narrow */
	CHANGE_FEW_INTERVALS,
};

/* How a row changed.  All but `p`, `df`, `error` and `effective` are factors: 1.2 is +20 %. */
struct compare_change {
	enum change_state state;
	/* The row was tested, with the result `p`.  Without a test, `real` is never set.  New and vanished rows are not
	 * tested if their samples are few or in few intervals. */
	bool tested;
	/* One side is short or has few samples, and its spread was taken from the other side.  So a side of a few
	 * intervals can be compared with a side that is at least eight times as long. */
	bool borrowed;
	bool real;	  /* set by compare_judge() */
	double change;	  /* after / before; 1 if the state is CHANGE_NONE */
	double low, high; /* 95 % confidence interval of `change`; 0 and INFINITY: nothing is known */
	/* The smallest growth that would have been detected with a probability of 80 %; INFINITY: not even a
	 * hundredfold. */
	double smallest;
	double error;	  /* standard error of log(change); 0: unknown */
	double df;	  /* degrees of freedom of `error`; 0: unknown */
	double effective; /* effective number of intervals, of the side that has fewer; 0: no spread was used */
	double p;	  /* probability of a change at least as large by chance; 1 without a test */
};

/* Compares two time ranges that follow each other, for each of the `n` rows of a table.  Noise is the spread between
 * intervals, corrected for their autocorrelation, because sampling noise alone does not show how a load varies.  The
 * autocorrelation is estimated from all rows together; this finds more real and fewer false changes than calls of
 * compare_change() for each row. */
void compare_rows(const struct compare_series *before, const struct compare_series *after, size_t n,
		  struct compare_change *ret /* [n] */);
/* Compares a single row, such as the machine's IPC. */
void compare_change(const struct compare_series *before, const struct compare_series *after,
		    struct compare_change *ret);

/* Compares two states that were measured in turn: intervals k of both sides are the k-th pair, and chance decided which
 * side of a pair came first.  If `n` differs, the smaller one is used.  Fewer than COMPARE_PAIRS_MIN pairs are not
 * tested. */
enum { COMPARE_PAIRS_MIN = 5 };
void compare_paired(const struct compare_series *before, const struct compare_series *after,
		    struct compare_change *ret);

/* The reference: rows whose weights changed by about the same factor, which is taken as the change of the whole load.
 * All other rows are compared to the reference.  Rows below half a percent of the weight are too noisy one by one, but
 * may together be nearly all of it: they are grouped by size into bundles of at least half a percent.  A larger row is
 * a bundle by itself. */
struct compare_reference {
	size_t bundles;	 /* number of bundles in the reference; 0: no reference was found, use shares of all rows */
	double change;	 /* median change of its bundles: the factor by which the whole load changed */
	double spread;	 /* standard deviation of log(change) over the `alike` bundles */
	double share[2]; /* its fraction of the weight of all rows, before and after */
	size_t alike;	 /* number of bundles that changed by the same factor: the reference, unless too few */
};
/* Finds the bundles that changed by the same factor, and sets bundle[i] to the bundle of row i, 0 to ret->alike - 1, or
 * to -1 if row i is in none of these.  `before` and `after` are the weights of all rows of the table (without idle
 * time).  A reference needs at least three bundles in the table; five bundles, or 15 % of the weight, must have changed
 * by the same factor. */
void compare_reference(const double *before, const double *after, size_t n, int *bundle /* [n] */,
		       struct compare_reference *ret);
/* Removes from the reference the bundles whose change differs from the reference's: if there are few, noisy bundles,
 * compare_reference() may not see the difference.  `before` and `after` are the weights of the bundles,
 * [ret->bundles], by interval, with the same number of intervals in all series of a side; their `den` is not read.
 * `paired`: see compare_paired().  Sets carries[i] for the bundles that remain; if too few remain, sets ret->bundles to
 * 0. */
void compare_reference_narrow(const struct compare_series *before, const struct compare_series *after, bool paired,
			      bool *carries /* [ret->bundles] */, struct compare_reference *ret);

struct compare_summary {
	size_t tested, real;
	double threshold; /* largest p of a real change; 0: no change is real */
	/* Median over the rows of compare_change.effective, where it is not 0; 0: no row has a spread. */
	double effective;
	bool low_sensitivity; /* `effective` is below COMPARE_EFFECTIVE_MIN: better measure the states in turn */
};
/* Decides which rows of one metric really changed: sets `real` where the change passes Benjamini and Hochberg's test at
 * the false-discovery rate `fdr` (0.05), and is at least `min_change` (0.01 is 1 %) up or down.  Sets `smallest` for a
 * table of `n` rows. */
struct compare_summary compare_judge(struct compare_change *changes, size_t n, double fdr, double min_change);

/* How runs of two commands are compared. */
enum runs_method {
	RUNS_NONE,	  /* fewer than two pairs: no confidence interval */
	RUNS_T,		  /* up to 7 pairs: t interval of the pairs' log ratios */
	RUNS_SIGNED_RANK, /* from 8 pairs on: Hodges-Lehmann, with the exact interval of signed ranks */
};
/* Computes the change from a to b, which are values of the runs of two commands.  Runs k of both commands are a pair,
 * whose order was random.  Pairs with a value that is not above 0 are left out; the caller leaves out pairs with a
 * failed run.  At most the first 500 pairs are used.  Call compare_judge() once for all metrics of the same runs. */
enum runs_method compare_runs(const double *a, const double *b, size_t n, struct compare_change *ret);
/* Central value of the runs of one command on a log scale, by the method of compare_runs(), with its 95 % confidence
 * interval. */
struct runs_middle {
	bool known;	   /* there is at least one run */
	bool has_interval; /* there are two runs or more, and no value is 0; otherwise `value` is the mean */
	double value, low, high;
};
struct runs_middle compare_middle(const double *values, size_t n);
/* Returns the median of the runs, of which there must be at least one.  *far_ret: a run further than this from the
 * median is an outlier; 8 standard deviations (estimated from the median absolute deviation), but at least 5 % of the
 * median. */
double compare_far(const double *values, size_t n, double *far_ret);

#endif
