#include <cyctop/session.h>

#include <inttypes.h>
#include <math.h>
#include <stdio.h>

enum { LEAST_HZ = 10 };

double budget_part(const struct budget *b, const struct budget_cost *cost)
{
	return cost->own + cost->samples * b->sample_ns / 1e9 / (cost->cpus_n ? cost->cpus_n : 1);
}

uint64_t budget_rate(const struct budget *b, const struct budget_cost *cost, uint64_t now_hz)
{
	static const double aim = 0.8, higher = 1.5, lower_most = 0.1, higher_most = 2;
	double part = budget_part(b, cost);
	double factor = part > 0 ? aim * b->most / part : higher_most;
	if (part <= b->most && factor < higher)
		return now_hz;
	factor = fmin(fmax(factor, lower_most), higher_most);
	double hz = fmax((double)now_hz * factor, LEAST_HZ);
	return hz < (double)b->asked_hz ? (uint64_t)hz : b->asked_hz;
}

void budget_init(struct budget *b, double most, const struct session *s)
{
	*b = (struct budget){.most = most, .asked_hz = session_info(s)->rate_hz};
	if (most > 0 && b->asked_hz)
		b->sample_ns = live_sample_cost_ns();
}

/* Computes what measuring cost in the last seconds at the present rate.  Returns false if the rate is too new. */
static bool cost_of(const struct budget *b, struct session *s, struct budget_cost *ret)
{
	const uint64_t seconds_ns = 5000000000, least_ns = 2000000000;
	const struct query query = {.window = WINDOW_SLIDING, .sliding_ns = seconds_ns, .since_ns = b->since_ns};
	struct snapshot *snap = session_snapshot(s, &query);
	uint64_t wall_ns = snap->end_ns - snap->start_ns;
	*ret = (struct budget_cost){.samples = (double)snap->trust.samples * 1e9 / (double)(wall_ns + 1)};
	for (unsigned cpu = 0; cpu < snap->cpus_n; cpu++)
		ret->cpus_n += snap->cpus[cpu].online;
	ret->own = snap->trust.self / (ret->cpus_n ? ret->cpus_n : 1);
	snapshot_destroy(snap);
	return wall_ns >= least_ns;
}

bool budget_step(struct budget *b, struct session *s, char *text, size_t cap)
{
	struct budget_cost cost;
	uint64_t now_hz = session_info(s)->rate_hz;
	if (!(b->most > 0) || !now_hz || !cost_of(b, s, &cost))
		return false;
	uint64_t hz = budget_rate(b, &cost, now_hz);
	if (hz == now_hz || (hz = session_set_rate(s, hz)) == now_hz)
		return false;
	b->since_ns = session_now_ns(s);
	snprintf(text, cap,
		 "Measuring took %.2g%% of the CPUs, of %.2g%% (--budget): %" PRIu64 " samples a second now.",
		 100 * budget_part(b, &cost), 100 * b->most, hz);
	return true;
}
