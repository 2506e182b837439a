/* Finds CPUs: which exist, which are online, how long they were busy and idle.  Moves this thread between CPUs. */
#ifndef SOURCE_LIVE_CPUS_H
#define SOURCE_LIVE_CPUS_H

#include <cyctop/source.h>

/* Finds the CPUs that are online, from sysfs or, without sysfs, from /proc/stat.  Returns 0 or -errno. */
CYC_MUST_CHECK int cpus_online(struct cpu_bits *ret);
/* Finds the online CPUs that the target includes. */
CYC_MUST_CHECK int cpus_online_of(const struct target *target, struct cpu_bits *ret);
/* Finds the CPUs that are present: online, or may come online. */
void cpus_present(const struct cpu_bits *online, struct cpu_bits *ret);

/* Get and set the CPUs on which this thread may run.  Return 0 or -errno. */
CYC_MUST_CHECK int cpus_allowed(struct cpu_bits *ret);
CYC_MUST_CHECK int cpus_allow(const struct cpu_bits *cpus);
/* Lets the thread run again on the CPUs `before`, a result of cpus_allowed(), and on CPUs that come online later. */
void cpus_allow_again(const struct cpu_bits *before);

/* Moves this thread from CPU to CPU to open events there, because opening an event from another CPU interrupts that
 * CPU.  Moving takes as long as nine interrupts (45 us against 5 us, in a virtual machine).  On a busy CPU, the thread
 * must also wait until it may run: 20 to 70 ms beside four tasks, half a second after a real-time task.  So after the
 * first move longer than CPU_TOUR_WAIT_NS, it stays at home. */
struct cpu_tour {
	struct cpu_bits home; /* CPUs where the thread may run; empty: it does not move */
	bool away;	      /* the thread was moved */
};
#define CPU_TOUR_WAIT_NS 1000000
void cpu_tour_begin(struct cpu_tour *ret);
/* Moves the thread to a CPU, if it may run there. */
void cpu_tour_go(struct cpu_tour *tour, unsigned cpu);
void cpu_tour_end(struct cpu_tour *tour);

/* A CPU's times when it was first seen online, or last came online. */
struct cpu_origin {
	uint64_t clock_ns;     /* CLOCK_MONOTONIC; 0: the CPU is offline */
	uint64_t idle_ns;      /* idle time in /proc/stat at clock_ns */
	struct cpu_time shown; /* times that stat_reader_read() had returned until clock_ns */
};

/* A reader of /proc/stat, which stays open.  Its times have the resolution of USER_HZ (10 ms). */
struct stat_reader {
	int fd;
	char *buf;
	size_t cap;
	struct cpu_time *times; /* [CPU]: times that were read last; they never decrease */
	struct cpu_time *shown; /* [CPU]: times that were returned to the caller last */
	struct cpu_origin *origins;
	uint64_t tick_ns; /* length of a tick of USER_HZ */
};
CYC_MUST_CHECK int stat_reader_init(struct stat_reader *ret, unsigned cpus_n, struct error *err);
void stat_reader_deinit(struct stat_reader *r);
/* Sets times[cpus_n].  Idle time is idle, iowait and steal, because during steal the CPU runs nothing of this machine.
 * Busy time is elapsed time minus idle time, because the kernel measures only idle time exactly, and other times by
 * sampling at ticks.  Times of an offline CPU do not change. */
void stat_reader_read(struct stat_reader *r, struct cpu_time *times, unsigned cpus_n);
/* Parses the text of /proc/stat into times[cpus_n]; called by stat_reader_read(), and by tests. */
void stat_parse(const char *text, uint64_t tick_ns, struct cpu_time *times, unsigned cpus_n);

#endif
