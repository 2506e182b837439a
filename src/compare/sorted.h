/* Private to the room: numbers in order. */
#ifndef COMPARE_SORTED_H
#define COMPARE_SORTED_H

#include <stddef.h>
#include <stdlib.h>

static inline int sorted_by_value(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;
	return (x > y) - (x < y);
}

static inline void sort_values(double *values, size_t n)
{
	if (n)
		qsort(values, n, sizeof(*values), sorted_by_value);
}

/* Of at least one value, in order. */
static inline double sorted_median(const double *values, size_t n)
{
	return (values[(n - 1) / 2] + values[n / 2]) / 2;
}

#endif
