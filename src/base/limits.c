#include "base/limits.h"

#include <inttypes.h>
#include <stdio.h>

#define ROW(name, value, unit, sentence) {value, unit, sentence},
static const struct limit_row rows[] = {LIMITS(ROW)};

const struct limit_row *limit_row(enum limit which)
{
	return &rows[which];
}

void limit_count_set(struct limit_counts *counts, const struct limit_set *set)
{
	for (unsigned i = 0; i < LIMITS_N; i++)
		counts->n[i] += limit_is_reached(set, (enum limit)i);
}

void limit_counts_add(struct limit_counts *to, const struct limit_counts *from)
{
	for (unsigned i = 0; from && i < LIMITS_N; i++)
		to->n[i] += from->n[i];
}

unsigned limits_reached(const struct limit_counts *counts)
{
	unsigned n = 0;
	for (unsigned i = 0; i < LIMITS_N; i++)
		n += counts->n[i] > 0;
	return n;
}

bool limit_text(const struct limit_counts *counts, enum limit which, char *buf, size_t cap)
{
	uint64_t n = counts->n[which];
	buf[0] = '\0';
	if (n == 1)
		snprintf(buf, cap, "%s", rows[which].sentence);
	else if (n)
		snprintf(buf, cap, "%s (reached %" PRIu64 " times)", rows[which].sentence, n);
	return n > 0;
}
