/* Opens events for a short time to find out what the kernel permits.  This does not disturb counters of other programs
 * on CPUs: events on a task have lower priority than events on CPUs, and never take their counters. */
#include "source/live/doctor/facts.h"
#include "source/live/live.h"

#include <errno.h>
#include <linux/perf_event.h>
#include <sched.h>
#include <stdio.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

/* The features that a dummy event can try.  aux_output is missing: it needs a PMU with an AUX area. */
const struct doctor_feature doctor_features[] = {
	{"mmap2", "3.16", true, .flags = ATTR_MMAP | ATTR_MMAP2},
	{"comm_exec", "3.16", true, .flags = ATTR_COMM | ATTR_COMM_EXEC},
	{"clockid", "4.1", true, .flags = ATTR_USE_CLOCKID},
	{"context_switch", "4.3", false, .flags = ATTR_CONTEXT_SWITCH},
	{"write_backward", "4.7", false, .flags = ATTR_WRITE_BACKWARD},
	{"namespaces", "4.12", false, .flags = ATTR_NAMESPACES},
	{"phys_addr", "4.14", false, .sample_type = SAMPLE_PHYS_ADDR},
	{"ksymbol", "5.1", true, .flags = ATTR_KSYMBOL},
	{"bpf_event", "5.1", true, .flags = ATTR_BPF_EVENT},
	{"cgroup", "5.7", true, .sample_type = SAMPLE_CGROUP},
	{"text_poke", "5.9", true, .flags = ATTR_TEXT_POKE},
	{"page_size", "5.11", false, .sample_type = SAMPLE_DATA_PAGE_SIZE | SAMPLE_CODE_PAGE_SIZE},
	{"build_id", "5.12", false, .flags = ATTR_MMAP | ATTR_MMAP2 | ATTR_BUILD_ID},
	{"weight_struct", "5.12", true, .sample_type = SAMPLE_WEIGHT_STRUCT},
	{"inherit_thread", "5.13", false, .flags = ATTR_INHERIT | ATTR_INHERIT_THREAD},
	{"sigtrap", "5.13", false, .flags = ATTR_REMOVE_ON_EXEC | ATTR_SIGTRAP},
	{"read_lost", "6.0", true, .read_format = READ_LOST},
};
const size_t doctor_features_n = ARRAY_LEN(doctor_features);

/* Opens a dummy event on this process in user space, and closes it.  Returns 0, or the errno with which it failed. */
static int open_own(uint64_t flags, uint64_t sample_type, uint64_t read_format)
{
	struct perf_attr a;
	event_sideband_attr(true, 0, &a);
	a.flags = ATTR_DISABLED | ATTR_EXCLUDE_KERNEL | ATTR_EXCLUDE_HV | flags;
	a.sample_type = SAMPLE_IP | sample_type;
	a.read_format = read_format;
	a.clockid = flags & ATTR_USE_CLOCKID ? CLOCK_MONOTONIC : 0;
	int fd = perf_open(&a, 0, -1), code = fd < 0 ? -fd : 0;
	fd_close(&fd);
	return code;
}

static void probe_features(struct doctor_facts *f)
{
	f->dummy_code = open_own(0, 0, 0);
	for (size_t i = 0; i < doctor_features_n && !f->dummy_code; i++) {
		const struct doctor_feature *x = &doctor_features[i];
		int code = open_own(x->flags, x->sample_type, x->read_format);
		f->known |= (uint32_t)(code == 0) << i;
		f->refused |= (uint32_t)(code == EACCES || code == EPERM) << i;
	}
}

static void probe_scope(struct doctor_facts *f)
{
	struct perf_attr a;
	struct opener o = {0};
	int cpu = sched_getcpu();
	event_sideband_attr(false, 0, &a);
	int fd = opener_probe(&o, &a, -1, cpu < 0 ? 0 : cpu);
	f->open_code = fd < 0 ? -fd : 0;
	fd_close(&fd);
}

/* Opens a hardware event on this process: branch misses, since cycles may have a counter of their own; if that fails,
 * cycles.  Returns an fd, or -errno; *ret: the event's attr. */
static int hardware_attr(struct opener *o, int cpu, struct perf_attr *ret)
{
	static const uint64_t configs[] = {PERF_COUNT_HW_BRANCH_MISSES, PERF_COUNT_HW_CPU_CYCLES};
	int fd = -ENOENT;
	for (size_t i = 0; i < ARRAY_LEN(configs) && fd < 0; i++) {
		*ret = (struct perf_attr){
			.type = ABI_TYPE_HARDWARE,
			.size = sizeof(*ret),
			.config = configs[i],
			.read_format = READ_TIME_ENABLED | READ_TIME_RUNNING,
			.flags = ATTR_EXCLUDE_KERNEL | ATTR_EXCLUDE_HV,
		};
		fd = opener_open(o, ret, 0, cpu);
	}
	return fd;
}

/* Returns how many events fit into a group: as many as the PMU has counters. */
static unsigned count_all(struct opener *o, const struct perf_attr *attr, int cpu)
{
	int fds[PMU_COUNTERS_MAX];
	unsigned n = 0;
	while (n < PMU_COUNTERS_MAX && (fds[n] = opener_join(o, attr, 0, cpu, n ? fds[0] : -1)) >= 0)
		n++;
	for (unsigned i = 0; i < n; i++)
		fd_close(&fds[i]);
	return n;
}

/* Returns how many events that are not in a group get a counter at the same time.  At most `all` are tried. */
static unsigned count_free(struct opener *o, const struct perf_attr *attr, int cpu, unsigned all)
{
	int fds[PMU_COUNTERS_MAX];
	unsigned opened = 0, n = 0;
	for (bool runs = true; runs && opened < all; n += runs) {
		uint64_t read_value[3] = {0}; /* value, enabled, running */
		int fd = opener_join(o, attr, 0, cpu, -1);
		if (fd < 0)
			break;
		fds[opened++] = fd;
		runs = read(fd, read_value, sizeof(read_value)) == sizeof(read_value) && read_value[2] > 0;
	}
	for (unsigned i = 0; i < opened; i++)
		fd_close(&fds[i]);
	return n;
}

/* Bits that an event sets in attr.config1 on arm64 to be readable in user space. */
#if defined(__aarch64__)
enum { WANT_USER_READS = 2 };
#else
enum { WANT_USER_READS = 0 };
#endif

static bool reads_in_user_space(const struct opener *o, const struct perf_attr *attr, int cpu)
{
	struct perf_attr a = *attr;
	a.config1 = WANT_USER_READS;
	int fd = opener_join(o, &a, 0, cpu, -1);
	long page = sysconf(_SC_PAGESIZE);
	struct perf_event_mmap_page *p = mmap(NULL, (size_t)page, PROT_READ, MAP_SHARED, fd, 0);
	bool can = p != MAP_FAILED && p->cap_user_rdpmc;
	if (p != MAP_FAILED)
		munmap(p, (size_t)page);
	fd_close(&fd);
	return can;
}

/* Probes the PMU of a CPU (-1: of the CPU where this process runs): counters, and whether user space can read them. */
static void probe_pmu(struct doctor_facts *f, size_t pmu, int cpu)
{
	struct perf_attr a;
	int fd = hardware_attr(&f->opener, cpu, &a);
	if (fd >= 0 || f->cycles_code == ENOENT)
		f->cycles_code = fd < 0 ? -fd : 0;
	if (fd < 0)
		return;
	fd_close(&fd);
	f->user_reads |= reads_in_user_space(&f->opener, &a, cpu);
	f->counters[pmu].all = count_all(&f->opener, &a, cpu);
	f->counters[pmu].free = count_free(&f->opener, &a, cpu, f->counters[pmu].all);
}

/* Moves this process to the first CPU with this PMU that is in `allowed`.  Returns the CPU, or -1 if there is none. */
static int go_to_pmu(const struct core_pmu *pmu, const struct cpu_bits *allowed)
{
	bool any = !cpu_bits_count(&pmu->cpus);
	unsigned cpu = 0;
	struct cpu_bits one = {0};
	while (cpu < CPUS_MAX && !(cpu_bits_has(allowed, cpu) && (any || cpu_bits_has(&pmu->cpus, cpu))))
		cpu++;
	cpu_bits_add(&one, cpu);
	return cpu < CPUS_MAX && cpus_allow(&one) == 0 ? (int)cpu : -1;
}

/* Probes each core PMU, on one of its CPUs.  If sysfs lists no core PMU, probes that of some CPU. */
static void probe_counters(struct doctor_facts *f)
{
	struct cpu_bits before;
	bool moves = cpus_allowed(&before) == 0;
	f->cycles_code = ENOENT;
	for (size_t pmu = 0; pmu == 0 || pmu < f->opener.pmus_n; pmu++) {
		int cpu = moves ? go_to_pmu(&f->opener.pmus[pmu], &before) : -1;
		if (cpu >= 0 || !moves)
			probe_pmu(f, pmu, cpu);
	}
	if (moves)
		cpus_allow_again(&before);
}

/* Opens the live source as cyctop without options does, and keeps its scope, ring size and notices. */
static void try_live(struct doctor_facts *f)
{
	struct live_config config = {.freq = EVENT_RATE_DEFAULT};
	struct source *src;
	struct error err = {0};
	config.events_n = event_defaults(config.events);
	f->scope = SCOPE_PROC;
	if (live_open(&config, &src, &err) < 0) {
		snprintf(f->notice, sizeof(f->notice), "%s", err.text);
		return;
	}
	const struct source_info *info = src->ops->info(src);
	f->scope = info->scope;
	f->rate_hz = info->rate_hz ? info->rate_hz : info->period ? UINT64_C(1000000000) / info->period : 0;
	f->ring_bytes = info->ring_bytes;
	snprintf(f->event, sizeof(f->event), "%.63s", info->events[0].spec.name);
	snprintf(f->notice, sizeof(f->notice), "%s", info->notice);
	src->ops->close(src);
}

void facts_probe(struct doctor_facts *f)
{
	probe_scope(f);
	probe_features(f);
	probe_counters(f);
	try_live(f);
}
