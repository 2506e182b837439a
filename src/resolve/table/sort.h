/* Radix sort: sorts rows by a 64-bit key in time proportional to their number. */
#ifndef RESOLVE_TABLE_SORT_H
#define RESOLVE_TABLE_SORT_H

#include <stddef.h>
#include <stdint.h>

struct sort_row {
	uint64_t key;
	uint64_t rest[2];
};
/* Sorts by key; the order of rows with equal keys is undefined. */
void sort_rows(struct sort_row *rows, size_t n);

#endif
