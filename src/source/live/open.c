#include "source/live/open.h"
#include "source/live/caps.h"
#include "os/file.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#ifndef PERF_FLAG_FD_CLOEXEC
#define PERF_FLAG_FD_CLOEXEC (1ul << 3)
#endif

static int open_in(const struct perf_attr *attr, pid_t pid, int cpu, int leader_fd, bool cgroup)
{
	unsigned long flags = PERF_FLAG_FD_CLOEXEC | (cgroup ? PERF_FLAG_PID_CGROUP : 0);
	long fd = syscall(SYS_perf_event_open, attr, pid, cpu, leader_fd, flags);
	return fd < 0 ? -errno : (int)fd;
}

int perf_open(const struct perf_attr *attr, pid_t pid, int cpu)
{
	return open_in(attr, pid, cpu, -1, false);
}

/* Features of perf_event_open(), the newest first.  A kernel that lacks one of them also lacks those above it. */
static const struct {
	uint64_t flags, read;
} features[] = {
	{.read = READ_LOST},	   /* 6.0 */
	{.flags = ATTR_CGROUP},	   /* 5.7 */
	{.flags = ATTR_BPF_EVENT}, /* 5.1 */
	{.flags = ATTR_KSYMBOL},   /* 5.1 */
	{.flags = ATTR_COMM_EXEC}, /* 3.16 */
	{.flags = ATTR_MMAP2},	   /* 3.16 */
	{.flags = ATTR_EXCLUDE_GUEST},
};

static void strip(struct perf_attr *attr, const struct opener *o)
{
	attr->flags &= ~o->no_flags;
	attr->read_format &= ~o->no_read;
}

int opener_probe(struct opener *o, const struct perf_attr *attr, pid_t pid, int cpu)
{
	struct opener saved = *o;
	struct perf_attr a = *attr;
	int fd = perf_open(&a, pid, cpu);
	for (size_t i = 0; i < ARRAY_LEN(features) && fd == -EINVAL; i++) {
		o->no_flags |= features[i].flags;
		o->no_read |= features[i].read;
		strip(&a, o);
		fd = perf_open(&a, pid, cpu);
	}
	if (fd < 0)
		*o = saved;
	return fd;
}

/* Returns true for a generic event of no particular PMU: the kernel chooses the PMU.  On hybrid machines the upper half
 * of the config may give the PMU. */
static bool is_generic(const struct perf_attr *attr)
{
	return (attr->type == ABI_TYPE_HARDWARE || attr->type == ABI_TYPE_HW_CACHE) && attr->config >> 32 == 0;
}

static int open_on_its_pmu(const struct opener *o, const struct perf_attr *attr, pid_t pid, int cpu, int leader_fd,
			   int otherwise)
{
	if (!is_generic(attr) || o->pmus_n < 2 || cpu < 0)
		return otherwise;
	for (size_t i = 0; i < o->pmus_n; i++) {
		if (!cpu_bits_has(&o->pmus[i].cpus, (unsigned)cpu))
			continue;
		struct perf_attr a = *attr;
		a.config |= (uint64_t)o->pmus[i].type << 32;
		int fd = open_in(&a, pid, cpu, leader_fd, o->cgroups && pid >= 0);
		if (fd >= 0)
			return fd;
	}
	return otherwise;
}

static bool pmu_refused(int rc)
{
	return rc == -EINVAL || rc == -EOPNOTSUPP || rc == -ENOENT || rc == -ENODEV || rc == -ENXIO;
}

static int open_once_in(const struct opener *o, const struct perf_attr *attr, pid_t pid, int cpu, int leader_fd)
{
	int fd = open_in(attr, pid, cpu, leader_fd, o->cgroups && pid >= 0);
	return pmu_refused(fd) ? open_on_its_pmu(o, attr, pid, cpu, leader_fd, fd) : fd;
}

static int open_once(const struct opener *o, const struct perf_attr *attr, pid_t pid, int cpu)
{
	return open_once_in(o, attr, pid, cpu, -1);
}

int opener_join(const struct opener *o, const struct perf_attr *attr, pid_t pid, int cpu, int leader_fd)
{
	struct perf_attr a = *attr;
	strip(&a, o);
	return open_once_in(o, &a, pid, cpu, leader_fd);
}

int opener_open(const struct opener *o, struct perf_attr *attr, pid_t pid, int cpu)
{
	/* Flags that some PMUs refuse.  Older arm drivers refuse exclude_idle with EPERM, so EPERM, too, leads to tries
	 * without these flags.  If EPERM means a lack of privilege, the tries fail, too, and do no harm. */
	static const uint64_t optional[] = {ATTR_EXCLUDE_GUEST, ATTR_EXCLUDE_IDLE, ATTR_EXCLUDE_HV};
	struct perf_attr a = *attr;
	strip(&a, o);
	int fd = open_once(o, &a, pid, cpu);
	if (fd == -EINVAL && (a.flags & ATTR_FREQ)) {
		uint64_t asked = a.sample_period;
		attr_clamp_rate(&a);
		if (a.sample_period < asked)
			fd = open_once(o, &a, pid, cpu);
	}
	for (size_t i = 0; i < ARRAY_LEN(optional); i++) {
		if (fd != -EINVAL && fd != -EOPNOTSUPP && fd != -EPERM)
			break;
		if (!(a.flags & optional[i]))
			continue;
		a.flags &= ~optional[i];
		int again = open_once(o, &a, pid, cpu);
		/* if this fails, too, the first error stays: it is about the attr that the caller wants */
		if (again >= 0)
			fd = again;
	}
	if (fd >= 0)
		*attr = a;
	return fd;
}

void attr_clamp_rate(struct perf_attr *attr)
{
	if (attr->flags & ATTR_FREQ)
		attr->sample_period = event_rate_within(attr->sample_period, env_max_rate_hz());
}

int perf_set_output(int fd, int ring_fd)
{
	return ioctl(fd, PERF_EVENT_IOC_SET_OUTPUT, ring_fd) < 0 ? -errno : 0;
}

int perf_get_id(int fd, uint64_t *ret)
{
	uint64_t id;
	if (ioctl(fd, PERF_EVENT_IOC_ID, &id) < 0)
		return -errno;
	*ret = id;
	return 0;
}

int perf_set_rate(int fd, uint64_t hz)
{
	return ioctl(fd, PERF_EVENT_IOC_PERIOD, &hz) < 0 ? -errno : 0;
}

int perf_set_filter(int fd, const char *filter)
{
	return ioctl(fd, PERF_EVENT_IOC_SET_FILTER, filter) < 0 ? -errno : 0;
}

int perf_enable(int fd)
{
	return ioctl(fd, PERF_EVENT_IOC_ENABLE, 0) < 0 ? -errno : 0;
}

int perf_disable(int fd)
{
	return ioctl(fd, PERF_EVENT_IOC_DISABLE, 0) < 0 ? -errno : 0;
}

size_t files_reserve(size_t want)
{
	struct rlimit lim;
	if (getrlimit(RLIMIT_NOFILE, &lim) < 0)
		return 1024;
	if (lim.rlim_cur < want) {
		struct rlimit raised = {.rlim_cur = want < lim.rlim_max ? want : lim.rlim_max,
					.rlim_max = lim.rlim_max};
		if (setrlimit(RLIMIT_NOFILE, &raised) == 0)
			lim = raised;
	}
	return lim.rlim_cur > SIZE_MAX ? SIZE_MAX : (size_t)lim.rlim_cur;
}

/* ---- finding core PMUs ------------------------------------------------------- */

static const char devices_dir[] = "sys/bus/event_source/devices";

/* Adds a PMU if it is a core PMU: it has a file `cpus` or, on machines with one kind of CPU, the name "cpu" or
 * "cpum_cf" (s390). */
static void add_pmu(struct opener *o, int root_fd, const char *name)
{
	char path[384], buf[4096];
	struct core_pmu pmu = {0};
	if (strlen(name) >= sizeof(pmu.name) || o->pmus_n == CORE_PMUS_MAX)
		return;
	snprintf(path, sizeof(path), "%s/%s/cpus", devices_dir, name);
	bool has_cpus = os_read_at(root_fd, path, buf, sizeof(buf)) > 0 && cpu_bits_parse(buf, &pmu.cpus);
	if (!has_cpus && strcmp(name, "cpu") != 0 && strcmp(name, "cpum_cf") != 0)
		return;
	snprintf(path, sizeof(path), "%s/%s/type", devices_dir, name);
	pmu.type = (uint32_t)os_read_int_at(root_fd, path, ABI_TYPE_RAW);
	memcpy(pmu.name, name, strlen(name) + 1);
	o->pmus[o->pmus_n++] = pmu;
}

void opener_init_at(struct opener *o, int root_fd)
{
	memset(o, 0, sizeof(*o));
	DIR *dir = os_opendir_at(root_fd, devices_dir);
	if (!dir)
		return;
	for (struct dirent *d; (d = readdir(dir));)
		if (d->d_name[0] != '.')
			add_pmu(o, root_fd, d->d_name);
	closedir(dir);
}

void opener_init(struct opener *o)
{
	int root_fd = open("/", O_PATH | O_DIRECTORY | O_CLOEXEC);
	opener_init_at(o, root_fd);
	if (root_fd >= 0)
		close(root_fd);
}

void opener_pmu_name(const struct opener *o, char *buf, size_t cap)
{
	size_t n = 0;
	buf[0] = '\0';
	for (size_t i = 0; i < o->pmus_n; i++) {
		size_t len = strlen(o->pmus[i].name);
		if (n + len + 2 > cap)
			break;
		if (n)
			buf[n++] = '+';
		memcpy(buf + n, o->pmus[i].name, len + 1);
		n += len;
	}
}
