/* Functions that all comparisons share; used only in src/compare. */
#ifndef COMPARE_VERDICT_H
#define COMPARE_VERDICT_H

#include "compare/spread.h"

/* Returns a change of which only the state is known. */
struct compare_change change_unknown(enum change_state state);
/* Returns the factor of a change from its logarithm; INFINITY: too large for a double. */
double change_factor(double log_change);
/* Fills in confidence interval, p and `smallest` of a change whose logarithm is normally distributed with standard
 * error `error`, which is known with `df` degrees of freedom. */
void change_fill(struct compare_change *c, double log_change, double error, double df);
/* Returns the smallest growth, as a factor, that is detected with a probability of 80 % if p must be at most
 * `threshold`. */
double change_smallest(double error, double df, double threshold);

/* Fills in a change that is not tested; its confidence interval is that of sampling noise alone.  Both sides must be
 * valid, and `num` above 0 on at least one side. */
void change_untested(const struct side *before, const struct side *after, struct compare_change *ret);

/* Computes the change of a row if one side has few samples, or none, and the other side has a spread: see bounded.c. */
void change_bounded(const struct side *before, const struct side *after, bool few_before, struct compare_change *ret);

#endif
