/* A table of two sides as a user of the room compares it. */
#ifndef TESTS_NUMBERS_COMPARE_TABLE_H
#define TESTS_NUMBERS_COMPARE_TABLE_H

#include "compare_load.h"

#include <cyctop/compare.h>

enum unit { UNIT_REFERENCE, UNIT_SHARE, UNIT_SECOND };

struct table {
	size_t rows, n[2]; /* n: intervals of each side */
	enum unit unit;
	bool paired;				/* the sides took turns */
	double weight_of_sample;		/* of a sample in num[] */
	double num[2][ROWS_MAX][INTERVALS_MAX]; /* weight by side, row and interval */
	struct compare_change changes[ROWS_MAX];
	struct compare_reference reference;
	struct compare_summary summary;
};
/* Fills in num[] as 64 CPUs would: the rows fall like those of a machine with many functions, most of the weight is in
 * rows below half a percent.  After, the first `moved` ones have 10 to 50 % more. */
void table_fill_many(struct table *t, size_t moved, unsigned seed);
/* Fills in changes, reference and summary. */
void table_compare(struct table *t);

#endif
