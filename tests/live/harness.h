/* Shared by the live tests: opens the source, drains it, and keeps its records. */
#ifndef TESTS_LIVE_HARNESS_H
#define TESTS_LIVE_HARNESS_H

#include <cyctop/source.h>

#include <sys/types.h>

/* A record with copies of its strings. */
struct kept {
	struct record rec;
	bool sideband;
	bool known; /* identify() knew the id of the sample */
	uint32_t event, cpu;
	char text[256]; /* comm or file name */
};

struct watch {
	struct source *src;
	const struct source_info *info;
	struct merger *merger;
	struct merge_stats stats;
	uint64_t undecoded;
	struct kept *data;
	size_t n, cap;
	struct counter *counters, *before;
	struct cpu_time *times, *times_before;
};

/* Opens the source and reads the counters once; prints the error and returns it if opening
 * fails. */
int watch_open(struct watch *w, const struct live_config *config, struct error *err);
void watch_close(struct watch *w);
void watch_drain(struct watch *w);
/* Drains every 20 ms and calls maintain() every 250 ms, for `ms` milliseconds. */
void watch_for(struct watch *w, unsigned ms);
/* drains until `pid` has ended and was reaped; returns its status */
int watch_until_exit(struct watch *w, pid_t pid);
void watch_counters(struct watch *w); /* moves `counters` to `before`, and reads `counters` again */

/* Samples of the primary event and their periods, of one process. */
struct sum {
	uint64_t samples, period;
};
struct sum watch_sum(const struct watch *w, uint32_t pid);
/* The n-th record of a type and a pid (for FORK, EXIT, COMM and MMAP, the pid in the body). */
const struct kept *watch_find(const struct watch *w, uint32_t type, uint32_t pid);

/* Uses that much CPU time in the calling thread, in user space. */
void burn(unsigned ms);
/* Makes a child that burns CPU time and exits; it starts when a byte is written to *go_ret. */
pid_t spawn_burner(unsigned ms, int *go_ret);
void let_go(int fd);
uint64_t children_cpu_ns(void); /* of all children that were reaped */

/* Runs fn in a child with uid `uid` (0: unchanged); true if it exits with 0. */
bool in_child(void (*fn)(void), uid_t uid);
/* For such a child: if x is false, prints it and ends the child. */
#define CHECK(x) ((x) ? (void)0 : check_failed(__FILE__, __LINE__, #x))
void check_failed(const char *file, int line, const char *what);

size_t open_files(void);
/* The value of perf_event_paranoid; 99: the file does not exist. */
int paranoid(void);
/* Are perf events allowed?  false: prints why, and main() must return 77 (skipped). */
bool perf_allowed(void);

#endif
