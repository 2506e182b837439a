/* Room source: where records and counters come from.  The kernel (live), a recording (file) and a script (synth) each
 * implement struct source_ops; other rooms use only the functions in it.
 *
 * In each tick, at the end of an interval, the session calls
 *   advance(); now = now_ns(); read_counters(); begin() -> lanes -> merge -> end()
 * and, when wake_fd() becomes readable between two ticks, begin() -> lanes -> merge -> end(). */
#ifndef CYCTOP_SOURCE_H
#define CYCTOP_SOURCE_H

#include <cyctop/base.h>
#include <cyctop/calls.h>
#include <cyctop/event.h>
#include <cyctop/record.h>

#include <stdio.h>

/* What one event counted on one CPU since it was opened. */
struct counter {
	uint64_t value, enabled_ns, running_ns;
	uint64_t all;  /* the count of all tasks on the CPU, if `value` is the count of only a target; else 0 */
	uint64_t lost; /* number of lost samples (PERF_FORMAT_LOST); also 0 if the kernel does not count them */
	bool opened;   /* the event is open on this CPU */
	/* estimated: the value is the CPU's count times the target's share of the sample weights; with `summed`, the
	 * sum of the sample periods. */
	bool estimated, summed;
	bool untimed;	/* enabled_ns and running_ns are not known, but guessed */
	bool unweighed; /* the sample period is unknown, so there is no value */
};

/* How long one CPU was busy and idle since the source was opened. */
struct cpu_time {
	uint64_t busy_ns, idle_ns; /* valid only if `known` */
	uint64_t step_ns;	   /* resolution of both times; 0: exact */
	bool known, online;
};

/* CPU time of a task since it began, in the scheduler's accounting: exact to the nanosecond; includes ended threads,
 * system calls and page faults. */
struct task_time {
	uint32_t pid;
	uint32_t tid;	 /* 0: the whole process */
	uint64_t cpu_ns; /* valid only if `known` */
	bool known;	 /* false: the task has ended, or its time is unknown */
};

enum source_scope {
	SCOPE_SYSTEM,	   /* every task on every CPU, user and kernel */
	SCOPE_SYSTEM_USER, /* every task, user space only */
	SCOPE_TASKS,	   /* the tasks of a target, user and kernel */
	SCOPE_TASKS_USER,  /* the tasks of a target, user space only */
	SCOPE_OWN,	   /* the user's own processes, user and kernel */
	SCOPE_OWN_USER,	   /* the user's own processes, user space only */
	SCOPE_PROC,	   /* no perf events at all: CPU times of tasks from /proc */
};

/* Which events the period of a sample in frequency mode counts, depending on kernel and architecture. */
enum source_periods {
	PERIODS_APART,	 /* only events of the sampled code itself: synthetic sources */
	PERIODS_ELAPSED, /* events since the previous sample of the same counter */
	PERIODS_AHEAD,	 /* events until the next sample: x86 and PowerPC in older kernels */
};

/* Returns true if only some tasks are measured. */
static inline bool scope_is_of_tasks(enum source_scope scope)
{
	return scope == SCOPE_TASKS || scope == SCOPE_TASKS_USER || scope == SCOPE_OWN || scope == SCOPE_OWN_USER;
}
static inline bool scope_is_of_user_space(enum source_scope scope)
{
	return scope == SCOPE_SYSTEM_USER || scope == SCOPE_TASKS_USER || scope == SCOPE_OWN_USER;
}

struct source_event {
	struct event_spec spec; /* the event as it was opened */
	bool available;
	bool closed; /* source_ops.close_event() closed it, so it is not available */
	/* Events with the same number are in one group: they count at the same times, even if there are more events
	 * than counters.  0: in no group.  May become 0 later. */
	uint32_t group;
	/* as in struct counter; only in recordings */
	bool untimed, unweighed;
	bool counts_threads; /* READ records have the counts of ended threads (attr.inherit_stat) */
	bool leader_sampled; /* in a group {a,b}:S: only its leader is sampled, with the counts of the group */
	char pmu[64];	     /* name of the PMU, "cpu_core", "software"; "": unknown */
	char why[200];	     /* why the event is not available: the errno and the remedy */
	/* a tracepoint's file `format`, see event_field_find(); NULL: no tracepoint, or its fields are not needed */
	const char *format;
};

struct source_info {
	const char *kind;  /* kind of source in printed outputs: "live", "file" or "synthetic" */
	const char *label; /* name on the screen, "from a file"; NULL: this machine */
	bool live;	   /* this machine is measured now, including cyctop itself */
	bool has_counters; /* false: the session sums up the samples' periods instead */
	bool has_files;	   /* the measured programs exist as files, so a debuginfod server may have their debug files */
	bool has_owners;   /* the users of processes are known */
	bool namespaced;   /* pids are those of a pid namespace; all tasks outside of it have pid 0 */
	bool other_proc;   /* /proc shows another pid namespace than the records */
	bool keeps_tasks;  /* ended tasks are kept for ever, because reports list all tasks */
	bool playable;	   /* ops->playback is not NULL */
	bool filtered;	   /* all tasks are sampled, and the source drops samples that are not of the target */
	bool stays_at_end; /* at the end of the source its clock stops, so that the screen keeps its contents */
	enum source_scope scope;
	char target[96];	   /* description of the target, "process 4242 (make)"; "": all tasks on all CPUs */
	char host[65], kernel[96]; /* kernel: release and architecture */
	char pmu[64];		   /* name of the CPU's PMU, "armv8_pmuv3_0"; "": none */
	char cpuid[64];	       /* model of a recording's CPU, for event_topdown_recorded(); "": unknown, or this CPU */
	char notice[1024];     /* what is missing, with remedies: clauses separated by "; "; "": nothing */
	char short_notice[96]; /* `notice` in a few words, without PMU and scope, for one line of the screen */
	size_t events_n;
	struct source_event events[EVENTS_MAX]; /* [events_n]; [0] is the primary event */
	unsigned cpus_n;			/* highest CPU number + 1 */
	const struct cpu_place *places;		/* [cpus_n]; NULL: the topology is unknown */
	uint64_t rate_hz;			/* actual sampling frequency; 0 with a fixed period */
	uint64_t period;			/* events per sample, if rate_hz is 0; 0: unknown */
	size_t ring_bytes;			/* size of a CPU's data ring */
	/* Index of the event that counts the entries of the samples' branch stacks, which the session adds up; the next
	 * event counts the mispredicted branches.  0: branch stacks are not counted, or samples have none. */
	size_t branches;
	bool chains; /* samples have call chains */
	/* live, with `chains`: bytes of stack in each sample, to unwind user code; 0: frame pointers are used */
	uint32_t stack_bytes;
	bool deferred; /* call chains of user code may come in separate records (RECORD_CALLCHAIN_DEFERRED) */
	bool memory;   /* samples describe memory accesses (PERF_SAMPLE_DATA_SRC) */
	bool switches; /* records include context switches */
	bool cgroups;  /* samples have the id of their cgroup */
	enum source_periods periods;
	/* An event's samples on a CPU may come from several counters, one per thread; this is always so in scopes of
	 * tasks. */
	bool counters_of_tasks;
	/* UTC (ns since 1970) less the time of a record, in a recording. */
	bool utc_known;
	int64_t utc_offset_ns;
	const struct record_layout *layout; /* layout of all records, unless source_ops.layout is set */
};

enum { SOURCE_BRANCH_EVENTS = 2 };
/* Returns true if the event counts entries of branch stacks, see info->branches. */
static inline bool source_is_of_branches(const struct source_info *info, size_t event)
{
	return info->branches && event >= info->branches && event < info->branches + SOURCE_BRANCH_EVENTS;
}
/* Appends the two branch events, for which there must be room, and sets info->branches. */
static inline void source_add_branches(struct source_info *info)
{
	/* PERF_COUNT_SW_DUMMY counts nothing; its enabled and running times tell how long branches were sampled */
	enum { DUMMY = 9 };
	struct event_spec spec = {.name = "taken-branches", .type = ABI_TYPE_SOFTWARE, .config = DUMMY, .rate = 1};
	info->branches = info->events_n;
	info->events[info->events_n++] = (struct source_event){.available = true, .spec = spec};
	snprintf(spec.name, sizeof(spec.name), "mispredicts");
	info->events[info->events_n++] = (struct source_event){.available = true, .spec = spec};
}

#define SOURCE_ANY_CPU UINT32_MAX

/* An event as a recording describes it: its name, attr, and sample ids. */
struct source_stream {
	char name[96];
	struct perf_attr attr; /* as it was opened */
	uint64_t *ids;	       /* [ids_n]: all sample ids of the event; malloc'ed, freed by the caller */
	size_t ids_n;
};

struct source;

/* Functions that control the playback of a recording, or tell its state. */
struct playback_ops {
	/* Stops recorded time, so that no more records come, or lets it continue. */
	void (*pause)(struct source *src, bool paused);
	/* Sets the speed, in recorded seconds per second; 0: as fast as the recording can be read. */
	void (*set_speed)(struct source *src, double speed);
	/* With speed 0: sets how much recorded time passes in a tick; 0: the whole recording. */
	void (*step)(struct source *src, uint64_t interval_ns);
	/* Moves to `offset_ns` after the first record.  Returns 0 if this is ahead; 1 if reading restarts at the
	 * beginning: the caller must forget all earlier records (session_rewound()).  -ESPIPE: a pipe cannot go
	 * back. */
	int (*seek)(struct source *src, uint64_t offset_ns);
	/* For a pipe, after seek(): returns true while records are older than the new position; the caller drops these
	 * records. */
	bool (*behind)(struct source *src);
	/* Gets the times of the first record, and of the end of the recording; 0: not known yet. */
	void (*extent)(struct source *src, uint64_t *first_ns_ret, uint64_t *end_ns_ret);
};

struct source_ops {
	/* Describes the source.  After opening, only these members change: notice; events[] and events_n, by
	 * open_event() and close_event(); chains, stack_bytes and deferred, by set_chains(); rate_hz, by set_rate() and
	 * when the kernel lowers its maximum. */
	const struct source_info *(*info)(struct source *src);
	/* Begins a tick: advances a script by one interval, if it does not follow the wall clock, so that the clock,
	 * the counters and the records of a tick end at the same time.  NULL: not needed. */
	void (*advance)(struct source *src);
	/* Returns the current time in ns on the clock of the records (live: CLOCK_MONOTONIC). */
	uint64_t (*now_ns)(struct source *src);
	/* Reads all counters: counters[event * cpus_n + cpu], and CPU times: times[cpu]. */
	void (*read_counters)(struct source *src, struct counter *counters, struct cpu_time *times);
	/* Calls add() with the pid of each existing process.  NULL: processes are not known. */
	void (*processes)(struct source *src, void (*add)(void *ctx, uint32_t pid), void *ctx);
	/* Sets the CPU times of tasks[n], whose pid and tid the caller has set.  NULL: they are not known. */
	void (*task_times)(struct source *src, struct task_time *tasks, size_t n);
	/* Sets *ret to the lanes (record.h), each the unread bytes of a ring; returns their number.  Records that are
	 * written after the call are not included. */
	size_t (*begin)(struct source *src, struct lane **ret);
	/* Releases the first lane.used bytes of each lane, so that the kernel may overwrite them. */
	void (*end)(struct source *src);
	/* Between begin() and end(): sets *ret to the sideband lanes, including what was written since begin(), and
	 * returns their number.  The caller must not change lane.used.  NULL: nothing is written meanwhile. */
	size_t (*ahead)(struct source *src, struct lane **ret);
	/* Returns the layout of one record.  All layouts have id and time at the same places.  NULL: info()->layout is
	 * the only one. */
	const struct record_layout *(*layout)(struct source *src, const uint8_t *bytes, size_t size);
	/* Finds the event and CPU of a sample id (0: the sample has no id); false: unknown.  *cpu_ret may be
	 * SOURCE_ANY_CPU: the CPU is then in the sample itself. */
	bool (*identify)(struct source *src, uint64_t id, uint32_t *event_ret, uint32_t *cpu_ret);
	/* Describes the i-th event for a recording's header: the events of info() (without ids if unavailable), then
	 * the dummy events of sideband records.  Returns false if there are fewer.  NULL: the source has no events. */
	bool (*stream)(struct source *src, size_t i, struct source_stream *ret);
	/* Returns the period of samples with this id, if the samples do not contain it.  NULL: all samples contain
	 * their period. */
	uint64_t (*period)(struct source *src, uint64_t id);
	/* For a source that passes on a tick's records in several batches; otherwise both are NULL.  horizon(): returns
	 * the time up to which the lanes of the last begin() are complete and may be merged.  more(): returns true if
	 * begin() is to be called again in this tick. */
	uint64_t (*horizon)(struct source *src);
	bool (*more)(struct source *src);
	/* Returns an fd to poll: readable when a ring is filled beyond its watermark, or a pipe has bytes; -1: none.
	 * It may change, so ask before each poll(). */
	int (*wake_fd)(struct source *src);
	/* Opens a new event, or a closed one, while measuring.  Returns its index in info()->events, or -errno with the
	 * reason in *err; -E2BIG: there are EVENTS_MAX events already.  NULL: not possible. */
	int (*open_event)(struct source *src, const struct event_spec *spec, struct error *err);
	/* Sets the frequency of all events that have no rate of their own, within the kernel's limit.  Returns the new
	 * info()->rate_hz.  NULL: not possible. */
	uint64_t (*set_rate)(struct source *src, uint64_t hz);
	/* Adds call chains to all samples from now on, or removes them, and sets info()->chains and stack_bytes.
	 * Calls drain(), which must take all records, when the rings have got the last sample of the old layout.
	 * NULL: not possible. */
	void (*set_chains)(struct source *src, bool chains, uint32_t stack_bytes, void (*drain)(void *ctx), void *ctx);
	/* Pauses an event, which then neither counts nor samples, or continues it.  Returns false if this is not
	 * possible; NULL: never possible. */
	bool (*pause_event)(struct source *src, size_t event, bool paused);
	/* Closes an event, but never events[0]; its counts stay. */
	void (*close_event)(struct source *src, size_t event);
	/* Called once a second: finds new tasks of the target, and CPUs that went online or offline.  NULL: not
	 * needed. */
	void (*maintain)(struct source *src);
	/* Returns true if there will be no more records, because the script, the file or all measured tasks ended.
	 * Changes only between ticks, when all records have been passed on. */
	bool (*finished)(struct source *src);
	const struct playback_ops *playback; /* NULL: not a recording */
	void (*close)(struct source *src);
};

struct source {
	const struct source_ops *ops;
};

/* ---- live: measuring this machine --------------------------------------------- */

struct live_config {
	struct event_spec events[EVENTS_MAX];
	size_t events_n;		  /* 0: the default events */
	const struct metric_set *metrics; /* metrics whose events are put into groups; NULL: the built-in ones */
	bool events_given;		  /* the user named the events: events that fail are not replaced */
	uint64_t freq, period;		  /* sampling frequency in Hz; if `period` is not 0, events per sample */
	size_t ring_bytes;		  /* size of a CPU's data ring; 0: chosen by the number of CPUs */
	bool user_only;
	bool weights;	   /* samples have PERF_SAMPLE_WEIGHT */
	uint64_t memory;   /* memory fields of samples: SAMPLE_ADDR, DATA_SRC, PHYS_ADDR */
	uint64_t branches; /* attr.branch_sample_type of branch stacks in samples; 0: none */
	bool chains;	   /* samples have call chains */
	/* bytes of stack copied into each sample, to unwind user code; 0: frame pointers are used */
	uint32_t stack_bytes;
	bool call_stacks;   /* call chains of user code come from LBR, the CPU's list of calls that have not returned */
	bool chains_chosen; /* the user named the method of call chains, so `stack_bytes` stays as it is */
	bool parallelism;   /* record context switches, to count the threads that run at the same time */
	bool off_cpu;	    /* record the context switches that off-CPU time needs */
	/* samples contain tracepoint fields, described by these files; NULL: they do not */
	const struct event_files *tracepoints;
	bool no_mux; /* leave out events that get no counter, instead of multiplexing */
	struct target target;
	bool from_exec;	  /* measure the target, a single process, from its next exec() on */
	const char *name; /* name of the command that the exec() starts; NULL: keep the process's name */
	/* for a recording: larger sideband rings, because a lost mapping is never recorded again */
	bool keep;
	const char *vmlinux; /* file of the running kernel; NULL: not given */
	int kcore_fd;	     /* fd of /proc/kcore, for the kernel's code; borrowed; 0: none */
};
/* Returns true if the event can be opened to sample this process; otherwise writes the reason to `why`. */
enum { EVENT_REFUSAL = 200 };
bool live_event_opens(const struct event_spec *spec, char why[static EVENT_REFUSAL]);
/* Returns how much CPU time a sampling interrupt takes, in ns; 0: unknown.  Samples the CPU clock for about 20 ms; PMU
 * samples cost about as much. */
double live_sample_cost_ns(void);
/* Opens the live source.  Tries these scopes in turn: the whole system; its user space; the user's own processes;
 * CPU times from /proc without perf events.  info()->notice tells why the first scope was not possible, and the remedy.
 * Fails if not even /proc can be read, if none of the events that the user named opens, or if the target's tasks or
 * CPUs do not exist or may not be measured. */
CYC_MUST_CHECK int live_open(const struct live_config *config, struct source **ret, struct error *err);

/* Calls add() with the id (as in samples) and path of each cgroup in cgroupfs.  `ctx` is not used. */
typedef void cgroup_fn(void *add_ctx, uint64_t id, const char *path);
void live_cgroups(void *ctx, cgroup_fn *add, void *add_ctx);

/* Probes on the entries and returns of functions.  Each hit is reported with the counts of the events up to it;
 * calls_pairs_add() pairs the hits of a call.  On each online CPU all probes and events are in one group, so both ends
 * of a call read the same counters. */
struct probes_config {
	const struct event_spec *begins; /* [n]: probe on the entry of each function */
	const struct event_spec *ends;	 /* [n]: uretprobe or kretprobe of each function; name "": none */
	size_t n;			 /* CALLS_FUNCTIONS_MAX at most */
	const struct event_spec *events; /* [events_n], CALLS_EVENTS_MAX at most */
	size_t events_n;
	bool counting;	      /* only count the entries; no hit is reported */
	const uint32_t *pids; /* [pids_n]: report only hits of these processes; pids_n 0: all hits.  Borrowed. */
	size_t pids_n;
};
struct probes;
CYC_MUST_CHECK int probes_open(const struct probes_config *config, struct probes **ret, struct error *err);
void probes_close(struct probes *p);
/* Starts the probes.  Fails if the events get no PMU counters: too few, or held by others. */
CYC_MUST_CHECK int probes_start(struct probes *p, struct error *err);
void probes_stop(struct probes *p);
/* Returns an fd that is readable when the rings should be drained. */
int probes_fd(const struct probes *p);
/* Calls fn() with each hit up to now, in order of time. */
typedef void probes_fn(void *ctx, const struct calls_hit *hit);
void probes_drain(struct probes *p, probes_fn *fn, void *ctx);
/* Returns how often a function was entered, in all processes, including lost hits. */
uint64_t probes_count(struct probes *p, size_t function);
/* Returns how many hits were lost; to be called after probes_stop() and a last probes_drain(). */
uint64_t probes_lost(struct probes *p);

/* What a thread does now, read from /proc without stopping the thread. */
struct live_thread {
	int32_t tid;
	char state; /* as in /proc/PID/stat: 'R' running, 'S' sleeping */
	char comm[16];
	char syscall[32], wchan[64]; /* wchan: the kernel function in which the thread waits; "": unknown or none */
};
enum { LIVE_THREADS_MAX = 256 };
struct live_threads {
	struct live_thread *data; /* [n], malloc'ed */
	size_t n, cap, more;	  /* more: threads beyond LIVE_THREADS_MAX */
};
/* Replaces the list by the current threads of a process; t->n is 0 if the process has ended. */
void live_threads_read(struct live_threads *t, uint32_t pid);

/* Counters, without samples, of one process and all that it starts, from its next exec() on. */
struct tally;
struct tally_event {
	bool available;
	bool user_only; /* counts user space only, because the kernel permits no more */
	char why[200];	/* why the event is not available: the errno and the remedy */
};
/* A count of an event; scaled up if the event had a counter only part of the time (multiplexing). */
struct tally_count {
	bool known;
	double count;
};
/* Opens counters for `n` events; ret[n].available tells which could be opened.  Never fails. */
struct tally *tally_open(const struct event_spec *specs, size_t n, uint32_t pid, struct tally_event *ret);
/* Reads the counts so far into ret[n], also of processes that still run. */
void tally_read(const struct tally *tally, struct tally_count *ret);
void tally_close(struct tally *tally);

/* ---- synth: running a script instead of measuring ------------------------------- */

/* Runs a script (doc/synthetic.md).  Time advances only in advance(), so that the clock, the counters and the records
 * of a tick end at the same time: by one interval of the script or, if `realtime`, by the intervals that have passed on
 * the wall clock.  With base time T and interval I, not in real time:
 *
 *   before the first tick:  now_ns() = T            all counters 0
 *   tick k, from 0 on:      now_ns() = T + (k+1)I   the records of interval k
 *
 * All records of interval k are older than T + (k+1)I.  finished() returns true when the rings of the last interval
 * are empty. */
CYC_MUST_CHECK int synth_open(const char *script, size_t len, const char *script_name, bool realtime,
			      struct source **ret, struct error *err);
extern const char synth_demo_script[]; /* script of --demo */

/* Finds the i-th symbol that the script declares in a DSO; false: there are fewer.  *name_ret is valid as long as the
 * source. */
bool synth_symbol(struct source *src, const char *dso_path, size_t i, uint64_t *addr_ret, uint64_t *size_ret,
		  const char **name_ret);

/* ---- file: playing a recording --------------------------------------------------- */

/* Plays a recording (perf.data, doc/perf-data.md), with the recorded times.  A recording has no counters: the session
 * sums up the samples, and takes counts from READ records, if there are any. */
struct file_config {
	const char *path;     /* a file, a directory that perf made, or "-" for standard input */
	double speed;	      /* recorded seconds per second; 0: as fast as it can be read */
	uint64_t interval_ns; /* with speed 0: recorded time per tick; 0: all of it in one tick */
	/* The recording is shown only after its end: all intervals are kept, even without records; see
	 * session_open_file(). */
	bool whole;
	/* Called once per megabyte with the number of bytes read, and the size of the file (0: unknown).  Returns false
	 * to stop reading, as if the recording ended here. */
	bool (*progress)(void *ctx, uint64_t done, uint64_t total);
	void *progress_ctx;
	/* fd that is readable when the user no longer wants to wait for a pipe: the recording then ends with what came
	 * so far.  0: none. */
	int stop_fd;
	bool fields;			/* fields of tracepoints are needed */
	bool branches;			/* set source_info.branches, if samples have branch stacks */
	bool off_cpu;			/* add an event of off-CPU time, if there are context switches */
	const char *symfs;		/* root directory for the files of the recorded machine; NULL: none */
	const char *vmlinux, *kallsyms; /* files of the recorded kernel; NULL: none */
	int kcore_fd;			/* fd of /proc/kcore, borrowed; 0: none */
};
CYC_MUST_CHECK int file_open(const struct file_config *config, struct source **ret, struct error *err);
/* Information about a recording, as far as it was read.  Only for sources of file_open(). */
struct pd_info;
const struct pd_info *file_info(const struct source *src);
struct file_stats {
	uint64_t records, samples, bytes; /* read so far */
	uint64_t unknown_types;		  /* number of skipped records of unknown types */
	uint64_t unknown_ids;		  /* number of samples whose id belongs to no event */
	uint64_t damaged;		  /* number of malformed records, which were skipped */
	uint64_t first_ns, last_ns;	  /* oldest and newest time so far; 0: the records have no times */
	bool truncated;			  /* the file ends in the middle of a record, or was not closed */
};
void file_stats_get(const struct source *src, struct file_stats *ret);

/* Functions that file_visit() calls, for dumps, for each part of a recording in the order of the file: header, attrs,
 * features, records with all their fields, and damaged places. */
struct pd_visitor;
struct file_visit {
	const struct pd_visitor *fields;
	void (*begin)(void *ctx, const char *kind); /* "header", "attr", "feature", "file", "record", "damage" */
	bool (*end)(void *ctx);			    /* ends the part; false: stop visiting */
	void *ctx;
};
/* Visits all parts of a recording.  Fails only if the file cannot be opened, or is no recording. */
CYC_MUST_CHECK int file_visit(const char *path, const struct file_visit *visit, struct error *err);

#endif
