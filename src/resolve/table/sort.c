/* By the highest byte first: each row is swapped to the place where those of its byte
 * belong, then each group is sorted by the next byte. */
#include "resolve/table/sort.h"

#include <stdbool.h>

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

/* Swaps the rows into groups by one byte; end[] says where each group ends. */
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

void sort_rows(struct sort_row *rows, size_t n)
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
