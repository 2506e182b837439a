/* Opening perf events on kernels and PMUs that know less than we ask for. */
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
	struct cpu_bits cpus; /* empty: all */
};

enum { CORE_PMUS_MAX = 8 };

struct opener {
	/* attr.flags and read_format bits this kernel does not know */
	uint64_t no_flags, no_read;
	struct core_pmu pmus[CORE_PMUS_MAX];
	size_t pmus_n;
};

/* Reads the core PMUs from sysfs; strips nothing yet. */
void opener_init(struct opener *o);
/* "armv8_pmuv3_0", "cpu_core+cpu_atom"; "" where there is none. */
void opener_pmu_name(const struct opener *o, char *buf, size_t cap);

/* perf_event_open(), close-on-exec, no group.  An fd, or -errno. */
CYC_MUST_CHECK int perf_open(const struct perf_attr *attr, pid_t pid, int cpu);

/* Finds out, with a dummy event that no PMU can refuse, what this kernel does
 * not know; stripping goes from the newest feature to the oldest.  An open fd
 * or -errno; then nothing is remembered. */
CYC_MUST_CHECK int opener_probe(struct opener *o, const struct perf_attr *attr, pid_t pid, int cpu);

/* Opens with the known features only.  What else a PMU refuses (exclude_guest,
 * exclude_idle, a rate above the kernel's current maximum, a generic event
 * without the PMU's number on a hybrid machine) is given up one by one; what
 * helped is kept in *attr, so that the next CPU's open succeeds at once. */
CYC_MUST_CHECK int opener_open(const struct opener *o, struct perf_attr *attr, pid_t pid, int cpu);

/* attr.freq down to what the kernel permits now. */
void attr_clamp_rate(struct perf_attr *attr);

/* ioctls; 0 or -errno */
CYC_MUST_CHECK int perf_set_output(int fd, int ring_fd);
CYC_MUST_CHECK int perf_get_id(int fd, uint64_t *ret);
CYC_MUST_CHECK int perf_set_rate(int fd, uint64_t hz);

/* Makes room for `want` file descriptors, as far as the hard limit goes; returns
 * how many this process may have open. */
size_t files_reserve(size_t want);

#endif
