/* Opens perf events, leaving out features that this kernel or PMU lacks. */
#ifndef SOURCE_LIVE_OPEN_H
#define SOURCE_LIVE_OPEN_H

#include "source/live/cpus.h"

#include <cyctop/abi.h>
#include <cyctop/event.h>

#include <sys/types.h>

/* A core PMU: the PMU of a kind of CPU.  Hybrid machines have several. */
struct core_pmu {
	char name[64];
	uint32_t type;
	struct cpu_bits cpus; /* CPUs with this PMU; empty: all */
};

enum { CORE_PMUS_MAX = 8 };

struct opener {
	/* features (bits of attr.flags and read_format) that this kernel lacks */
	uint64_t no_flags, no_read;
	bool cgroups; /* a pid >= 0 is the fd of a cgroup's directory */
	struct core_pmu pmus[CORE_PMUS_MAX];
	size_t pmus_n;
};

/* Reads the core PMUs from sysfs.  Assumes all features of perf_event_open(), until opener_probe() is called. */
void opener_init(struct opener *o);
/* opener_init() for a machine whose root directory is `root_fd`; for tests */
void opener_init_at(struct opener *o, int root_fd);
/* Writes the names of the core PMUs, "armv8_pmuv3_0" or "cpu_core+cpu_atom"; "": there are none. */
void opener_pmu_name(const struct opener *o, char *buf, size_t cap);

/* Opens an event in the group of `leader_fd` (-1: alone), with an attr that opener_open() has accepted.  Returns an fd,
 * or -errno. */
CYC_MUST_CHECK int opener_join(const struct opener *o, const struct perf_attr *attr, pid_t pid, int cpu, int leader_fd);

/* Calls perf_event_open() without a group.  Returns an fd (close-on-exec), or -errno. */
CYC_MUST_CHECK int perf_open(const struct perf_attr *attr, pid_t pid, int cpu);

/* Finds the features that this kernel lacks, by opening a dummy event, which no PMU can refuse.  Drops one feature
 * after the other, the newest first, until it opens.  Returns its fd; or -errno, and leaves *o unchanged. */
CYC_MUST_CHECK int opener_probe(struct opener *o, const struct perf_attr *attr, pid_t pid, int cpu);

/* Opens an event, with those features that the kernel has.  If it is refused, tries again without exclude_guest,
 * exclude_idle and exclude_hv; at the kernel's current maximum rate; and on hybrid machines with the PMU of the CPU.
 * Sets *attr to what the kernel accepted, so that the next CPU needs one try only.  Returns an fd, or -errno. */
CYC_MUST_CHECK int opener_open(const struct opener *o, struct perf_attr *attr, pid_t pid, int cpu);

/* Limits the frequency of an attr to the maximum that the kernel permits now. */
void attr_clamp_rate(struct perf_attr *attr);

/* ioctls of perf events; return 0 or -errno. */
CYC_MUST_CHECK int perf_set_output(int fd, int ring_fd);
CYC_MUST_CHECK int perf_get_id(int fd, uint64_t *ret);
CYC_MUST_CHECK int perf_set_rate(int fd, uint64_t hz);
/* Sets the filter of a tracepoint event, which then counts only hits whose fields meet this condition. */
CYC_MUST_CHECK int perf_set_filter(int fd, const char *filter);
CYC_MUST_CHECK int perf_enable(int fd);
CYC_MUST_CHECK int perf_disable(int fd);

enum {
	FILES_KEPT = 64,   /* if events are on threads: number of files kept for the rest of the program */
	FILES_PER_CPU = 2, /* number of files for the rings of each CPU */
};
/* For events on threads.  files_kept(): how many of `limit` open files are kept for the rest of the program.
 * files_needed(): the lowest limit with which `used` files of events and rings can be opened. */
static inline size_t files_kept(size_t limit)
{
	return limit < 2 * FILES_KEPT ? limit / 2 : FILES_KEPT;
}
static inline size_t files_needed(size_t used)
{
	return used + (used < FILES_KEPT ? used : FILES_KEPT);
}
/* Raises the soft limit of open files to `want`, or to the hard limit if that is lower.  Returns the limit. */
size_t files_reserve(size_t want);

#endif
