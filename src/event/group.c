/* Chooses groups of events, which the kernel then schedules together. */
#include <cyctop/event.h>

#include <string.h>

/* Returns true if the kernel accepts both events in one group, whatever the CPU.  On a hybrid machine it refuses a
 * generic event with a PMU together with one without, as they are opened on different PMUs. */
static bool fit_together(const struct event_spec *a, const struct event_spec *b)
{
	bool generic = a->type < ABI_TYPE_RAW && b->type < ABI_TYPE_RAW;
	return event_pmu_type(a) == event_pmu_type(b) && (!generic || event_pmu(a) == event_pmu(b)) &&
	       a->exclude_user == b->exclude_user && a->exclude_kernel == b->exclude_kernel &&
	       strcmp(a->cpus, b->cpus) == 0;
}

static size_t size_of(const uint32_t *leaders, size_t n, uint32_t leader)
{
	size_t size = 0;
	for (size_t e = 0; e < n; e++)
		size += leaders[e] == leader;
	return size;
}

static void join(uint32_t *leaders, size_t n, size_t most, uint32_t a, uint32_t b)
{
	uint32_t first = leaders[a] < leaders[b] ? leaders[a] : leaders[b];
	uint32_t other = leaders[a] < leaders[b] ? leaders[b] : leaders[a];
	if (first == other || size_of(leaders, n, first) + size_of(leaders, n, other) > most)
		return;
	for (size_t e = 0; e < n; e++)
		if (leaders[e] == other)
			leaders[e] = first;
}

/* Puts those events of a metric that have the same PMU and exclude the same modes into one group, of at most `most`
 * events. */
static void join_parts(const struct event_spec *specs, const bool *usable, size_t n, size_t most,
		       const struct metric_set *set, const struct metric *m, uint32_t *leaders)
{
	for (uint32_t a = 0; a < n; a++)
		for (uint32_t b = 0; b < n; b++)
			if (a != b && usable[a] && usable[b] && !specs[a].group && !specs[b].group &&
			    metric_has(m, metric_role(set, &specs[a])) && metric_has(m, metric_role(set, &specs[b])) &&
			    metric_role(set, &specs[a]) != metric_role(set, &specs[b]) &&
			    fit_together(&specs[a], &specs[b]))
				join(leaders, n, most, a, b);
}

void event_groups(const struct event_spec *specs, const bool *usable, size_t n, size_t most,
		  const struct metric_set *metrics, uint32_t *leaders_ret)
{
	for (size_t e = 0; e < n; e++)
		leaders_ret[e] = (uint32_t)e;
	for (size_t e = 0; e < n && most > 1; e++)
		for (uint32_t first = 0; first < e && specs[e].group && usable[e]; first++)
			if (usable[first] && specs[first].group == specs[e].group &&
			    strcmp(specs[first].cpus, specs[e].cpus) == 0) {
				leaders_ret[e] = leaders_ret[first];
				break;
			}
	for (size_t m = 0; m < metrics->n; m++)
		join_parts(specs, usable, n, most, metrics, &metrics->v[m], leaders_ret);
}
