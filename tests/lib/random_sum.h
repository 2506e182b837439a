/* The sum of samples that come in no order: no two neighbours belong together. */
#ifndef TESTS_LIB_RANDOM_SUM_H
#define TESTS_LIB_RANDOM_SUM_H

#include <cyctop/model.h>

static inline struct sum random_sum(uint64_t n, double unit)
{
	double var = (double)n * unit * unit;
	return (struct sum){.samples = n,
			    .weight = (double)n * unit,
			    .var = var,
			    .edges = (float)(2 * var),
			    .far = (float)(2 * var)};
}

#endif
