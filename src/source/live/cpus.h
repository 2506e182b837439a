/* Which CPUs there are, which are online, and where their time goes. */
#ifndef SOURCE_LIVE_CPUS_H
#define SOURCE_LIVE_CPUS_H

#include <cyctop/source.h>

/* From sysfs; where that is not mounted, from the lines of /proc/stat. */
CYC_MUST_CHECK int cpus_online(struct cpu_bits *ret);
/* Those that can come online without new hardware; at least the online ones. */
void cpus_present(const struct cpu_bits *online, struct cpu_bits *ret);

/* A CPU when it was first seen, or came back. */
struct cpu_origin {
	uint64_t clock_ns;     /* 0: it is not there */
	uint64_t idle_ns;      /* what /proc/stat said */
	struct cpu_time shown; /* what we had said of it */
};

/* /proc/stat, kept open.  Its figures have the resolution of USER_HZ (10 ms). */
struct stat_reader {
	int fd;
	char *buf;
	size_t cap;
	struct cpu_time *times; /* the last reading: no time ever goes back */
	struct cpu_time *shown; /* what we say of each CPU */
	struct cpu_origin *origins;
	uint64_t tick_ns;
};
CYC_MUST_CHECK int stat_reader_init(struct stat_reader *ret, unsigned cpus_n);
void stat_reader_deinit(struct stat_reader *r);
/* times[cpus_n].  Idle is idle, iowait and steal, because a CPU that the hypervisor
 * took away ran nothing of this machine.  Busy is the rest of the time that has
 * passed: the kernel measures how long it idles, but only guesses at its ticks
 * what else it did.  A CPU that is offline keeps its times. */
void stat_reader_read(struct stat_reader *r, struct cpu_time *times, unsigned cpus_n);
/* The parser of the above, for tests: text as of /proc/stat. */
void stat_parse(const char *text, uint64_t tick_ns, struct cpu_time *times, unsigned cpus_n);

#endif
