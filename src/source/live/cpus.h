/* Finds CPUs: which exist, which are online, and their busy and idle times.  Moves this thread to them. */
#ifndef SOURCE_LIVE_CPUS_H
#define SOURCE_LIVE_CPUS_H

#include <cyctop/source.h>

/* Finds the CPUs that are online, from sysfs or, if that is not mounted, from /proc/stat. */
CYC_MUST_CHECK int cpus_online(struct cpu_bits *ret);
/* Finds those of a target. */
CYC_MUST_CHECK int cpus_online_of(const struct target *target, struct cpu_bits *ret);
/* Finds the CPUs that are present, and so can come online; at least the online ones. */
void cpus_present(const struct cpu_bits *online, struct cpu_bits *ret);

/* Find, and say, on which CPUs this thread may run; return 0 or -errno. */
CYC_MUST_CHECK int cpus_allowed(struct cpu_bits *ret);
CYC_MUST_CHECK int cpus_allow(const struct cpu_bits *cpus);
/* Lets the thread run on `before` again, as cpus_allowed() found them, and on those that come online later. */
void cpus_allow_again(const struct cpu_bits *before);

/* A tour of this thread from CPU to CPU, to open events on each without interrupting it for every one of them.  A move
 * costs as much as nine such interrupts (45 us and 5 us in a virtual machine), but on a CPU where others run it waits
 * for its turn (20 to 70 ms with four of them, half a second behind a real-time task): after the first one that takes
 * longer than CPU_TOUR_WAIT_NS, the thread stays at home. */
struct cpu_tour {
	struct cpu_bits home; /* CPUs on which the thread may run; none: it stays where it is */
	bool away;
};
#define CPU_TOUR_WAIT_NS 1000000
void cpu_tour_begin(struct cpu_tour *ret);
/* Goes to a CPU; stays where it is if it may not run there. */
void cpu_tour_go(struct cpu_tour *tour, unsigned cpu);
void cpu_tour_end(struct cpu_tour *tour);

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
