/* The live source, which measures this machine by perf events.  Its files:
 *
 *   live.c      tries one scope after the other, from the widest on
 *   perf.c      the source_ops
 *   setup.c     attrs of the events, and what replaces cycles where there is no PMU
 *   rings.c     per CPU: holder event + data ring, tracker event + sideband ring; in system.c's scopes also samplers
 *   system.c    samplers of all tasks, one per event and CPU
 *   tasks.c     samplers of single tasks, one per task, event and CPU
 *   sieve.c     with samplers of all tasks: selects the samples of a target
 *   change.c    opens and closes events while measuring
 *   sample_cost.c  CPU time that a sample costs
 *   members.c   which tasks belong to a target, and when: by FORK, EXIT and exec records
 *   who.c       the tasks of a target, from /proc
 *   groups.c    groups of events, which the kernel schedules together
 *   fit.c       which events the CPU can count at the same time
 *   periods.c   whether a sample's period counts the events before or after the sample
 *   counters.c  reads counters; maps sample ids to events
 *   cgroups.c   cgroups from cgroupfs: their paths, and those of the target
 *   streams.c   events and their sample ids, for recordings
 *   tally.c     counters of one command without samples; not part of the source
 *   task_times.c  CPU times of tasks, as the scheduler accounts for them
 *   proc_source.c  the last scope, without perf events: a separate source
 *
 * Per CPU there are two rings.  The data ring belongs to a dummy event (the
 * holder), so that it exists whichever samplers open; every sampler of that CPU
 * writes into it.  The sideband ring gets only the records of the trackers (mmap,
 * comm, fork, exit, ...), so that no flood of samples fills it. */
#ifndef SOURCE_LIVE_LIVE_H
#define SOURCE_LIVE_LIVE_H

#include "source/live/caps.h"
#include "source/live/cpus.h"
#include "source/live/open.h"
#include "source/live/ring.h"
#include "source/live/who.h"

#include "base/index.h"

#include <cyctop/source.h>

struct live_cpu {
	bool online;
	bool has_rings;
	int holder, tracker; /* fds of the events that own the rings; for tasks, dummy events on this process */
	struct ring data, sideband;
	bool ours; /* if info.filtered: the last switch record says that a task of the target runs on the CPU */
	uint64_t watched_enabled_ns; /* the tracker's enabled time at the last system_maintain(), see went_away() */
};

/* The state of one event on one CPU. */
struct slot {
	int fd; /* fd of the event; -1: not open */
	uint64_t id;
	struct counter before; /* sum of the counts of fds that were closed */
	struct counter now;    /* counts of `fd` when it was last read */
};

/* The event and CPU of a sample id. */
struct id_entry {
	uint64_t id;
	uint32_t event, cpu;
	bool reads; /* samples with this id contain the counts of a group */
};
struct id_map {
	struct index index;
	struct id_entry *data;
	size_t n, cap;
	VEC(uint64_t) retired; /* ids of closed events, as a ring; see id_map_retire() */
	size_t oldest;	       /* index in `retired` */
};

/* A group's counter when it was last read; starved_ns: for how long it has been enabled, but not running. */
struct group_seen {
	uint64_t enabled_ns, running_ns, starved_ns;
};
struct groups {
	uint32_t leaders[EVENTS_MAX];	   /* [event]: index of its group's first event, see event_groups() */
	size_t most;			   /* limit of the number of events in a group */
	bool refused;			   /* a group did not open, or never runs */
	bool unread;			   /* the kernel refuses samples with counts of a group on these tasks */
	struct record_layout reads_layout; /* of samples that contain the counts of a group */
	struct group_seen *seen;	   /* [event * cpus_n + cpu] */
};

/* A cgroup of the target. */
struct live_cgroup {
	int fd;	    /* fd of its directory */
	char *path; /* path of its directory, without symbolic links */
};

struct tasks; /* tasks.c */
struct sieve; /* sieve.c */

struct live {
	struct source source;
	struct source_ops ops; /* ops of `source`; ops.layout is set only when samples have several layouts */
	struct source_info info;
	struct record_layout layout;
	VEC(char *) formats; /* the texts in source_event.format, which are owned */
	struct live_config config;
	struct live_env env;
	struct opener opener;
	struct target target;
	struct who who;						       /* tasks of the target; not for TARGET_ALL */
	struct perf_attr holder_attr, tracker_attr, attrs[EVENTS_MAX]; /* attrs of the holders, trackers and events */
	struct perf_attr kernel_attr;	   /* if events are on tasks: for events that write records about the kernel */
	struct cpu_bits masks[EVENTS_MAX]; /* [event]: CPUs on which the event is opened, if not all */
	int codes[EVENTS_MAX];		   /* [event]: errno because of which the event is not available */
	struct cpu_bits online;
	unsigned cpus_n;
	struct live_cpu *cpus; /* [cpus_n]: rings of each CPU */
	/* Events on all tasks, or one copy of each event per cgroup of the target: slots[(event * copies + copy) *
	 * cpus_n + cpu]. */
	struct slot *slots;
	struct live_cgroup *cgroups; /* [cgroups_n]; empty unless the target is cgroups */
	size_t cgroups_n;
	struct groups groups;
	struct tasks *tasks; /* if events are on tasks; else NULL */
	struct sieve *sieve; /* if info.filtered: selects the target's samples; else NULL */
	size_t side_bytes,
		side_least; /* sizes of a sideband ring: wanted (larger in recordings), and least that is enough */
	int ring_code;	    /* errno because of which rings are smaller than wanted; 0: they have the wanted size */
	bool user_only;	    /* the user excluded the kernel */
	int filter_code;    /* errno with which the kernel refused events on all tasks for a target; 0: none */
	bool no_pmu;
	bool defers;	    /* the kernel can defer call chains of user code */
	char replaced[300]; /* why the first event replaces the one that was asked for; "": not replaced */
	int epoll_fd;
	struct lane *lanes;	  /* [2 * cpus_n]: unread bytes of the rings, between begin() and end() */
	struct lane *ahead;	  /* result of source_ops.ahead() */
	struct ring **lane_rings; /* [lanes_n]: the ring of each lane */
	struct cpu_place *places; /* [cpus_n]; info.places points to it */
	size_t lanes_n;
	struct id_map ids;
	struct stat_reader stat;
	uint64_t maintained_ns; /* CLOCK_MONOTONIC, in ns, of the last live_maintain() */
	bool over;		/* all tasks of the target have ended */
};

/* A way to measure.  live.c tries these "rungs" one after the other, from the widest scope down. */
struct live_rung {
	enum source_scope scope;
	bool filtered;	 /* for a target: events are on all tasks, and the source drops the records of other tasks */
	int code;	 /* errno with which a wider scope was refused; 0: none was refused */
	int filter_code; /* errno with which events on all tasks (`filtered`) were refused; 0: none were */
};
/* Opens the source on perf events (perf.c).  Returns -EACCES, -EPERM or -ENOSYS if the kernel refuses this rung, so
 * that the caller should try the next. */
CYC_MUST_CHECK int perf_source_open(const struct live_config *config, const struct live_env *env,
				    const struct live_rung *rung, struct source **ret, struct error *err);

/* Opens the source on /proc (proc_source.c).  Sets info.notice to `notice`, info.short_notice to `brief`. */
CYC_MUST_CHECK int proc_source_open(const char *notice, const char *brief, struct source **ret, struct error *err);

/* Sets info.host and info.kernel to the names of this machine and its kernel. */
void info_machine(struct source_info *info);

/* Finds out whether the scope is permitted and which features the kernel has, and makes the attrs of holders and
 * trackers (attrs.c). */
CYC_MUST_CHECK int attrs_probe(struct live *l, const struct live_config *config, struct error *err);
/* Makes the attr of an event from its spec. */
void attrs_make(struct live *l, const struct live_config *config, size_t event);
/* Sets in l->info what samples contain (call chains, ...); to be called when all events have their attrs. */
void attrs_settle(struct live *l, const struct live_config *config);
/* Makes the attr of an event again, without the flags that the PMU refused before. */
void attrs_make_again(struct live *l, size_t event);
/* Makes the attrs of all events, and finds out which are available; to be called after attrs_probe() (setup.c). */
CYC_MUST_CHECK int setup_events(struct live *l, const struct live_config *config, struct error *err);
/* Makes the attr of info.events[event] from its spec, and finds out whether the event is available: it opens on some
 * CPU.  Fails only if the kernel refuses the event's filter. */
CYC_MUST_CHECK int setup_event(struct live *l, const struct live_config *config, size_t event, struct error *err);
/* Marks an event as not available, with the reason; `code`: the errno. */
void setup_refused(struct live *l, size_t event, int code);
/* Adds the notices on what the session lacks (notices.c).  `scope_code`: errno with which a wider scope was refused; 0:
 * none. */
void setup_notices(struct live *l, int scope_code);

/* Returns the default size of a CPU's data ring (rings.c). */
size_t rings_default_bytes(unsigned cpus_online);
/* Returns the size that a data ring has with this config, and the default size of a sideband ring. */
size_t rings_wanted_bytes(const struct live_config *config, unsigned cpus_online);
size_t rings_side_bytes(unsigned cpus_online);
/* Functions that open and close the events of a CPU, when its rings are opened and closed. */
struct rings_events {
	void (*open)(struct live *l, unsigned cpu);
	void (*close)(struct live *l, unsigned cpu);
	/* If `code` says that files or memory ran out, closes an event.  Returns false if none was closed. */
	bool (*give_way)(struct live *l, int code);
};
/* Opens holder, tracker and their rings on every online CPU, and `events` (may be NULL) from this CPU.  All CPUs get
 * rings of the same size: if mmap() is refused on one of them, all are mapped again with half the size. */
CYC_MUST_CHECK int rings_open(struct live *l, const struct rings_events *events, struct error *err);
CYC_MUST_CHECK int rings_open_cpu(struct live *l, unsigned cpu);
/* Resizes the data rings for the method by which call chains are recorded now.  The caller must have taken the records
 * in them; what the holders write meanwhile (at most switch records) is lost. */
void rings_resize(struct live *l);
void rings_close_cpu(struct live *l, unsigned cpu);
/* Returns true if the events are on cgroups. */
static inline bool live_of_cgroups(const struct live *l)
{
	return l->target.kind == TARGET_CGROUPS;
}
/* Returns true if the events are on tasks, not on CPUs. */
static inline bool live_of_tasks(const struct live *l)
{
	if (l->info.filtered || live_of_cgroups(l))
		return false;
	return scope_is_of_tasks(l->info.scope);
}
/* Returns true if the event is opened on this CPU.  Its PMU or the user may limit it to some CPUs. */
static inline bool live_is_on(const struct live *l, size_t event, unsigned cpu)
{
	const struct event_spec *spec = &l->info.events[event].spec;
	return (!spec->shared && !*spec->cpus) || cpu_bits_has(&l->masks[event], cpu);
}
/* Returns the pid argument of perf_event_open() for events that own rings: -1, all tasks, or 0, this process. */
static inline pid_t live_pid(const struct live *l)
{
	return live_of_tasks(l) ? 0 : -1;
}

/* Returns how many of the events, taken in this order, get counters together (fit.c).  *code_ret: why the next does
 * not; EINVAL: the PMU has no more counters; EBUSY: another program holds a counter for good. */
size_t fit_together(const struct live *l, const uint32_t *events, size_t n, int *code_ret);
/* Checks the groups of the user: leaves out events that get no counter, or dissolves groups with :W; adds a notice. */
void fit_groups(struct live *l);
/* With --no-mux: if an event gets no counter together with the first `n` events, makes it unavailable and returns
 * false. */
bool fit_admit(struct live *l, size_t event, size_t n);
/* Calls fit_admit() for all events but the first, in their order; adds a notice on those that are left out. */
void fit_all(struct live *l);

void groups_init(struct live *l);
void groups_deinit(struct live *l);
/* To be called after an event was added or closed.  If the event is in a group of the user, makes groups again, and
 * returns true: then the caller must open all events again. */
bool groups_change(struct live *l, size_t event);
/* Sets the layouts of samples again, after attrs were changed. */
void groups_layouts(struct live *l);
/* Adds the sample id of an open event to l->ids. */
void groups_add_id(struct live *l, uint64_t id, size_t event, unsigned cpu);
/* Opens an event in the group of `leader_fd`; alone if it is the leader itself, if `leader_fd` is -1, or if the group
 * refuses it.  Returns an fd, or -errno. */
CYC_MUST_CHECK int groups_open(struct live *l, size_t event, pid_t pid, unsigned cpu, int leader_fd);
/* Finds groups that are enabled, but never run; to be called after each reading of counters[event * cpus_n + cpu]. */
void groups_watch(struct live *l, const struct counter *counters);
/* If a group did not open, or never runs, makes all groups smaller and returns true: the caller must open all events
 * again. */
bool groups_lower(struct live *l);

/* Opens the directories of the target's cgroups (cgroups.c).  Drops a cgroup that is inside another of them, with a
 * notice.  Fails, with advice in *err, if a cgroup does not exist. */
CYC_MUST_CHECK int cgroups_open(struct live *l, struct error *err);
/* Finds out whether the kernel has events on these cgroups; sets *err if not.  From this call on, l->opener takes a pid
 * as the fd of a cgroup (PERF_FLAG_PID_CGROUP). */
CYC_MUST_CHECK int cgroups_settle(struct live *l, struct error *err);
void cgroups_close(struct live *l);
/* Returns true if all cgroups of the target were removed. */
bool cgroups_over(const struct live *l);

/* system.c: open, close and read events on all tasks or on cgroups, with the rings. */
CYC_MUST_CHECK int system_open(struct live *l, struct error *err);
void system_close(struct live *l);
void system_close_cpu(struct live *l, unsigned cpu);
/* Opens all events again, with other groups or attrs. */
void system_open_again(struct live *l);
/* Prepares the slots of a new event, which is not opened yet. */
void system_add_event(struct live *l, size_t event);
/* Open or close one event on all CPUs. */
void system_open_event(struct live *l, size_t event);
void system_close_event(struct live *l, size_t event);
void system_pause_event(struct live *l, size_t event, bool paused);
void system_read(struct live *l, struct counter *counters);
void system_maintain(struct live *l);

/* tasks.c: open, close and read events on single tasks. */
CYC_MUST_CHECK int tasks_open(struct live *l, struct error *err);
void tasks_close(struct live *l);
/* Close the events of all tasks; open them again.  When a parent's events are closed, those that its children have
 * inherited end, too, so each child then gets events of its own. */
void tasks_detach_all(struct live *l);
void tasks_attach_all(struct live *l);
/* Makes events that are opened from now on count at once, instead of from an exec() on. */
void tasks_enable_at_once(struct live *l);
void tasks_read(struct live *l, struct counter *counters);
void tasks_maintain(struct live *l);
/* Returns true if all tasks of the target, and all tasks that they have started, have ended. */
bool tasks_over(const struct live *l);
/* Looks for FORK records among the unread sideband records, because the new tasks have inherited events. */
void tasks_peek(struct live *l, unsigned cpu, const struct lane *lane);
/* Sets *ret to the sample ids of the trackers of tasks; the caller frees it.  Returns their number. */
size_t tasks_tracker_ids(const struct live *l, uint64_t **ret);
/* Writes how many threads are left out, and why; "": none. */
void tasks_limit_notice(const struct live *l, char *buf, size_t cap);

/* Reads the count of an event; for a group's leader, only the leader's own count (counters.c).  Returns false, and
 * leaves *ret unchanged, if the event is closed or in error state. */
bool counter_read(int fd, uint64_t read_format, struct counter *ret);
void counter_add(struct counter *to, const struct counter *c);

/* Implement source_ops.processes and source_ops.task_times (task_times.c). */
void live_processes(struct source *src, void (*add)(void *ctx, uint32_t pid), void *ctx);
void live_task_times(struct source *src, struct task_time *tasks, size_t n);

/* Returns true if the kernel defers the call chains of user code that are recorded now (attrs.c). */
bool attrs_deferred(const struct live *l);
/* Changes the attr of an event so that its samples have call chains as l->config says, or none (attrs.c). */
void attrs_chains(const struct live *l, struct perf_attr *attr);
/* Implement source_ops.set_chains, set_rate, open_event, close_event and pause_event (change.c). */
void live_set_chains(struct source *src, bool chains, uint32_t stack_bytes, void (*drain)(void *ctx), void *ctx);
uint64_t live_set_rate(struct source *src, uint64_t hz);
int live_open_event(struct source *src, const struct event_spec *spec, struct error *err);
void live_close_event(struct source *src, size_t event);
bool live_pause_event(struct source *src, size_t event, bool paused);

/* Implements source_ops.stream (streams.c). */
bool live_stream(struct source *src, size_t i, struct source_stream *ret);

/* Returns the place (core, socket, ...)  of each CPU: [cpus_n], malloc'ed (topology.c). */
struct cpu_place *topology_read(unsigned cpus_n);
/* Writes the name of the PMU that counts the event; "": sysfs does not have the PMU. */
void topology_pmu_name(const struct event_spec *spec, char *buf, size_t cap);
/* Sets *ret to the cpumask of a PMU that counts for several CPUs together: the CPUs on which its events must be opened.
 * Empty: the PMU has no cpumask. */
void topology_pmu_mask(const char *pmu, struct cpu_bits *ret);

void id_map_init(struct id_map *m);
void id_map_deinit(struct id_map *m);
void id_map_add(struct id_map *m, uint64_t id, uint32_t event, uint32_t cpu);
void id_map_remove(struct id_map *m, uint64_t id);
/* Keeps the id of an event that was closed, for samples in rings and in memory, until 32,768 others were retired. */
void id_map_retire(struct id_map *m, uint64_t id);
const struct id_entry *id_map_find(const struct id_map *m, uint64_t id);

/* Closes *fd unless it is -1, and sets it to -1. */
void fd_close(int *fd);

#endif
