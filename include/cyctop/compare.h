/* Room compare: is what moved between two stretches of time real?  Pure: numbers in, verdicts out.
 *
 * A table is compared in three steps:  compare_reference() and compare_reference_narrow() find the rows that everything
 * else is held against, compare_rows() gives each row its change with its interval, compare_judge() says over all rows
 * of one metric which changes are real.  compare_paired() takes the place of compare_rows() where the two states took
 * turns, compare_runs() compares runs of two commands.
 *
 * No function returns NaN.  Formulas, and how good they are: doc/comparing-details.md. */
#ifndef CYCTOP_COMPARE_H
#define CYCTOP_COMPARE_H

#include <cyctop/base.h>

/* One side of one row: what it is divided by what, interval by interval, in order of time.
 *
 *   unit                     num                      den                                   den_samples
 *   share                    weight of the row        weight of all rows                    of all rows
 *   against the reference    weight of the row        weight of the rows that carry it      of those rows
 *   per second               weight of the row        length of the interval                0
 *   per unit of an event     weight of the row        counted events of the machine         0
 *   a ratio (IPC)            the row's numerator      the row's denominator                 of the denominator
 *
 * Intervals without a counter for either event are left out by the caller; intervals in which the row had no
 * sample are part of it, with num 0. */
struct compare_series {
	const double *num, *den; /* [n], none negative */
	size_t n;		 /* intervals */
	uint64_t num_samples;
	uint64_t den_samples; /* 0: den is counted, not sampled */
	/* How much of num a sample stands for on this side, over all rows; 0: as much as on the other side.  It tells
	 * how many samples were due in a row that has none. */
	double num_weight;
	/* The side is several stretches, of files: the first interval of each, [parts_n], from 0 on.  What they differ
	 * by among themselves is part of the noise.  Below 2: it is one. */
	const size_t *parts;
	size_t parts_n;
};

/* What a side needs for its spread to be known; see CHANGE_FEW_... */
enum { COMPARE_INTERVALS_MIN = 8, COMPARE_SAMPLES_MIN = 20 };
/* Below this effective number of intervals a comparison finds hardly anything, and taking turns is better. */
enum { COMPARE_EFFECTIVE_MIN = 6 };

enum change_state {
	CHANGE_NONE,	      /* nothing to compare: no intervals, no denominator, no sample on either side */
	CHANGE_OK,	      /* both sides have enough intervals with samples */
	CHANGE_BOUNDED,	      /* one side has few samples, which bound it, the other one has enough */
	CHANGE_NEW,	      /* no sample before: `change` and `high` are INFINITY, `low` is a bound */
	CHANGE_VANISHED,      /* no sample after: `change` and `low` are 0, `high` is a bound */
	CHANGE_FEW_SAMPLES,   /* not tested: the interval is that of the samples alone */
	CHANGE_FEW_INTERVALS, /* not tested, too: the interval says nothing of how the load varies */
};

/* How a row changed.  All but `p`, `df`, `error` and `effective` are factors: 1.2 is +20 %. */
struct compare_change {
	enum change_state state;
	/* `p` is that of a test.  Without one, `real` is never set; rows that are new or vanished can be without,
	 * too, if their samples are few or in few intervals. */
	bool tested;
	/* One side is short, or has few samples: it is taken to vary as the other one.  A side of a few intervals can
	 * be compared so with one of eight times as many. */
	bool borrowed;
	bool real;	  /* compare_judge() */
	double change;	  /* after / before; 1 if the state is CHANGE_NONE */
	double low, high; /* its 95 % interval; 0 and INFINITY: nothing is known */
	/* The smallest growth that would have been found with a probability of 80 %; INFINITY: not even a
	 * hundredfold. */
	double smallest;
	double error;	  /* standard error of log(change); 0: unknown */
	double df;	  /* its degrees of freedom; 0: unknown */
	double effective; /* the smaller effective number of intervals of the spreads that were used; 0: none was */
	double p;	  /* of a change as large by chance; 1 without a test */
};

/* Compares two stretches that follow each other, for each of the `n` rows of a table.  The noise is the spread between
 * intervals, with how they hang together, because the samples' own noise says nothing of how a load varies.  How
 * intervals hang together is found out from all rows, which finds more changes, and fewer that are none, than
 * compare_change() for each. */
void compare_rows(const struct compare_series *before, const struct compare_series *after, size_t n,
		  struct compare_change *ret /* [n] */);
/* The same of a row that is alone, as the machine's IPC is. */
void compare_change(const struct compare_series *before, const struct compare_series *after,
		    struct compare_change *ret);

/* Compares two states that took turns: interval k of both sides is of the k-th pair, in which either came first by
 * chance.  Both have the same `n`; of unequal ones the smaller counts.  Fewer than COMPARE_PAIRS_MIN are not tested. */
enum { COMPARE_PAIRS_MIN = 5 };
void compare_paired(const struct compare_series *before, const struct compare_series *after,
		    struct compare_change *ret);

/* What the rows of a table are held against: those that moved alike.  Rows below half a percent are too noisy to say
 * what the machine did, but may be nearly all of it: so they are bundled by size, half a percent of the weight and more
 * in each bundle, and a larger row is a bundle by itself. */
struct compare_reference {
	size_t bundles;	 /* that carry it; 0: none, use shares of all rows */
	double change;	 /* their median change: what the machine did more or less as a whole */
	double spread;	 /* of log(change) of the bundles that moved alike, as a standard deviation */
	double share[2]; /* their part of the weight of all rows, before and after */
	size_t alike;	 /* bundles that moved alike: those that carry it, unless they are too few */
};
/* Finds the bundles that moved alike, and sets bundle[i] to that of row i, of 0 to ret->alike - 1; -1: it is in none.
 * `before` and `after` are the weights of all rows of the table (without idle time).  It takes at least three bundles,
 * and either five that moved alike, or 15 % of the weight in them. */
void compare_reference(const double *before, const double *after, size_t n, int *bundle /* [n] */,
		       struct compare_reference *ret);
/* Takes those out of the reference that have moved apart from it: among a few noisy bundles the spread of their changes
 * alone hides one that moved.  `before` and `after` are the weights of its bundles, [ret->bundles], by interval, all of
 * a side with the same number of intervals; what they are divided by is not read.  `paired`: see compare_paired().
 * Sets carries[i] of those that are left.  If these are not enough, ret->bundles becomes 0. */
void compare_reference_narrow(const struct compare_series *before, const struct compare_series *after, bool paired,
			      bool *carries /* [ret->bundles] */, struct compare_reference *ret);

struct compare_summary {
	size_t tested, real;
	double threshold; /* a row is real if its p is at most this; 0: none was */
	/* The median effective number of intervals of the rows with a spread; 0: there is none. */
	double effective;
	bool little_worth; /* `effective` is below COMPARE_EFFECTIVE_MIN: say so, and offer to take turns */
};
/* The verdict over the rows of one metric: sets `real` where the false-discovery rate `fdr` (0.05) is held after
 * Benjamini and Hochberg, and the change is at least `min_change` (0.01 is 1 %) up or down.  Sets `smallest` to what
 * it takes in a table of so many rows. */
struct compare_summary compare_judge(struct compare_change *changes, size_t n, double fdr, double min_change);

/* How runs of two commands are compared. */
enum runs_method {
	RUNS_NONE,	  /* fewer than two pairs: no interval */
	RUNS_T,		  /* up to 7 pairs: t of the pairs' log ratios */
	RUNS_SIGNED_RANK, /* from 8 on: Hodges-Lehmann, with the exact interval of signed ranks */
};
/* `ret` is the change from a to b.  Run k of both was made in one turn, in random order.  Pairs of which one is not
 * above 0 are left out; of runs that failed the caller leaves out both.  At
 * most the first 500 pairs are used.  Several metrics of the same runs go through
 * compare_judge() together. */
enum runs_method compare_runs(const double *a, const double *b, size_t n, struct compare_change *ret);
/* The middle of the runs of one command by the same method, so that it is geometric, with its 95 % interval. */
struct runs_middle {
	bool known;	   /* there is a run */
	bool has_interval; /* there are two, and none of them is 0: then `value` is the mean */
	double value, low, high;
};
struct runs_middle compare_middle(const double *values, size_t n);
/* The median of the runs, of one at least, and the distance from which on one is far from it: more than 8 standard
 * deviations, as the median deviation tells them, and more than 5 %. */
double compare_far(const double *values, size_t n, double *far_ret);

#endif
