/* Lists events and their sample ids, for recordings. */
#include "source/live/live.h"

#include "base/alloc.h"

#include <stdio.h>
#include <stdlib.h>

struct ids {
	uint64_t *data;
	size_t n, cap;
};

/* Collects the sample ids of an event, but not ids from a time when its samples had another layout. */
static void sampler_ids(const struct live *l, size_t event, struct ids *ids)
{
	bool reads = l->attrs[event].sample_type & SAMPLE_READ;
	for (size_t i = 0; i < l->ids.n; i++)
		if (l->ids.data[i].event == event && l->ids.data[i].reads == reads)
			vec_push(ids) = l->ids.data[i].id;
}

static void add_id(struct ids *ids, int fd)
{
	uint64_t id;
	if (fd >= 0 && perf_get_id(fd, &id) == 0)
		vec_push(ids) = id;
}

/* Collects the sample ids of all dummy events, which write sideband records: of trackers, and of holders. */
static void sideband_ids(const struct live *l, struct ids *ids)
{
	for (unsigned cpu = 0; cpu < l->cpus_n; cpu++) {
		add_id(ids, l->cpus[cpu].tracker);
		add_id(ids, l->cpus[cpu].holder);
	}
	if (!l->tasks)
		return;
	uint64_t *more;
	size_t n = tasks_tracker_ids(l, &more);
	for (size_t i = 0; i < n; i++)
		vec_push(ids) = more[i];
	free(more);
}

bool live_stream(struct source *src, size_t i, struct source_stream *ret)
{
	const struct live *l = (const struct live *)src;
	struct ids ids = {0};
	if (i > l->info.events_n)
		return false;
	if (i < l->info.events_n) {
		ret->attr = l->attrs[i];
		ret->attr.config1 = l->info.events[i].spec.config1; /* in a probe's attr, config1 is a pointer */
		snprintf(ret->name, sizeof(ret->name), "%s",
			 l->info.events[i].spec.off_cpu ? EVENT_SWITCHES : l->info.events[i].spec.name);
		if (!source_is_of_branches(&l->info, i)) /* events of branches have no samples of their own */
			sampler_ids(l, i, &ids);
	} else {
		ret->attr = l->tracker_attr;
		ret->attr.flags |= l->holder_attr.flags & (ATTR_TEXT_POKE | ATTR_CONTEXT_SWITCH | ATTR_DEFER_OUTPUT);
		snprintf(ret->name, sizeof(ret->name), "dummy:HG");
		sideband_ids(l, &ids);
	}
	ret->ids = ids.data;
	ret->ids_n = ids.n;
	return true;
}
