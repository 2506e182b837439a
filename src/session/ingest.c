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
static inline void add(struct ingest *in, const struct place *at, uint32_t event, uint64_t weight)
{
	uint32_t cpu = at->cpu < in->cpus_n ? at->cpu : in->cpus_n - 1;
	model_add(in->model, at->task, at->sym, cpu, event, weight);
	if (in->sampled) {
		uint64_t *sum = &in->sampled[event * (size_t)in->cpus_n + cpu];
		*sum = u64_add_sat(*sum, weight);
	}
}

/* As perf counts: each event of the group that has moved has a sample. */
static __attribute__((noinline)) void ingest_group(struct ingest *in, const struct record_layout *layout,
						   const uint8_t *bytes, size_t size, const struct place *at)
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
		uint64_t step = leader_step(&in->leader, id, tid, v.value);
		if (step)
			add(in, at, event, step);
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

static inline bool ingest_place(struct ingest *in, const struct sample_core *s, struct place *ret)
{
	const struct ingest_id *id = &in->last;
	if (!(id->known && id->id == s->id) && !identify(in, s->id)) {
		in->malformed++;
		return false;
	}
	ret->cpu = id->cpu == SOURCE_ANY_CPU ? s->cpu : id->cpu;
	ret->task = resolver_task(in->resolver, s->pid, s->tid, s->time_ns);
	ret->sym = resolver_symbol(in->resolver, ret->task, s->misc, s->ip, s->time_ns);
	return true;
}

/* Samples in a row, all of `layout`. */
static void ingest_samples(struct ingest *in, const struct record_layout *layout, const uint8_t *bytes, size_t size)
{
	enum { AT_ONCE = 32 };
	struct sample_core core[AT_ONCE];
	bool group = layout->sample_type & SAMPLE_READ && in->sampled;
	bool own_period = layout->period != LAYOUT_ABSENT;
	while (size) {
		size_t used;
		size_t n = record_sample_cores(layout, bytes, size, core, group ? 1 : AT_ONCE, &used);
		if (!n) { /* too small for a layout that is not that of all */
			in->malformed++;
			return;
		}
		for (size_t i = 0; i < n; i++) {
			struct place at;
			if (!ingest_place(in, &core[i], &at))
				continue;
			if (group)
				ingest_group(in, layout, bytes, used, &at);
			else
				add(in, &at, in->last.event, own_period ? core[i].period : in->last.period);
		}
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
