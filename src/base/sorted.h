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

static inline int sorted_by_number(const void *a, const void *b, void *at)
{
	size_t offset = *(const size_t *)at;
	uint64_t x = *(const uint64_t *)((const char *)a + offset), y = *(const uint64_t *)((const char *)b + offset);
	return (x > y) - (x < y);
}

/* Sorts `n` elements of `size` bytes by the uint64_t that is `at` bytes from the start of each element. */
static inline void sort_by_number(void *elements, size_t n, size_t size, size_t at)
{
	if (n)
		qsort_r(elements, n, size, sorted_by_number, &at);
}

/* Returns how many of `n` sorted elements have a number of at most `number`.  The parameters are those of
 * sort_by_number(). */
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

/* Returns an element whose number is `number`, or NULL.  The other parameters are those of sorted_up_to(). */
static inline const void *sorted_find(const void *elements, size_t n, size_t size, size_t at, uint64_t number)
{
	size_t up_to = sorted_up_to(elements, n, size, at, number);
	const char *last = up_to ? (const char *)elements + (up_to - 1) * size : NULL;
	return last && *(const uint64_t *)(last + at) == number ? last : NULL;
}

#endif
