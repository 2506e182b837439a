/* Radix sort, highest byte first (American flag sort): rows are swapped into groups by one byte, then each group is
 * sorted by the next byte.  If most rows, at the end, are in order already, as ranges from unwind tables are, only the
 * rows before them are sorted, and merged with them. */
#include "resolve/table/sort.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

enum { FEW = 24 };

static void sort_few(struct sort_row *rows, size_t n)
{
	for (size_t i = 1; i < n; i++) {
		struct sort_row x = rows[i];
		size_t j = i;
		for (; j && rows[j - 1].key > x.key; j--)
			rows[j] = rows[j - 1];
		rows[j] = x;
	}
}

static unsigned byte_of(const struct sort_row *row, unsigned shift)
{
	return row->key >> shift & 0xff;
}

/* Swaps rows into groups by one byte of the key; end[] gets the end of each group. */
static void group(struct sort_row *rows, size_t n, unsigned shift, size_t end[256])
{
	size_t next[256], count[256] = {0};
	for (size_t i = 0; i < n; i++)
		count[byte_of(&rows[i], shift)]++;
	for (size_t b = 0, at = 0; b < 256; b++) {
		next[b] = at;
		end[b] = at += count[b];
	}
	for (size_t b = 0; b < 256; b++) {
		while (next[b] < end[b]) {
			struct sort_row x = rows[next[b]];
			for (unsigned to; (to = byte_of(&x, shift)) != b;) {
				struct sort_row y = rows[next[to]];
				rows[next[to]++] = x;
				x = y;
			}
			rows[next[b]++] = x;
		}
	}
}

static void sort_bytes(struct sort_row *rows, size_t n, unsigned shift)
{
	size_t end[256];
	if (n <= FEW) {
		sort_few(rows, n);
		return;
	}
	group(rows, n, shift, end);
	for (size_t b = 0, from = 0; shift && b < 256; from = end[b++])
		if (end[b] - from > 1)
			sort_bytes(rows + from, end[b] - from, shift - 8);
}

static void sort_whole(struct sort_row *rows, size_t n)
{
	uint64_t differ = 0;
	bool sorted = true;
	for (size_t i = 1; i < n; i++) {
		differ |= rows[i].key ^ rows[0].key;
		sorted &= rows[i - 1].key <= rows[i].key;
	}
	if (sorted)
		return;
	unsigned shift = 0;
	while (differ >> shift > 0xff)
		shift += 8;
	sort_bytes(rows, n, shift);
}

/* Returns the index of the first row from which on all are in order. */
static size_t last_run(const struct sort_row *rows, size_t n)
{
	size_t at = n ? n - 1 : 0;
	while (at && rows[at - 1].key <= rows[at].key)
		at--;
	return at;
}

/* Merges rows[n..all) with the `n` rows in `first`, a copy of those at the start of `rows`; both are in order. */
static void merge(struct sort_row *rows, const struct sort_row *first, size_t n, size_t all)
{
	size_t to = 0;
	for (size_t at = 0, next = n; at < n; to++)
		rows[to] = next < all && rows[next].key < first[at].key ? rows[next++] : first[at++];
}

void sort_rows(struct sort_row *rows, size_t n)
{
	size_t first_n = last_run(rows, n);
	struct sort_row *first = first_n && first_n < n / 2 ? malloc(first_n * sizeof(*first)) : NULL;
	if (!first) {
		sort_whole(rows, n);
		return;
	}
	sort_whole(rows, first_n);
	memcpy(first, rows, first_n * sizeof(*first));
	merge(rows, first, first_n, n);
	free(first);
}
