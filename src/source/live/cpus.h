/* Finds CPUs: which exist, which are online, and their busy and idle times. */
#ifndef SOURCE_LIVE_CPUS_H
#define SOURCE_LIVE_CPUS_H

#include <cyctop/source.h>

/* Finds the CPUs that are online, from sysfs or, if that is not mounted, from /proc/stat. */
CYC_MUST_CHECK int cpus_online(struct cpu_bits *ret);
/* Finds those of a target. */
CYC_MUST_CHECK int cpus_online_of(const struct target *target, struct cpu_bits *ret);
/* Finds the CPUs that are present, and so can come online; at least the online ones. */
void cpus_present(const struct cpu_bits *online, struct cpu_bits *ret);

/* The times of a CPU when it was first seen, or came online again. */
struct cpu_origin {
	uint64_t clock_ns;     /* CLOCK_MONOTONIC; 0: the CPU is offline */
	uint64_t idle_ns;      /* idle time in /proc/stat */
	struct cpu_time shown; /* times that cpu_times() had returned by then */
};

/* A reader that keeps /proc/stat open.  The times have the resolution of USER_HZ (10 ms). */
struct stat_reader {
	int fd;
	char *buf;
	size_t cap;
	struct cpu_time *times; /* idle and busy ticks of the last reading; never decrease */
	struct cpu_time *shown; /* times that were last returned for each CPU */
	struct cpu_origin *origins;
	uint64_t tick_ns;
};
CYC_MUST_CHECK int stat_reader_init(struct stat_reader *ret, unsigned cpus_n);
void stat_reader_deinit(struct stat_reader *r);
/* Sets times[cpus_n].  Idle time is idle, iowait and steal: a CPU that the hypervisor took away ran nothing of this
 * machine.  Busy time is all other time that has passed, since the kernel measures idle time exactly, but samples
 * the rest at its ticks.  The times of a CPU that is offline do not change. */
void stat_reader_read(struct stat_reader *r, struct cpu_time *times, unsigned cpus_n);
/* Parses the text of /proc/stat, which stat_reader_read() reads; for tests. */
void stat_parse(const char *text, uint64_t tick_ns, struct cpu_time *times, unsigned cpus_n);

#endif
