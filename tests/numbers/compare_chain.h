/* The same loads through the synthetic source, its rings, records, weights and sums, as `measure.h` runs them. */
#ifndef TESTS_NUMBERS_COMPARE_CHAIN_H
#define TESTS_NUMBERS_COMPARE_CHAIN_H

#include "compare_load.h"

/* What the chain makes of a load: weights of cycles and of instructions, and their samples. */
struct chain {
	double weight[2][ROWS_MAX][INTERVALS_MAX];
	double samples[2][ROWS_MAX];
};
/* `n` intervals of a run of the load, in which `row` has the IPC `ipc`, and all others have 1. */
void chain_run(const struct compare_load *load, size_t row, double ipc, unsigned seed, size_t n, struct chain *ret);

#endif
