/* Groups of events that the kernel is to schedule together. */
#include <cyctop/event.h>

static bool fit_together(const struct event_spec *a, const struct event_spec *b)
{
	return event_pmu_type(a) == event_pmu_type(b) && event_pmu(a) == event_pmu(b) &&
	       a->exclude_user == b->exclude_user && a->exclude_kernel == b->exclude_kernel;
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

void event_groups(const struct event_spec *specs, const bool *usable, size_t n, size_t most, uint32_t *leaders_ret)
{
	for (size_t e = 0; e < n; e++)
		leaders_ret[e] = (uint32_t)e;
	for (size_t e = 0; e < n && most > 1; e++)
		for (uint32_t first = 0; first < e && specs[e].group && usable[e]; first++)
			if (usable[first] && specs[first].group == specs[e].group) {
				leaders_ret[e] = leaders_ret[first];
				break;
			}
	for (size_t m = 0; m < metrics_n; m++)
		for (uint32_t num = 0; num < n; num++)
			for (uint32_t den = 0; den < n; den++)
				if (usable[num] && usable[den] && !specs[num].group && !specs[den].group &&
				    specs[num].role == metrics[m].num && specs[den].role == metrics[m].den &&
				    fit_together(&specs[num], &specs[den]))
					join(leaders_ret, n, most, num, den);
}
