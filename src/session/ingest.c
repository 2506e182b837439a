#include "session/ingest.h"

#include <stdlib.h>
#include <string.h>

/* Where and in what a sample was taken. */
struct place {
	uint32_t task, sym, cpu;
};

void ingest_deinit(struct ingest *in)
{
	free(in->sampled);
	leader_deinit(&in->leader);
}

/* A CPU beyond those that were announced counts with the last: a recording may be wrong
 * about their number. */
static void add(struct ingest *in, const struct place *at, uint32_t event, uint64_t weight)
{
	uint32_t cpu = at->cpu < in->cpus_n ? at->cpu : in->cpus_n - 1;
	model_add(in->model, at->task, at->sym, cpu, event, weight);
	if (in->sampled) {
		uint64_t *sum = &in->sampled[event * (size_t)in->cpus_n + cpu];
		*sum = u64_add_sat(*sum, weight);
	}
}

/* As perf counts: each event of the group that has moved has a sample. */
static void ingest_group(struct ingest *in, const struct record_layout *layout, const uint8_t *bytes, size_t size,
			 const struct place *at)
{
	struct record rec;
	if (record_decode(layout, bytes, size, &rec) < 0) {
		in->malformed++;
		return;
	}
	const struct record_read *read = &rec.u.sample.read;
	for (uint64_t i = 0; i < read->nr; i++) {
		struct read_value v = record_read_value(read, i);
		uint64_t id = read->format & READ_ID ? v.id : rec.id.id;
		uint32_t event, cpu;
		if (!in->source->ops->identify(in->source, id, &event, &cpu) || event >= in->events_n)
			continue;
		uint64_t step = leader_step(&in->leader, id, 0, v.value);
		if (step)
			add(in, at, event, step);
	}
}

static void ingest_sample(struct ingest *in, const struct record_layout *layout, const uint8_t *bytes, size_t size)
{
	const struct source_ops *ops = in->source->ops;
	struct sample_core s;
	uint32_t event, cpu;
	if (record_sample_core(layout, bytes, size, &s) < 0) {
		in->malformed++;
		return;
	}
	bool known = ops->identify(in->source, s.id, &event, &cpu) && event < in->events_n;
	if (known && cpu == SOURCE_ANY_CPU)
		cpu = s.cpu;
	else if (known && cpu >= in->cpus_n)
		known = false;
	if (!known) {
		in->malformed++;
		return;
	}
	struct place at = {.cpu = cpu, .task = resolver_task(in->resolver, s.pid, s.tid, s.time_ns)};
	at.sym = resolver_symbol(in->resolver, at.task, s.misc, s.ip);
	if (layout->sample_type & SAMPLE_READ && in->sampled) {
		ingest_group(in, layout, bytes, size, &at);
		return;
	}
	if (ops->period && layout->period == LAYOUT_ABSENT)
		s.period = ops->period(in->source, s.id);
	add(in, &at, event, s.period);
}

/* Samples that a ring had no room for are in the events' own counts already, where
 * the kernel keeps those (READ_LOST); what the sideband lost is only told here. */
static void ingest_lost(struct ingest *in, const struct lane *lane, uint64_t lost)
{
	if (lane->sideband || !(in->layout->read_format & READ_LOST))
		in->lost_records = u64_add_sat(in->lost_records, lost);
}

void ingest_record(void *ctx, const struct lane *lane, const uint8_t *bytes, size_t size)
{
	struct ingest *in = ctx;
	const struct record_layout *layout = in->layout;
	uint32_t type;
	if (in->source->ops->layout)
		layout = in->source->ops->layout(in->source, bytes, size);
	memcpy(&type, bytes, sizeof(type)); /* the first field of its header */
	if (layout->swap)
		type = __builtin_bswap32(type);
	if (type == RECORD_SAMPLE) {
		ingest_sample(in, layout, bytes, size);
		return;
	}
	struct record rec;
	if (record_decode(layout, bytes, size, &rec) < 0) {
		in->malformed++;
		return;
	}
	switch (rec.type) {
	case RECORD_LOST:
		ingest_lost(in, lane, rec.u.lost.lost);
		break;
	case RECORD_LOST_SAMPLES:
		in->lost_records = u64_add_sat(in->lost_records, rec.u.lost_samples.lost);
		break;
	case RECORD_THROTTLE:
		in->throttles++;
		break;
	default:
		resolver_apply(in->resolver, &rec);
	}
}
