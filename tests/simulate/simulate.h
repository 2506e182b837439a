/* Tells what really happened in the simulations of a script, for tests that compare it with what was measured. */
#ifndef TESTS_SIMULATE_SIMULATE_H
#define TESTS_SIMULATE_SIMULATE_H

#include <cyctop/source.h>

/* Returns the counts of an event in a symbol ("DSO:NAME") since the start, on all CPUs, also while the event had no
 * counter.  `src` is a synthetic source. */
double simulate_truth(struct source *src, const char *sym, uint32_t event);

#endif
