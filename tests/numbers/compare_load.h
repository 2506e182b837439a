/* What sampling sees of simulated loads, interval by interval, as far as a comparison asks for it.
 *
 * Functions take random turns whose lengths are exponential with one mean, so that the function at the next sample is
 * that at this one unless a turn ended, and else a new draw:  a chain from sample to sample that needs no events in
 * between.  Phases, each with its own weights, are such a chain, too.  Samples are at regular times, which is what
 * frequency sampling of cycles comes to on a CPU of constant speed. */
#ifndef TESTS_NUMBERS_COMPARE_LOAD_H
#define TESTS_NUMBERS_COMPARE_LOAD_H

#include <stddef.h>
#include <stdint.h>

enum { ROWS_MAX = 4000, PHASES_MAX = 3, INTERVALS_MAX = 120 };

struct compare_load {
	size_t rows;			      /* the last one can be idle time, by what the caller makes of it */
	size_t phases;			      /* at least 1 */
	double weights[PHASES_MAX][ROWS_MAX]; /* of each phase, add up to 1 */
	double turn_s, phase_s;		      /* means */
	double hz;			      /* samples of a second */
};

/* The state of a run, which goes on from one interval to the next. */
struct compare_run {
	uint64_t random[2];
	size_t phase, row;
};
void compare_run_start(struct compare_run *run, const struct compare_load *load, uint64_t seed);
/* Adds the samples of one interval of `seconds` to counts[rows]. */
void compare_run_interval(struct compare_run *run, const struct compare_load *load, double seconds, double *counts);
/* A number in 0..1, without the ends. */
double compare_random(struct compare_run *run);
/* A number with mean 0 and variance 1, nearly normal. */
double compare_normal(struct compare_run *run);

#endif
