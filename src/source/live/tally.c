/* Counts events of one process and all that it starts, from its next exec() on, without samples. */
#include "source/live/live.h"

#include "base/alloc.h"

#include <errno.h>
#include <stdlib.h>

struct tallied {
	int fds[CORE_PMUS_MAX]; /* one for each core PMU that has the event */
	size_t fds_n;
	struct perf_attr attr;
};

struct tally {
	size_t n;
	struct tallied *events; /* [n] */
};

static struct perf_attr counting_attr(const struct event_spec *spec)
{
	struct perf_attr a;
	event_attr(spec, &(struct attr_policy){.default_period = 1}, &a);
	a.sample_period = 0;
	a.sample_type = 0;
	a.wakeup = 0;
	a.read_format = READ_TIME_ENABLED | READ_TIME_RUNNING;
	a.flags &= ~(ATTR_FREQ | ATTR_WATERMARK | ATTR_SAMPLE_ID_ALL | 3ull << ATTR_PRECISE_SHIFT);
	a.flags |= ATTR_DISABLED | ATTR_ENABLE_ON_EXEC | ATTR_INHERIT;
	return a;
}

/* Opens a generic event on each core PMU: with cpu -1, the kernel would open it on the PMU of one kind of CPU only. */
static int open_on_all_pmus(const struct opener *o, struct tallied *t, pid_t pid)
{
	int code = -ENOENT;
	for (size_t i = 0; i < o->pmus_n; i++) {
		struct perf_attr a = t->attr;
		a.config |= (uint64_t)o->pmus[i].type << 32;
		int fd = opener_open(o, &a, pid, -1);
		if (fd >= 0)
			t->fds[t->fds_n++] = fd;
		else
			code = fd;
	}
	return t->fds_n ? 0 : code;
}

static int open_event(const struct opener *o, struct tallied *t, pid_t pid)
{
	bool generic = t->attr.type == ABI_TYPE_HARDWARE || t->attr.type == ABI_TYPE_HW_CACHE;
	if (generic && o->pmus_n > 1 && t->attr.config >> 32 == 0)
		return open_on_all_pmus(o, t, pid);
	int fd = opener_open(o, &t->attr, pid, -1);
	if (fd >= 0)
		t->fds[t->fds_n++] = fd;
	return fd < 0 ? fd : 0;
}

struct tally *tally_open(const struct event_spec *specs, size_t n, uint32_t pid, struct tally_event *ret)
{
	struct tally *tally = mem_calloc(1, sizeof(*tally));
	struct opener opener;
	struct live_env env;
	tally->n = n;
	tally->events = mem_calloc(n + 1, sizeof(*tally->events));
	opener_init(&opener);
	env_read(&env);
	for (size_t e = 0; e < n; e++) {
		struct tallied *t = &tally->events[e];
		bool user = false;
		t->attr = counting_attr(&specs[e]);
		int rc = open_event(&opener, t, (pid_t)pid);
		if ((rc == -EACCES || rc == -EPERM) && !(t->attr.flags & ATTR_EXCLUDE_USER)) {
			user = !(t->attr.flags & ATTR_EXCLUDE_KERNEL);
			t->attr.flags |= ATTR_EXCLUDE_KERNEL | ATTR_EXCLUDE_HV;
			rc = open_event(&opener, t, (pid_t)pid);
		}
		ret[e] = (struct tally_event){.available = rc == 0, .user_only = rc == 0 && user};
		if (rc < 0)
			advice_event(&env, SCOPE_TASKS, -rc, ret[e].why, sizeof(ret[e].why));
	}
	return tally;
}

static bool read_event(const struct tallied *t, double *ret)
{
	double sum = 0;
	bool ran = false;
	for (size_t i = 0; i < t->fds_n; i++) {
		struct counter c;
		if (!counter_read(t->fds[i], t->attr.read_format, &c))
			return false;
		/* With several PMUs, an event does not run while the task is on CPUs of another PMU: that is no gap. */
		bool gaps = t->fds_n == 1 && c.running_ns && c.running_ns < c.enabled_ns;
		sum += (double)c.value * (gaps ? (double)c.enabled_ns / (double)c.running_ns : 1);
		ran |= c.running_ns || !c.enabled_ns;
	}
	*ret = sum;
	return ran;
}

void tally_read(const struct tally *tally, struct tally_count *ret)
{
	for (size_t e = 0; e < tally->n; e++) {
		ret[e] = (struct tally_count){.known = tally->events[e].fds_n > 0};
		ret[e].known = ret[e].known && read_event(&tally->events[e], &ret[e].count);
	}
}

void tally_close(struct tally *tally)
{
	if (!tally)
		return;
	for (size_t e = 0; e < tally->n; e++)
		for (size_t i = 0; i < tally->events[e].fds_n; i++)
			fd_close(&tally->events[e].fds[i]);
	free(tally->events);
	free(tally);
}
