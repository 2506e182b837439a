/* Makes READ records of a source's counters for recordings: how much each event has counted on each CPU. */
#include "base/alloc.h"

#include <cyctop/session.h>

#include <stdlib.h>

struct read_records {
	struct source *source;
	size_t events_n;
	unsigned cpus_n;
	struct record_layout layouts[EVENTS_MAX];
	uint64_t any[EVENTS_MAX]; /* some id of the event, on any CPU; 0: none */
	uint64_t *ids;		  /* [event * cpus_n + cpu]: id of the event on this CPU; 0: unknown */
};

/* Stores the attrs of the events, and the ids that they have now. */
static void store_layouts(struct read_records *r)
{
	const struct source_ops *ops = r->source->ops;
	struct source_stream stream;
	for (size_t e = 0; e < r->events_n && ops->stream(r->source, e, &stream); e++) {
		if (stream.ids_n && record_layout_init(&r->layouts[e], &stream.attr) == 0 && !r->any[e])
			r->any[e] = stream.ids[0];
		for (size_t i = 0; i < stream.ids_n; i++) {
			uint32_t event, cpu;
			if (ops->identify(r->source, stream.ids[i], &event, &cpu) && event == e && cpu < r->cpus_n)
				r->ids[e * r->cpus_n + cpu] = stream.ids[i];
		}
		free(stream.ids);
	}
}

struct read_records *read_records_create(struct source *source)
{
	const struct source_info *info = source->ops->info(source);
	struct read_records *r = mem_calloc(1, sizeof(*r));
	*r = (struct read_records){.source = source, .events_n = info->events_n, .cpus_n = info->cpus_n};
	r->ids = mem_calloc(r->events_n * r->cpus_n, sizeof(*r->ids));
	store_layouts(r);
	return r;
}

void read_records_destroy(struct read_records *r)
{
	if (!r)
		return;
	free(r->ids);
	free(r);
}

/* Returns true if events were opened anew, or on another CPU, since store_layouts() stored their ids. */
static bool is_outdated(const struct read_records *r, const struct counter *counters)
{
	const struct source_info *info = r->source->ops->info(r->source);
	for (size_t i = 0; i < r->events_n * r->cpus_n; i++) {
		uint32_t event, cpu;
		if (info->events[i / r->cpus_n].spec.counted) /* recordings have only sampled events */
			continue;
		if (counters[i].opened && (!r->ids[i] || !r->source->ops->identify(r->source, r->ids[i], &event, &cpu)))
			return true;
	}
	return false;
}

/* Writes a READ record of no thread (pid and tid -1) to `buf`.  An estimated count is written as 0, with its times: a
 * reader can estimate it better from all samples. */
static size_t encode(const struct read_records *r, size_t event, unsigned cpu, const struct counter *c,
		     uint64_t time_ns, uint8_t *buf, size_t cap)
{
	size_t at = event * r->cpus_n + cpu;
	uint64_t id = r->ids[at] ? r->ids[at] : r->any[event];
	const uint64_t values[] = {c->estimated ? 0 : c->value, id, c->estimated ? 0 : c->lost};
	struct record rec = {
		.type = RECORD_READ,
		.id = {.pid = UINT32_MAX, .tid = UINT32_MAX, .time_ns = time_ns, .cpu = cpu, .id = id, .stream_id = id},
	};
	rec.u.read.pid = rec.u.read.tid = UINT32_MAX;
	rec.u.read.read = (struct record_read){
		.nr = 1,
		.enabled_ns = c->enabled_ns,
		.running_ns = c->running_ns,
		.values = values,
		.format = READ_ID | READ_LOST,
	};
	return record_encode(&r->layouts[event], &rec, buf, cap);
}

int read_records_each(struct read_records *r, const struct counter *counters, uint64_t time_ns, flight_fn *fn,
		      void *ctx)
{
	enum { RECORD_BYTES = 256 };
	uint8_t buf[RECORD_BYTES];
	if (is_outdated(r, counters))
		store_layouts(r);
	for (size_t e = 0; e < r->events_n; e++)
		for (unsigned cpu = 0; r->any[e] && cpu < r->cpus_n; cpu++) {
			const struct counter *c = &counters[e * r->cpus_n + cpu];
			if (!c->opened)
				continue;
			size_t n = encode(r, e, cpu, c, time_ns, buf, sizeof(buf));
			int rc = n ? fn(ctx, buf, n) : 0;
			if (rc)
				return rc;
		}
	return 0;
}
