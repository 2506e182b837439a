#include "source/live/cpus.h"
#include "base/fmt.h"
#include "os/file.h"

#include "base/alloc.h"
#include "os/clock.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Parses the CPU number of a line of /proc/stat, such as 12 in "cpu12 1 2 3 ...", and moves *s after it.  Returns false
 * if the line is not about one CPU. */
static bool stat_line_cpu(const char **s, uint64_t *ret)
{
	if (strncmp(*s, "cpu", 3) != 0)
		return false;
	*s += 3;
	return text_u64(s, ret);
}

static const char *next_line(const char *s)
{
	const char *end = strchr(s, '\n');
	return end ? end + 1 : s + strlen(s);
}

static int online_from_stat(struct cpu_bits *ret)
{
	const size_t cap = 256 * 1024;
	char *buf = mem_calloc(cap, 1);
	ssize_t n = os_read("/proc/stat", buf, cap);
	if (n >= 0) {
		*ret = (struct cpu_bits){0};
		for (const char *s = buf; *s; s = next_line(s)) {
			uint64_t cpu;
			const char *p = s;
			if (stat_line_cpu(&p, &cpu) && cpu < CPUS_MAX)
				cpu_bits_add(ret, (unsigned)cpu);
		}
	}
	free(buf);
	if (n < 0)
		return (int)n;
	return cpu_bits_end(ret) ? 0 : -ENODATA;
}

static bool from_sysfs(const char *path, struct cpu_bits *ret)
{
	char buf[4096];
	return os_read(path, buf, sizeof(buf)) > 0 && cpu_bits_parse(buf, ret) && cpu_bits_end(ret) > 0;
}

int cpus_online(struct cpu_bits *ret)
{
	if (from_sysfs("/sys/devices/system/cpu/online", ret))
		return 0;
	return online_from_stat(ret);
}

int cpus_online_of(const struct target *target, struct cpu_bits *ret)
{
	int rc = cpus_online(ret);
	for (size_t i = 0; !rc && target->some_cpus && i < ARRAY_LEN(ret->words); i++)
		ret->words[i] &= target->cpus.words[i];
	return rc;
}

void cpus_present(const struct cpu_bits *online, struct cpu_bits *ret)
{
	if (!from_sysfs("/sys/devices/system/cpu/present", ret))
		*ret = (struct cpu_bits){0};
	for (size_t i = 0; i < ARRAY_LEN(ret->words); i++)
		ret->words[i] |= online->words[i];
}

/* ---- moving this thread between CPUs ----------------------------------------- */

int cpus_allowed(struct cpu_bits *ret)
{
	*ret = (struct cpu_bits){0};
	return sched_getaffinity(0, sizeof(ret->words), (cpu_set_t *)ret->words) < 0 ? -errno : 0;
}

int cpus_allow(const struct cpu_bits *cpus)
{
	return sched_setaffinity(0, sizeof(cpus->words), (const cpu_set_t *)cpus->words) < 0 ? -errno : 0;
}

/* First allows all CPUs, because `before` does not contain CPUs that were offline then; the kernel ignores CPUs that
 * this process may not use. */
void cpus_allow_again(const struct cpu_bits *before)
{
	struct cpu_bits all, now;
	memset(&all, 0xff, sizeof(all));
	if (cpus_allow(&all) < 0 || cpus_allowed(&now) < 0 || memcmp(&now, before, sizeof(now)) != 0)
		(void)!cpus_allow(before);
}

void cpu_tour_begin(struct cpu_tour *ret)
{
	*ret = (struct cpu_tour){0};
	if (cpus_allowed(&ret->home) < 0)
		ret->home = (struct cpu_bits){0};
}

void cpu_tour_end(struct cpu_tour *tour)
{
	if (tour->away)
		cpus_allow_again(&tour->home);
	*tour = (struct cpu_tour){0};
}

void cpu_tour_go(struct cpu_tour *tour, unsigned cpu)
{
	struct cpu_bits one = {0};
	if (!cpu_bits_has(&tour->home, cpu))
		return;
	uint64_t begin_ns = clock_ns(CLOCK_MONOTONIC);
	cpu_bits_add(&one, cpu);
	tour->away |= cpus_allow(&one) == 0;
	if (clock_ns(CLOCK_MONOTONIC) - begin_ns > CPU_TOUR_WAIT_NS)
		cpu_tour_end(tour);
}

/* ---- reading /proc/stat ------------------------------------------------------ */

int stat_reader_init(struct stat_reader *ret, unsigned cpus_n, struct error *err)
{
	int fd = open("/proc/stat", O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return error_set(err, errno, "/proc/stat cannot be read: %s",
				 errno == ENOENT ? "mount -t proc proc /proc" : strerror(errno));
	long hz = sysconf(_SC_CLK_TCK);
	/* room for the lines of CPUs, which come first: a name and ten numbers of up to 20 digits each */
	size_t cap = 4096 + (size_t)cpus_n * 224;
	*ret = (struct stat_reader){
		.fd = fd,
		.buf = mem_calloc(cap, 1),
		.cap = cap,
		.times = mem_calloc(cpus_n, sizeof(struct cpu_time)),
		.shown = mem_calloc(cpus_n, sizeof(struct cpu_time)),
		.origins = mem_calloc(cpus_n, sizeof(struct cpu_origin)),
		.tick_ns = 1000000000ull / (uint64_t)(hz > 0 ? hz : 100),
	};
	return 0;
}

void stat_reader_deinit(struct stat_reader *r)
{
	if (r->buf)
		close(r->fd);
	free(r->buf);
	free(r->times);
	free(r->shown);
	free(r->origins);
	r->buf = NULL;
	r->times = NULL;
}

/* Sets *t from the times of a line, in ticks: user nice system idle iowait irq softirq steal (old kernels lack the last
 * ones). */
static void parse_times(const char *s, uint64_t tick_ns, struct cpu_time *t)
{
	enum { IDLE = 3, IOWAIT = 4, STEAL = 7, FIELDS = 8 };
	uint64_t busy = 0, idle = 0, v;
	unsigned n;
	for (n = 0; n < FIELDS; n++) {
		while (*s == ' ')
			s++;
		if (!text_u64(&s, &v))
			break;
		if (n == IDLE || n == IOWAIT || n == STEAL)
			idle = u64_add_sat(idle, v);
		else
			busy = u64_add_sat(busy, v);
	}
	if (n <= IDLE)
		return;
	/* the kernel's iowait may decrease and, after hotplug, also idle */
	busy = u64_mul_div(busy, tick_ns, 1);
	idle = u64_mul_div(idle, tick_ns, 1);
	t->busy_ns = busy > t->busy_ns ? busy : t->busy_ns;
	t->idle_ns = idle > t->idle_ns ? idle : t->idle_ns;
	t->known = true;
	t->online = true;
}

void stat_parse(const char *text, uint64_t tick_ns, struct cpu_time *times, unsigned cpus_n)
{
	for (unsigned i = 0; i < cpus_n; i++)
		times[i].online = false;
	for (const char *s = text; strncmp(s, "cpu", 3) == 0; s = next_line(s)) {
		uint64_t cpu;
		const char *p = s;
		if (!strchr(s, '\n'))
			break; /* the line is cut off by the end of the buffer */
		if (stat_line_cpu(&p, &cpu) && cpu < cpus_n)
			parse_times(p, tick_ns, &times[cpu]);
	}
}

/* Updates *t, the times that the caller gets; they never decrease.  Busy time is the wall-clock time since *o (when the
 * CPU came online) minus idle time. */
static void show_times(const struct cpu_time *read, uint64_t now_ns, struct cpu_origin *o, struct cpu_time *t)
{
	t->known = read->known;
	t->online = read->online;
	if (!read->online || !o->clock_ns) {
		*o = (struct cpu_origin){
			.clock_ns = read->online ? now_ns : 0,
			.idle_ns = read->idle_ns,
			.shown = *t,
		};
		return;
	}
	uint64_t idle = read->idle_ns - o->idle_ns, passed = now_ns - o->clock_ns;
	uint64_t busy = o->shown.busy_ns + (passed > idle ? passed - idle : 0);
	t->busy_ns = busy > t->busy_ns ? busy : t->busy_ns;
	t->idle_ns = o->shown.idle_ns + idle;
}

void stat_reader_read(struct stat_reader *r, struct cpu_time *times, unsigned cpus_n)
{
	if (os_reread(r->fd, r->buf, r->cap) > 0)
		stat_parse(r->buf, r->tick_ns, r->times, cpus_n);
	uint64_t now_ns = clock_ns(CLOCK_MONOTONIC);
	for (unsigned cpu = 0; cpu < cpus_n; cpu++) {
		show_times(&r->times[cpu], now_ns, &r->origins[cpu], &r->shown[cpu]);
		r->shown[cpu].step_ns = r->tick_ns;
		times[cpu] = r->shown[cpu];
	}
}
