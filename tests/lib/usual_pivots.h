/* The tables of the default panes, in the order in which test snapshots have them. */
#ifndef TESTS_LIB_USUAL_PIVOTS_H
#define TESTS_LIB_USUAL_PIVOTS_H

#include <cyctop/model.h>

enum { BY_SYMBOL, BY_PID, BY_CPU, USUAL_PIVOTS };

static const struct pivot_query usual_pivots[USUAL_PIVOTS] __attribute__((unused)) = {
	[BY_SYMBOL] = {.dims = {DIM_SYMBOL}, .dims_n = 1, .top = DIM_PID, .top_unnamed = true},
	[BY_PID] = {.dims = {DIM_PID}, .dims_n = 1, .top = DIM_SYMBOL},
	[BY_CPU] = {.dims = {DIM_CPU}, .dims_n = 1},
};

#endif
