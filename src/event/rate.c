/* Sampling rates that do not run in step with timers.
 *
 * Programs with timers often work in rounds of 1, 4 or 10 ms.  If the sampling period is nearly a simple fraction or
 * multiple of a round, samples see the same part of the round each time, until both have drifted apart: at 999 Hz
 * after a second.  A period of 1.236 ms is as far from simple fractions as can be, because 0.236 is the golden ratio
 * to the third. */
#include <cyctop/event.h>

#include <inttypes.h>
#include <math.h>
#include <stdio.h>

static const double timers_ms[] = {1, 4, 10};

/* Returns how far a sampling period is from multiples and fractions, with denominators up to 4, of the nearest timer
 * period, relative to the shorter one of both; sets *timer_ret to that timer period. */
static double distance(uint64_t hz, double *timer_ret)
{
	enum { DENOMINATOR_MAX = 4 };
	static const double fine = 12; /* so many samples per timer period see all parts of it in any case */
	double period_ms = 1e3 / (double)hz, least = 1;
	for (size_t t = 0; t < ARRAY_LEN(timers_ms); t++) {
		double times = fmax(timers_ms[t] / period_ms, period_ms / timers_ms[t]);
		for (int m = 1; m <= DENOMINATOR_MAX && timers_ms[t] <= fine * period_ms; m++) {
			double d = fabs(m * times - round(m * times));
			if (d >= least)
				continue;
			least = d;
			*timer_ret = timers_ms[t];
		}
	}
	return least;
}

uint64_t event_rate_within(uint64_t hz, uint64_t max)
{
	static const double far = 0.055;
	double timer;
	if (hz <= max)
		return hz;
	for (hz = max; hz > 1 && distance(hz, &timer) < far; hz--)
		;
	return hz > 1 ? hz : max;
}

bool event_rate_note(uint64_t hz, char *buf, size_t cap)
{
	static const double near = 0.012; /* below this distance, samples take more than 80 to drift apart */
	double timer = 0;
	*buf = '\0';
	if (!hz || distance(hz, &timer) >= near)
		return false;
	snprintf(buf, cap,
		 "%" PRIu64
		 " samples a second are in step with what programs do every %.0f ms: they see some parts of it "
		 "too often, and others never, which no error tells; -F %" PRIu64 " is not in step",
		 hz, timer, event_rate_within(hz, hz - 1));
	return true;
}
