#include "session/ingest.h"

#include <string.h>

static void ingest_sample(struct ingest *in, const uint8_t *bytes, size_t size)
{
	struct sample_core s;
	uint32_t event, cpu;
	if (record_sample_core(in->layout, bytes, size, &s) < 0 ||
	    !in->source->ops->identify(in->source, s.id, &event, &cpu) || event >= in->events_n || cpu >= in->cpus_n) {
		in->malformed++;
		return;
	}
	uint32_t task = resolver_task(in->resolver, s.pid, s.tid, s.time_ns);
	uint32_t sym = resolver_symbol(in->resolver, task, s.misc, s.ip);
	model_add(in->model, task, sym, cpu, event, s.period);
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
	struct record_header header;
	memcpy(&header, bytes, sizeof(header));
	if (header.type == RECORD_SAMPLE) {
		ingest_sample(in, bytes, size);
		return;
	}
	struct record rec;
	if (record_decode(in->layout, bytes, size, &rec) < 0) {
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
