/* The live source, on perf events; shared by its files, which contain:
 *
 *   live.c      tries one scope after the other, from the widest on
 *   perf.c      the source_ops
 *   setup.c     attrs of the events, and what replaces cycles where there is no PMU
 *   rings.c     per CPU: holder event + data ring, sideband event + its ring; and then its samplers of every task
 *   system.c    samplers of every task, one per event and CPU
 *   tasks.c     samplers of some tasks, one per task, event and CPU
 *   sieve.c     samplers of every task, and what they sample of the tasks of a target
 *   change.c    opens and closes events while measuring
 *   sample_cost.c  what a sample costs the CPU
 *   members.c   which tasks belong to a target, and when: by their records
 *   who.c       the tasks of a target, by /proc
 *   groups.c    events that are scheduled together
 *   fit.c       which events the CPU can count at the same time
 *   periods.c   which of its two periods a sample contains
 *   counters.c  read()
 *   cgroups.c   cgroups, from cgroupfs: their paths, and those that are the target
 *   streams.c   events and ids, for recordings
 *   tally.c     counters of one command, without samples: no source
 *   task_times.c  CPU times of tasks, as the scheduler accounts for them
 *   proc_source.c  the last scope, without perf events: a source of its own
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
	int holder, tracker; /* fds that own the rings; in scopes of tasks, dummy events on this process */
	struct ring data, sideband;
	bool ours; /* if info.filtered: a task of the target runs, by the last record of a context switch */
	uint64_t watched_enabled_ns; /* enabled time of the tracker at the last system_maintain() */
};

/* The state of one event on one CPU. */
struct slot {
	int fd; /* fd of the event; -1: not open */
	uint64_t id;
	struct counter before; /* sum of the counts of fds that were closed */
	struct counter now;    /* last successful reading of fd */
};

/* The event and CPU of a sample id. */
struct id_entry {
	uint64_t id;
	uint32_t event, cpu;
	bool reads; /* its samples have the counts of a group */
};
struct id_map {
	struct index index;
	struct id_entry *data;
	size_t n, cap;
};

/* The last reading of a counter, and for how long it has been enabled without running since. */
struct group_seen {
	uint64_t enabled_ns, running_ns, starved_ns;
};
struct groups {
	uint32_t leaders[EVENTS_MAX];	   /* [event]: index of the first event of its group, see event_groups() */
	size_t most;			   /* most events in a group */
	bool refused;			   /* a group did not open, or gets no counters */
	bool unread;			   /* the kernel refuses samples with the counts of a group for these tasks */
	struct record_layout reads_layout; /* of samples that have the counts of a group */
	struct group_seen *seen; /* [EVENTS_MAX * cpus_n], at event * cpus_n + cpu: readings of the counters */
};

/* A cgroup of the target. */
struct live_cgroup {
	int fd;	    /* of its directory */
	char *path; /* of its directory, without symbolic links */
};

struct tasks; /* tasks.c */
struct sieve; /* sieve.c */

struct live {
	struct source source;
	struct source_ops ops; /* those of `source`; layout() only once samples have several layouts */
	struct source_info info;
	struct record_layout layout;
	VEC(char *) formats; /* those that info.events have */
	struct live_config config;
	struct live_env env;
	struct opener opener;
	struct target target;
	struct who who; /* tasks of the target, unless that is everybody */
	struct perf_attr holder_attr, tracker_attr, attrs[EVENTS_MAX];
	struct perf_attr kernel_attr;	   /* attr for records about the kernel itself, in scopes of tasks */
	struct cpu_bits masks[EVENTS_MAX]; /* [event]: the CPUs it is opened on, if these are not all */
	int codes[EVENTS_MAX];		   /* [event]: errno of an event that is not available */
	struct cpu_bits online;
	unsigned cpus_n;
	struct live_cpu *cpus; /* [cpus_n]: rings of each CPU */
	/* Events on all tasks, or a copy for each cgroup of the target: [EVENTS_MAX * copies * cpus_n], at
	 * (event * copies + copy) * cpus_n + cpu. */
	struct slot *slots;
	struct live_cgroup *cgroups; /* [cgroups_n]: none, unless the target is cgroups */
	size_t cgroups_n;
	struct groups groups;
	struct tasks *tasks; /* state of events on tasks; else NULL */
	struct sieve *sieve; /* picks the target's samples from those of all tasks, if info.filtered; else NULL */
	size_t side_bytes,
		side_least; /* of the sideband rings: size asked for (more in a recording), least size that is enough */
	int ring_code;	    /* errno for which smaller rings were mapped; 0: none */
	bool user_only;	    /* the user asked to leave out the kernel */
	int filter_code;    /* errno with which the kernel refused what `filtered` needs; 0: none */
	bool no_pmu;
	bool defers;	    /* the kernel can put off the chains of user code */
	char replaced[300]; /* why the first event is not the default one; "": it is the default */
	int epoll_fd;
	struct lane *lanes; /* [2 * cpus_n]: unread bytes of the rings, from begin() to end() */
	struct lane *ahead; /* [cpus_n + 1]: unread bytes of the sideband rings, for ahead() */
	struct ring **lane_rings;
	struct cpu_place *places; /* [cpus_n]: cores and sockets of the CPUs */
	size_t lanes_n;
	struct id_map ids;
	struct stat_reader stat;
	uint64_t maintained_ns;
	bool over; /* all tasks have ended */
};

/* A way to measure, as far as the kernel permits it. */
struct live_rung {
	enum source_scope scope;
	bool filtered;	 /* in scopes of tasks: events are on all tasks, and the source drops the others */
	int code;	 /* errno with which a wider scope was refused; 0: none was */
	int filter_code; /* errno with which `filtered` was refused; 0: it was not */
};
/* Opens the source on perf events (perf.c).  Returns -EACCES, -EPERM or -ENOSYS if the kernel refuses this way, too:
 * the next one is to be tried. */
CYC_MUST_CHECK int perf_source_open(const struct live_config *config, const struct live_env *env,
				    const struct live_rung *rung, struct source **ret, struct error *err);

/* Opens the source on /proc (proc_source.c).  `notice` and `brief` become info.notice and info.short_notice. */
CYC_MUST_CHECK int proc_source_open(const char *notice, const char *brief, struct source **ret, struct error *err);

/* Fills info.host and info.kernel. */
void info_machine(struct source_info *info);

/* Finds out whether this scope is allowed and what the kernel knows, and makes the attrs of holder and tracker
 * (attrs.c). */
CYC_MUST_CHECK int attrs_probe(struct live *l, const struct live_config *config, struct error *err);
/* Makes the attr of an event. */
void attrs_make(struct live *l, const struct live_config *config, size_t event);
/* Sets what the samples of all events have, once these are made. */
void attrs_settle(struct live *l, const struct live_config *config);
/* Makes the attr of an event that was set up before, without trying it. */
void attrs_make_again(struct live *l, size_t event);
/* Makes the attrs of the events, after attrs_probe(), and finds out which of them are available (setup.c). */
CYC_MUST_CHECK int setup_events(struct live *l, const struct live_config *config, struct error *err);
/* Makes the attr of one event, whose spec is in info.events, and finds out whether it is available.  Fails only if the
 * kernel refuses the event's filter. */
CYC_MUST_CHECK int setup_event(struct live *l, const struct live_config *config, size_t event, struct error *err);
/* Marks an event as not available, with the reason. */
void setup_refused(struct live *l, size_t event, int code);
/* notices.c.  `scope_code`: the errno for which a wider scope was refused, or 0. */
void setup_notices(struct live *l, int scope_code);

/* Return the default sizes of the data and sideband ring of a CPU (rings.c). */
size_t rings_default_bytes(unsigned cpus_online);
/* Returns the size of a data ring for what is measured. */
size_t rings_wanted_bytes(const struct live_config *config, unsigned cpus_online);
size_t rings_side_bytes(unsigned cpus_online);
/* Events that are opened on each CPU with its rings. */
struct rings_events {
	void (*open)(struct live *l, unsigned cpu);
	void (*close)(struct live *l, unsigned cpu);
	bool (*give_way)(struct live *l, int code); /* frees files, for which rings were refused; false: it has none */
};
/* Opens holder, tracker and both rings on every CPU that is online, and with them `events`, if not NULL: CPU by CPU,
 * on the CPU itself.  Rings of all CPUs have the same size: if mmap() is refused for one, all are mapped again with
 * half of it. */
CYC_MUST_CHECK int rings_open(struct live *l, const struct rings_events *events, struct error *err);
CYC_MUST_CHECK int rings_open_cpu(struct live *l, unsigned cpu);
void rings_close_cpu(struct live *l, unsigned cpu);
/* Returns true if each event is on the tasks of a cgroup. */
static inline bool live_of_cgroups(const struct live *l)
{
	return l->target.kind == TARGET_CGROUPS;
}
/* Returns true if the events are on tasks, and not on CPUs. */
static inline bool live_of_tasks(const struct live *l)
{
	if (l->info.filtered || live_of_cgroups(l))
		return false;
	return scope_is_of_tasks(l->info.scope);
}
/* Returns true if the event is to be opened on a CPU: on each, unless its PMU or the user names some. */
static inline bool live_is_on(const struct live *l, size_t event, unsigned cpu)
{
	const struct event_spec *spec = &l->info.events[event].spec;
	return (!spec->shared && !*spec->cpus) || cpu_bits_has(&l->masks[event], cpu);
}
/* Returns the pid argument for the events that own rings: all tasks, or this process. */
static inline pid_t live_pid(const struct live *l)
{
	return live_of_tasks(l) ? 0 : -1;
}

/* Returns how many of the events, in this order, get counters together; *code_ret: why not all: EINVAL, the PMU has no
 * more counters for them; EBUSY: others hold one for good (fit.c). */
size_t fit_together(const struct live *l, const uint32_t *events, size_t n, int *code_ret);
/* Makes the user's groups smaller that never get their counters together, or takes them apart (:W), and says so. */
void fit_groups(struct live *l);
/* With --no-mux: leaves out an event that finds no counter beside those of the first `n` that are measured.  Returns
 * false if so. */
bool fit_admit(struct live *l, size_t event, size_t n);
/* Does so for all but the first event, in their order, and says which it leaves out. */
void fit_all(struct live *l);

void groups_init(struct live *l);
void groups_deinit(struct live *l);
/* Finds the groups anew, after an event became available or ceased to be, if it is in a group of the user's.  Returns
 * true if so: the caller then opens all events again. */
bool groups_change(struct live *l, size_t event);
/* Makes the layouts of samples, after the attrs were changed. */
void groups_layouts(struct live *l);
/* Notes the id of an event that was opened. */
void groups_add_id(struct live *l, uint64_t id, size_t event, unsigned cpu);
/* Opens an event in the group of `leader_fd`, unless it is the leader or `leader_fd` is -1; opens it alone if the
 * group does not take it.  Returns an fd, or -errno. */
CYC_MUST_CHECK int groups_open(struct live *l, size_t event, pid_t pid, unsigned cpu, int leader_fd);
/* Looks for groups that are enabled and never run. counters[event * cpus_n + cpu] are of the machine or of all
 * tasks. */
void groups_watch(struct live *l, const struct counter *counters);
/* Makes the groups smaller, if one of them did not open or never runs.  Returns true if so: the caller then opens
 * all events again. */
bool groups_lower(struct live *l);

/* Opens the directories of the target's cgroups (cgroups.c).  A cgroup that lies in another of them is left out, with
 * a notice.  Fails with what to do in *err, if there is no such cgroup. */
CYC_MUST_CHECK int cgroups_open(struct live *l, struct error *err);
/* Finds out whether the kernel has events on these cgroups; from then on, a pid is the fd of a cgroup. */
CYC_MUST_CHECK int cgroups_settle(struct live *l, struct error *err);
void cgroups_close(struct live *l);
/* Returns true if all cgroups of the target were removed. */
bool cgroups_over(const struct live *l);

/* Open, close and read events on all tasks, or on those of cgroups, and the rings (system.c). */
CYC_MUST_CHECK int system_open(struct live *l, struct error *err);
void system_close(struct live *l);
void system_close_cpu(struct live *l, unsigned cpu);
/* Opens all events again, in other groups or with other attrs. */
void system_open_again(struct live *l);
/* Makes room for one more event. */
void system_add_event(struct live *l, size_t event);
/* Open or close one event on all CPUs. */
void system_open_event(struct live *l, size_t event);
void system_close_event(struct live *l, size_t event);
void system_pause_event(struct live *l, size_t event, bool paused);
void system_read(struct live *l, struct counter *counters);
void system_maintain(struct live *l);

/* Open, close and read events on some tasks (tasks.c). */
CYC_MUST_CHECK int tasks_open(struct live *l, struct error *err);
void tasks_close(struct live *l);
/* Close the events of all tasks, and open them again when others are available.  Inherited events end with those that
 * they were inherited from, so each of the tasks that had them gets its own. */
void tasks_detach_all(struct live *l);
void tasks_attach_all(struct live *l);
/* Events that are opened from now on do not wait for an exec(), which was called. */
void tasks_enable_at_once(struct live *l);
void tasks_read(struct live *l, struct counter *counters);
void tasks_maintain(struct live *l);
/* Returns true if all tasks of the target, and all tasks that they made, have ended. */
bool tasks_over(const struct live *l);
/* Reads new sideband records, to find tasks that inherited their events. */
void tasks_peek(struct live *l, unsigned cpu, const struct lane *lane);
/* Returns the ids of the tasks' trackers, in a malloc'ed array. */
size_t tasks_tracker_ids(const struct live *l, uint64_t **ret);
/* Says how many tasks are left out, and why; "": none. */
void tasks_limit_notice(const struct live *l, char *buf, size_t cap);

/* Reads a counter (counters.c), that of a leader opened with or without READ_GROUP, whichever `read_format` says.
 * Returns false, and leaves *ret unchanged, if the event is in error state or closed. */
bool counter_read(int fd, uint64_t read_format, struct counter *ret);
void counter_add(struct counter *to, const struct counter *c);

/* Implement source_ops.processes and source_ops.task_times (task_times.c). */
void live_processes(struct source *src, void (*add)(void *ctx, uint32_t pid), void *ctx);
void live_task_times(struct source *src, struct task_time *tasks, size_t n);

/* Asks for call chains in the samples of an event, or for none (attrs.c). */
void attrs_chains(const struct live *l, bool chains, struct perf_attr *attr);
/* Implement source_ops.open_event, close_event, pause_event, set_chains and set_rate (change.c). */
void live_set_chains(struct source *src, bool chains, void (*drain)(void *ctx), void *ctx);
uint64_t live_set_rate(struct source *src, uint64_t hz);
int live_open_event(struct source *src, const struct event_spec *spec, struct error *err);
void live_close_event(struct source *src, size_t event);
bool live_pause_event(struct source *src, size_t event, bool paused);

/* Implements source_ops.stream (streams.c). */
bool live_stream(struct source *src, size_t i, struct source_stream *ret);

/* Returns the places of the CPUs, malloc'ed, [cpus_n] (topology.c). */
struct cpu_place *topology_read(unsigned cpus_n);
/* Finds the name of the PMU that counts the event; "": sysfs does not have it. */
void topology_pmu_name(const struct event_spec *spec, char *buf, size_t cap);
/* Finds the CPUs on which the events of a PMU that counts for several together are opened; none: it has no cpumask. */
void topology_pmu_mask(const char *pmu, struct cpu_bits *ret);

void id_map_init(struct id_map *m);
void id_map_deinit(struct id_map *m);
void id_map_add(struct id_map *m, uint64_t id, uint32_t event, uint32_t cpu);
void id_map_remove(struct id_map *m, uint64_t id);
const struct id_entry *id_map_find(const struct id_map *m, uint64_t id);

/* Closes *fd, if it is open, and sets it to -1. */
void fd_close(int *fd);

#endif
