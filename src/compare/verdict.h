/* Private to the room: steps that all comparisons share. */
#ifndef COMPARE_VERDICT_H
#define COMPARE_VERDICT_H

#include "compare/spread.h"

/* Nothing is known. */
struct compare_change change_unknown(enum change_state state);
/* Fills in the interval, p and smallest of a change whose logarithm has a normal distribution with this standard
 * error, known with so many degrees of freedom. */
void change_fill(struct compare_change *c, double log_change, double error, double df);
/* The growth that is found with a probability of 80 % where p must be at most `threshold`. */
double change_smallest(double error, double df, double threshold);

/* Both sides are valid, and one has `num`: the change as it is, and what the samples alone say of it. */
void change_untested(const struct side *before, const struct side *after, struct compare_change *ret);

/* One side has few samples, maybe none; the spread of the other one is known. */
void change_bounded(const struct side *before, const struct side *after, bool few_before, struct compare_change *ret);

#endif
