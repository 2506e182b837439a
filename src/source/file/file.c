/* A recording as a source: the table of functions, and the way its time moves. */
#include "source/file/file.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { DRAIN_NS = 50000000 };

static struct file *file_of(const struct source *src)
{
	return (struct file *)(uintptr_t)src;
}

/* ---- time ------------------------------------------------------------------------- */

/* The only use of a clock. */
static uint64_t wall_ns(void)
{
	struct timespec ts;
	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (uint64_t)ts.tv_sec * 1000000000 + (uint64_t)ts.tv_nsec;
}

static bool has_time(const struct file *f)
{
	return f->events.common.time != LAYOUT_ABSENT;
}

/* The time of the first record of a lane that has one; UINT64_MAX: none has. */
static uint64_t first_time(const struct file *f, const struct lane_span *span)
{
	for (size_t at = 0; at < span->n;) {
		const uint8_t *p = batch_bytes(&f->batch, span) + at;
		struct record_header h = pd_record_header(p, f->header.swap);
		uint64_t t = record_time_of(&f->events.common, p, &h);
		if (t)
			return t;
		at += h.size;
	}
	return UINT64_MAX;
}

/* Where the next record will be: nothing before is waiting, or still to be read. */
static uint64_t next_time(const struct file *f)
{
	uint64_t next = f->complete_ns;
	for (size_t i = 0; i < f->batch.spans.n; i++) {
		uint64_t t = first_time(f, &f->batch.spans.data[i]);
		next = t < next ? t : next;
	}
	return next;
}

/* One interval on; over those in which nothing was recorded at once. */
static void step(struct file *f)
{
	uint64_t interval = f->config.interval_ns, next = next_time(f);
	f->target_ns = u64_add_sat(f->target_ns, interval);
	if (next >= f->target_ns) {
		uint64_t intervals = (next - f->target_ns) / interval + 1;
		f->target_ns = intervals < UINT64_MAX / interval ? u64_add_sat(f->target_ns, intervals * interval)
								 : UINT64_MAX;
	}
}

static void advance(struct source *src)
{
	struct file *f = file_of(src);
	f->ticks++;
	if (f->speed > 0) {
		uint64_t now = wall_ns();
		double passed = (double)(now - f->wall_ns) * f->speed;
		if (!f->paused)
			f->target_ns =
				u64_add_sat(f->target_ns, passed < 1e18 ? (uint64_t)passed : 1000000000000000000u);
		f->wall_ns = now;
	} else if (!f->paused) {
		if (f->config.interval_ns)
			step(f);
		else
			f->target_ns = UINT64_MAX;
	}
}

/* A pipe's records come after their time: where it ends, it has long been later. */
static uint64_t end_ns(const struct file *f, uint64_t last)
{
	bool later = f->said_ns > last && f->target_ns != UINT64_MAX;
	return later ? f->target_ns : u64_add_sat(last, f->ticks ? 1 : 0);
}

static uint64_t now_of(const struct file *f)
{
	if (!has_time(f) || !f->stats.first_ns)
		return f->stats.first_ns + f->ticks;
	uint64_t last = f->newest_ns > f->stats.first_ns ? f->newest_ns : f->stats.first_ns;
	if (f->target_ns == UINT64_MAX || (f->over && f->target_ns > last))
		return end_ns(f, last);
	return f->target_ns;
}

static uint64_t now_ns(struct source *src)
{
	struct file *f = file_of(src);
	uint64_t now = now_of(f);
	f->said_ns = now > f->said_ns ? now : f->said_ns;
	return f->said_ns;
}

/* A pipe that is read as it fills, by whoever waits for wake_fd(). */
static bool is_watched(const struct file *f)
{
	return f->bytes.fd >= 0 && !f->in.walk.wait;
}

static bool wants_more(const struct file *f)
{
	return !f->over && !f->paused && f->complete_ns <= f->target_ns;
}

/* ---- records ------------------------------------------------------------------------ */

static size_t begin(struct source *src, struct lane **ret)
{
	struct file *f = file_of(src);
	if (!f->draining)
		f->drained_ns = is_watched(f) ? wall_ns() : 0;
	f->draining = true;
	if (f->fresh)
		f->fresh = false;
	else if (wants_more(f))
		file_load(f);
	return batch_lanes(&f->batch, ret);
}

static void end(struct source *src)
{
	struct file *f = file_of(src);
	batch_keep_rest(&f->batch);
	if (f->over && f->target_ns == UINT64_MAX)
		batch_clear(&f->batch); /* a time that is no time */
}

static uint64_t horizon(struct source *src)
{
	const struct file *f = file_of(src);
	return f->complete_ns < f->target_ns ? f->complete_ns : f->target_ns;
}

static bool more(struct source *src)
{
	struct file *f = file_of(src);
	/* A pipe may fill as fast as it is read: its user has other things to look at, too. */
	bool enough = is_watched(f) && wall_ns() - f->drained_ns >= DRAIN_NS;
	f->draining = wants_more(f) && !f->blocked && !enough;
	return f->draining;
}

static bool finished(struct source *src)
{
	struct file *f = file_of(src);
	if (!f->over || f->batch.n)
		return false;
	return true;
}

/* ---- what records mean ---------------------------------------------------------------- */

static bool identify(struct source *src, uint64_t id, uint32_t *event_ret, uint32_t *cpu_ret)
{
	struct file *f = file_of(src);
	uint32_t event = file_event_of_id(&f->events, id);
	if (event == EVENT_OF_NONE || f->events.shown_as[event] == EVENT_OF_NONE || !f->events.readable[event]) {
		f->stats.unknown_ids++;
		return false;
	}
	*event_ret = f->events.shown_as[event];
	*cpu_ret = SOURCE_ANY_CPU;
	return true;
}

static uint64_t period(struct source *src, uint64_t id)
{
	struct file *f = file_of(src);
	uint32_t event = file_event_of_id(&f->events, id);
	const struct perf_attr *attr = event == EVENT_OF_NONE ? NULL : &f->pd.events[event].attr;
	return attr && !(attr->flags & ATTR_FREQ) && attr->sample_period ? attr->sample_period : 1;
}

static const struct record_layout *layout(struct source *src, const uint8_t *bytes, size_t size)
{
	return file_layout_of(&file_of(src)->events, bytes, size);
}

/* No counter was read: the session adds up what was sampled. */
static void read_counters(struct source *src, struct counter *counters, struct cpu_time *times)
{
	const struct file *f = file_of(src);
	uint64_t ns = now_ns(src);
	for (size_t i = 0; i < f->info.events_n * f->info.cpus_n; i++)
		counters[i] = (struct counter){.opened = true, .enabled_ns = ns, .running_ns = ns};
	for (unsigned cpu = 0; cpu < f->info.cpus_n; cpu++)
		times[cpu] = (struct cpu_time){.online = cpu < f->pd.cpus_online || f->seen_cpu[cpu]};
}

static const struct source_info *info(struct source *src)
{
	return &file_of(src)->info;
}

/* What is not wanted yet stays in the pipe, and its writer waits. */
static int wake_fd(struct source *src)
{
	const struct file *f = file_of(src);
	return is_watched(f) && wants_more(f) ? f->bytes.fd : -1;
}

static void maintain(struct source *src)
{
	struct file *f = file_of(src);
	if (f->over && !f->said_over) {
		f->said_over = true;
		file_say_over(f);
	}
}

static void file_close(struct source *src)
{
	struct file *f = file_of(src);
	reading_deinit(&f->in);
	parts_close(f);
	batch_deinit(&f->batch);
	file_events_deinit(&f->events);
	pd_info_deinit(&f->pd);
	bytes_close(&f->bytes);
	free(f->path);
	free(f);
}

#define FILE_OPS                                                                                                       \
	.info = info, .advance = advance, .now_ns = now_ns, .read_counters = read_counters, .begin = begin,            \
	.end = end, .identify = identify, .period = period, .horizon = horizon, .more = more, .wake_fd = wake_fd,      \
	.maintain = maintain, .finished = finished, .close = file_close
static const struct source_ops one_layout_ops = {FILE_OPS};
static const struct source_ops many_layouts_ops = {FILE_OPS, .layout = layout};

/* ---- the user's hand ------------------------------------------------------------------ */

const struct pd_info *file_info(const struct source *src)
{
	return &file_of(src)->pd;
}

void file_stats_get(const struct source *src, struct file_stats *ret)
{
	const struct file *f = file_of(src);
	*ret = f->stats;
	ret->last_ns = f->newest_ns;
}

void file_pause(struct source *src, bool paused)
{
	struct file *f = file_of(src);
	if (f->speed > 0)
		advance(src); /* up to now by what held until now */
	f->paused = paused;
}

void file_set_speed(struct source *src, double speed)
{
	struct file *f = file_of(src);
	if (f->speed > 0)
		advance(src);
	f->speed = speed > 0 ? speed : 0;
	f->wall_ns = wall_ns();
	f->in.walk.wait = f->speed <= 0;
}

int file_seek(struct source *src, uint64_t offset_ns)
{
	struct file *f = file_of(src);
	uint64_t target = u64_add_sat(f->stats.first_ns, offset_ns);
	bool back = target < f->target_ns;
	if (back) {
		if (!f->bytes.seekable)
			return -ESPIPE;
		bool wait = f->in.walk.wait;
		file_rewind(f);
		f->in.walk.wait = wait;
	}
	f->target_ns = f->sought_ns = target;
	f->said_ns = 0;
	f->wall_ns = wall_ns();
	return back;
}

bool file_behind(const struct source *src)
{
	const struct file *f = file_of(src);
	return is_watched(f) && !f->over && f->complete_ns < f->sought_ns;
}

/* ---- opening -------------------------------------------------------------------------- */

static void find_first(struct file *f)
{
	const struct batch *b = &f->batch;
	uint64_t any = UINT64_MAX, sample = UINT64_MAX;
	for (size_t i = 0; i < b->spans.n; i++) {
		const struct lane_span *span = &b->spans.data[i];
		for (size_t at = 0; at < span->n;) {
			const uint8_t *p = batch_bytes(b, span) + at;
			struct record_header h = pd_record_header(p, f->header.swap);
			uint64_t t = record_time_of(&f->events.common, p, &h);
			if (t && t < any)
				any = t;
			if (t && t < sample && h.type == RECORD_SAMPLE)
				sample = t;
			at += h.size;
		}
	}
	f->stats.first_ns = sample != UINT64_MAX ? sample : any != UINT64_MAX ? any : 0;
}

/* Room for CPUs is not had for the asking: a large machine's recording tells an id for each
 * of them, or has some bytes of each. */
static unsigned believable_cpus(const struct file *f)
{
	uint64_t n = FILE_CPUS_UNSAID;
	for (size_t i = 0; i < f->pd.events_n; i++)
		n = f->pd.events[i].ids_n > n ? f->pd.events[i].ids_n : n;
	if (f->bytes.seekable && f->bytes.size / BYTES_PER_CPU > n)
		n = f->bytes.size / BYTES_PER_CPU;
	return n < FILE_CPUS_MAX ? (unsigned)n : FILE_CPUS_MAX;
}

/* How many CPUs there is room for: those the recording names, or those of its beginning,
 * which often is all of it. */
static unsigned count_cpus(const struct file *f)
{
	unsigned most = believable_cpus(f);
	unsigned n = f->pd.cpus_available < most ? f->pd.cpus_available : most;
	if (!n && !f->over && f->events.common.cpu != LAYOUT_ABSENT)
		n = FILE_CPUS_UNSAID;
	for (unsigned cpu = n; cpu < FILE_CPUS_MAX; cpu++)
		n = f->seen_cpu[cpu] ? cpu + 1 : n;
	return n ? n : 1;
}

static bool counts_hardware(const struct pd_info *pd)
{
	bool hardware = false;
	for (size_t i = 0; i < pd->events_n; i++) {
		uint32_t type = pd->events[i].attr.type;
		hardware |= type != ABI_TYPE_SOFTWARE && type != ABI_TYPE_TRACEPOINT && type != ABI_TYPE_BREAKPOINT;
	}
	return hardware;
}

static void fill_info(struct file *f)
{
	struct source_info *i = &f->info;
	const struct pd_info *pd = &f->pd;
	i->kind = SOURCE_FILE;
	i->scope = SCOPE_SYSTEM;
	i->cpus_n = count_cpus(f);
	i->layout = &f->events.common;
	snprintf(i->host, sizeof(i->host), "%s", pd->hostname ? pd->hostname : "");
	snprintf(i->kernel, sizeof(i->kernel), "%s%s%s", pd->osrelease ? pd->osrelease : "",
		 pd->osrelease && pd->arch ? " " : "", pd->arch ? pd->arch : "");
	if (counts_hardware(pd))
		snprintf(i->pmu, sizeof(i->pmu), "%s", pd->cpudesc ? pd->cpudesc : pd->cpuid ? pd->cpuid : "its own");
	const struct perf_attr *attr = &pd->events[f->events.first].attr;
	i->rate_hz = attr->flags & ATTR_FREQ ? attr->sample_period : 0;
}

/* The first batch.  Of a pipe that is played as it fills no more than it takes to know when
 * it begins: who writes little would keep the screen waiting. */
static void load_first(struct file *f)
{
	f->in.walk.wait = f->speed <= 0;
	file_load(f);
	while (f->blocked && !f->stats.samples) {
		if (!walk_wait(&f->bytes, f->config.stop_fd))
			f->in.walk.state = WALK_STOPPED;
		file_load(f);
	}
}

static int open_bytes(struct file *f, struct error *err)
{
	struct error why = {0};
	if (!walk_wait(&f->bytes, f->config.stop_fd))
		return error_set(err, EINTR, "nothing came through the pipe");
	int rc = file_read_header(f, &why);
	if (rc == 0) {
		walk_init(&f->in.walk, &f->bytes, f->header.swap, f->data_begin, f->data_end);
		f->in.walk.wait = true;
		f->in.walk.stop_fd = f->config.stop_fd;
		parts_start(f);
		rc = file_load_preamble(f, &why);
	}
	if (rc == 0)
		rc = file_events_fix(f, &why);
	if (rc < 0)
		return file_error(f, &why, err);
	load_first(f);
	if (f->no_zstd || (f->pd.compressed_mmap_len && !inflate_available()))
		return error_set(err, ENOTSUP,
				 "%s: Its records are compressed, and this cyctop was built without libzstd.", f->path);
	f->fresh = true;
	find_first(f);
	fill_info(f);
	f->target_ns = f->stats.first_ns;
	f->wall_ns = wall_ns();
	f->source.ops = f->events.one_layout ? &one_layout_ops : &many_layouts_ops;
	return 0;
}

int file_open_bytes(const struct file_config *config, const struct bytes *bytes, struct source **ret, struct error *err)
{
	struct file *f = mem_calloc(1, sizeof(*f));
	f->config = *config;
	f->path = mem_strdup(config->path);
	f->config.path = f->path;
	f->speed = config->speed > 0 ? config->speed : 0;
	f->bytes = *bytes;
	pd_info_init(&f->pd);
	if (bytes->directory)
		parts_open(f, f->path);
	int rc = open_bytes(f, err);
	if (rc < 0) {
		file_close(&f->source);
		return rc;
	}
	*ret = &f->source;
	return 0;
}

int file_open(const struct file_config *config, struct source **ret, struct error *err)
{
	struct bytes bytes;
	int rc = bytes_open(config->path, &bytes, err);
	if (rc == 0)
		rc = file_open_bytes(config, &bytes, ret, err);
	return rc;
}
