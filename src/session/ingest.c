#include "session/ingest.h"

#include <stdlib.h>
#include <string.h>

enum { ROW = 32 };

/* Samples on their way: each step is done for all of a row before the next one, so that
 * what they look for in memory comes while the others are asked for. */
struct sample_row {
	size_t n;
	struct resolver_lookup lookup[ROW];
	struct model_sample sample[ROW];
};

void ingest_deinit(struct ingest *in)
{
	free(in->sampled);
	leader_deinit(&in->leader);
}

/* A CPU beyond those that were announced counts with the last: a recording may be wrong
 * about their number. */
static inline uint32_t known_cpu(const struct ingest *in, uint32_t cpu)
{
	return cpu < in->cpus_n ? cpu : in->cpus_n - 1;
}

static void add(struct ingest *in, struct model_sample *samples, size_t n)
{
	model_add_row(in->model, samples, n);
	if (!in->sampled)
		return;
	for (size_t i = 0; i < n; i++) {
		uint64_t *sum = &in->sampled[samples[i].event * (size_t)in->cpus_n + samples[i].cpu];
		*sum = u64_add_sat(*sum, samples[i].period);
	}
}

/* As perf counts: each event of the group that has moved has a sample. */
static __attribute__((noinline)) void ingest_group(struct ingest *in, const struct record_layout *layout,
						   const uint8_t *bytes, size_t size, const struct model_sample *at)
{
	struct record rec;
	if (record_decode(layout, bytes, size, &rec) < 0) {
		in->malformed++;
		return;
	}
	const struct record_read *read = &rec.u.sample.read;
	uint32_t tid = layout->own_counts ? rec.id.tid : 0;
	for (uint64_t i = 0; i < read->nr; i++) {
		struct read_value v = record_read_value(read, i);
		uint64_t id = read->format & READ_ID ? v.id : rec.id.id;
		uint32_t event, cpu;
		if (!in->source->ops->identify(in->source, id, &event, &cpu) || event >= in->events_n)
			continue;
		struct model_sample s = *at;
		s.event = event;
		s.period = leader_step(&in->leader, id, tid, v.value);
		if (s.period)
			add(in, &s, 1);
	}
}

static __attribute__((noinline)) bool identify(struct ingest *in, uint64_t id)
{
	const struct source_ops *ops = in->source->ops;
	struct ingest_id *last = &in->last;
	*last = (struct ingest_id){.id = id};
	last->known = ops->identify(in->source, id, &last->event, &last->cpu) && last->event < in->events_n;
	if (last->known && last->cpu != SOURCE_ANY_CPU && last->cpu >= in->cpus_n)
		last->known = false;
	if (last->known && ops->period)
		last->period = ops->period(in->source, id);
	return last->known;
}

/* Adds those of an event that is known; `own_period`: they tell it. */
static inline void take_row(struct ingest *in, const struct sample_core *core, size_t n, bool own_period,
			    struct sample_row *ret)
{
	const struct ingest_id *id = &in->last;
	ret->n = 0;
	for (size_t i = 0; i < n; i++) {
		const struct sample_core *s = &core[i];
		if (!(id->known && id->id == s->id) && !identify(in, s->id)) {
			in->malformed++;
			continue;
		}
		uint32_t task = resolver_task(in->resolver, s->pid, s->tid, s->time_ns);
		ret->lookup[ret->n] =
			(struct resolver_lookup){.ip = s->ip, .time_ns = s->time_ns, .task = task, .misc = s->misc};
		ret->sample[ret->n++] = (struct model_sample){
			.task = task,
			.cpu = known_cpu(in, id->cpu == SOURCE_ANY_CPU ? s->cpu : id->cpu),
			.event = id->event,
			.period = own_period ? s->period : id->period,
		};
	}
	resolver_symbols(in->resolver, ret->lookup, ret->n);
	for (size_t i = 0; i < ret->n; i++)
		ret->sample[i].sym = ret->lookup[i].sym;
}

/* Samples in a row, all of `layout`. */
static void ingest_samples(struct ingest *in, const struct record_layout *layout, const uint8_t *bytes, size_t size)
{
	struct sample_core core[ROW];
	struct sample_row row;
	bool group = layout->sample_type & SAMPLE_READ && in->sampled;
	bool own_period = layout->period != LAYOUT_ABSENT;
	while (size) {
		size_t used;
		size_t n = record_sample_cores(layout, bytes, size, core, group ? 1 : ROW, &used);
		if (!n) { /* too small for a layout that is not that of all */
			in->malformed++;
			return;
		}
		take_row(in, core, n, own_period, &row);
		if (!group)
			add(in, row.sample, row.n);
		else if (row.n)
			ingest_group(in, layout, bytes, used, row.sample);
		bytes += used;
		size -= used;
	}
}

/* The same where each has a layout of its own. */
static void ingest_each(struct ingest *in, const uint8_t *bytes, size_t size)
{
	while (size) {
		uint16_t n;
		memcpy(&n, bytes + offsetof(struct record_header, size), sizeof(n));
		n = in->layout->swap ? __builtin_bswap16(n) : n;
		ingest_samples(in, in->source->ops->layout(in->source, bytes, n), bytes, n);
		bytes += n;
		size -= n;
	}
}

/* Samples that a ring had no room for are in the events' own counts already, where
 * the kernel keeps those (READ_LOST); what the sideband lost is only told here. */
static void ingest_lost(struct ingest *in, const struct lane *lane, uint64_t lost)
{
	if (lane->sideband || !(in->layout->read_format & READ_LOST))
		in->lost_records = u64_add_sat(in->lost_records, lost);
}

static void ingest_sideband(struct ingest *in, const struct lane *lane, const uint8_t *bytes, size_t size)
{
	const struct record_layout *layout = in->layout;
	struct record rec;
	if (in->source->ops->layout)
		layout = in->source->ops->layout(in->source, bytes, size);
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

void ingest_records(void *ctx, const struct lane *lane, const uint8_t *bytes, size_t size)
{
	struct ingest *in = ctx;
	uint32_t type;
	memcpy(&type, bytes, sizeof(type)); /* the first field of its header */
	if (in->layout->swap)
		type = __builtin_bswap32(type);
	if (type != RECORD_SAMPLE)
		ingest_sideband(in, lane, bytes, size);
	else if (in->source->ops->layout)
		ingest_each(in, bytes, size);
	else
		ingest_samples(in, in->layout, bytes, size);
}
