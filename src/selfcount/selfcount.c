#include "selfcount/selfcount.h"
#include "selfcount/hardware.h"
#include "selfcount/page.h"
#include <errno.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

static int open_event(const struct perf_event_attr *attr, pid_t thread, int leader)
{
	return (int)syscall(SYS_perf_event_open, attr, thread, -1, leader, PERF_FLAG_FD_CLOEXEC);
}

static size_t page_size(void)
{
	return (size_t)sysconf(_SC_PAGESIZE);
}

static user_page *map_page(int fd)
{
	void *p = mmap(NULL, page_size(), PROT_READ, MAP_SHARED, fd, 0);
	return p == MAP_FAILED ? NULL : p;
}

static void unmap(const volatile void *p)
{
	if (p)
		munmap((void *)(uintptr_t)p, page_size());
}

/* ---- opening and closing the events -------------------------------------------------------------------- */

/* Returns the attr of a group member: adds what reading needs to `attr`, which says what is counted. */
static struct perf_event_attr prepared(const struct perf_event_attr *attr, bool leads)
{
	struct perf_event_attr a = *attr;
	a.size = sizeof(a);
	a.sample_period = 0;
	a.inherit = 0; /* the page of an inherited event lacks the counts of the threads that inherit it */
	a.disabled = leads;
	a.read_format = PERF_FORMAT_GROUP | PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING;
	return a;
}

/* Opens an event.  On arm64, user space can read only events that were opened with ARM_RDPMC. */
static int open_readable(const struct perf_event_attr *attr, pid_t thread, int leader)
{
#ifdef __aarch64__
	enum { ARM_RDPMC = 1u << 1 };
	if (attr->type == PERF_TYPE_HARDWARE || attr->type == PERF_TYPE_HW_CACHE || attr->type == PERF_TYPE_RAW) {
		struct perf_event_attr a = *attr;
		a.config1 |= ARM_RDPMC;
		int fd = open_event(&a, thread, leader);
		if (fd >= 0)
			return fd;
	}
#endif
	return open_event(attr, thread, leader);
}

/* Finds the scale of the kernel's clock, on the page of an event that counts nothing.  Returns false if it is
 * missing. */
static bool clock_without_events(struct selfcount_scale *ret)
{
	struct perf_event_attr attr = {
		.type = PERF_TYPE_SOFTWARE,
		.size = sizeof(attr),
		.config = PERF_COUNT_SW_DUMMY,
		.exclude_kernel = 1,
		.exclude_hv = 1,
	};
	int fd = open_event(&attr, 0, -1);
	if (fd < 0)
		return false;
	user_page *p = map_page(fd);
	bool has = p && page_clock(p, ret);
	unmap(p);
	close(fd);
	return has;
}

/* Returns a mapped byte that is 1, but 0 in a child of fork(); NULL if it cannot be mapped. */
static const volatile unsigned char *map_alive(void)
{
	unsigned char *p = mmap(NULL, page_size(), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (p == MAP_FAILED)
		return NULL;
	if (madvise(p, page_size(), MADV_WIPEONFORK) < 0) {
		munmap(p, page_size());
		return NULL;
	}
	*p = 1;
	return p;
}

static bool map_all(struct selfcount *sc)
{
	for (size_t i = 0; i < sc->events_n; i++) {
		sc->pages[i] = map_page(sc->fds[i]);
		if (!sc->pages[i])
			return false;
	}
	sc->alive = map_alive();
	return sc->alive != NULL;
}

static void unmap_all(struct selfcount *sc)
{
	for (size_t i = 0; i < SELFCOUNT_EVENTS_MAX; i++) {
		unmap(sc->pages[i]);
		sc->pages[i] = NULL;
	}
	unmap(sc->alive);
	sc->alive = NULL;
}

static int open_group(struct selfcount *sc, const struct perf_event_attr *attrs, size_t n)
{
	if (n > SELFCOUNT_EVENTS_MAX)
		return -E2BIG;
	for (size_t i = 0; i < n; i++) {
		struct perf_event_attr attr = prepared(&attrs[i], i == 0);
		int fd = open_readable(&attr, sc->thread, i ? sc->fds[0] : -1);
		if (fd < 0)
			return -errno;
		sc->fds[sc->events_n++] = fd;
	}
	return ioctl(sc->fds[0], PERF_EVENT_IOC_ID, &sc->id) < 0 ? -errno : 0;
}

/* Starts the group after mapping its pages: mapping permits user space to read the counters, and a page tells so only
 * from the start of its event on.  If reading is switched off or the PMU has no room for the group, no value can be
 * read from the pages: values come from read(2). */
static int start_group(struct selfcount *sc)
{
	bool mapped = !sc->thread && map_all(sc);
	if (ioctl(sc->fds[0], PERF_EVENT_IOC_ENABLE, PERF_IOC_FLAG_GROUP) < 0)
		return -errno;
	struct selfcount_reading first = {0};
	uint64_t cycles = 0;
	bool readable =
		mapped && pages_read(sc->pages, sc->events_n, hardware_counter, hardware_cycles, &cycles, &first);
	atomic_signal_fence(memory_order_seq_cst); /* so that a signal handler finds the pages mapped */
	if (readable)
		sc->counters = SELFCOUNT_PAGE;
	return 0;
}

static void close_events(struct selfcount *sc)
{
	size_t n = sc->events_n;
	sc->events_n = 0;
	sc->counters = SELFCOUNT_SYSCALL;
	atomic_signal_fence(memory_order_seq_cst); /* from here on a signal handler reads only the time */
	if (sc->pid == getpid())
		unmap_all(sc); /* a child of fork() may have mapped something else there */
	for (size_t i = 0; i < n; i++)
		close(sc->fds[i]);
}

int selfcount_open_thread(struct selfcount *sc, pid_t tid, const struct perf_event_attr *attrs, size_t n)
{
	*sc = (struct selfcount){
		.counters = SELFCOUNT_SYSCALL,
		.clock = SELFCOUNT_CLOCK,
		.pid = getpid(),
		.thread = tid,
	};
	int err = n ? open_group(sc, attrs, n) : 0;
	if (n && !err)
		err = start_group(sc);
	bool clock = sc->pages[0] ? page_clock(sc->pages[0], &sc->scale) : clock_without_events(&sc->scale);
	if (clock && HARDWARE_CLOCK)
		sc->clock = SELFCOUNT_TSC;
	if (err)
		close_events(sc);
	else if (sc->counters == SELFCOUNT_SYSCALL)
		unmap_all(sc);
	return err;
}

int selfcount_open(struct selfcount *sc, const struct perf_event_attr *attrs, size_t n)
{
	return selfcount_open_thread(sc, 0, attrs, n);
}

void selfcount_close(struct selfcount *sc)
{
	close_events(sc);
}

/* ---- reading the events and the time -------------------------------------------------------------------- */

/* Returns true if the descriptor is still the leader's.  The program may have closed it and opened another file, of
 * which read() would consume bytes. */
static bool is_leader(const struct selfcount *sc)
{
	uint64_t id = 0;
	return ioctl(sc->fds[0], PERF_EVENT_IOC_ID, &id) == 0 && id == sc->id;
}

/* Reads a group by read(2), in the format PERF_FORMAT_GROUP with both times.  Returns false if the group has not
 * counted, or cannot be read. */
static bool read_group(const struct selfcount *sc, struct selfcount_reading *ret)
{
	struct {
		uint64_t n, enabled, running, values[SELFCOUNT_EVENTS_MAX];
	} group = {0};
	size_t size = (3 + sc->events_n) * sizeof(uint64_t);
	int before = errno;
	bool done = is_leader(sc) && read(sc->fds[0], &group, size) == (ssize_t)size;
	errno = before;
	if (!done)
		return false;
	ret->enabled = group.enabled;
	ret->running = group.running;
	for (size_t i = 0; i < sc->events_n; i++)
		ret->values[i] = group.values[i];
	return group.running > 0;
}

static uint64_t clock_ns(void)
{
	struct timespec ts = {0};
	clock_gettime(CLOCK_MONOTONIC_RAW, &ts);
	return (uint64_t)ts.tv_sec * 1000000000 + (uint64_t)ts.tv_nsec;
}

uint64_t selfcount_time(const struct selfcount *sc)
{
	return sc->clock == SELFCOUNT_TSC ? page_ns(&sc->scale, hardware_cycles()) : clock_ns();
}

uint64_t selfcount_ticks(void)
{
	return hardware_cycles();
}

bool selfcount_has_ticks(void)
{
	return HARDWARE_CLOCK && hardware_clock_is_steady();
}

void selfcount_read(const struct selfcount *sc, struct selfcount_reading *ret)
{
	bool pages = sc->counters == SELFCOUNT_PAGE && *sc->alive;
	uint64_t cycles = 0;
	if (pages && pages_read(sc->pages, sc->events_n, hardware_counter, hardware_cycles, &cycles, ret)) {
		ret->counted = true;
		ret->time = cycles && sc->clock == SELFCOUNT_TSC ? page_ns(&sc->scale, cycles) : selfcount_time(sc);
		return;
	}
	ret->enabled = ret->running = 0;
	for (size_t i = 0; i < sc->events_n; i++)
		ret->values[i] = 0;
	ret->counted = (pages || sc->counters == SELFCOUNT_SYSCALL) && sc->events_n && read_group(sc, ret) &&
		       (!pages || sc->pages[0]->index);
	ret->time = selfcount_time(sc);
}

/* Returns true if a reading has values: false if the descriptor was gone, or there are no events. */
static bool has_values(const struct selfcount_reading *r)
{
	return r->counted || r->enabled;
}

/* The growth of the group's times tells whether it counted all the time.  If the page has no clock, both times stay. */
bool selfcount_between(const struct selfcount_reading *from, const struct selfcount_reading *to, size_t i, double *ret)
{
	uint64_t enabled = to->enabled - from->enabled, running = to->running - from->running;
	uint64_t counted = to->values[i] - from->values[i];
	if (!has_values(from) || !has_values(to))
		return false;
	if (enabled == running ? !(running || (from->counted && to->counted)) : !running || running > enabled)
		return false;
	*ret = (double)counted;
	if (enabled != running)
		*ret *= (double)enabled / (double)running;
	return true;
}
