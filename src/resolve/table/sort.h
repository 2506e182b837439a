/* Sorting in place, in time that grows with the number of rows and no faster. */
#ifndef RESOLVE_TABLE_SORT_H
#define RESOLVE_TABLE_SORT_H

#include <stddef.h>
#include <stdint.h>

struct sort_row {
	uint64_t key;
	uint64_t rest[2];
};
/* By key; those of one key end up in any order. */
void sort_rows(struct sort_row *rows, size_t n);

#endif
