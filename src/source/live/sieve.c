#include "source/live/sieve.h"
#include "source/live/live.h"
#include "source/live/members.h"

#include "base/alloc.h"
#include "os/clock.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

struct bytes {
	uint8_t *data;
	size_t n, cap;
};

/* A sideband record that was copied from a ring. */
struct taken {
	uint64_t time_ns;
	size_t at; /* offset in sieve.raw */
	uint16_t size;
};

/* Data to estimate the target's part of an event's count on a CPU: samples since the counter was last read. */
struct share {
	uint64_t all, ours;	       /* sums of sample periods: of all tasks; of the target */
	uint64_t samples, our_samples; /* numbers of samples: of all tasks; of the target */
	uint64_t next, next_id;	       /* the period that begins at the last sample, and the id of this sample */
	struct counter seen;	       /* the counter of all tasks when `estimate` was last updated */
	double estimate, lost;	       /* the target's estimated count, and estimated number of lost samples */
};

struct sieve {
	struct members members;
	struct bytes *data;	 /* [cpus_n]: samples of the target that the session has not used yet */
	struct bytes side;	 /* sideband records that the session has not used yet, in order of time */
	struct share *shares;	 /* [event * cpus_n + cpu] */
	struct lane *heads;	 /* [cpus_n]: unread bytes of the data rings, see take_rings() */
	VEC(struct taken) taken; /* records in `raw`, to be sorted by time */
	struct bytes raw;
	int *exact; /* [EVENTS_MAX * cpus_n], as shares: fds of events on a command and its children; -1: none */
	uint64_t opened_ticks; /* when the events were opened, in ticks (USER_HZ) since boot */
	bool was_read;	       /* the counters were read at least once */
	bool lost;	       /* sideband records were lost since the last sieve_maintain() */
};

/* ---- buffers of copied records ---------------------------------------------------------- */

/* Appends the bytes [at, at + n) of a lane to `to`.  Returns their copy. */
static uint8_t *take(struct bytes *to, const struct lane *lane, size_t at, size_t n)
{
	vec_reserve(to, to->n + n);
	uint8_t *p = to->data + to->n;
	lane_copy(lane, at, p, n);
	to->n += n;
	return p;
}

static void drop_first(struct bytes *b, size_t n)
{
	if (!n)
		return;
	b->n -= n;
	memmove(b->data, b->data + n, b->n);
}

/* Returns the size of the record at offset `at`; 0: no whole record is there. */
static size_t size_at(const struct lane *lane, size_t at, struct record_header *ret)
{
	size_t left = lane->a_len + lane->b_len - at;
	if (left < sizeof(*ret))
		return 0;
	lane_copy(lane, at, ret, sizeof(*ret));
	return ret->size >= sizeof(*ret) && ret->size % 8 == 0 && ret->size <= left ? ret->size : 0;
}

/* ---- copying sideband records, dropping those of other tasks ------------------------------ */

static uint64_t time_of(const struct live *l, const uint8_t *p, const struct record_header *h)
{
	uint64_t time;
	int at = h->type == RECORD_SAMPLE ? l->layout.time : h->size - l->layout.tr_time;
	if (at < 0 || (size_t)at + sizeof(time) > h->size)
		return 0;
	memcpy(&time, p + at, sizeof(time));
	return time;
}

/* Copies the records older than `horizon_ns` to s->raw, and lists them in s->taken.  If a record is malformed, its
 * header goes to s->side, so that the merger counts it; the rest of the lane is dropped. */
static void take_sideband(struct live *l, struct ring *ring, const struct lane *lane, uint64_t horizon_ns)
{
	struct sieve *s = l->sieve;
	struct record_header h;
	size_t at = 0, size, all = lane->a_len + lane->b_len;
	uint64_t newest = 0;
	for (; (size = size_at(lane, at, &h)); at += size) {
		size_t to = s->raw.n;
		uint64_t time = time_of(l, take(&s->raw, lane, at, size), &h);
		if (time >= horizon_ns) {
			s->raw.n = to;
			ring_release(ring, at);
			return;
		}
		newest = time > newest ? time : newest;
		vec_push(&s->taken) = (struct taken){newest, to, h.size};
	}
	if (at < all)
		take(&s->side, lane, at, all - at < sizeof(h) ? all - at : sizeof(h));
	ring_release(ring, all);
}

static int by_time(const void *va, const void *vb)
{
	const struct taken *a = va, *b = vb;
	if (a->time_ns != b->time_ns)
		return a->time_ns < b->time_ns ? -1 : 1;
	return a->at < b->at ? -1 : 1;
}

/* Applies a record to the members.  Returns true if it is about the target or the kernel, so that the session needs
 * it. */
static bool concerns(struct sieve *s, const struct record *rec, uint64_t time_ns)
{
	struct members *m = &s->members;
	bool has;
	switch (rec->type) {
	case RECORD_FORK:
		return members_fork(m, rec->u.task.pid, rec->u.task.tid, rec->u.task.ptid, time_ns);
	case RECORD_EXIT:
		has = members_has(m, rec->u.task.tid, time_ns);
		members_exit(m, rec->u.task.pid, rec->u.task.tid, time_ns);
		return has;
	case RECORD_COMM:
		if (rec->misc & MISC_COMM_EXEC)
			members_exec(m, rec->u.comm.pid, time_ns);
		return members_has(m, rec->u.comm.tid, time_ns);
	case RECORD_MMAP:
	case RECORD_MMAP2:
		return rec->u.mmap.pid == UINT32_MAX || members_has(m, rec->u.mmap.tid, time_ns);
	case RECORD_LOST:
		s->lost = true;
		return true;
	default:
		return true;
	}
}

static void sieve_sideband(struct live *l)
{
	struct sieve *s = l->sieve;
	if (s->taken.n)
		qsort(s->taken.data, s->taken.n, sizeof(s->taken.data[0]), by_time);
	for (size_t i = 0; i < s->taken.n; i++) {
		const struct taken *t = &s->taken.data[i];
		const uint8_t *p = s->raw.data + t->at;
		struct record rec;
		/* malformed records are kept: the session counts them */
		bool keeps = record_decode(&l->layout, p, t->size, &rec) < 0 || concerns(s, &rec, t->time_ns);
		if (!keeps)
			continue;
		vec_reserve(&s->side, s->side.n + t->size);
		memcpy(s->side.data + s->side.n, p, t->size);
		s->side.n += t->size;
	}
	s->taken.n = s->raw.n = 0;
}

/* ---- copying samples of the target -------------------------------------------------------- */

/* If samples of the event contain the period that begins at them (crossing.h), replaces the period of a sample by that
 * which ended at it, also in the record `p`. */
static void shift_period(const struct live *l, size_t event, struct share *share, struct sample_core *sample,
			 uint8_t *p)
{
	if (!event_period_begins(&l->info.events[event].spec, l->attrs[event].flags & ATTR_FREQ) ||
	    l->layout.period == LAYOUT_ABSENT)
		return;
	uint64_t ended = share->next_id == sample->id ? share->next : 1;
	share->next = sample->period;
	share->next_id = sample->id;
	sample->period = ended;
	memcpy(p + l->layout.period, &ended, sizeof(ended));
}

/* Adds a sample to the sums of its event.  Returns true if it is to be kept: it is of the target, or malformed. */
static bool count_sample(struct live *l, uint8_t *p, size_t size)
{
	struct sample_core sample;
	if (record_sample_core(&l->layout, p, size, &sample) < 0)
		return true; /* malformed: kept, so that the session counts it */
	bool ours = members_has(&l->sieve->members, sample.tid, sample.time_ns);
	const struct id_entry *id = id_map_find(&l->ids, sample.id);
	if (id) {
		struct share *share = &l->sieve->shares[id->event * (size_t)l->cpus_n + id->cpu];
		shift_period(l, id->event, share, &sample, p);
		share->all = u64_add_sat(share->all, sample.period);
		share->ours = u64_add_sat(share->ours, ours ? sample.period : 0);
		share->samples++;
		share->our_samples += ours;
	}
	return ours;
}

/* Returns true if a switch record is about a task of the target.  If a task exits, its last switch record does not name
 * it: then the switch record before, of the same CPU, decides. */
static bool switches_ours(struct live *l, unsigned cpu, const uint8_t *p, size_t size)
{
	struct record rec;
	if (record_decode(&l->layout, p, size, &rec) < 0)
		return true;
	bool ours = members_has(&l->sieve->members, rec.id.tid, rec.id.time_ns);
	bool ends = l->cpus[cpu].ours && rec.misc & MISC_SWITCH_OUT;
	l->cpus[cpu].ours = ours && !(rec.misc & MISC_SWITCH_OUT);
	return ours || ends;
}

static void take_data(struct live *l, unsigned cpu, const struct lane *lane, uint64_t horizon_ns)
{
	struct bytes *to = &l->sieve->data[cpu];
	struct ring *ring = &l->cpus[cpu].data;
	struct record_header h;
	size_t at = 0, size, all = lane->a_len + lane->b_len;
	for (; (size = size_at(lane, at, &h)); at += size) {
		size_t had = to->n;
		uint8_t *p = take(to, lane, at, size);
		if (time_of(l, p, &h) >= horizon_ns) {
			to->n = had;
			ring_release(ring, at);
			return;
		}
		if ((h.type == RECORD_SAMPLE && !count_sample(l, p, size)) ||
		    (h.type == RECORD_SWITCH_CPU_WIDE && !switches_ours(l, cpu, p, size)))
			to->n = had;
	}
	if (at < all)
		take(to, lane, at, all - at < sizeof(h) ? all - at : sizeof(h));
	ring_release(ring, all);
}

/* Returns true if the session uses records too slowly.  Then no more records are copied, so that the rings overflow
 * instead of this memory growing. */
static bool is_full(const struct live *l)
{
	const struct sieve *s = l->sieve;
	bool full = s->side.n > 4 * l->side_bytes * (size_t)l->cpus_n;
	for (unsigned cpu = 0; cpu < l->cpus_n; cpu++)
		full |= s->data[cpu].n > 4 * l->info.ring_bytes;
	return full;
}

/* Takes all records older than now.  "Now" is read before the heads of the rings.  So the rings contain all records
 * older than now, including those on which others depend.  Newer records wait for the next call. */
static void take_rings(struct live *l)
{
	struct sieve *s = l->sieve;
	if (is_full(l))
		return;
	uint64_t horizon_ns = clock_ns(CLOCK_MONOTONIC);
	for (unsigned cpu = 0; cpu < l->cpus_n; cpu++)
		if (!ring_snapshot(&l->cpus[cpu].data, &s->heads[cpu]))
			s->heads[cpu] = (struct lane){0};
	for (unsigned cpu = 0; cpu < l->cpus_n; cpu++) {
		struct lane lane;
		if (ring_snapshot(&l->cpus[cpu].sideband, &lane))
			take_sideband(l, &l->cpus[cpu].sideband, &lane, horizon_ns);
	}
	sieve_sideband(l);
	for (unsigned cpu = 0; cpu < l->cpus_n; cpu++)
		if (s->heads[cpu].a_len)
			take_data(l, cpu, &s->heads[cpu], horizon_ns);
	members_settle(&s->members, horizon_ns);
}

/* ---- making lanes of the copied records --------------------------------------------------- */

static void add_lane(struct live *l, const struct bytes *b, bool sideband)
{
	if (b->n)
		l->lanes[l->lanes_n++] = (struct lane){
			.a = b->data,
			.a_len = b->n,
			.sideband = sideband,
			.mixed = !sideband && (l->info.switches || l->info.deferred),
		};
}

void sieve_begin(struct live *l)
{
	take_rings(l);
	for (unsigned cpu = 0; cpu < l->cpus_n; cpu++)
		add_lane(l, &l->sieve->data[cpu], false);
	add_lane(l, &l->sieve->side, true);
}

static void use(struct bytes *b, const struct lane *lane)
{
	drop_first(b, lane->used < b->n ? lane->used : b->n);
}

/* Drops from the buffers the bytes that were used.  Each buffer that has bytes had a lane, in this order. */
void sieve_end(struct live *l)
{
	const struct lane *lane = l->lanes;
	if (!l->lanes_n)
		return;
	for (unsigned cpu = 0; cpu < l->cpus_n; cpu++)
		if (l->sieve->data[cpu].n)
			use(&l->sieve->data[cpu], lane++);
	if (l->sieve->side.n)
		use(&l->sieve->side, lane);
	l->lanes_n = 0;
}

size_t sieve_ahead(struct live *l)
{
	const struct bytes *side = &l->sieve->side;
	size_t n = 0;
	if (side->n)
		l->ahead[n++] = (struct lane){.a = side->data, .a_len = side->n, .sideband = true};
	for (unsigned cpu = 0; cpu < l->cpus_n; cpu++)
		if (ring_snapshot(&l->cpus[cpu].sideband, &l->ahead[n]))
			l->ahead[n++].sideband = true;
	return n;
}

/* ---- estimating counts of the target ------------------------------------------------------ */

/* Adds the target's share of the counts since the last reading to the estimate.  If there was no sample since then, the
 * share is unknown, and the counts are added at the next reading. */
static void estimate(struct share *s, bool clock, struct counter *c)
{
	if (clock) /* a clock also counts idle time, which has no samples; the target's periods add up to its time */
		s->estimate += (double)s->ours;
	else if (s->all)
		s->estimate += (double)u64_sub_sat(c->value, s->seen.value) * (double)s->ours / (double)s->all;
	if (s->samples)
		s->lost += (double)u64_sub_sat(c->lost, s->seen.lost) * (double)s->our_samples / (double)s->samples;
	if (s->samples || c->value < s->seen.value)
		s->seen = *c;
	s->all = s->ours = s->samples = s->our_samples = 0;
	c->all = c->value;
	c->value = (uint64_t)s->estimate;
	c->lost = (uint64_t)s->lost;
	c->estimated = true;
}

/* Returns true if an event on a task counts exactly what the task does, and needs no PMU: an event on a PMU would take
 * a counter from the events on all tasks.  Tracepoints about another task, such as the one that is woken, are counted
 * twice by events on tasks: for the task that runs and for the other one. */
static bool is_exact_on_tasks(const struct live *l, size_t event)
{
	static const char *const twice[] = {"sched:sched_wak", "sched:sched_stat_"};
	const char *name = l->info.events[event].spec.name;
	for (size_t i = 0; i < ARRAY_LEN(twice); i++)
		if (strncmp(name, twice[i], strlen(twice[i])) == 0)
			return false;
	return l->attrs[event].type == ABI_TYPE_SOFTWARE || l->attrs[event].type == ABI_TYPE_TRACEPOINT;
}

/* Opens an event that counts only a command and its children on a CPU, from the command's exec on.  Returns an fd, or
 * -1. */
static int open_exact(struct live *l, size_t event, unsigned cpu)
{
	const char *filter = l->info.events[event].spec.filter;
	struct perf_attr a = l->attrs[event];
	a.sample_period = 0;
	a.flags = (a.flags & ~ATTR_FREQ) | ATTR_DISABLED | ATTR_ENABLE_ON_EXEC | ATTR_INHERIT;
	if (!is_exact_on_tasks(l, event) || !l->cpus[cpu].has_rings || !live_is_on(l, event, cpu))
		return -1;
	int fd = opener_open(&l->opener, &a, (pid_t)l->target.ids[0], (int)cpu);
	if (fd >= 0 && filter && perf_set_filter(fd, filter) < 0)
		fd_close(&fd);
	return fd < 0 ? -1 : fd;
}

static void open_all_exact(struct live *l)
{
	size_t n = EVENTS_MAX * (size_t)l->cpus_n;
	l->sieve->exact = mem_calloc(n, sizeof(l->sieve->exact[0]));
	for (size_t i = 0; i < n; i++) /* events that are opened later have none: the command runs already */
		l->sieve->exact[i] =
			i / l->cpus_n < l->info.events_n ? open_exact(l, i / l->cpus_n, (unsigned)(i % l->cpus_n)) : -1;
}

/* Replaces an estimate by the exact count, if there is an event that counts it. */
static void use_exact(const struct live *l, size_t event, size_t i, struct counter *c)
{
	struct counter exact;
	if (!l->sieve->exact || !counter_read(l->sieve->exact[i], l->attrs[event].read_format, &exact))
		return;
	c->value = exact.value;
	c->estimated = false;
}

/* Turns counts of all tasks into estimates for the target.  The first reading is set to 0, so that the second one has
 * all counts since the events were opened, as the samples in the rings do. */
void sieve_estimate(struct live *l, struct counter *counters)
{
	if (!l->sieve->was_read) {
		l->sieve->was_read = true;
		for (size_t i = 0; i < l->info.events_n * l->cpus_n; i++) {
			counters[i].all = counters[i].value;
			counters[i].value = counters[i].lost = 0;
			counters[i].estimated = true;
		}
		return;
	}
	if (!l->lanes_n)
		take_rings(l);
	for (size_t e = 0; e < l->info.events_n; e++) {
		bool clock = l->info.events[e].spec.role == ROLE_CLOCK;
		for (unsigned cpu = 0; cpu < l->cpus_n; cpu++) {
			size_t i = e * l->cpus_n + cpu;
			estimate(&l->sieve->shares[i], clock, &counters[i]);
			use_exact(l, e, i, &counters[i]);
		}
	}
}

/* ---- finding tasks of the target in /proc ------------------------------------------------- */

static bool is_known(const void *ctx, uint32_t tid)
{
	return members_alive(ctx, tid);
}

static void add_tasks(struct sieve *s, const struct task_stats *tasks, uint64_t time_ns)
{
	for (size_t i = 0; i < tasks->n; i++)
		members_add(&s->members, tasks->data[i].pid, tasks->data[i].tid, time_ns);
}

/* Adds the tasks of the target that /proc lists. */
static void add_target(struct live *l)
{
	struct sieve *s = l->sieve;
	struct task_stats tasks = {0};
	uint64_t now_ns = clock_ns(CLOCK_MONOTONIC);
	if (who_scan(&l->who, is_known, &s->members, &tasks) == 0)
		add_tasks(s, &tasks, now_ns);
	vec_free(&tasks);
}

/* Adds tasks whose FORK records may be lost: processes that members started since the events were opened, and threads
 * of members. */
static void add_children(struct sieve *s)
{
	struct task_stats all = {0}, threads = {0};
	uint64_t now_ns = clock_ns(CLOCK_MONOTONIC);
	bool more = proc_scan_processes(&all) == 0;
	while (more) {
		more = false;
		for (size_t i = 0; i < all.n; i++) {
			const struct task_stat *t = &all.data[i];
			if (t->start_ticks < s->opened_ticks || members_alive(&s->members, t->tid) ||
			    !members_alive(&s->members, t->ppid))
				continue;
			members_add(&s->members, t->pid, t->tid, now_ns);
			more = true;
		}
	}
	for (size_t i = 0; i < all.n; i++)
		if (members_alive(&s->members, all.data[i].tid))
			proc_scan_process(all.data[i].pid, is_known, &s->members, &threads);
	add_tasks(s, &threads, now_ns);
	vec_free(&all);
	vec_free(&threads);
}

static bool has_gone(uint32_t pid, uint32_t tid)
{
	return syscall(SYS_tgkill, (pid_t)pid, (pid_t)tid, 0) < 0 && errno == ESRCH;
}

void sieve_maintain(struct live *l)
{
	struct sieve *s = l->sieve;
	if (l->target.kind == TARGET_USER)
		add_target(l); /* finds processes that changed to the target's user */
	if (s->lost)
		add_children(s);
	s->lost = false;
	members_check(&s->members, has_gone, clock_ns(CLOCK_MONOTONIC));
}

bool sieve_over(const struct live *l)
{
	return l->target.ids_n && !l->sieve->members.alive; /* false for a user, who may start processes again */
}

static int is_missing(uint32_t id, struct error *err)
{
	struct task_stat task;
	int rc = proc_task(id, &task);
	if (rc == 0 || rc == -EMFILE || rc == -ENFILE) /* the task exists, but its threads cannot be listed */
		return error_set(
			err, EMFILE,
			"too few files may be open to find its threads (RLIMIT_NOFILE is %zu): raise ulimit -Hn",
			files_reserve(0));
	return error_set(err, ESRCH, "%u has ended", id);
}

static int check_all_there(const struct live *l, struct error *err)
{
	const struct sieve *s = l->sieve;
	for (size_t i = 0; i < l->target.ids_n; i++)
		if (!members_alive(&s->members, l->target.ids[i]))
			return is_missing(l->target.ids[i], err);
	if (!s->members.alive)
		return error_set(err, ESRCH, "user %s has no process that could be measured", l->target.user);
	return 0;
}

int sieve_open(struct live *l, bool from_exec, struct error *err)
{
	struct sieve *s = l->sieve = mem_calloc(1, sizeof(*s));
	members_init(&s->members);
	s->data = mem_calloc(l->cpus_n, sizeof(s->data[0]));
	s->heads = mem_calloc(l->cpus_n, sizeof(s->heads[0]));
	s->shares = mem_calloc(EVENTS_MAX * (size_t)l->cpus_n, sizeof(s->shares[0]));
	s->opened_ticks = clock_ns(CLOCK_BOOTTIME) / l->stat.tick_ns;
	if (from_exec) {
		members_await_exec(&s->members, l->target.ids[0]);
		open_all_exact(l);
	} else {
		add_target(l);
	}
	return check_all_there(l, err);
}

void sieve_close(struct live *l)
{
	struct sieve *s = l->sieve;
	if (!s)
		return;
	members_deinit(&s->members);
	for (unsigned cpu = 0; cpu < l->cpus_n; cpu++)
		vec_free(&s->data[cpu]);
	vec_free(&s->side);
	vec_free(&s->raw);
	vec_free(&s->taken);
	free(s->data);
	free(s->heads);
	free(s->shares);
	for (size_t i = 0; s->exact && i < EVENTS_MAX * (size_t)l->cpus_n; i++)
		fd_close(&s->exact[i]);
	free(s->exact);
	free(s);
	l->sieve = NULL;
}
