/* Sorts numbers; private to the room. */
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

/* The median of at least one value, sorted. */
static inline double sorted_median(const double *values, size_t n)
{
	return (values[(n - 1) / 2] + values[n / 2]) / 2;
}

#endif
