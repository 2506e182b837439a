/* SCOPE_PROC, for kernels that refuse all perf events: turns the CPU times of processes in /proc into samples of
 * cpu-clock without addresses, so that the rest of the program needs no special case.  The resolution of these times is
 * USER_HZ (10 ms). */
#include "source/live/live.h"
#include "source/live/proc_scan.h"

#include "base/alloc.h"
#include "os/clock.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum {
	RECORD_BYTES_MAX = 128,	  /* limit on the size of a record: a sample, or a COMM with a name of 16 bytes */
	SCAN_APART_NS = 50000000, /* shortest time in ns between two scans; the times in /proc change every 10 ms */
};

struct proc_source {
	struct source source;
	struct source_info info;
	struct record_layout layout;
	struct stat_reader stat;
	struct task_stats last;		/* tasks of the last scan, sorted by tid */
	uint64_t scanned_ns, opened_ns; /* CLOCK_MONOTONIC in ns; scanned_ns 0: no scan yet */
	struct cpu_time *start;		/* [cpus_n]: a CPU's times when the source was opened */
	uint8_t *bytes;			/* records that were not passed on yet */
	size_t n, cap;
	struct lane lane;
};

static const struct source_info *proc_info(struct source *src)
{
	return &((struct proc_source *)src)->info;
}

static uint64_t proc_now_ns(struct source *src)
{
	(void)src;
	return clock_ns(CLOCK_MONOTONIC);
}

/* Sets the counters: cpu-clock counts the busy time of each CPU. */
static void proc_read_counters(struct source *src, struct counter *counters, struct cpu_time *times)
{
	struct proc_source *p = (struct proc_source *)src;
	unsigned cpus_n = p->info.cpus_n;
	uint64_t since = proc_now_ns(src) - p->opened_ns;
	stat_reader_read(&p->stat, times, cpus_n);
	for (unsigned cpu = 0; cpu < cpus_n; cpu++) {
		uint64_t was = p->start[cpu].busy_ns, is = times[cpu].busy_ns;
		counters[cpu] = (struct counter){
			.value = is > was ? is - was : 0,
			.enabled_ns = since,
			.running_ns = since,
			.opened = times[cpu].known,
		};
	}
}

/* ---- writing records --------------------------------------------------------- */

static void emit(struct proc_source *p, const struct record *rec)
{
	if (p->n + RECORD_BYTES_MAX > p->cap) {
		p->cap = p->cap ? p->cap * 2 : 16 * 1024;
		p->bytes = mem_realloc(p->bytes, p->cap, 1);
	}
	p->n += record_encode(&p->layout, rec, p->bytes + p->n, p->cap - p->n);
}

static struct record make_record(const struct task_stat *st, uint32_t type, uint64_t time_ns, unsigned cpus_n)
{
	uint32_t cpu = st->cpu < cpus_n ? st->cpu : 0;
	return (struct record){
		.type = type,
		.id = {.has = SAMPLE_TID | SAMPLE_TIME | SAMPLE_CPU | SAMPLE_IDENTIFIER | SAMPLE_ID,
		       .pid = st->pid,
		       .tid = st->tid,
		       .time_ns = time_ns,
		       .cpu = cpu,
		       .id = 1 + cpu},
	};
}

static void emit_sample(struct proc_source *p, const struct task_stat *st, uint16_t mode, uint64_t ticks,
			uint64_t time_ns)
{
	if (!ticks)
		return;
	struct record rec = make_record(st, RECORD_SAMPLE, time_ns, p->info.cpus_n);
	rec.misc = mode;
	rec.u.sample.period = u64_mul_div(ticks, p->stat.tick_ns, 1);
	emit(p, &rec);
}

static void emit_exit(struct proc_source *p, const struct task_stat *st, uint64_t time_ns)
{
	struct record rec = make_record(st, RECORD_EXIT, time_ns, p->info.cpus_n);
	rec.u.task.pid = rec.u.task.ppid = st->pid;
	rec.u.task.tid = rec.u.task.ptid = st->tid;
	rec.u.task.time_ns = time_ns;
	emit(p, &rec);
}

static void emit_comm(struct proc_source *p, const struct task_stat *st, uint64_t time_ns)
{
	struct record rec = make_record(st, RECORD_COMM, time_ns, p->info.cpus_n);
	rec.u.comm.pid = st->pid;
	rec.u.comm.tid = st->tid;
	rec.u.comm.comm = st->comm;
	emit(p, &rec);
}

/* Writes records of what a process has done between two scans.  *was is all zero if the process is new. */
static void emit_delta(struct proc_source *p, const struct task_stat *was, const struct task_stat *is, uint64_t time_ns)
{
	uint64_t user = is->user_ticks > was->user_ticks ? is->user_ticks - was->user_ticks : 0;
	uint64_t system = is->system_ticks > was->system_ticks ? is->system_ticks - was->system_ticks : 0;
	if (memcmp(was->comm, is->comm, sizeof(is->comm)) != 0)
		emit_comm(p, is, time_ns);
	emit_sample(p, is, MISC_USER, user, time_ns);
	emit_sample(p, is, MISC_KERNEL, system, time_ns);
}

static int by_tid(const void *a, const void *b)
{
	uint32_t x = ((const struct task_stat *)a)->tid, y = ((const struct task_stat *)b)->tid;
	return x < y ? -1 : x > y;
}

/* Writes records of the changes between two scans, which are sorted by tid.  CPU time was used at an unknown time
 * between the scans, so the records get the time halfway, which is in the current interval. */
static void emit_changes(struct proc_source *p, const struct task_stats *now, uint64_t time_ns)
{
	static const struct task_stat nothing;
	size_t i = 0, j = 0;
	while (i < p->last.n || j < now->n) {
		uint64_t was_tid = i < p->last.n ? p->last.data[i].tid : UINT64_MAX;
		uint64_t is_tid = j < now->n ? now->data[j].tid : UINT64_MAX;
		if (is_tid < was_tid)
			emit_delta(p, &nothing, &now->data[j++], time_ns);
		else if (was_tid < is_tid || p->last.data[i].start_ticks != now->data[j].start_ticks)
			emit_exit(p, &p->last.data[i++], time_ns); /* this process has ended; its pid may be reused */
		else
			emit_delta(p, &p->last.data[i++], &now->data[j++], time_ns);
	}
}

static void scan(struct proc_source *p)
{
	struct task_stats now = {0};
	uint64_t time_ns = proc_now_ns(&p->source);
	bool first = !p->scanned_ns;
	if (!first && time_ns - p->scanned_ns < SCAN_APART_NS)
		return;
	if (proc_scan_processes(&now) < 0)
		return;
	if (now.n)
		qsort(now.data, now.n, sizeof(now.data[0]), by_tid);
	if (!first)
		emit_changes(p, &now, p->scanned_ns + (time_ns - p->scanned_ns) / 2);
	vec_free(&p->last);
	p->last = now;
	p->scanned_ns = time_ns;
}

/* ---- implementing source_ops ------------------------------------------------- */

static size_t proc_begin(struct source *src, struct lane **ret)
{
	struct proc_source *p = (struct proc_source *)src;
	scan(p);
	/* a sideband lane, so that the merger keeps COMM and EXIT records in order */
	p->lane = (struct lane){.a = p->bytes, .a_len = p->n, .sideband = true};
	*ret = &p->lane;
	return p->n ? 1 : 0;
}

static void proc_end(struct source *src)
{
	struct proc_source *p = (struct proc_source *)src;
	size_t used = p->lane.used < p->n ? p->lane.used : p->n;
	p->n -= used;
	if (p->n)
		memmove(p->bytes, p->bytes + used, p->n);
	p->lane = (struct lane){0};
}

static bool proc_identify(struct source *src, uint64_t id, uint32_t *event_ret, uint32_t *cpu_ret)
{
	if (!id || id > ((struct proc_source *)src)->info.cpus_n)
		return false;
	*event_ret = 0;
	*cpu_ret = (uint32_t)id - 1;
	return true;
}

static int proc_wake_fd(struct source *src)
{
	(void)src;
	return -1;
}

static bool proc_finished(struct source *src)
{
	(void)src;
	return false;
}

static void proc_close(struct source *src)
{
	struct proc_source *p = (struct proc_source *)src;
	stat_reader_deinit(&p->stat);
	vec_free(&p->last);
	free(p->start);
	free(p->bytes);
	free(p);
}

static const struct source_ops proc_ops = {
	.info = proc_info,
	.now_ns = proc_now_ns,
	.read_counters = proc_read_counters,
	.begin = proc_begin,
	.end = proc_end,
	.identify = proc_identify,
	.wake_fd = proc_wake_fd,
	.finished = proc_finished,
	.close = proc_close,
};

static int open_parts(struct proc_source *p, struct error *err)
{
	struct cpu_bits online, present;
	int rc = cpus_online(&online);
	if (rc)
		return error_set(err, -rc, "the CPUs that are online cannot be listed: %s", strerror(-rc));
	cpus_present(&online, &present);
	p->info.cpus_n = cpu_bits_end(&present);
	rc = stat_reader_init(&p->stat, p->info.cpus_n, err);
	if (rc)
		return rc;
	struct perf_attr attr;
	struct attr_policy policy = {.default_period = 1};
	struct source_event *ev = &p->info.events[0];
	event_clock(&ev->spec);
	ev->available = true;
	event_attr(&ev->spec, &policy, &attr);
	rc = record_layout_init(&p->layout, &attr);
	if (rc)
		return error_set(err, -rc, "the layout of records is not known to this version");
	p->start = mem_calloc(p->info.cpus_n, sizeof(p->start[0]));
	stat_reader_read(&p->stat, p->start, p->info.cpus_n);
	scan(p);
	return p->last.n ? 0
			 : error_set(err, ENOENT, "/proc shows no process, and perf events are refused: %s",
				     p->info.notice);
}

int proc_source_open(const char *notice, const char *brief, struct source **ret, struct error *err)
{
	struct proc_source *p = mem_calloc(1, sizeof(*p));
	p->source.ops = &proc_ops;
	p->info.kind = "live";
	p->info.live = p->info.has_counters = p->info.has_files = p->info.has_owners = p->info.stays_at_end = true;
	p->info.scope = SCOPE_PROC;
	p->info.events_n = 1;
	p->info.layout = &p->layout;
	info_machine(&p->info);
	notice_add(p->info.notice, sizeof(p->info.notice), notice);
	notice_add(p->info.short_notice, sizeof(p->info.short_notice), brief);
	p->opened_ns = proc_now_ns(&p->source);
	int rc = open_parts(p, err);
	if (rc) {
		proc_close(&p->source);
		return rc;
	}
	*ret = &p->source;
	return 0;
}
