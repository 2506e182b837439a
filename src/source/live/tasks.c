/* The scopes of tasks: those that were named, or, without privilege, the user's own, which
 * are still allowed.  Each thread that /proc shows gets, per CPU, one tracker (a dummy event
 * for the sideband records) and one sampler per event; all are inherited by the threads and
 * processes it makes, and write into the rings of their CPU: on no other terms does the
 * kernel give rings to events that are inherited.  Where threads were named, nothing is.
 *
 * A task that inherited its events must not get a second set, or it counts
 * double.  Every inheriting leaves a FORK record in a sideband ring, so those
 * are looked through (tasks_peek) to know which tasks are covered. */
#include "source/live/live.h"
#include "source/live/who.h"

#include "base/alloc.h"

#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum {
	FDS_KEPT = 64,	 /* for the rest of the program */
	FDS_MAX = 16384, /* each is 1.5 KiB of kernel memory and one read() per tick */
	YOUNG_TICKS = 5, /* of USER_HZ: its FORK record may not be written yet */
};

struct task {
	uint32_t tid, pid; /* pid: 0 where only a FORK record told of it */
	int code;	   /* errno of a refusal */
	uint32_t seen;	   /* round in which /proc or a FORK record showed it last */
	int *fds;	   /* [cpu * (events_n + 1)], tracker first; NULL: inherited, or refused */
	bool dead;	   /* counted for the last time, closed in the next round */
};

struct tasks {
	struct task *data; /* the tasks, as a vector */
	size_t n, cap;
	struct index by_tid;
	struct who who;
	struct counter *before; /* [event * cpus_n + cpu], of tasks that ended */
	uint64_t *peeked;	/* [cpu]: free-running position in the sideband ring */
	size_t fds_n, fds_max;
	uint32_t round;
	uint32_t lost_round; /* in which sideband records were last lost */
	size_t left_out;     /* threads that the limit of fds excludes */
};

static size_t fds_per_cpu(const struct live *l)
{
	return l->info.events_n + 1;
}

struct tid_key {
	const struct tasks *ts;
	uint32_t tid;
};

static bool same_tid(const void *ctx, uint32_t pos)
{
	const struct tid_key *key = ctx;
	return key->ts->data[pos].tid == key->tid;
}

static uint32_t find_task(const struct tasks *ts, uint32_t tid)
{
	struct tid_key key = {ts, tid};
	return index_find(&ts->by_tid, hash_u64(tid), same_tid, &key);
}

static bool is_known(const void *ctx, uint32_t tid)
{
	return find_task(ctx, tid) != INDEX_NONE;
}

static struct task *add_task(struct tasks *ts, uint32_t tid)
{
	uint32_t pos = find_task(ts, tid);
	if (pos == INDEX_NONE) {
		pos = (uint32_t)ts->n;
		index_add(&ts->by_tid, hash_u64(tid), pos);
		vec_push(ts) = (struct task){.tid = tid};
	}
	ts->data[pos].seen = ts->round;
	return &ts->data[pos];
}

static void remove_task(struct tasks *ts, uint32_t pos)
{
	uint32_t last = (uint32_t)ts->n - 1;
	free(ts->data[pos].fds);
	index_remove(&ts->by_tid, hash_u64(ts->data[pos].tid), pos);
	if (pos != last) {
		uint64_t hash = hash_u64(ts->data[last].tid);
		index_remove(&ts->by_tid, hash, last);
		ts->data[pos] = ts->data[last];
		index_add(&ts->by_tid, hash, pos);
	}
	ts->n--;
}

/* ---- attaching --------------------------------------------------------------- */

static int open_into(struct live *l, struct perf_attr *attr, uint32_t tid, unsigned cpu, int ring_fd)
{
	int fd = opener_open(&l->opener, attr, (pid_t)tid, (int)cpu);
	if (fd < 0)
		return fd;
	int rc = perf_set_output(fd, ring_fd);
	if (rc)
		fd_close(&fd);
	return rc ? rc : fd;
}

static int attach_cpu(struct live *l, struct task *t, unsigned cpu)
{
	int *fds = t->fds + cpu * fds_per_cpu(l);
	int fd = open_into(l, &l->tracker_attr, t->tid, cpu, l->cpus[cpu].tracker);
	if (fd < 0)
		return fd;
	fds[0] = fd;
	l->tasks->fds_n++;
	for (size_t e = 0; e < l->info.events_n; e++) {
		uint64_t id;
		if (!l->info.events[e].available)
			continue;
		fd = open_into(l, &l->attrs[e], t->tid, cpu, l->cpus[cpu].holder);
		if (fd < 0 && (e == 0 || fd == -EMFILE || fd == -ENFILE || fd == -ESRCH))
			return fd;
		if (fd < 0)
			continue; /* this event is not on this CPU */
		fds[1 + e] = fd;
		l->tasks->fds_n++;
		if (perf_get_id(fd, &id) == 0)
			id_map_add(&l->ids, id, (uint32_t)e, cpu);
	}
	return 0;
}

static void detach(struct live *l, struct task *t)
{
	size_t n = l->cpus_n * fds_per_cpu(l);
	for (size_t i = 0; t->fds && i < n; i++) {
		uint64_t id;
		if (t->fds[i] < 0)
			continue;
		if (i % fds_per_cpu(l) && perf_get_id(t->fds[i], &id) == 0)
			id_map_remove(&l->ids, id);
		fd_close(&t->fds[i]);
		l->tasks->fds_n--;
	}
	free(t->fds);
	t->fds = NULL;
}

/* 0; or why this task cannot be had, and then nothing of it is open. */
static int attach(struct live *l, struct task *t)
{
	size_t n = l->cpus_n * fds_per_cpu(l);
	int rc = 0;
	t->fds = mem_calloc(n, sizeof(t->fds[0]));
	for (size_t i = 0; i < n; i++)
		t->fds[i] = -1;
	bool any = false;
	for (unsigned cpu = 0; cpu < l->cpus_n; cpu++) {
		if (!l->cpus[cpu].has_rings)
			continue;
		int one = attach_cpu(l, t, cpu);
		any |= one == 0;
		if (one == -ENOENT || one == -ENODEV || one == -ENXIO || one == -EOPNOTSUPP)
			continue; /* a CPU of another kind, without the primary event */
		if (one) {
			rc = one;
			break;
		}
	}
	if (!rc && !any)
		rc = -ENODEV;
	if (rc)
		detach(l, t);
	return rc;
}

static size_t fds_of_task(const struct live *l)
{
	size_t cpus = 0, events = 1;
	for (unsigned cpu = 0; cpu < l->cpus_n; cpu++)
		cpus += l->cpus[cpu].has_rings;
	for (size_t e = 0; e < l->info.events_n; e++)
		events += l->info.events[e].available;
	return cpus * events;
}

static int by_cpu_time(const void *a, const void *b)
{
	const struct task_stat *x = a, *y = b;
	uint64_t tx = x->user_ticks + x->system_ticks, ty = y->user_ticks + y->system_ticks;
	return tx < ty ? 1 : tx > ty ? -1 : 0;
}

static uint64_t ticks_since_boot(const struct live *l)
{
	struct timespec ts;
	clock_gettime(CLOCK_BOOTTIME, &ts);
	return ((uint64_t)ts.tv_sec * 1000000000u + (uint64_t)ts.tv_nsec) / l->stat.tick_ns;
}

/* Where sideband records were lost, a FORK record may be among them.  Then it is
 * better to miss a task than to count one twice. */
static bool may_have_inherited(const struct tasks *ts, const struct task_stat *st)
{
	if (!ts->lost_round || ts->lost_round + 1 < ts->round)
		return false;
	return find_task(ts, st->tid != st->pid ? st->pid : st->ppid) != INDEX_NONE;
}

/* Attaches to what /proc shows and is not covered yet.  The list is older than
 * the look through the rings, so a task in it that inherited its events has its
 * FORK record seen, unless it is so young that the record is still on its way. */
static void attach_new(struct live *l, bool skip_young)
{
	struct tasks *ts = l->tasks;
	struct task_stats tasks = {0};
	if (who_scan(&ts->who, is_known, ts, &tasks) < 0)
		return;
	for (unsigned cpu = 0; cpu < l->cpus_n; cpu++) {
		struct lane lane;
		if (ring_snapshot(&l->cpus[cpu].sideband, &lane))
			tasks_peek(l, cpu, &lane);
	}
	if (tasks.n)
		qsort(tasks.data, tasks.n, sizeof(tasks.data[0]), by_cpu_time);
	uint64_t now = ticks_since_boot(l);
	ts->left_out = 0;
	for (size_t i = 0; i < tasks.n; i++) {
		const struct task_stat *st = &tasks.data[i];
		bool known = is_known(ts, st->tid);
		if (!known && skip_young && st->start_ticks + YOUNG_TICKS > now)
			continue;
		if (!known && may_have_inherited(ts, st)) {
			add_task(ts, st->tid);
			continue;
		}
		if (!known && ts->fds_n + fds_of_task(l) > ts->fds_max) {
			ts->left_out++;
			continue;
		}
		struct task *t = add_task(ts, st->tid);
		int rc = known ? 0 : attach(l, t);
		t->pid = st->pid;
		t->code = known ? t->code : -rc;
		if (rc == -EMFILE || rc == -ENFILE) {
			ts->left_out++;
			ts->fds_max = ts->fds_n;
			remove_task(ts, find_task(ts, st->tid));
		}
	}
	vec_free(&tasks);
}

/* ---- which tasks inherited --------------------------------------------------- */

static void lane_copy(const struct lane *lane, size_t at, void *to, size_t n)
{
	for (uint8_t *p = to; n; p++, at++, n--)
		*p = at < lane->a_len ? lane->a[at] : lane->b[at - lane->a_len];
}

void tasks_peek(struct live *l, unsigned cpu, const struct lane *lane)
{
	struct tasks *ts = l->tasks;
	uint64_t tail = l->cpus[cpu].sideband.tail;
	size_t len = lane->a_len + lane->b_len;
	size_t at = ts->peeked[cpu] > tail ? (size_t)(ts->peeked[cpu] - tail) : 0;
	/* a full ring: the LOST record that says so is not in it yet */
	if (len + len / 8 > l->cpus[cpu].sideband.size)
		ts->lost_round = ts->round;
	while (at + sizeof(struct record_header) <= len) {
		struct {
			struct record_header header;
			uint32_t pid, ppid, tid, ptid;
		} fork;
		lane_copy(lane, at, &fork.header, sizeof(fork.header));
		size_t size = fork.header.size;
		if (size < sizeof(fork.header) || size > len - at)
			break; /* the merger counts it; nothing behind it is readable */
		if (fork.header.type == RECORD_LOST)
			ts->lost_round = ts->round;
		if (fork.header.type == RECORD_FORK && size >= sizeof(fork)) {
			lane_copy(lane, at, &fork, sizeof(fork));
			add_task(ts, fork.tid);
		}
		at += size;
	}
	ts->peeked[cpu] = tail + len;
}

/* ---- source ------------------------------------------------------------------ */

/* A task of that process or thread (0: of any) that is measured, or else one that was refused. */
static const struct task *one_of(const struct live *l, uint32_t id)
{
	const struct tasks *ts = l->tasks;
	const struct task *refused = NULL;
	for (size_t i = 0; i < ts->n; i++) {
		const struct task *t = &ts->data[i];
		if (id && id != (l->target.kind == TARGET_THREADS ? t->tid : t->pid))
			continue;
		if (t->fds)
			return t;
		if (t->code && t->code != ESRCH)
			refused = t;
	}
	return refused;
}

/* Nobody who was named may be missing. */
static int check_all_there(const struct live *l, size_t limit, struct error *err)
{
	const struct tasks *ts = l->tasks;
	for (size_t i = 0; i < ts->who.target->ids_n || i == 0; i++) {
		uint32_t id = ts->who.target->ids_n ? ts->who.target->ids[i] : 0;
		const struct task *t = one_of(l, id);
		if (t && t->fds)
			continue;
		if (t)
			return who_refused(&l->env, t->tid, t->code, err);
		if (ts->left_out || ts->fds_max < fds_of_task(l))
			return error_set(err, EMFILE,
					 "too few files may be open to measure it (RLIMIT_NOFILE is %zu, one thread "
					 "needs %zu): raise ulimit -Hn, or name fewer events or CPUs (-C)",
					 limit, fds_of_task(l));
		if (id)
			return error_set(err, ESRCH, "%u has ended", id);
		return error_set(err, ESRCH, "user %s has no process that could be measured", ts->who.target->user);
	}
	return 0;
}

int tasks_open(struct live *l, struct error *err)
{
	struct tasks *ts = l->tasks = mem_calloc(1, sizeof(*ts));
	index_init(&ts->by_tid);
	int rc = who_init(&ts->who, &l->target, l->user_only, err);
	if (rc)
		return rc;
	ts->before = mem_calloc(l->info.events_n * l->cpus_n, sizeof(ts->before[0]));
	ts->peeked = mem_calloc(l->cpus_n, sizeof(ts->peeked[0]));
	size_t limit = files_reserve(FDS_MAX + FDS_KEPT);
	size_t used = 2 * (size_t)cpu_bits_count(&l->online) + FDS_KEPT;
	ts->fds_max = limit > used ? limit - used : 0;
	if (ts->fds_max > FDS_MAX)
		ts->fds_max = FDS_MAX;
	ts->round = 1;
	attach_new(l, false);
	rc = check_all_there(l, limit, err);
	if (rc)
		return rc;
	size_t left_out = ts->left_out;
	attach_new(l, false); /* what was forked meanwhile, by a task not opened yet */
	if (ts->left_out < left_out)
		ts->left_out = left_out;
	return 0;
}

const char *tasks_comm(const struct live *l)
{
	return l->tasks && l->target.ids_n == 1 ? l->tasks->who.named[0].then.comm : "";
}

void tasks_close(struct live *l)
{
	struct tasks *ts = l->tasks;
	if (!ts)
		return;
	for (size_t i = 0; i < ts->n; i++)
		detach(l, &ts->data[i]);
	index_deinit(&ts->by_tid);
	who_deinit(&ts->who);
	free(ts->data);
	free(ts->before);
	free(ts->peeked);
	free(ts);
	l->tasks = NULL;
}

/* The tracker is never multiplexed, so its running time is the time that the task
 * and its heirs ran on this CPU.  An event's own enabled time would be their time
 * on all CPUs, for a per-task event is enabled wherever its task runs. */
static void read_task(struct live *l, const struct task *t, struct counter *sums)
{
	for (unsigned cpu = 0; cpu < l->cpus_n; cpu++) {
		const int *fds = t->fds + cpu * fds_per_cpu(l);
		struct counter ran, c;
		if (fds[0] < 0 || !counter_read(fds[0], l->tracker_attr.read_format, &ran) || !ran.running_ns)
			continue;
		for (size_t e = 0; e < l->info.events_n; e++) {
			if (fds[1 + e] < 0 || !counter_read(fds[1 + e], l->attrs[e].read_format, &c))
				continue;
			/* read one after the other: running may be ahead by a hair */
			c.enabled_ns = ran.running_ns > c.running_ns ? ran.running_ns : c.running_ns;
			counter_add(&sums[e * l->cpus_n + cpu], &c);
		}
	}
}

void tasks_read(struct live *l, struct counter *counters)
{
	struct tasks *ts = l->tasks;
	memcpy(counters, ts->before, l->info.events_n * l->cpus_n * sizeof(counters[0]));
	for (size_t e = 0; e < l->info.events_n; e++)
		for (unsigned cpu = 0; cpu < l->cpus_n; cpu++)
			counters[e * l->cpus_n + cpu].opened = l->info.events[e].available && l->cpus[cpu].has_rings;
	for (size_t i = 0; i < ts->n; i++)
		if (ts->data[i].fds && !ts->data[i].dead)
			read_task(l, &ts->data[i], counters);
}

/* A task's events hang up when it and all that inherited from it are gone.  Only
 * asked of tasks that /proc shows no more: poll() also takes the wake-up of the
 * ring that the event writes into. */
static bool hung_up(const struct live *l, const struct task *t)
{
	for (unsigned cpu = 0; cpu < l->cpus_n; cpu++) {
		struct pollfd p = {.fd = t->fds[cpu * fds_per_cpu(l)], .events = POLLIN};
		if (p.fd >= 0)
			return poll(&p, 1, 0) > 0 && (p.revents & (POLLHUP | POLLERR));
	}
	return true;
}

/* Ends in two rounds: samples that are still in a ring need their ids. */
static void bury_dead(struct live *l)
{
	struct tasks *ts = l->tasks;
	for (size_t i = ts->n; i-- > 0;) {
		struct task *t = &ts->data[i];
		if (t->dead) {
			detach(l, t);
			remove_task(ts, (uint32_t)i);
		} else if (t->seen + 1 >= ts->round) {
			continue;
		} else if (!t->fds) {
			remove_task(ts, (uint32_t)i);
		} else if (hung_up(l, t)) {
			read_task(l, t, ts->before);
			t->dead = true;
		}
	}
}

/* In this scope the rings belong to events on ourselves, which outlive hotplug. */
static void add_cpus(struct live *l)
{
	struct cpu_bits online;
	if (live_online(l, &online) < 0)
		return;
	for (unsigned cpu = 0; cpu < l->cpus_n; cpu++) {
		struct live_cpu *c = &l->cpus[cpu];
		c->online = cpu_bits_has(&online, cpu);
		if (!c->online || c->has_rings || rings_open_cpu(l, cpu) < 0)
			continue;
		for (size_t i = 0; i < l->tasks->n; i++)
			if (l->tasks->data[i].fds && !l->tasks->data[i].dead)
				(void)!attach_cpu(l, &l->tasks->data[i], cpu);
	}
	l->online = online;
}

void tasks_maintain(struct live *l)
{
	l->tasks->round++;
	add_cpus(l);
	bury_dead(l);
	attach_new(l, true);
}

bool tasks_over(const struct live *l)
{
	const struct tasks *ts = l->tasks;
	if (!l->target.ids_n)
		return false; /* a user may come back */
	for (size_t i = 0; i < ts->n; i++)
		if (ts->data[i].fds && !ts->data[i].dead && !hung_up(l, &ts->data[i]))
			return false;
	return true;
}

size_t tasks_tracker_ids(const struct live *l, uint64_t **ret)
{
	const struct tasks *ts = l->tasks;
	VEC(uint64_t) ids = {0};
	for (size_t i = 0; i < ts->n; i++) {
		const int *fds = ts->data[i].fds;
		for (unsigned cpu = 0; fds && cpu < l->cpus_n; cpu++) {
			int fd = fds[cpu * fds_per_cpu(l)];
			uint64_t id;
			if (fd >= 0 && perf_get_id(fd, &id) == 0)
				vec_push(&ids) = id;
		}
	}
	*ret = ids.data;
	return ids.n;
}

void tasks_limit_notice(const struct live *l, char *buf, size_t cap)
{
	const struct tasks *ts = l->tasks;
	buf[0] = '\0';
	if (ts->left_out)
		snprintf(buf, cap,
			 "%zu less busy threads are left out, %zu file descriptors are the limit (ulimit -Hn)",
			 ts->left_out, ts->fds_max);
}
