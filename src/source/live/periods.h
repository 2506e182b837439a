/* Finds out which events the period of a sample counts: those before the sample, or those after it.
 *
 * Drivers of x86 and PowerPC once wrote the period that begins at a sample (PERIODS_AHEAD).  Fixed drivers, and those
 * of other machines, write the period that ends there (PERIODS_ELAPSED).  As distributions have backported the fix, the
 * kernel's version does not tell what a driver writes; samples that also contain the event's count do. */
#ifndef SOURCE_LIVE_PERIODS_H
#define SOURCE_LIVE_PERIODS_H

#include "source/live/open.h"

#include <cyctop/source.h>

/* A sample of one counter. */
struct period_sample {
	uint64_t period, count; /* count: of the event since it was opened */
};
/* Compares the periods of successive samples with their counts.  Returns false if the samples do not decide it. */
bool periods_judge(const struct period_sample *samples, size_t n, enum source_periods *ret);

/* Takes samples of this thread, which keeps busy, for a few milliseconds.  `attr`: of an event in frequency mode.
 * Returns false, with PERIODS_ELAPSED in *ret, if the event cannot be opened, or the samples do not decide it. */
bool periods_probe(const struct opener *o, const struct perf_attr *attr, enum source_periods *ret);

#endif
