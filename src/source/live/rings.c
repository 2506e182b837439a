#include "source/live/live.h"

#include <errno.h>
#include <sys/epoll.h>
#include <unistd.h>

/* Returns the default size of a data ring.  Four events at 809 Hz write 200 KiB/s per busy CPU: 512 KiB hold more
 * than two seconds.  With many CPUs the rings are smaller, to limit the sum; the watermark then makes for earlier
 * drains. */
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
	/* 100,000 switches a second write 11 MB; a call chain makes a sample four times as large, and a copy of a stack
	 * a hundred times: the rings of all CPUs together are bounded */
	enum { TIMES = 4, TIMES_STACK = 32, ALL_BYTES = 256 << 20 };
	size_t bytes = rings_default_bytes(cpus_online), plain = bytes * TIMES;
	if (!config->chains || !config->stack_bytes)
		return config->parallelism || config->off_cpu || config->chains ? plain : bytes;
	for (bytes *= TIMES_STACK; bytes > plain && bytes * cpus_online > ALL_BYTES;)
		bytes /= 2;
	return bytes;
}

/* Returns the default size of a sideband ring.  A storm of short programs writes 600 KiB/s per CPU, while cyctop
 * gets no CPU for 100 ms and more, or reads /proc for the first time. */
size_t rings_side_bytes(unsigned cpus_online)
{
	const size_t least = 32 * 1024, half = rings_default_bytes(cpus_online) / 2;
	return half > least ? half : least;
}

static void watch(struct live *l, int fd)
{
	struct epoll_event ev = {.events = EPOLLIN, .data.fd = fd};
	/* Without epoll there are no early wake-ups, but the timer drains all the same. */
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

void rings_close_cpu(struct live *l, unsigned cpu)
{
	struct live_cpu *c = &l->cpus[cpu];
	ring_unmap(&c->data);
	ring_unmap(&c->sideband);
	fd_close(&c->holder);
	fd_close(&c->tracker);
	c->has_rings = false;
}

/* Opens the owner of a sideband ring.  In scopes of tasks, their trackers write into this ring; it also gets the
 * kernel's own records, if that is permitted. */
static int open_tracker(const struct live *l, unsigned cpu)
{
	if (!live_of_tasks(l))
		return perf_open(&l->tracker_attr, -1, (int)cpu);
	int fd = l->info.scope == SCOPE_TASKS ? perf_open(&l->kernel_attr, -1, (int)cpu) : -EACCES;
	return fd >= 0 ? fd : perf_open(&l->holder_attr, live_pid(l), (int)cpu);
}

/* Opens the rings of a CPU.  Sets *map_ret if it was mmap() that failed. */
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

/* Opens the rings of all CPUs, and with those of each its events; if one cannot be mapped, closes all again. */
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
			last = rc; /* the CPU went offline in the meantime */
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
			return -ENOBUFS; /* not -EPERM: a narrower scope would not help */
		}
		advice_event(&l->env, l->info.scope, -rc, text, sizeof(text));
		return error_set(err, -rc, "perf_event_open for the rings: %s", text);
	}
}
