#include "base/limits.h"
#include "source/live/live.h"

#include <errno.h>
#include <sys/epoll.h>
#include <unistd.h>

/* Returns the default size of a data ring.  Four events at 809 Hz write 200 KiB/s on a busy CPU, so 512 KiB are enough
 * for two seconds.  With many CPUs, rings are smaller, to limit their sum; the watermark then makes cyctop drain them
 * more often. */
size_t rings_default_bytes(unsigned cpus_online)
{
	static const struct {
		unsigned cpus;
		size_t kib;
	} sizes[] = {{16, 512}, {64, 256}, {256, 128}};
	for (size_t i = 0; i < ARRAY_LEN(sizes); i++)
		if (cpus_online <= sizes[i].cpus)
			return sizes[i].kib * 1024;
	return 64 * 1024;
}

size_t rings_wanted_bytes(const struct live_config *config, unsigned cpus_online)
{
	/* 100,000 context switches per second write 11 MB; with call chains, samples are four times as large, with
	 * copies of stacks a hundred times, so that the sum of all rings must be limited */
	enum { TIMES = 4, TIMES_STACK = 32, ALL_BYTES = 256 << 20 };
	size_t bytes = rings_default_bytes(cpus_online), plain = bytes * TIMES;
	if (!config->chains || !config->stack_bytes)
		return config->parallelism || config->off_cpu || config->chains ? plain : bytes;
	for (bytes *= TIMES_STACK; bytes > plain && bytes * cpus_online > ALL_BYTES;)
		bytes /= 2;
	return bytes;
}

/* Returns the default size of a sideband ring.  A storm of short-lived programs writes 600 KiB/s on each CPU, and
 * cyctop may have to wait 100 ms for a CPU, or longer for its first reading of /proc. */
size_t rings_side_bytes(unsigned cpus_online)
{
	const size_t least = LIMIT_TASKS_KIB * 1024, half = rings_default_bytes(cpus_online) / 2;
	return half > least ? half : least;
}

static void watch(struct live *l, int fd)
{
	struct epoll_event ev = {.events = EPOLLIN, .data.fd = fd};
	/* without epoll, only the timer makes cyctop drain the rings */
	if (l->epoll_fd >= 0)
		(void)!epoll_ctl(l->epoll_fd, EPOLL_CTL_ADD, fd, &ev);
}

static int map_rings(struct live *l, struct live_cpu *c)
{
	int rc = ring_map(&c->sideband, c->tracker, l->side_bytes);
	if (!rc)
		rc = ring_map(&c->data, c->holder, l->info.ring_bytes);
	return rc;
}

void rings_resize(struct live *l)
{
	size_t before = l->info.ring_bytes;
	size_t bytes = rings_wanted_bytes(&l->config, cpu_bits_count(&l->online));
	if (l->config.ring_bytes || bytes == before)
		return;
	for (unsigned cpu = 0; cpu < l->cpus_n; cpu++) {
		struct live_cpu *c = &l->cpus[cpu];
		if (!c->has_rings)
			continue;
		ring_unmap(&c->data);
		if (ring_map(&c->data, c->holder, bytes) == 0)
			l->info.ring_bytes = bytes;
		else /* the old size, which was freed just now */
			(void)!ring_map(&c->data, c->holder, before);
	}
}

void rings_close_cpu(struct live *l, unsigned cpu)
{
	struct live_cpu *c = &l->cpus[cpu];
	ring_unmap(&c->data);
	ring_unmap(&c->sideband);
	fd_close(&c->holder);
	fd_close(&c->tracker);
	c->has_rings = false;
}

/* Opens the event that owns a sideband ring.  If events are on tasks, their trackers write into this ring, and the
 * owner only writes records about the kernel, if permitted. */
static int open_tracker(const struct live *l, unsigned cpu)
{
	if (!live_of_tasks(l))
		return perf_open(&l->tracker_attr, -1, (int)cpu);
	int fd = l->info.scope == SCOPE_TASKS ? perf_open(&l->kernel_attr, -1, (int)cpu) : -EACCES;
	return fd >= 0 ? fd : perf_open(&l->holder_attr, live_pid(l), (int)cpu);
}

/* Opens the rings of a CPU.  *map_ret: the error is that of mmap(). */
static int open_cpu(struct live *l, unsigned cpu, bool *map_ret)
{
	struct live_cpu *c = &l->cpus[cpu];
	*map_ret = false;
	int fd = perf_open(&l->holder_attr, live_pid(l), (int)cpu);
	if (fd < 0)
		return fd;
	c->holder = fd;
	fd = open_tracker(l, cpu);
	if (fd < 0) {
		rings_close_cpu(l, cpu);
		return fd;
	}
	c->tracker = fd;
	int rc = map_rings(l, c);
	if (rc) {
		*map_ret = true;
		rings_close_cpu(l, cpu);
		return rc;
	}
	watch(l, c->holder);
	watch(l, c->tracker);
	c->has_rings = true;
	return 0;
}

int rings_open_cpu(struct live *l, unsigned cpu)
{
	bool map;
	return open_cpu(l, cpu, &map);
}

static void close_all(struct live *l, const struct rings_events *events)
{
	for (unsigned cpu = 0; cpu < l->cpus_n; cpu++) {
		if (events)
			events->close(l, cpu);
		rings_close_cpu(l, cpu);
	}
}

/* Opens the rings and events of all CPUs.  If that fails on one CPU, closes those of all. */
static int open_all(struct live *l, const struct rings_events *events, bool *map_ret)
{
	struct cpu_tour tour = {0};
	unsigned opened = 0;
	int rc = 0, last = -ENODEV;
	if (events)
		cpu_tour_begin(&tour);
	for (unsigned cpu = 0; cpu < l->cpus_n && !rc; cpu++) {
		if (!cpu_bits_has(&l->online, cpu))
			continue;
		cpu_tour_go(&tour, cpu);
		do
			rc = open_cpu(l, cpu, map_ret);
		while (!*map_ret && events && events->give_way(l, -rc));
		if (!rc) {
			l->cpus[cpu].online = true;
			opened++;
			if (events)
				events->open(l, cpu);
		} else if (rc == -ENODEV || rc == -ENXIO) {
			last = rc; /* the CPU went offline meanwhile */
			rc = 0;
		}
	}
	cpu_tour_end(&tour);
	if (rc)
		close_all(l, events);
	return rc ? rc : opened ? 0 : last;
}

int rings_open(struct live *l, const struct rings_events *events, struct error *err)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE);
	char text[400];
	for (;;) {
		if (l->info.ring_bytes < page)
			l->info.ring_bytes = page;
		if (l->side_bytes < page)
			l->side_bytes = page;
		bool map = false;
		int rc = open_all(l, events, &map);
		if (!rc)
			return 0;
		bool refused = map && (rc == -EPERM || rc == -ENOMEM);
		if (refused && l->side_bytes > l->side_least) {
			l->side_bytes = l->side_least;
			continue;
		}
		if (refused && l->info.ring_bytes > page) {
			l->ring_code = -rc;
			l->info.ring_bytes /= 2;
			if (l->side_bytes > l->info.ring_bytes)
				l->side_bytes = l->info.ring_bytes;
			continue;
		}
		if (map) {
			advice_ring(&l->env, -rc, 0, text, sizeof(text));
			error_set(err, -rc, "%s", text);
			return -ENOBUFS; /* not -EPERM, which would make the caller try a narrower scope */
		}
		advice_event(&l->env, l->info.scope, -rc, text, sizeof(text));
		return error_set(err, -rc, "perf_event_open for the rings: %s", text);
	}
}
