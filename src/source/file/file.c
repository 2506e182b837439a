/* A recording as a source (struct source_ops), and its playback. */
#include "source/file/file.h"
#include "os/clock.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

enum { DRAIN_NS = 50000000, NS_PER_S = 1000000000 };

static struct file *file_of(const struct source *src)
{
	return (struct file *)(uintptr_t)src;
}

/* ---- advancing the recorded time -------------------------------------------------- */

static bool has_time(const struct file *f)
{
	return f->events.common.time != LAYOUT_ABSENT;
}

/* Returns the first time of a record in a lane; UINT64_MAX: no record has a time. */
static uint64_t first_time(const struct file *f, const struct lane_span *span)
{
	for (size_t at = 0; at < span->n;) {
		const uint8_t *p = batch_bytes(&f->batch, span) + at;
		struct record_header h = pd_record_header(p, f->swap);
		uint64_t t = record_time_of(&f->events.common, p, &h);
		if (t)
			return t;
		at += h.size;
	}
	return UINT64_MAX;
}

/* Returns a time in ns before which no record is left, neither in the batch nor in the file. */
static uint64_t next_time(const struct file *f)
{
	uint64_t next = f->complete_ns;
	for (size_t i = 0; i < f->batch.spans.n; i++) {
		uint64_t t = first_time(f, &f->batch.spans.data[i]);
		next = t < next ? t : next;
	}
	return next;
}

/* Moves target_ns on by one interval, and further if there are no records before it.  With config.whole, an interval
 * without records counts, too, up to EMPTY_MAX of them: a recording with more has wrong times. */
static void step(struct file *f)
{
	enum { EMPTY_MAX = 4096 };
	uint64_t interval = f->config.interval_ns, next = next_time(f);
	f->target_ns = u64_add_sat(f->target_ns, interval);
	bool keep = f->config.whole && next != UINT64_MAX && f->empty_steps < EMPTY_MAX;
	if (next >= f->target_ns && keep) {
		f->empty_steps++;
	} else if (next >= f->target_ns) {
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
		uint64_t now = clock_ns(CLOCK_MONOTONIC);
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

/* Returns true for a pipe that is shown as it fills; the session polls wake_fd() between its ticks. */
static bool is_watched(const struct file *f)
{
	return reader_fd(f->in) >= 0 && !f->waits;
}

/* Returns the recorded time that was reached: target_ns, but at most the time of the last record. */
static uint64_t now_of(const struct file *f)
{
	if (!has_time(f) || !f->stats.first_ns)
		return f->stats.first_ns + f->ticks;
	uint64_t last = f->newest_ns > f->stats.first_ns ? f->newest_ns : f->stats.first_ns;
	if (f->target_ns == UINT64_MAX || (f->over && f->target_ns > last))
		return u64_add_sat(last, f->ticks ? 1 : 0);
	return f->target_ns;
}

/* Returns the recorded time; of a pipe that is shown as it fills, it never goes back.  Such a pipe's last record is
 * unknown until it ends, so a later time than now_of() returns may have been returned before. */
static uint64_t now_ns(struct source *src)
{
	struct file *f = file_of(src);
	uint64_t now = now_of(f);
	if (!is_watched(f))
		return now;
	f->last_now_ns = now > f->last_now_ns ? now : f->last_now_ns;
	return f->last_now_ns;
}

/* Returns true if more is to be read.  A paused file is still read up to target_ns; a paused pipe is not read at
 * all. */
static bool wants_more(const struct file *f)
{
	return !f->over && !(f->paused && is_watched(f)) && f->complete_ns <= f->target_ns;
}

/* ---- passing records to the session ------------------------------------------------- */

static size_t begin(struct source *src, struct lane **ret)
{
	struct file *f = file_of(src);
	if (!f->draining)
		f->drained_ns = is_watched(f) ? clock_ns(CLOCK_MONOTONIC) : 0;
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
		batch_clear(&f->batch); /* drops records with time UINT64_MAX, as no horizon is later */
	if (f->over && !f->batch.n)
		batch_deinit(&f->batch); /* frees memory, since the session builds large tables now */
}

static uint64_t horizon(struct source *src)
{
	const struct file *f = file_of(src);
	return f->complete_ns < f->target_ns ? f->complete_ns : f->target_ns;
}

static bool more(struct source *src)
{
	struct file *f = file_of(src);
	/* a pipe may fill as fast as it is read, but the screen must handle keys and draw from time to time */
	bool enough = is_watched(f) && clock_ns(CLOCK_MONOTONIC) - f->drained_ns >= DRAIN_NS;
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

/* ---- events and counters ---------------------------------------------------------------- */

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
	if (!attr || !attr->sample_period)
		return 1;
	if (!(attr->flags & ATTR_FREQ))
		return attr->sample_period;
	/* a clock event has a fixed period, even if a frequency was given */
	bool clock = event_role_of(attr->type, attr->config, "") == ROLE_CLOCK;
	return clock && attr->sample_period <= NS_PER_S ? NS_PER_S / attr->sample_period : 1;
}

static const struct record_layout *layout(struct source *src, const uint8_t *bytes, size_t size)
{
	return file_layout_of(&file_of(src)->events, bytes, size);
}

/* A recording has no counters.  Sets all to values from which the session knows that it must add up sample periods or,
 * if there are any, use the counts of READ records. */
static void read_counters(struct source *src, struct counter *counters, struct cpu_time *times)
{
	const struct file *f = file_of(src);
	uint64_t ns = now_ns(src);
	for (size_t i = 0; i < f->info.events_n * f->info.cpus_n; i++) {
		const struct source_event *ev = &f->info.events[i / f->info.cpus_n];
		counters[i] = (struct counter){
			.opened = true,
			.enabled_ns = ns,
			.running_ns = ns,
			.estimated = true,
			.summed = true,
			.untimed = ev->untimed,
			.unweighed = ev->unweighed,
		};
	}
	for (unsigned cpu = 0; cpu < f->info.cpus_n; cpu++)
		times[cpu] = (struct cpu_time){.online = cpu < f->pd.cpus_online || f->seen_cpu[cpu]};
}

static const struct source_info *info(struct source *src)
{
	return &file_of(src)->info;
}

/* Returns the descriptor to poll for more records.  Returns -1 while none are needed: they stay in the pipe, and its
 * writer waits. */
static int wake_fd(struct source *src)
{
	const struct file *f = file_of(src);
	return is_watched(f) && wants_more(f) ? reader_fd(f->in) : -1;
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
	parts_close(f);
	batch_deinit(&f->batch);
	file_events_deinit(&f->events);
	pd_info_deinit(&f->pd);
	reader_close(f->in);
	free(f->places);
	free(f->path);
	free(f);
}

/* ---- status and playback, for the owner of the source ----------------------------------- */

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

static void set_paused(struct source *src, bool paused)
{
	struct file *f = file_of(src);
	if (f->speed > 0)
		advance(src); /* moves target_ns up to now at the old speed */
	f->paused = paused;
}

static void set_waits(struct file *f, bool waits)
{
	f->waits = waits;
	reader_set_wait(f->in, waits);
}

static void set_speed(struct source *src, double speed)
{
	struct file *f = file_of(src);
	if (f->speed > 0)
		advance(src);
	f->speed = speed > 0 ? speed : 0;
	f->wall_ns = clock_ns(CLOCK_MONOTONIC);
	set_waits(f, f->speed <= 0);
}

static void set_step(struct source *src, uint64_t interval_ns)
{
	file_of(src)->config.interval_ns = interval_ns;
}

static int seek(struct source *src, uint64_t offset_ns)
{
	struct file *f = file_of(src);
	uint64_t target = u64_add_sat(f->stats.first_ns, offset_ns);
	bool back = target < f->target_ns;
	if (back) {
		if (!reader_seekable(f->in))
			return -ESPIPE;
		file_rewind(f);
	}
	f->target_ns = f->seek_ns = target;
	f->last_now_ns = 0;
	f->wall_ns = clock_ns(CLOCK_MONOTONIC);
	return back;
}

static bool is_behind(struct source *src)
{
	const struct file *f = file_of(src);
	return is_watched(f) && !f->over && f->complete_ns < f->seek_ns;
}

static void extent(struct source *src, uint64_t *first_ns_ret, uint64_t *end_ns_ret)
{
	const struct file *f = file_of(src);
	*first_ns_ret = f->stats.first_ns;
	*end_ns_ret = f->pd.last_ns && f->newest_ns > f->pd.last_ns ? f->newest_ns : f->pd.last_ns;
}

static const struct playback_ops playback = {
	.pause = set_paused,
	.set_speed = set_speed,
	.step = set_step,
	.seek = seek,
	.behind = is_behind,
	.extent = extent,
};

#define FILE_OPS                                                                                                       \
	.info = info, .advance = advance, .now_ns = now_ns, .read_counters = read_counters, .begin = begin,            \
	.end = end, .identify = identify, .period = period, .horizon = horizon, .more = more, .wake_fd = wake_fd,      \
	.maintain = maintain, .finished = finished, .playback = &playback, .close = file_close
static const struct source_ops one_layout_ops = {FILE_OPS};
static const struct source_ops many_layouts_ops = {FILE_OPS, .layout = layout};

/* ---- opening a recording -------------------------------------------------------------- */

static void find_first(struct file *f)
{
	const struct batch *b = &f->batch;
	uint64_t any = UINT64_MAX, sample = UINT64_MAX;
	for (size_t i = 0; i < b->spans.n; i++) {
		const struct lane_span *span = &b->spans.data[i];
		for (size_t at = 0; at < span->n;) {
			const uint8_t *p = batch_bytes(b, span) + at;
			struct record_header h = pd_record_header(p, f->swap);
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

/* Returns a limit on the number of CPUs, so that a wrong number in the file does not make us allocate too much memory.
 * A real CPU has a sample id, or at least BYTES_PER_CPU bytes of records. */
static unsigned believable_cpus(const struct file *f)
{
	uint64_t n = FILE_CPUS_UNSAID;
	for (size_t i = 0; i < f->pd.events_n; i++)
		n = f->pd.events[i].ids_n > n ? f->pd.events[i].ids_n : n;
	if (reader_seekable(f->in) && reader_size(f->in) / BYTES_PER_CPU > n)
		n = reader_size(f->in) / BYTES_PER_CPU;
	return n < FILE_CPUS_MAX ? (unsigned)n : FILE_CPUS_MAX;
}

/* Returns a limit on the numbers of CPUs, which may have gaps: if one of eight threads per core is online, they are 0,
 * 8, 16... */
static unsigned numbers_end(const struct file *f)
{
	uint64_t n = (uint64_t)f->pd.cpus_available * 8;
	if (n < FILE_CPUS_UNSAID)
		n = n ? FILE_CPUS_UNSAID : FILE_CPUS_MAX;
	return n < FILE_CPUS_MAX ? (unsigned)n : FILE_CPUS_MAX;
}

/* Returns the number of CPUs to allocate for: from the header, and from the samples of the first batch, which is often
 * the whole recording. */
static unsigned count_cpus(const struct file *f)
{
	unsigned most = believable_cpus(f);
	unsigned n = f->pd.cpus_available < most ? f->pd.cpus_available : most;
	if (!n && !f->over && f->events.common.cpu != LAYOUT_ABSENT)
		n = FILE_CPUS_UNSAID;
	for (unsigned cpu = n; cpu < numbers_end(f); cpu++) {
		/* a CPU number above the limit may be damage, unless two samples have it */
		bool there = f->seen_cpu[cpu] > 1 || (f->seen_cpu[cpu] && cpu < most);
		n = there ? cpu + 1 : n;
	}
	return n ? n : 1;
}

static bool counts_hardware(const struct pd_info *pd)
{
	bool hardware = false;
	for (size_t i = 0; i < pd->events_n; i++) {
		uint32_t type = pd->events[i].attr.type;
		bool probe = pd->events[i].name && event_probe_prefix(pd->events[i].name);
		hardware |= !probe && type != ABI_TYPE_SOFTWARE && type != ABI_TYPE_TRACEPOINT &&
			    type != ABI_TYPE_BREAKPOINT;
	}
	return hardware;
}

/* Returns true if all events exclude the kernel; perf's dummy event is ignored. */
static bool is_user_only(const struct pd_info *pd)
{
	bool kernel = false, any = false;
	for (size_t i = 0; i < pd->events_n; i++) {
		const struct perf_attr *attr = &pd->events[i].attr;
		any |= !file_is_dummy(attr);
		kernel |= !file_is_dummy(attr) && !(attr->flags & ATTR_EXCLUDE_KERNEL);
	}
	return any && !kernel;
}

static void fill_info(struct file *f)
{
	struct source_info *i = &f->info;
	const struct pd_info *pd = &f->pd;
	i->kind = "file";
	i->label = "from a file";
	i->has_files = i->playable = i->keeps_tasks = i->stays_at_end = true;
	i->scope = is_user_only(pd) ? SCOPE_SYSTEM_USER : SCOPE_SYSTEM;
	i->cpus_n = count_cpus(f);
	i->layout = &f->events.common;
	i->periods = PERIODS_ELAPSED;
	i->counters_of_tasks = pd->threads != PD_THREADS_ALL || f->events.common.cpu == LAYOUT_ABSENT;
	i->utc_known = pd->wall_ns;
	i->utc_offset_ns = (int64_t)(pd->wall_ns - pd->clock_ns);
	snprintf(i->host, sizeof(i->host), "%s", pd->hostname ? pd->hostname : "");
	snprintf(i->kernel, sizeof(i->kernel), "%s%s%s", pd->osrelease ? pd->osrelease : "",
		 pd->osrelease && pd->arch ? " " : "", pd->arch ? pd->arch : "");
	snprintf(i->cpuid, sizeof(i->cpuid), "%s", pd->cpuid ? pd->cpuid : "");
	if (counts_hardware(pd))
		snprintf(i->pmu, sizeof(i->pmu), "%s", pd->cpudesc ? pd->cpudesc : pd->cpuid ? pd->cpuid : "its own");
	const struct perf_attr *attr = &pd->events[f->events.first].attr;
	*(attr->flags & ATTR_FREQ ? &i->rate_hz : &i->period) = attr->sample_period;
}

/* Loads the first batch.  A pipe that is shown as it fills is loaded only up to its first sample, which gives the start
 * time: waiting for a whole batch would delay the first screen. */
static void load_first(struct file *f)
{
	set_waits(f, f->speed <= 0);
	file_load(f);
	while (f->blocked && !f->stats.samples) {
		(void)reader_wait(f->in);
		file_load(f);
	}
}

static int read_start(struct file *f, struct error *err)
{
	struct error why = {0};
	int rc = file_read_header(f, &why);
	parts_open(f);
	if (rc == 0)
		rc = file_load_preamble(f, &why);
	if (rc == 0)
		rc = file_events_fix(f, &why);
	if (rc < 0)
		return file_error(f, &why, err);
	load_first(f);
	if (reader_lacks_zstd(f->in) || (f->pd.compressed_mmap_len && !reader_can_decompress()))
		return error_set(err, ENOTSUP,
				 "%s: Its records are compressed, and this cyctop was built without libzstd.", f->path);
	f->fresh = true;
	find_first(f);
	fill_info(f);
	file_topology(f);
	f->target_ns = f->stats.first_ns;
	f->wall_ns = clock_ns(CLOCK_MONOTONIC);
	f->source.ops = f->events.one_layout ? &one_layout_ops : &many_layouts_ops;
	return 0;
}

int file_open_bytes(const struct file_config *config, const struct bytes *bytes, struct source **ret, struct error *err)
{
	struct reader *in;
	int rc = reader_open_bytes(bytes, config->path, config->stop_fd, &in, err);
	if (rc < 0)
		return rc;
	struct file *f = mem_calloc(1, sizeof(*f));
	f->config = *config;
	f->path = mem_strdup(config->path);
	f->config.path = f->path;
	f->speed = config->speed > 0 ? config->speed : 0;
	f->in = in;
	pd_info_init(&f->pd);
	rc = read_start(f, err);
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
	int rc = bytes_open(config->path, config->stop_fd, &bytes, err);
	return rc < 0 ? rc : file_open_bytes(config, &bytes, ret, err);
}
