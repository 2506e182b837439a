/* Avoids sampling rates that run in step with timers.
 *
 * Programs with timers often repeat the same work every 1, 4 or 10 ms.  If the sampling period is nearly a simple
 * fraction or multiple of that time, all samples see the same part of the work until timer and sampling have drifted
 * apart: at 999 Hz this takes a second.  A period of 1.236 ms is as far from simple fractions as possible, because
 * 0.236 is the golden ratio cubed. */
#include <cyctop/event.h>

#include <inttypes.h>
#include <math.h>
#include <stdio.h>

static const double timers_ms[] = {1, 4, 10};
static const double far = 0.055; /* distance from which on a rate is not in step */

/* Returns how far a sampling period is from the nearest m/4, m/3, m/2 or m of a timer period, as a fraction of the
 * shorter of the two periods; *timer_ret: this timer period in ms. */
static double distance(uint64_t hz, double *timer_ret)
{
	enum { DENOMINATOR_MAX = 4 };
	static const double fine = 12; /* with more samples per timer period, all parts of the work are seen */
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
	double timer;
	if (hz <= max)
		return hz;
	for (hz = max; hz > 1 && distance(hz, &timer) < far; hz--)
		;
	return hz > 1 ? hz : max;
}

/* Returns the rate nearest below `hz`, or else above it, that is not in step. */
static uint64_t rate_beside(uint64_t hz)
{
	double timer;
	uint64_t other = hz - 1;
	while (other > 1 && distance(other, &timer) < far)
		other--;
	for (other = other > 1 ? other : hz + 1; distance(other, &timer) < far; other++)
		;
	return other;
}

bool event_rate_note(uint64_t hz, char *buf, size_t cap)
{
	static const double near = 0.012; /* if nearer, timer and sampling need > 80 samples to drift apart */
	double timer = 0;
	*buf = '\0';
	if (!hz || distance(hz, &timer) >= near)
		return false;
	snprintf(buf, cap,
		 "%" PRIu64
		 " samples a second are in step with what programs do every %.0f ms: they see some parts of it "
		 "too often, and others never, which no error tells; -F %" PRIu64 " is not in step",
		 hz, timer, rate_beside(hz));
	return true;
}
