/* Decides which function runs on a simulated CPU, and until when.  Times are nanoseconds since the start of the
 * simulation, with fractions. */
#ifndef TESTS_SIMULATE_TURNS_H
#define TESTS_SIMULATE_TURNS_H

#include "source/synth/script.h"

/* A function in a mix of functions that take turns. */
struct turns_row {
	double weight;	  /* share of the time, relative to the weights of the other rows */
	double length_ns; /* mean length of its turns; follows from the weight for TURNS_CYCLE and TURNS_GAMMA */
};

/* The functions that take turns during a phase. */
struct turns_mix {
	const struct turns_row *rows;
	size_t rows_n;
};

struct turns_config {
	enum turns_kind kind;
	double round_ns; /* TURNS_CYCLE, TURNS_GAMMA: (mean) time between two turns of the first row */
	double phase_ns; /* mean length of a phase, in which one mix runs; exponential; not used with one mix */
	const struct turns_mix *mixes;
	size_t mixes_n;
};

/* Generates random numbers of a simulation, the same on every machine. */
struct turns_random {
	uint64_t state;
};
double turns_uniform(struct turns_random *r); /* above 0, below 1 */

struct turns {
	struct turns_random random;
	size_t mix, row; /* mix and row that run now */
	double turn_end_ns, phase_end_ns;
};

/* Begins a simulation.  `config` and its rows are borrowed; pass the same ones to turns_next(). */
void turns_init(struct turns *t, const struct turns_config *config, uint64_t seed);
/* Begins the turn that follows at turn_end_ns. */
void turns_next(struct turns *t, const struct turns_config *config);

#endif
