/* The live source on perf events: what its files share.
 *
 *   live.c      the ladder: which scope works here
 *   perf.c      the source_ops
 *   setup.c     events, their order and what stands in for cycles
 *   rings.c     per CPU: holder event + data ring, sideband event + its ring
 *   system.c    samplers of every task, one per event and CPU
 *   tasks.c     samplers of some tasks, one per task, event and CPU
 *   who.c       which tasks those are
 *   counters.c  read()
 *   streams.c   events and ids as recordings name them
 *   proc_source.c  the last rung, without perf events: a source of its own
 *
 * Per CPU there are two rings.  The data ring belongs to a dummy event (the
 * holder), so that it exists whichever samplers open; every sampler of that CPU
 * is redirected into it.  The sideband ring gets only what the trackers write
 * (mmap, comm, fork, exit, ...), so that no flood of samples starves it. */
#ifndef SOURCE_LIVE_LIVE_H
#define SOURCE_LIVE_LIVE_H

#include "source/live/caps.h"
#include "source/live/cpus.h"
#include "source/live/open.h"
#include "source/live/ring.h"

#include "base/index.h"

#include <cyctop/source.h>

struct live_cpu {
	bool online;
	bool has_rings;
	int holder, tracker; /* fds that own the rings; of tasks, dummies on ourselves */
	struct ring data, sideband;
	uint64_t watched_enabled_ns; /* see system_maintain() */
};

/* One event on one CPU. */
struct slot {
	int fd; /* -1: not open */
	uint64_t id;
	struct counter before; /* of fds that were closed */
	struct counter now;    /* last good reading of fd */
};

/* Sample id -> event and CPU. */
struct id_entry {
	uint64_t id;
	uint32_t event, cpu;
};
struct id_map {
	struct index index;
	struct id_entry *data;
	size_t n, cap;
};

struct tasks; /* tasks.c */

struct live {
	struct source source;
	struct source_info info;
	struct record_layout layout;
	struct live_env env;
	struct opener opener;
	struct target target;
	struct perf_attr holder_attr, tracker_attr, attrs[EVENTS_MAX];
	struct perf_attr kernel_attr; /* of tasks: what the kernel tells of itself */
	int codes[EVENTS_MAX];	      /* errno of events that are not available */
	struct cpu_bits online;
	unsigned cpus_n;
	struct live_cpu *cpus;	       /* [cpus_n] */
	struct slot *slots;	       /* [event * cpus_n + cpu]; system scopes only */
	struct tasks *tasks;	       /* scopes of tasks only */
	size_t side_bytes, side_least; /* asked for, in a recording more; what will do */
	int ring_code;		       /* errno that made the rings shrink, or 0 */
	bool user_only;		       /* was asked for */
	bool no_pmu;
	char replaced[300]; /* why another than the default primary is sampled, or "" */
	int epoll_fd;
	struct lane *lanes; /* [2 * cpus_n] */
	struct lane *ahead; /* [cpus_n] */
	struct ring **lane_rings;
	size_t lanes_n;
	struct id_map ids;
	struct stat_reader stat;
	uint64_t maintained_ns;
	bool counters_read; /* since the last maintain() */
	bool over;	    /* all tasks have ended */
};

/* perf.c.  `code`: the errno for which a higher rung was left, or 0.  -EACCES,
 * -EPERM or -ENOSYS: this rung is refused as a whole, try the next one. */
CYC_MUST_CHECK int perf_source_open(const struct live_config *config, const struct live_env *env,
				    enum source_scope scope, int code, struct source **ret, struct error *err);

/* proc_source.c.  `notice` and `brief` as for info.notice and info.short_notice. */
CYC_MUST_CHECK int proc_source_open(const char *notice, const char *brief, struct source **ret, struct error *err);

/* host, kernel: what both sources say of the machine */
void info_machine(struct source_info *info);

/* setup.c: whether this scope is allowed, and the attrs of holder and tracker;
 * then the attrs of the events, and which of them there are. */
CYC_MUST_CHECK int setup_probe(struct live *l, struct error *err);
CYC_MUST_CHECK int setup_events(struct live *l, const struct live_config *config, struct error *err);
/* Marks an event as not available and says why. */
void setup_refused(struct live *l, size_t event, int code);
void setup_notices(struct live *l, int scope_code);

/* rings.c */
size_t rings_default_bytes(unsigned cpus_online);
/* Opens holder, tracker and both rings on every CPU online, all of one size:
 * where mmap() is refused, all again at half of it. */
CYC_MUST_CHECK int rings_open(struct live *l, struct error *err);
CYC_MUST_CHECK int rings_open_cpu(struct live *l, unsigned cpu);
void rings_close_cpu(struct live *l, unsigned cpu);
static inline bool live_of_tasks(const struct live *l)
{
	return l->info.scope == SCOPE_TASKS || l->info.scope == SCOPE_TASKS_USER || l->info.scope == SCOPE_OWN_USER;
}
/* The pid argument of the rings' events: all tasks, or ourselves. */
static inline pid_t live_pid(const struct live *l)
{
	return live_of_tasks(l) ? 0 : -1;
}
/* The CPUs that are online, of those that are asked for. */
CYC_MUST_CHECK int live_online(const struct live *l, struct cpu_bits *ret);

/* system.c */
CYC_MUST_CHECK int system_open(struct live *l, struct error *err);
void system_close(struct live *l);
void system_read(struct live *l, struct counter *counters);
void system_maintain(struct live *l);
void system_close_cpu(struct live *l, unsigned cpu);

/* tasks.c */
CYC_MUST_CHECK int tasks_open(struct live *l, struct error *err);
void tasks_close(struct live *l);
void tasks_read(struct live *l, struct counter *counters);
void tasks_maintain(struct live *l);
/* All that were named have ended, and those they made. */
bool tasks_over(const struct live *l);
/* The name of the only task that was named, else "". */
const char *tasks_comm(const struct live *l);
/* Looks through sideband bytes that were not seen yet, for tasks that inherited
 * their events. */
void tasks_peek(struct live *l, unsigned cpu, const struct lane *lane);
/* The ids of the tasks' trackers, in a malloc'ed array. */
size_t tasks_tracker_ids(const struct live *l, uint64_t **ret);
/* "" or how many tasks are left out, and why. */
void tasks_limit_notice(const struct live *l, char *buf, size_t cap);

/* counters.c: one read(); false, and *ret stays, where the event is in error state
 * or gone. */
bool counter_read(int fd, uint64_t read_format, struct counter *ret);
void counter_add(struct counter *to, const struct counter *c);

/* streams.c: source_ops.stream */
bool live_stream(struct source *src, size_t i, struct source_stream *ret);

void id_map_init(struct id_map *m);
void id_map_deinit(struct id_map *m);
void id_map_add(struct id_map *m, uint64_t id, uint32_t event, uint32_t cpu);
void id_map_remove(struct id_map *m, uint64_t id);
const struct id_entry *id_map_find(const struct id_map *m, uint64_t id);

/* Closes *fd where it is open, and makes it -1. */
void fd_close(int *fd);

#endif
