/* Opens perf events, without the features that this kernel or PMU does not have. */
#ifndef SOURCE_LIVE_OPEN_H
#define SOURCE_LIVE_OPEN_H

#include "source/live/cpus.h"

#include <cyctop/abi.h>
#include <cyctop/event.h>

#include <sys/types.h>

/* A core PMU of a machine with several kinds of CPU. */
struct core_pmu {
	char name[64];
	uint32_t type;
	struct cpu_bits cpus; /* CPUs with this PMU; empty: all */
};

enum { CORE_PMUS_MAX = 8 };

struct opener {
	/* bits of attr.flags and read_format that this kernel does not know */
	uint64_t no_flags, no_read;
	bool cgroups; /* a pid other than -1 is the fd of a cgroup's directory */
	struct core_pmu pmus[CORE_PMUS_MAX];
	size_t pmus_n;
};

/* Reads the core PMUs from sysfs.  Until opener_probe(), all features count as known. */
void opener_init(struct opener *o);
/* Does the same for the machine whose directory / is `root_fd`. */
void opener_init_at(struct opener *o, int root_fd);
/* Writes the names of the core PMUs: "armv8_pmuv3_0", "cpu_core+cpu_atom"; "": there are none. */
void opener_pmu_name(const struct opener *o, char *buf, size_t cap);

/* Opens an event, as opener_open() opened it before, in the group of `leader_fd`.  Returns an fd, or -errno. */
CYC_MUST_CHECK int opener_join(const struct opener *o, const struct perf_attr *attr, pid_t pid, int cpu, int leader_fd);

/* Calls perf_event_open() with close-on-exec and without a group.  Returns an fd, or -errno. */
CYC_MUST_CHECK int perf_open(const struct perf_attr *attr, pid_t pid, int cpu);

/* Opens a dummy event, which no PMU can refuse, to find the features that this kernel does not know: leaves them out
 * one after the other, the newest first.  Returns an fd, or -errno, which leaves *o unchanged. */
CYC_MUST_CHECK int opener_probe(struct opener *o, const struct perf_attr *attr, pid_t pid, int cpu);

/* Opens an event with the known features only.  If a PMU refuses it, tries again without exclude_guest and
 * exclude_idle, with the kernel's current maximum rate, and on a hybrid machine with the number of the PMU.  Sets
 * *attr to what succeeded, so that opening it on the next CPU succeeds at once. */
CYC_MUST_CHECK int opener_open(const struct opener *o, struct perf_attr *attr, pid_t pid, int cpu);

/* Lowers a frequency to the maximum that the kernel permits now. */
void attr_clamp_rate(struct perf_attr *attr);

/* Call ioctls; return 0 or -errno. */
CYC_MUST_CHECK int perf_set_output(int fd, int ring_fd);
CYC_MUST_CHECK int perf_get_id(int fd, uint64_t *ret);
CYC_MUST_CHECK int perf_set_rate(int fd, uint64_t hz);
/* Makes a tracepoint's event count only what meets the condition. */
CYC_MUST_CHECK int perf_set_filter(int fd, const char *filter);
CYC_MUST_CHECK int perf_enable(int fd);
CYC_MUST_CHECK int perf_disable(int fd);

enum {
	FILES_KEPT = 64,   /* where threads have events of their own: left for the rest of the program, at most */
	FILES_PER_CPU = 2, /* for its rings */
};
/* Where threads have events of their own: returns how many of `limit` files are left for the rest of the program, and
 * how small the limit may be for `used` files of events and rings. */
static inline size_t files_kept(size_t limit)
{
	return limit < 2 * FILES_KEPT ? limit / 2 : FILES_KEPT;
}
static inline size_t files_needed(size_t used)
{
	return used + (used < FILES_KEPT ? used : FILES_KEPT);
}
/* Raises the limit of open files to `want` or the hard limit.  Returns the limit. */
size_t files_reserve(size_t want);

#endif
