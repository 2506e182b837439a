#include "source/live/periods.h"

#include "base/load.h"
#include "base/sorted.h"
#include "os/clock.h"
#include "source/live/live.h"

#include <math.h>
#include <unistd.h>

enum {
	SAMPLES_MAX = 256,
	DIFFERS = 16,	    /* two periods are different if they differ by more than 1/16 */
	ENOUGH = 5,	    /* number of pairs of samples with different periods that are needed */
	CLEAR = 3,	    /* the better hypothesis must fit this many times better than the other */
	ROUNDS = 3,	    /* how often the event is opened at most, until there is an answer */
	ROUND_NS = 2000000, /* how long in ns it is sampled each time */
	/* a frequency: the kernel starts with period 1 and adapts it, so that different periods can be compared */
	PROBE_HZ = 4000,
	SAMPLE_BYTES = 8 + 16 /* header, period, count */
};

static double median(double *values, size_t n)
{
	sort_values(values, n);
	return n ? values[n / 2] : 0;
}

/* Two successive samples of a counter.  All members are numbers of events. */
struct pair {
	double between;	       /* events counted between them */
	double elapsed, ahead; /* period of the second sample, and of the first */
};

/* Sets ret[] to the pairs of successive samples whose periods differ.  Returns their number. */
static size_t take_pairs(const struct period_sample *samples, size_t n, struct pair *ret)
{
	size_t pairs_n = 0;
	for (size_t i = 1; i < n && pairs_n < SAMPLES_MAX; i++) {
		struct pair p = {(double)samples[i].count - (double)samples[i - 1].count, (double)samples[i].period,
				 (double)samples[i - 1].period};
		if (fabs(p.elapsed - p.ahead) > p.elapsed / DIFFERS)
			ret[pairs_n++] = p;
	}
	return pairs_n;
}

/* Returns how badly a hypothesis on periods fits.  The count between two samples is the sum of a period (that of the
 * first sample if `ahead`, otherwise of the second) and what the sampling interrupt counts, which is nearly constant.
 * So the result is how much count minus period varies: the median absolute deviation. */
static double spread(const struct pair *pairs, size_t n, bool ahead)
{
	double rest[SAMPLES_MAX];
	for (size_t i = 0; i < n; i++)
		rest[i] = pairs[i].between - (ahead ? pairs[i].ahead : pairs[i].elapsed);
	double middle = median(rest, n);
	for (size_t i = 0; i < n; i++)
		rest[i] = fabs(rest[i] - middle);
	return median(rest, n);
}

bool periods_judge(const struct period_sample *samples, size_t n, enum source_periods *ret)
{
	struct pair pairs[SAMPLES_MAX];
	size_t pairs_n = take_pairs(samples, n, pairs);
	*ret = PERIODS_ELAPSED;
	if (pairs_n < ENOUGH)
		return false;
	double elapsed = spread(pairs, pairs_n, false), ahead = spread(pairs, pairs_n, true);
	if (ahead < elapsed)
		*ret = PERIODS_AHEAD;
	return ahead * CLEAR < elapsed || elapsed * CLEAR < ahead;
}

/* Appends the samples in a ring to samples[n].  Returns the new number. */
static size_t take_samples(struct ring *ring, struct period_sample *samples, size_t n)
{
	struct lane lane;
	if (!ring_snapshot(ring, &lane))
		return n;
	size_t bytes = lane.a_len + lane.b_len;
	for (size_t at = 0; bytes - at >= 8;) {
		uint8_t record[SAMPLE_BYTES];
		lane_copy(&lane, at, record, 8);
		uint32_t type = load_u32(record);
		size_t size = load_u16(record + 6);
		if (size < 8 || size > bytes - at)
			break;
		if (type == RECORD_SAMPLE && size == sizeof(record) && n < SAMPLES_MAX) {
			lane_copy(&lane, at, record, sizeof(record));
			samples[n++] = (struct period_sample){load_u64(record + 8), load_u64(record + 16)};
		}
		at += size;
	}
	ring_release(ring, bytes);
	return n;
}

static size_t sample_this_thread(const struct opener *o, const struct perf_attr *attr, struct period_sample *samples)
{
	struct perf_attr a = *attr;
	struct ring ring = {0};
	size_t n = 0;
	int fd = opener_open(o, &a, 0, -1);
	if (fd >= 0 && ring_map(&ring, fd, (size_t)sysconf(_SC_PAGESIZE)) == 0) {
		uint64_t end_ns = clock_ns(CLOCK_MONOTONIC) + ROUND_NS;
		do
			n = take_samples(&ring, samples, n);
		while (n < SAMPLES_MAX && clock_ns(CLOCK_MONOTONIC) < end_ns);
	}
	ring_unmap(&ring);
	fd_close(&fd);
	return n;
}

bool periods_probe(const struct opener *o, const struct perf_attr *attr, enum source_periods *ret)
{
	struct perf_attr a = *attr;
	a.sample_type = SAMPLE_PERIOD | SAMPLE_READ;
	a.read_format = 0;
	a.flags &= ~(ATTR_INHERIT | ATTR_DISABLED | ATTR_ENABLE_ON_EXEC | ATTR_SAMPLE_ID_ALL);
	a.sample_period = PROBE_HZ;
	attr_clamp_rate(&a);
	for (int round = 0; round < ROUNDS; round++) {
		struct period_sample samples[SAMPLES_MAX];
		size_t n = sample_this_thread(o, &a, samples);
		if (periods_judge(samples, n, ret))
			return true;
		if (!n)
			break;
	}
	*ret = PERIODS_ELAPSED;
	return false;
}
