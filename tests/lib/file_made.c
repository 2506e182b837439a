#include "file_made.h"

#include "memory_bytes.h"
#include "merge_singly.h"

#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

void made_bytes(struct made *m, const void *data, size_t n)
{
	assert_true(m->n + n <= DATA_MAX);
	if (n)
		memcpy(m->bytes + m->n, data, n);
	m->n += n;
}

void made_own(struct made *m, uint32_t type, const void *data, size_t n)
{
	struct record_header h = {.type = type, .size = (uint16_t)(sizeof(h) + n)};
	made_bytes(m, &h, sizeof(h));
	made_bytes(m, data, n);
}

void made_round(struct made *m)
{
	made_own(m, PD_RECORD_FINISHED_ROUND, NULL, 0);
}

void made_record(struct made *m, const struct record *rec)
{
	uint8_t buf[512];
	size_t n = record_encode(&m->layout, rec, buf, sizeof(buf));
	assert_true(n > 0);
	made_bytes(m, buf, n);
}

void made_sample(struct made *m, uint64_t time_ns, uint64_t id, uint32_t cpu, uint64_t period)
{
	struct record rec = {.type = RECORD_SAMPLE, .misc = MISC_USER};
	rec.id.has = SAMPLE_TID | SAMPLE_TIME | SAMPLE_CPU | SAMPLE_IDENTIFIER;
	rec.id.pid = rec.id.tid = 7;
	rec.id.time_ns = time_ns;
	rec.id.id = id;
	rec.id.cpu = cpu;
	rec.u.sample.ip = 0x1000;
	rec.u.sample.period = period;
	made_record(m, &rec);
}

void made_comm(struct made *m, uint64_t time_ns, const char *comm)
{
	struct record rec = {.type = RECORD_COMM};
	rec.id.has = SAMPLE_TID | SAMPLE_TIME | SAMPLE_CPU | SAMPLE_IDENTIFIER;
	rec.id.time_ns = time_ns;
	rec.id.id = FIRST_ID;
	rec.u.comm.pid = rec.u.comm.tid = 7;
	rec.u.comm.comm = comm;
	made_record(m, &rec);
}

void made_attr(struct made *m, uint64_t config, uint64_t id)
{
	uint8_t payload[sizeof(struct perf_attr) + 8];
	struct perf_attr attr = m->attr;
	attr.config = config;
	memcpy(payload, &attr, sizeof(attr));
	memcpy(payload + sizeof(attr), &id, sizeof(id));
	made_own(m, PD_RECORD_ATTR, payload, sizeof(payload));
}

/* Begins a stream with the events cycles and instructions. */
void begin_pipe(struct made *m, uint64_t sample_type)
{
	*m = (struct made){0};
	m->attr = (struct perf_attr){
		.size = sizeof(m->attr),
		.sample_period = 500,
		.sample_type = sample_type,
		.flags = ATTR_SAMPLE_ID_ALL,
	};
	assert_int_equal(record_layout_init(&m->layout, &m->attr), 0);
	const uint64_t header[2] = {PD_MAGIC, PD_PIPE_HEADER_SIZE};
	made_bytes(m, header, sizeof(header));
	made_attr(m, 0, FIRST_ID);
	made_attr(m, 1, SECOND_ID);
}

/* ---- reading ------------------------------------------------------------------------ */

static void take(void *ctx, const struct lane *lane, const uint8_t *bytes, size_t size)
{
	struct seen *seen = ctx;
	const struct source_ops *ops = seen->source->ops;
	struct record rec;
	uint32_t event, cpu;
	(void)lane;
	assert_int_equal(record_decode(ops->info(seen->source)->layout, bytes, size, &rec), 0);
	size_t n = strlen(seen->order);
	assert_true(n + 1 < sizeof(seen->order));
	seen->order[n] = rec.type == RECORD_COMM ? rec.u.comm.comm[0] : 's';
	if (rec.type != RECORD_SAMPLE)
		return;
	if (!ops->identify(seen->source, rec.id.id, &event, &cpu)) {
		seen->unknown++;
		return;
	}
	assert_true(event < 2);
	seen->samples[event]++;
	bool own = ops->info(seen->source)->layout->period != LAYOUT_ABSENT;
	seen->periods[event] += own ? rec.u.sample.period : ops->period(seen->source, rec.id.id);
}

void drain(struct seen *seen)
{
	const struct source_ops *ops = seen->source->ops;
	struct merger *merger = merger_create();
	struct merge_stats stats = {0};
	do {
		struct lane *lanes;
		size_t n = ops->begin(seen->source, &lanes);
		merger_run(merger, ops->info(seen->source)->layout, lanes, n, ops->horizon(seen->source), merge_singly,
			   &(struct merge_singly){ops->info(seen->source)->layout, take, seen}, &stats);
		ops->end(seen->source);
	} while (ops->more(seen->source));
	merger_destroy(merger);
}

void tick(struct seen *seen)
{
	seen->source->ops->advance(seen->source);
	drain(seen);
	seen->source->ops->maintain(seen->source);
	seen->ticks++;
}

void open_made(const struct made *m, uint64_t interval_ns, bool seekable, struct seen *seen)
{
	struct file_config config = {.path = "made", .interval_ns = interval_ns};
	struct bytes bytes = bytes_of_memory(m->bytes, m->n, seekable);
	struct error err;
	*seen = (struct seen){0};
	if (file_open_bytes(&config, &bytes, &seen->source, &err) < 0)
		fail_msg("%s", err.text);
}

void read_made(const struct made *m, uint64_t interval_ns, struct seen *seen)
{
	open_made(m, interval_ns, false, seen);
	while (!seen->source->ops->finished(seen->source))
		tick(seen);
}

void close_made(struct seen *seen)
{
	seen->source->ops->close(seen->source);
}
