/* Records what a live source measures (a lane is the unread bytes of a ring):
 *
 *   rings -> drain_source() -> stats (in the order of time)
 *                           -> writer (the bytes of each ring, as they are) */
#include "base/alloc.h"
#include "os/clock.h"
#include "recorder/code.h"
#include "recorder/describe.h"
#include "recorder/stats.h"
#include "recorder/writer.h"

#include <cyctop/recorder.h>

#include <stdlib.h>

enum { DRAIN_WHILE_DESCRIBING_MS = 200 };

struct recorder {
	struct recorder_config config;
	struct record_layout layout;
	struct flight *memory; /* records that a session kept, set by recorder_take_memory(); owned */
	struct pd_info info;
	struct writer *writer;
	struct recording_stats stats;
	struct code_names *code;  /* names of JIT code; NULL: a stream has none, a session's memory has its own */
	uint64_t code_dropped_ns; /* with `memory`: the time that resolver_code() reported as dropped_ns */
	struct merger *merger;
	bool all_tasks; /* every task is sampled */
	struct read_records *reads;
	struct counter *counters; /* [event * cpus_n + cpu] */
	struct cpu_time *times;	  /* [cpus_n] */
	/* While existing processes are being described, which takes long if there are many, records of the sideband
	 * rings are kept in `early`: they may be about processes that are not described yet.  They are written after
	 * the description. */
	bool describing;
	struct pd_buffer early;
	uint64_t drained_ns;
	/* For callbacks that write: their first error, and where its message goes. */
	int rc;
	struct error *err;
	uint8_t bytes[RECORD_SIZE_MAX];
};

/* ---- writing records ----------------------------------------------------------------- */

static bool is_dropped(const struct recorder *r, const struct lane *lane)
{
	return r->describing && !lane->sideband;
}

/* Adds a record (or a run of samples) to the statistics; a merge_fn. */
static void count(void *ctx, const struct lane *lane, const uint8_t *bytes, size_t size)
{
	struct recorder *r = ctx;
	if (!is_dropped(r, lane))
		recording_stats_add(&r->stats, bytes, size);
}

static void put_bytes(struct recorder *r, const uint8_t *bytes, size_t n)
{
	if (r->describing)
		pd_buffer_add(&r->early, bytes, n);
	else if (!r->rc)
		r->rc = writer_append(r->writer, bytes, n, r->err);
}

static void put_lanes(void *ctx, const struct lane *lanes, size_t n, uint64_t horizon_ns)
{
	struct recorder *r = ctx;
	(void)horizon_ns; /* unused, because rings are written as they are, unmerged */
	for (size_t i = 0; i < n; i++) {
		const struct lane *lane = &lanes[i];
		if (is_dropped(r, lane))
			continue;
		size_t first = lane->used < lane->a_len ? lane->used : lane->a_len;
		put_bytes(r, lane->a, first);
		put_bytes(r, lane->b, lane->used - first);
	}
}

static int drain(struct recorder *r, struct error *err)
{
	const struct drain_sink sink = {.records = count, .lanes = put_lanes, .ctx = r};
	struct merge_stats stats = {0};
	r->rc = 0;
	r->err = err;
	drain_source(r->config.source, r->merger, UINT64_MAX, &sink, &stats);
	r->drained_ns = clock_ns(CLOCK_MONOTONIC);
	return r->rc;
}

int recorder_drain(struct recorder *r, struct error *err)
{
	int rc = drain(r, err);
	return rc ? rc : writer_round(r->writer, err);
}

static int put_record(struct recorder *r, const struct record *rec, struct error *err)
{
	size_t n = record_encode(&r->layout, rec, r->bytes, sizeof(r->bytes));
	return n ? writer_append(r->writer, r->bytes, n, err) : 0;
}

/* ---- writing counters ------------------------------------------------------------------ */

static int put_reading(void *ctx, const void *bytes, size_t n)
{
	struct recorder *r = ctx;
	return writer_append(r->writer, bytes, n, r->err);
}

/* Reads the counts of all events, and writes them as READ records. */
static int put_readings(struct recorder *r, struct error *err)
{
	struct source *src = r->config.source;
	uint64_t now_ns = src->ops->now_ns(src);
	src->ops->read_counters(src, r->counters, r->times);
	r->err = err;
	return read_records_each(r->reads, r->counters, now_ns, put_reading, r);
}

/* ---- starting the recording ---------------------------------------------------------- */

static int put_existing(void *ctx, const struct record *rec)
{
	struct recorder *r = ctx;
	recording_stats_add_decoded(&r->stats, rec);
	int rc = put_record(r, rec, r->err);
	bool drains =
		r->describing && clock_ns(CLOCK_MONOTONIC) - r->drained_ns >= DRAIN_WHILE_DESCRIBING_MS * 1000000ull;
	return rc || !drains ? rc : drain(r, r->err);
}

/* If all tasks are recorded, writes a THREAD_MAP record with the only pid -1, which says so. */
static int put_target(struct recorder *r, struct error *err)
{
	struct {
		struct record_header h;
		uint64_t n, pid;
		char comm[16];
	} all = {.h = {.type = PD_RECORD_THREAD_MAP, .size = sizeof(all)}, .n = 1, .pid = UINT64_MAX};
	return r->all_tasks ? writer_append(r->writer, &all, sizeof(all), err) : 0;
}

static int start(struct recorder *r, struct error *err)
{
	struct pd_buffer topology = {0}, tracing = {0};
	recorder_describe_host(&r->info);
	describe_command_line(&r->info, r->config.argc, r->config.argv);
	describe_topology(&topology);
	writer_feature(r->writer, PD_CPU_TOPOLOGY, topology.data, topology.n);
	free(topology.data);
	if (describe_tracepoints(&r->info, &tracing))
		writer_feature(r->writer, PD_TRACING_DATA, tracing.data, tracing.n);
	free(tracing.data);
	int rc = writer_start(r->writer, err);
	return rc ? rc : put_target(r, err);
}

/* Returns true if the recording is a stream, whose features must come at its start.  perf refuses a stream with
 * features that it does not know, such as CODE_NAMES. */
static bool is_stream(const struct recorder *r)
{
	return r->writer->out.stream;
}

int recorder_start(struct recorder *r, struct error *err)
{
	int rc = describe_events(&r->info, r->config.source, err);
	if (!rc && !is_stream(r))
		rc = code_names_create(&r->code, err);
	r->stats.code = r->code;
	if (!rc)
		rc = start(r, err);
	r->err = err;
	r->describing = true;
	r->drained_ns = clock_ns(CLOCK_MONOTONIC);
	if (!rc)
		rc = describe_existing(r->config.target, put_existing, r, &r->stats.limits);
	if (!rc)
		rc = drain(r, err);
	r->describing = false;
	if (!rc)
		rc = writer_append(r->writer, r->early.data, r->early.n, err);
	vec_free(&r->early);
	if (!rc)
		rc = put_readings(r, err);
	return rc ? rc : writer_checkpoint(r->writer, err);
}

/* Moves the names of JIT code that are known by now to r->info.  `last`: first waits for names that are being read. */
static void keep_code(struct recorder *r, bool last)
{
	if (!r->code)
		return;
	code_names_tend(r->code, clock_ns(CLOCK_MONOTONIC));
	if (last)
		code_names_settle(r->code);
	code_names_get(r->code, &r->info, &r->stats.limits);
}

/* ---- checkpoints and the end of the recording ---------------------------------------------- */

int recorder_checkpoint(struct recorder *r, struct error *err)
{
	struct source *src = r->config.source;
	/* Ids are at the start of a stream, so its reader would not know the ids of events that are opened now. */
	if (!is_stream(r) && src->ops->maintain) {
		src->ops->maintain(src);
		describe_new_ids(&r->info, src);
	}
	int rc = put_readings(r, err);
	keep_code(r, false);
	return rc ? rc : writer_checkpoint(r->writer, err);
}

static int put_lost(struct recorder *r, size_t event, uint64_t lost, struct error *err)
{
	const struct record rec = {
		.type = RECORD_LOST_SAMPLES,
		.id = {.id = r->info.events[event].ids[0]},
		.u.lost_samples = {.lost = lost},
	};
	return put_record(r, &rec, err);
}

/* Writes how many samples of each event the kernel lost; the numbers were read by put_readings(). */
static int put_all_lost(struct recorder *r, struct error *err)
{
	const struct source_info *info = r->config.source->ops->info(r->config.source);
	int rc = 0;
	size_t event = 0; /* index in r->info.events, which has only the available events */
	for (size_t e = 0; e < info->events_n && !rc; e++) {
		uint64_t lost = 0;
		if (!info->events[e].available)
			continue;
		for (unsigned cpu = 0; cpu < info->cpus_n; cpu++)
			lost += r->counters[e * info->cpus_n + cpu].lost;
		if (lost)
			rc = put_lost(r, event, lost, err);
		event++;
	}
	return rc;
}

int recorder_finish(struct recorder *r, struct error *err)
{
	int rc = put_readings(r, err);
	if (!rc)
		rc = put_all_lost(r, err);
	keep_code(r, true);
	return rc ? rc : writer_finish(r->writer, err);
}

static struct recorder *create(const struct recorder_config *config, struct source *source)
{
	struct recorder *r = mem_calloc(1, sizeof(*r));
	r->config = *config;
	const struct source_info *info = source->ops->info(source);
	r->layout = *info->layout;
	r->all_tasks = info->scope == SCOPE_SYSTEM || info->scope == SCOPE_SYSTEM_USER;
	pd_info_init(&r->info);
	recording_stats_init(&r->stats, &r->layout, &r->info);
	r->merger = merger_create();
	return r;
}

static int create_file(struct recorder *r, struct error *err)
{
	const struct writer_config writer = {
		.path = r->config.path,
		.place = r->memory ? OUTPUT_NUMBERED : OUTPUT_KEEP_OLD,
		.level = r->config.level,
		.stop_fd = r->config.stop_fd,
	};
	return writer_create(&writer, &r->info, &r->writer, err);
}

int recorder_create(const struct recorder_config *config, struct recorder **ret, struct error *err)
{
	struct recorder *r = create(config, config->source);
	const struct source_info *info = config->source->ops->info(config->source);
	r->reads = read_records_create(config->source);
	r->counters = mem_calloc(info->events_n * info->cpus_n, sizeof(r->counters[0]));
	r->times = mem_calloc(info->cpus_n, sizeof(r->times[0]));
	int rc = create_file(r, err);
	if (rc < 0)
		recorder_destroy(r);
	else
		*ret = r;
	return rc;
}

void recorder_stats(const struct recorder *r, struct recorder_stats *ret)
{
	*ret = (struct recorder_stats){
		.samples = r->stats.samples,
		.lost = r->stats.lost,
		.first_ns = r->info.first_ns,
		.last_ns = r->info.last_ns,
		.bytes = writer_bytes(r->writer),
		.path = r->writer->out.path,
		.limits = r->stats.limits,
	};
	if (r->code)
		ret->unnamed = code_names_unnamed(r->code, &ret->unnamed_runtime);
}

void recorder_destroy(struct recorder *r)
{
	if (!r)
		return;
	flight_destroy(r->memory);
	code_names_destroy(r->code);
	read_records_destroy(r->reads);
	free(r->counters);
	free(r->times);
	writer_destroy(r->writer);
	recording_stats_deinit(&r->stats);
	merger_destroy(r->merger);
	pd_info_deinit(&r->info);
	vec_free(&r->early);
	free(r);
}

/* ---- writing the records that a session kept in memory ---------------------------------- */

/* Writes some of the records that a session kept; `bytes` NULL: the end of a round.  A flight_fn. */
static int put_remembered(void *ctx, const void *bytes, size_t n)
{
	struct recorder *r = ctx;
	if (!bytes)
		return writer_round(r->writer, r->err);
	struct lane whole = {.a = bytes, .a_len = n};
	struct merge_stats stats = {0};
	merger_run(r->merger, &r->layout, &whole, 1, UINT64_MAX, count, r, &stats);
	return writer_append(r->writer, bytes, n, r->err);
}

/* Drops the names of JIT code that was last sampled before the first recorded sample. */
static void forget_code(struct recorder *r)
{
	struct pd_info *info = &r->info;
	if (r->code_dropped_ns && r->code_dropped_ns >= info->first_ns)
		limit_count(&r->stats.limits, REACHED_CODE_NAMES);
	for (size_t i = 0; i < info->code_n; i++) {
		struct pd_code *code = &info->code[i];
		size_t kept = 0;
		for (size_t k = 0; k < code->functions_n; k++)
			if (code->functions[k].last_ns >= info->first_ns)
				code->functions[kept++] = code->functions[k];
		code->functions_n = kept;
	}
}

int recorder_take_memory(const struct recorder_config *config, struct session *session, struct recorder **ret,
			 struct error *err)
{
	struct source *source = session_source(session);
	struct recorder *r = create(config, source);
	r->memory = session_remembered(session);
	resolver_code(session_resolver(session), &r->info.code, &r->info.code_n, &r->code_dropped_ns);
	int rc = describe_events(&r->info, source, err);
	if (rc < 0)
		recorder_destroy(r);
	else
		*ret = r;
	return rc;
}

int recorder_write_memory(struct recorder *r, struct error *err)
{
	r->err = err;
	int rc = create_file(r, err);
	if (!rc)
		rc = start(r, err);
	if (!rc)
		rc = describe_existing(r->config.target, put_existing, r, &r->stats.limits);
	if (!rc)
		rc = flight_each(r->memory, put_remembered, r);
	forget_code(r);
	return rc ? rc : writer_finish(r->writer, err);
}
