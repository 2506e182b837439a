/* Snapshots that have the same sums, whatever intervals they were made of. */
#ifndef TESTS_LIB_SAME_SUMS_H
#define TESTS_LIB_SAME_SUMS_H

#include <cyctop/model.h>

enum { SAME_TABLES = 4 };
/* In the first table every fact is a row of its own; the others take those of all CPUs or functions together. */
extern const struct pivot_query same_tables[SAME_TABLES];

/* These tables over all that there is, or over the total. */
struct snapshot *whole(struct model *m, const struct model_names *names, enum window window);
/* Puts the rows of both pivots of `s` and another snapshot into one order. */
void assert_same_rows(const struct snapshot *s, struct pivot *p, struct pivot *q, double slack);
/* Row by row and counter by counter; `slack`: of sums of fractions, whose order matters. */
void assert_same(struct snapshot *a, struct snapshot *b, double slack);

#endif
