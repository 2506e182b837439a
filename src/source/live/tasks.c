/* Events on tasks: on those of the target or, without privilege, on the user's own.  Each thread that /proc lists gets,
 * on each CPU, one tracker (a dummy event for sideband records) and one sampler per event; they write into the rings of
 * that CPU.  Tasks that the thread starts inherit these events, unless the target is threads.  Events are opened per
 * CPU because otherwise the kernel does not map rings of inherited events.
 *
 * A task that has inherited events must not get others, or it would count twice.  For each task that inherits, there is
 * a FORK record in a sideband ring, where tasks_peek() finds it. */
#include "source/live/live.h"

#include "base/alloc.h"
#include "os/clock.h"

#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void attach_again(struct live *l);

enum {
	FDS_MAX = 16384, /* limit of open fds: each takes 1.5 KiB of kernel memory, and a read() per update */
	YOUNG_TICKS = 5, /* in ticks of USER_HZ: a task younger than this may not have its FORK record yet */
};

struct task {
	uint32_t tid, pid; /* pid 0: unknown, as only the task's FORK record was found */
	int code;	   /* errno with which the kernel refused the task's events; 0: none */
	uint32_t seen;	   /* last tasks.round in which /proc listed the task, or its FORK record was found */
	/* [cpu * (events_n + 1)]: tracker, then the events; NULL: the task inherited events, or was refused */
	int *fds;
	bool dead; /* the task has ended: its counts are in tasks.before, and its fds are closed in the next round */
};

struct tasks {
	struct task *data; /* a vector, see VEC(): data, n, cap */
	size_t n, cap;
	struct index by_tid;
	struct counter *before; /* [event * cpus_n + cpu]: counts of ended tasks, and of closed events */
	/* [cpu]: position up to which tasks_peek() has read the sideband ring, like ring.tail */
	uint64_t *peeked;
	size_t fds_n, fds_max;
	uint32_t round;	     /* number of the current round: a round is a call of tasks_maintain(); the first is 1 */
	uint32_t lost_round; /* last round in which sideband records were lost */
	size_t left_out;     /* number of threads that are not measured, because fds ran out */
};

static size_t fds_per_cpu(const struct live *l)
{
	return l->info.events_n + 1;
}

static uint32_t find_task(const struct tasks *ts, uint32_t tid)
{
	return index_find_by(&ts->by_tid, ts->data, tid, tid);
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
		index_add(&ts->by_tid, index_hash(&ts->by_tid, tid), pos);
		vec_push(ts) = (struct task){.tid = tid};
	}
	ts->data[pos].seen = ts->round;
	return &ts->data[pos];
}

static void remove_task(struct tasks *ts, uint32_t pos)
{
	uint32_t last = (uint32_t)ts->n - 1;
	free(ts->data[pos].fds);
	index_remove(&ts->by_tid, index_hash(&ts->by_tid, ts->data[pos].tid), pos);
	if (pos != last) {
		uint64_t hash = index_hash(&ts->by_tid, ts->data[last].tid);
		index_remove(&ts->by_tid, hash, last);
		ts->data[pos] = ts->data[last];
		index_add(&ts->by_tid, hash, pos);
	}
	ts->n--;
}

/* ---- attaching events to tasks ----------------------------------------------- */

static int write_into(int fd, int ring_fd)
{
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
	struct perf_attr tracker = l->tracker_attr;
	if (l->attrs[0].flags & ATTR_ENABLE_ON_EXEC) /* events take their enabled time from the tracker */
		tracker.flags |= ATTR_DISABLED | ATTR_ENABLE_ON_EXEC;
	int fd = opener_open(&l->opener, &tracker, (pid_t)t->tid, (int)cpu);
	fd = write_into(fd, l->cpus[cpu].tracker);
	if (fd < 0)
		return fd;
	fds[0] = fd;
	l->tasks->fds_n++;
	for (size_t e = 0; e < l->info.events_n; e++) {
		uint64_t id;
		if (!l->info.events[e].available || !live_is_on(l, e, cpu))
			continue;
		fd = groups_open(l, e, (pid_t)t->tid, cpu, fds[1 + l->groups.leaders[e]]);
		fd = write_into(fd, l->cpus[cpu].holder);
		if (fd < 0 && (e == 0 || fd == -EMFILE || fd == -ENFILE || fd == -ESRCH))
			return fd;
		if (fd < 0)
			continue; /* this kind of CPU lacks the event */
		fds[1 + e] = fd;
		l->tasks->fds_n++;
		if (perf_get_id(fd, &id) == 0)
			groups_add_id(l, id, e, cpu);
	}
	return 0;
}

/* Closes the events of a task.  `keep_ids`: keeps their ids, because the rings may still contain samples of them. */
static void detach(struct live *l, struct task *t, bool keep_ids)
{
	size_t n = l->cpus_n * fds_per_cpu(l);
	for (size_t i = 0; t->fds && i < n; i++) {
		uint64_t id;
		if (t->fds[i] < 0)
			continue;
		if (i % fds_per_cpu(l) && perf_get_id(t->fds[i], &id) == 0)
			(keep_ids ? id_map_retire : id_map_remove)(&l->ids, id);
		fd_close(&t->fds[i]);
		l->tasks->fds_n--;
	}
	free(t->fds);
	t->fds = NULL;
}

/* Opens the events of a task on all CPUs.  Returns 0; or -errno, and then none is open. */
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
			continue; /* this kind of CPU lacks the primary event */
		if (one) {
			rc = one;
			break;
		}
	}
	if (!rc && !any)
		rc = -ENODEV;
	if (rc)
		detach(l, t, false);
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
	return clock_ns(CLOCK_BOOTTIME) / l->stat.tick_ns;
}

/* Returns true if the task may have inherited events, because FORK records were lost, and its own may be among them.
 * Such a task gets no events: to miss a task is better than to count it twice. */
static bool may_have_inherited(const struct tasks *ts, const struct task_stat *st)
{
	if (!ts->lost_round || ts->lost_round + 1 < ts->round)
		return false;
	return find_task(ts, st->tid != st->pid ? st->pid : st->ppid) != INDEX_NONE;
}

/* Opens events for the tasks in /proc that have none.  /proc is read before the rings.  So the FORK records of tasks in
 * /proc that inherited events have been found, except those of very young tasks, which may not be written yet. */
static void attach_new(struct live *l, bool skip_young)
{
	struct tasks *ts = l->tasks;
	struct task_stats tasks = {0};
	if (who_scan(&l->who, is_known, ts, &tasks) < 0)
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

/* ---- finding tasks that inherited events ------------------------------------- */

void tasks_peek(struct live *l, unsigned cpu, const struct lane *lane)
{
	struct tasks *ts = l->tasks;
	uint64_t tail = l->cpus[cpu].sideband.tail;
	size_t len = lane->a_len + lane->b_len;
	size_t at = ts->peeked[cpu] > tail ? (size_t)(ts->peeked[cpu] - tail) : 0;
	/* records may be lost already: the kernel writes a LOST record only when there is room again */
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
			break; /* malformed: the merger counts the record, and drops the bytes after it */
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

/* ---- opening, reading and maintaining events on tasks ------------------------ */

/* Returns a task of the process or thread `id` (0: any): if possible one that is measured, otherwise one that was
 * refused; NULL if there is neither. */
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

static int too_few_files(const struct live *l, size_t limit, struct error *err)
{
	struct advice a;
	char text[600];
	size_t rings = FILES_PER_CPU * (size_t)cpu_bits_count(&l->online);
	advice_on_threads_files(limit, files_needed(rings + fds_of_task(l)), &a);
	advice_join(&a, text, sizeof(text));
	return error_set(err, EMFILE, "%s", text);
}

/* Sets *err if a process or thread that the user named is not measured. */
static int check_all_there(const struct live *l, size_t limit, struct error *err)
{
	const struct tasks *ts = l->tasks;
	for (size_t i = 0; i < l->target.ids_n || i == 0; i++) {
		uint32_t id = l->target.ids_n ? l->target.ids[i] : 0;
		const struct task *t = one_of(l, id);
		if (t && t->fds)
			continue;
		if (t)
			return who_refused(&l->env, t->tid, t->code, err);
		if (ts->left_out || ts->fds_max < fds_of_task(l))
			return too_few_files(l, limit, err);
		if (id)
			return error_set(err, ESRCH, "%u has ended", id);
		return error_set(err, ESRCH, "user %s has no process that could be measured", l->target.user);
	}
	return 0;
}

int tasks_open(struct live *l, struct error *err)
{
	int rc = rings_open(l, NULL, err);
	if (rc)
		return rc;
	struct tasks *ts = l->tasks = mem_calloc(1, sizeof(*ts));
	index_init(&ts->by_tid);
	ts->before = mem_calloc(EVENTS_MAX * (size_t)l->cpus_n, sizeof(ts->before[0]));
	ts->peeked = mem_calloc(l->cpus_n, sizeof(ts->peeked[0]));
	size_t limit = files_reserve(FDS_MAX + FILES_KEPT);
	size_t used = FILES_PER_CPU * (size_t)cpu_bits_count(&l->online) + files_kept(limit);
	ts->fds_max = limit > used ? limit - used : 0;
	if (ts->fds_max > FDS_MAX)
		ts->fds_max = FDS_MAX;
	ts->round = 1;
	attach_new(l, false);
	while (groups_lower(l))
		attach_again(l);
	rc = check_all_there(l, limit, err);
	if (rc)
		return rc;
	size_t left_out = ts->left_out;
	attach_new(l, false); /* finds tasks that were started meanwhile by tasks that had no events yet */
	if (ts->left_out < left_out)
		ts->left_out = left_out;
	return 0;
}

void tasks_close(struct live *l)
{
	struct tasks *ts = l->tasks;
	if (!ts)
		return;
	for (size_t i = 0; i < ts->n; i++)
		detach(l, &ts->data[i], false);
	index_deinit(&ts->by_tid);
	free(ts->data);
	free(ts->before);
	free(ts->peeked);
	free(ts);
	l->tasks = NULL;
}

/* Adds the counts of a task and of all tasks that inherited its events.  Enabled time becomes the time on this CPU.  An
 * event's own enabled time would include times when the task runs on other CPUs.  But the running time of the tracker,
 * which is never multiplexed, is exactly the time on this CPU. */
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
			/* the event is read after the tracker, so its running time may be longer */
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

/* Returns true if the task, and all that inherited its events, have ended (POLLHUP).  To be called only if /proc no
 * longer lists the task, because poll() also makes cyctop miss a wake-up of the ring. */
static bool hung_up(const struct live *l, const struct task *t)
{
	for (unsigned cpu = 0; cpu < l->cpus_n; cpu++) {
		struct pollfd p = {.fd = t->fds[cpu * fds_per_cpu(l)], .events = POLLIN};
		if (p.fd >= 0)
			return poll(&p, 1, 0) > 0 && (p.revents & (POLLHUP | POLLERR));
	}
	return true;
}

/* Removes ended tasks, but only one round after their end: until then, samples in the rings need the ids of their
 * events. */
static void remove_ended(struct live *l)
{
	struct tasks *ts = l->tasks;
	for (size_t i = ts->n; i-- > 0;) {
		struct task *t = &ts->data[i];
		if (t->dead) {
			detach(l, t, false);
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

void tasks_detach_all(struct live *l)
{
	struct tasks *ts = l->tasks;
	for (size_t i = 0; i < ts->n; i++) {
		struct task *t = &ts->data[i];
		if (!t->fds || t->dead)
			continue;
		read_task(l, t, ts->before);
		detach(l, t, true);
	}
}

void tasks_attach_all(struct live *l)
{
	struct tasks *ts = l->tasks;
	for (size_t i = 0; i < ts->n; i++) {
		struct task *t = &ts->data[i];
		if (t->fds || t->code)
			continue;
		if (ts->fds_n + fds_of_task(l) > ts->fds_max)
			ts->left_out++;
		else
			t->code = -attach(l, t);
	}
}

/* Opens all events again, after groups changed. */
static void attach_again(struct live *l)
{
	tasks_detach_all(l);
	tasks_attach_all(l);
}

void tasks_enable_at_once(struct live *l)
{
	l->config.from_exec = false;
	for (size_t e = 0; e < l->info.events_n; e++)
		l->attrs[e].flags &= ~(ATTR_DISABLED | ATTR_ENABLE_ON_EXEC);
}

/* If groups do not run, opens all events again in smaller groups, enabled at once: a command that is measured from its
 * exec on has called exec by then. */
static void regroup(struct live *l)
{
	if (!groups_lower(l))
		return;
	tasks_enable_at_once(l);
	attach_again(l);
}

/* On CPUs that came online, opens rings and the events of all tasks.  CPUs that went offline keep their rings, which
 * stay valid, because they belong to events on this process. */
static void add_cpus(struct live *l)
{
	struct cpu_bits online;
	if (cpus_online_of(&l->target, &online) < 0)
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
	regroup(l);
	add_cpus(l);
	remove_ended(l);
	attach_new(l, true);
}

bool tasks_over(const struct live *l)
{
	const struct tasks *ts = l->tasks;
	if (!l->target.ids_n)
		return false; /* false for a user, who may start processes again */
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
