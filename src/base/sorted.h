/* Sorts numbers, and searches arrays that are sorted by a number. */
#ifndef BASE_SORTED_H
#define BASE_SORTED_H

#include <stddef.h>
#include <stdint.h>
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

/* Returns the median of `n` sorted values; `n` must be at least 1. */
static inline double sorted_median(const double *values, size_t n)
{
	return (values[(n - 1) / 2] + values[n / 2]) / 2;
}

/* Returns how many of `n` elements of `size` bytes have a number of at most `number`: a uint64_t, `at` bytes from the
 * start of each element, by which the elements are in ascending order. */
static inline size_t sorted_up_to(const void *elements, size_t n, size_t size, size_t at, uint64_t number)
{
	size_t low = 0, high = n;
	while (low < high) {
		size_t mid = low + (high - low) / 2;
		if (*(const uint64_t *)((const char *)elements + mid * size + at) <= number)
			low = mid + 1;
		else
			high = mid;
	}
	return low;
}

#endif
