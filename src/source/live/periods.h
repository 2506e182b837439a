/* Finds out what the period in a sample of the CPU's PMU counts: the events before the sample, or those after it.
 *
 * The drivers of x86 and PowerPC wrote the period that begins at a sample (PERIODS_AHEAD) until that was corrected;
 * other drivers write the one that ends there (PERIODS_ELAPSED).  Distributions took the correction into older
 * kernels, so the version does not tell.  Samples of this thread do, which hold the count of the event, too. */
#ifndef SOURCE_LIVE_PERIODS_H
#define SOURCE_LIVE_PERIODS_H

#include "source/live/open.h"

#include <cyctop/source.h>

/* A sample of one counter. */
struct period_sample {
	uint64_t period, count; /* count of the event since it was opened */
};
/* Compares the counts between samples with their periods.  Returns false if they do not tell the answer. */
bool periods_judge(const struct period_sample *samples, size_t n, enum source_periods *ret);

/* Samples this thread, which is kept busy, for a few milliseconds.  `attr` is of an event in frequency mode.
 * Returns false, with PERIODS_ELAPSED, if the event cannot be opened, or the samples do not tell. */
bool periods_probe(const struct opener *o, const struct perf_attr *attr, enum source_periods *ret);

#endif
