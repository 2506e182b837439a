/* Shared by the live tests: opens the source, drains it, keeps what it said. */
#ifndef TESTS_LIVE_HARNESS_H
#define TESTS_LIVE_HARNESS_H

#include <cyctop/source.h>

#include <sys/types.h>

/* A record, its strings copied. */
struct kept {
	struct record rec;
	bool sideband;
	bool known; /* identify() knew a sample's id */
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

/* Opens and reads the counters once; prints the error and returns it if it fails. */
int watch_open(struct watch *w, const struct live_config *config, struct error *err);
void watch_close(struct watch *w);
void watch_drain(struct watch *w);
/* Drains every 20 ms for that long, and maintains each 250 ms. */
void watch_for(struct watch *w, unsigned ms);
/* until `pid` ended and was reaped: drains; returns its status */
int watch_until_exit(struct watch *w, pid_t pid);
void watch_counters(struct watch *w); /* before = counters; reads anew */

/* Samples of the primary event and their periods, of one process. */
struct sum {
	uint64_t samples, period;
};
struct sum watch_sum(const struct watch *w, uint32_t pid);
/* The n-th record of that type and pid (of the body, for fork, exit, comm, mmap). */
const struct kept *watch_find(const struct watch *w, uint32_t type, uint32_t pid);

/* Burns that much CPU time of the calling thread, in user space. */
void burn(unsigned ms);
/* A child that burns and exits; *go_ret: writing a byte there lets it start. */
pid_t spawn_burner(unsigned ms, int *go_ret);
void let_go(int fd);
uint64_t children_cpu_ns(void); /* of all that were reaped */

/* Runs fn in a child, as uid `uid` (0: as we are); true if it exits with 0. */
bool in_child(void (*fn)(void), uid_t uid);
/* In such a child: says what failed and ends it. */
#define CHECK(x) ((x) ? (void)0 : check_failed(__FILE__, __LINE__, #x))
void check_failed(const char *file, int line, const char *what);

size_t open_files(void);
/* perf_event_paranoid, or 99 where there is no such file. */
int paranoid(void);
/* false: prints why, and main() returns 77. */
bool perf_allowed(void);

#endif
