/* Room source: where records and counters come from.  The kernel (live), a recording (file)
 * and a script (synth) each implement struct source_ops; other rooms use only these functions.
 *
 * In each tick the session calls
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
	uint64_t lost; /* samples lost (PERF_FORMAT_LOST); 0 if the kernel does not count them */
	bool opened;   /* false: this event is not open on this CPU */
	/* The value is an estimate: the count of the CPU in proportion to the sampled weight of the target, or
	 * `summed`: the sum of the periods of the samples. */
	bool estimated, summed;
	bool untimed;	/* nothing says how long the event was enabled and running: both are guesses */
	bool unweighed; /* nothing says how many events the samples stand for: there is no value */
};

/* Time that one CPU was busy and idle since it was started. */
struct cpu_time {
	uint64_t busy_ns, idle_ns; /* valid only if `known` */
	uint64_t step_ns;	   /* resolution of both times; 0: exact */
	bool known, online;
};

/* CPU time of a task since it began, by the scheduler's accounting: exact to the nanosecond, with ended
 * threads, system calls and page faults included. */
struct task_time {
	uint32_t pid;
	uint32_t tid;	 /* 0: the whole process */
	uint64_t cpu_ns; /* valid only if `known` */
	bool known;	 /* false: it has ended, or its time cannot be told */
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

/* Which events the period of a sample in frequency mode counts. */
enum source_periods {
	PERIODS_APART,	 /* the events of the sample's own code alone: scripts know these */
	PERIODS_ELAPSED, /* the events since the previous sample of its counter */
	PERIODS_AHEAD,	 /* the events until the next sample: PMUs of x86 and PowerPC in older kernels */
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
	bool closed; /* by source_ops.close_event(); then it is not available */
	/* Events with the same number, other than 0, are scheduled together: each of them counts whenever
	 * the others do, also if there are more events than counters.  0: alone.  May change to 0. */
	uint32_t group;
	/* See struct counter; set by recordings only. */
	bool untimed, unweighed;
	bool counts_threads; /* its READ records are of threads that ended (inherit_stat) */
	bool led;	     /* it is in a group of which one event is sampled, with the counts of all: {a,b}:S */
	char pmu[64];	     /* name of the PMU, "cpu_core", "software"; "": unknown */
	char why[200];	     /* if it is not available: the errno and the remedy */
	const char *format;  /* of a tracepoint whose fields are asked for: see event_field_find(); or NULL */
};

struct source_info {
	const char *kind;  /* "live", "file" or "synthetic": for outputs */
	const char *label; /* the same for people: "from a file"; NULL: this machine, which needs no label */
	bool live;	   /* measures this machine now, including cyctop itself */
	bool has_counters; /* false: there are no counters; the session adds up the samples instead */
	bool has_files;	   /* the measured programs are files, for which a debuginfod server may have debug files */
	bool has_owners;   /* the users that processes belong to are known */
	bool namespaced;   /* pids are those of a pid namespace: all tasks outside of it have pid 0 */
	bool other_proc;   /* /proc shows other processes than the records */
	bool keeps_tasks;  /* reports list every task, also those that ended long before */
	bool playable;	   /* ops->playback is not NULL */
	bool filtered; /* scopes of tasks: all tasks are sampled, and the source drops samples outside of the target */
	bool stays_at_end; /* its time stands still after its end: the last snapshot stays on the screen */
	enum source_scope scope;
	char target[96];	   /* the target in words, "process 4242 (make)"; "": all tasks on all CPUs */
	char host[65], kernel[96]; /* kernel: release and machine */
	char pmu[64];		   /* "armv8_pmuv3_0"; "": none */
	char notice[1024];	   /* clauses on what is missing, with remedies, separated by "; "; "": nothing is */
	char short_notice[96];	   /* the same in a few words, without PMU and scope, for the trust line */
	size_t events_n;
	struct source_event events[EVENTS_MAX]; /* [0] is the primary */
	unsigned cpus_n;			/* highest CPU number + 1 */
	const struct cpu_place *places;		/* [cpus_n]; NULL: the topology is unknown */
	uint64_t rate_hz;			/* actual sampling frequency; 0 with a fixed period */
	uint64_t period;			/* events per sample, if rate_hz is 0; 0: not known */
	size_t ring_bytes;			/* size of one data ring buffer */
	/* Index of the event whose occurrences are the entries of the samples' branch stacks, which the session counts;
	 * the next event is those that were mispredicted.  0: branch stacks are not looked at, or there are none. */
	size_t branches;
	bool chains;   /* samples have call chains */
	bool deferred; /* user code of some chains comes in records of its own (RECORD_CALLCHAIN_DEFERRED) */
	bool memory;   /* samples tell of accesses to memory (PERF_SAMPLE_DATA_SRC) */
	bool switches; /* there are records of context switches */
	bool cgroups;  /* samples have the id of their cgroup */
	enum source_periods periods;
	/* The samples of an event on a CPU may come from several counters, one for each thread, as they always do in
	 * scopes of tasks. */
	bool counters_of_tasks;
	/* Offset from times of a recording's records to UTC since 1970. */
	bool utc_known;
	int64_t utc_offset_ns;
	const struct record_layout *layout; /* of all records, unless source_ops.layout says otherwise */
};

enum { SOURCE_BRANCH_EVENTS = 2 };
/* Appends the events of source_info.branches, for which there must be room. */
static inline bool source_is_of_branches(const struct source_info *info, size_t event)
{
	return info->branches && event >= info->branches && event < info->branches + SOURCE_BRANCH_EVENTS;
}
static inline void source_add_branches(struct source_info *info)
{
	enum { DUMMY = 9 }; /* the kernel's event that never occurs: live, it tells how long events were counted */
	struct event_spec spec = {.name = "taken-branches", .type = ABI_TYPE_SOFTWARE, .config = DUMMY, .rate = 1};
	info->branches = info->events_n;
	info->events[info->events_n++] = (struct source_event){.available = true, .spec = spec};
	snprintf(spec.name, sizeof(spec.name), "mispredicts");
	info->events[info->events_n++] = (struct source_event){.available = true, .spec = spec};
}

#define SOURCE_ANY_CPU UINT32_MAX

/* An event as a recording describes it: the name, attr and ids of its records. */
struct source_stream {
	char name[96];
	struct perf_attr attr; /* the attr with which it was opened */
	uint64_t *ids;	       /* all ids that it had until now; malloc'ed, the caller frees the array */
	size_t ids_n;
};

struct source;

/* Moves the time of a recording. */
struct playback_ops {
	/* While it is paused, recorded time stands still and no record comes. */
	void (*pause)(struct source *src, bool paused);
	/* Recorded seconds per second of the wall clock; 0: as fast as it can be read. */
	void (*set_speed)(struct source *src, double speed);
	/* Recorded time per tick, if the speed is 0; 0: all of it in one tick. */
	void (*step)(struct source *src, uint64_t interval_ns);
	/* Continues `offset_ns` after the first record.  0: done.  1: to go back, reading starts again at
	 * the beginning of the recording, and the caller must forget what earlier records said
	 * (session_rewound()).  -ESPIPE: a pipe cannot go back. */
	int (*seek)(struct source *src, uint64_t offset_ns);
	/* Only for a pipe: returns true while the records that come are older than the position
	 * sought.  The caller forgets them. */
	bool (*behind)(struct source *src);
	/* The time of the first record, and the time at which the recording ends, as far as
	 * known; 0: unknown. */
	void (*extent)(struct source *src, uint64_t *first_ns_ret, uint64_t *end_ns_ret);
};

struct source_ops {
	/* Describes the source.  Does not change after open, except for notice, events[].group, by open_event() and
	 * close_event(), and rate_hz, by set_rate() and when the kernel lowers its maximum. */
	const struct source_info *(*info)(struct source *src);
	/* Begins a tick.  A script that does not follow the wall clock moves on by one interval here,
	 * so that now_ns(), the counters and the records of this tick all end at that time.  NULL:
	 * nothing to do. */
	void (*advance)(struct source *src);
	/* The current time on the clock of the records. */
	uint64_t (*now_ns)(struct source *src);
	/* Reads all counters, counters[event * cpus_n + cpu], and CPU times, times[cpu]. */
	void (*read_counters)(struct source *src, struct counter *counters, struct cpu_time *times);
	/* Calls add() with the pid of each process that exists.  NULL: that is not known. */
	void (*processes)(struct source *src, void (*add)(void *ctx, uint32_t pid), void *ctx);
	/* Reads the CPU times of tasks.  NULL: none is known. */
	void (*task_times)(struct source *src, struct task_time *tasks, size_t n);
	/* Returns the unread bytes of all rings as lanes.  Loads each ring's head once. */
	size_t (*begin)(struct source *src, struct lane **ret);
	/* Frees the bytes that the lanes' `used` counts: the kernel may overwrite them from then on. */
	void (*end)(struct source *src);
	/* Returns, between begin() and end(), the sideband lanes with the bytes written to them since begin().  The
	 * caller may read them, but not mark them as used.  NULL: nothing is written between begin() and end(). */
	size_t (*ahead)(struct source *src, struct lane **ret);
	/* The layout of one record, if the source has several layouts, all with id and time at the same
	 * places.  NULL: info()->layout is the only one. */
	const struct record_layout *(*layout)(struct source *src, const uint8_t *bytes, size_t size);
	/* The event and CPU of a sample by its id; false: the id is unknown.  The CPU is SOURCE_ANY_CPU if
	 * only the sample itself names it.  For a sample without an id the caller passes 0. */
	bool (*identify)(struct source *src, uint64_t id, uint32_t *event_ret, uint32_t *cpu_ret);
	/* Describes the i-th event that writes records: first come the events of info() (an
	 * unavailable one has no ids), then the dummy events for sideband records. false: there
	 * are fewer events. NULL: the source has no events. */
	bool (*stream)(struct source *src, size_t i, struct source_stream *ret);
	/* The period of a sample that does not contain it.  NULL: every sample contains it. */
	uint64_t (*period)(struct source *src, uint64_t id);
	/* For a source whose records come in batches, several in a tick; otherwise both are NULL.
	 * horizon(): the lanes of the last begin() are complete up to this time, and their records
	 * may be merged up to it.  more(): call begin() once more in this tick. */
	uint64_t (*horizon)(struct source *src);
	bool (*more)(struct source *src);
	/* An fd that is readable when there is something to drain: a ring beyond its watermark, bytes in a
	 * pipe; or -1.  May change: ask before each wait. */
	int (*wake_fd)(struct source *src);
	/* Opens one more event, or one that was closed, while measuring, and returns its index in info()->events.
	 * Fails with the reason in *err; -E2BIG: there are EVENTS_MAX.  NULL: the events stay as they are. */
	int (*open_event)(struct source *src, const struct event_spec *spec, struct error *err);
	/* Sets the rate of the events that are sampled so many times a second and have no rate of their own, within
	 * what the kernel permits; returns the rate set, as in info()->rate_hz.  NULL: it stays. */
	uint64_t (*set_rate)(struct source *src, uint64_t hz);
	/* Has samples with call chains, or without, from now on, as info()->chains tells; calls drain() when the last
	 * sample of the earlier layout is in the rings, to have them all taken.  NULL: it stays. */
	void (*set_chains)(struct source *src, bool chains, void (*drain)(void *ctx), void *ctx);
	/* Stops an event for a while, in which it neither counts nor takes samples, or lets it go on.  NULL, or false:
	 * it goes on all the time. */
	bool (*pause_event)(struct source *src, size_t event, bool paused);
	/* Closes an event, but not the primary: its columns go, what it counted stays. */
	void (*close_event)(struct source *src, size_t event);
	/* Called once a second: looks for new tasks of its target and for CPUs that went on or off. */
	void (*maintain)(struct source *src);
	/* Returns true if there will be no more records, since the script, the file or all measured tasks
	 * ended.  Does not change within a tick, and all records have been handed out by then. */
	bool (*finished)(struct source *src);
	const struct playback_ops *playback; /* NULL: its time cannot be moved */
	void (*close)(struct source *src);
};

struct source {
	const struct source_ops *ops;
};

/* ---- live: measuring this machine --------------------------------------------- */

struct live_config {
	struct event_spec events[EVENTS_MAX];
	size_t events_n;		  /* 0: the default events */
	const struct metric_set *metrics; /* whose events are scheduled together; NULL: the built-in ones */
	bool events_given;		  /* the user named the events: fail instead of replacing them */
	uint64_t freq, period;
	size_t ring_bytes; /* 0: chosen by the number of CPUs */
	bool user_only;
	bool weights;	      /* samples have PERF_SAMPLE_WEIGHT */
	uint64_t memory;      /* SAMPLE_ADDR, DATA_SRC, PHYS_ADDR: what samples tell of accesses to memory */
	uint64_t branches;    /* samples have branch stacks, with this attr.branch_sample_type; 0: they have none */
	bool chains;	      /* samples have call chains */
	uint32_t stack_bytes; /* in call chains, user code is in copies of so many bytes of stack; 0: frame pointers */
	bool parallelism;     /* context switches are recorded */
	bool off_cpu;	      /* those are, too, that tell when threads of a target come back to a CPU */
	const struct event_files *tracepoints; /* samples have their fields, which these files describe; NULL: not */
	bool no_mux; /* leave out events for which there are no counters, instead of having them take turns */
	struct target target;
	bool from_exec;	     /* measure the target, a single process, only from its next exec() on */
	const char *name;    /* of the command that the target becomes by that exec; NULL: its name is as it is now */
	bool keep;	     /* for a recording: larger sideband rings, since lost mappings stay lost */
	const char *vmlinux; /* NULL, or the file of the running kernel */
	int kcore_fd;	     /* /proc/kcore, for the kernel's code; borrowed; 0: none */
};
/* Tries to open an event for the samples of this process.  Returns false with the reason in `why`. */
enum { EVENT_REFUSAL = 200 };
bool live_event_opens(const struct event_spec *spec, char why[static EVENT_REFUSAL]);
/* Measures, in some twenty milliseconds, how much CPU time the kernel's interrupt for a sample of the CPU clock takes;
 * 0: it is not known.  That of a PMU's sample is of the same size. */
double live_sample_cost_ns(void);
/* Tries one scope after the other: the whole system; its user space; the user's own processes;
 * CPU times from /proc without perf events.  info()->notice says why it is not the first, and
 * the remedy.  Fails if not even /proc can be read, if none of the events that the user named
 * opens, or if the target's tasks or CPUs do not exist or may not be measured. */
CYC_MUST_CHECK int live_open(const struct live_config *config, struct source **ret, struct error *err);

/* Calls add() with the kernel's id and the path of each cgroup that cgroupfs shows.  `ctx` is not used. */
typedef void cgroup_fn(void *add_ctx, uint64_t id, const char *path);
void live_cgroups(void *ctx, cgroup_fn *add, void *add_ctx);

/* Probes on functions, each hit of which is told, with what events counted until then: calls_pairs_add() makes calls of
 * them.  All are in one group on each CPU that is online, so that both ends of a call read the same counters. */
struct probes_config {
	const struct event_spec *begins; /* [n]: probes on where functions begin, */
	const struct event_spec *ends;	 /* [n]: and on their returns; one without a name is left out */
	size_t n;			 /* CALLS_FUNCTIONS_MAX at most */
	const struct event_spec *events; /* [events_n], CALLS_EVENTS_MAX at most */
	size_t events_n;
	bool counting;	      /* beginnings are counted only, and no hit is told */
	const uint32_t *pids; /* [pids_n]: tell hits of these processes alone; pids_n 0: of all.  Borrowed. */
	size_t pids_n;
};
struct probes;
CYC_MUST_CHECK int probes_open(const struct probes_config *config, struct probes **ret, struct error *err);
void probes_close(struct probes *p);
/* Lets the probes count.  Fails if the events do not get their counters. */
CYC_MUST_CHECK int probes_start(struct probes *p, struct error *err);
void probes_stop(struct probes *p);
/* Returns an fd that is readable when there is much to drain. */
int probes_fd(const struct probes *p);
/* Calls fn() with each hit until now, in order of time. */
typedef void probes_fn(void *ctx, const struct calls_hit *hit);
void probes_drain(struct probes *p, probes_fn *fn, void *ctx);
/* Returns how often a function began, in all processes, whether hits were lost or not. */
uint64_t probes_count(struct probes *p, size_t function);
/* Returns how many hits were lost; to be called after probes_stop() and a last probes_drain(). */
uint64_t probes_lost(struct probes *p);

/* What a thread does now, as /proc says; it is not stopped for that. */
struct live_thread {
	int32_t tid;
	char state; /* as in /proc: 'S' */
	char comm[16];
	char syscall[32], wchan[64]; /* the function of the kernel in which it waits; "": none, or it is not known */
};
enum { LIVE_THREADS_MAX = 256 };
struct live_threads {
	struct live_thread *data; /* [n], malloc'ed */
	size_t n, cap, more;	  /* more: threads beyond LIVE_THREADS_MAX */
};
/* Reads the threads of a process anew; 0: there are none. */
void live_threads_read(struct live_threads *t, uint32_t pid);

/* Counters of one process, and all processes that it starts, from its next exec() on, without samples. */
struct tally;
struct tally_event {
	bool available;
	bool user_only; /* counts user space only: the kernel permits no more */
	char why[200];	/* if it is not available: the errno and the remedy */
};
/* A count, scaled if the event had its counter only for a part of the time. */
struct tally_count {
	bool known;
	double count;
};
/* Opens counters for `n` events.  Events that do not open are not available in ret[n]; it never fails. */
struct tally *tally_open(const struct event_spec *specs, size_t n, uint32_t pid, struct tally_event *ret);
/* Reads the counts until now into ret[n], including those of processes that still run. */
void tally_read(const struct tally *tally, struct tally_count *ret);
void tally_close(struct tally *tally);

/* ---- synth: running a script instead of measuring ------------------------------- */

/* Runs a script (doc/synthetic.md).  Time moves in advance() only, so that clock, counters and
 * records of a tick end at the same time: by one interval of the script or, if `realtime`, by as
 * many as have passed on the wall clock.  With base time T and interval I, not in real time:
 *
 *   base line:            now_ns() = T            all counters 0
 *   tick k, from 0 on:    now_ns() = T + (k+1)I   the records of interval k
 *
 * Every record of interval k is older than T + (k+1)I.  finished() returns true once the rings
 * of the last interval are empty. */
CYC_MUST_CHECK int synth_open(const char *script, size_t len, const char *script_name, bool realtime,
			      struct source **ret, struct error *err);
extern const char synth_demo_script[]; /* of --demo */

/* The i-th symbol that the script declares in a DSO; false: i is beyond the last.  *name_ret is
 * valid as long as the source. */
bool synth_symbol(struct source *src, const char *dso_path, size_t i, uint64_t *addr_ret, uint64_t *size_ret,
		  const char **name_ret);

/* ---- file: playing a recording --------------------------------------------------- */

/* A recording (perf.data, doc/perf-data.md) as a source.  Its time is the recorded time.  It has no
 * counters: read_counters() says that all were opened and running, and the session adds up the
 * samples and takes the READ records, if there are any. */
struct file_config {
	const char *path;     /* a file, a directory that perf made, or "-": standard input */
	double speed;	      /* recorded seconds per second of the wall clock; 0: as fast as it can be read */
	uint64_t interval_ns; /* with speed 0: recorded time per tick; 0: all of it in one tick */
	/* The recording is shown only after its end: session_open_file() keeps all intervals, also without records. */
	bool whole;
	/* Called once per megabyte with the bytes read and the bytes there are (0: not known).
	 * false: stop reading, as if the recording ended here. */
	bool (*progress)(void *ctx, uint64_t done, uint64_t total);
	void *progress_ctx;
	/* Polls readable when the user no longer wants to wait for a pipe: the recording then ends with
	 * what came so far.  0: none. */
	int stop_fd;
	bool fields;			/* samples are told apart by fields of tracepoints */
	bool branches;			/* source_info.branches, if samples have branch stacks */
	bool off_cpu;			/* there is an event of the time off the CPU, if there are context switches */
	const char *symfs;		/* directory with the files of the recorded machine; or NULL */
	const char *vmlinux, *kallsyms; /* files of the recorded kernel; or NULL */
	int kcore_fd;			/* /proc/kcore, borrowed; 0: none */
};
CYC_MUST_CHECK int file_open(const struct file_config *config, struct source **ret, struct error *err);
/* What the recording has said about itself so far.  Only for sources of file_open(). */
struct pd_info;
const struct pd_info *file_info(const struct source *src);
struct file_stats {
	uint64_t records, samples, bytes; /* read so far */
	uint64_t unknown_types;		  /* skipped records of unknown types */
	uint64_t unknown_ids;		  /* samples with an id that belongs to no event */
	uint64_t damaged;		  /* skipped records that are malformed */
	uint64_t first_ns, last_ns;	  /* times read so far; 0: the records have none */
	bool truncated;			  /* the file ends in the middle of a record, or was not closed */
};
void file_stats_get(const struct source *src, struct file_stats *ret);

/* Functions that file_visit() calls for each part of a recording, in the order of the file, for dumps:
 * header, attrs, features and records with all their fields, and damaged places. */
struct pd_visitor;
struct file_visit {
	const struct pd_visitor *fields;
	void (*begin)(void *ctx, const char *kind); /* "header", "attr", "feature", "file", "record", "damage" */
	bool (*end)(void *ctx);			    /* false: stop */
	void *ctx;
};
/* Visits a recording.  Fails only if the file cannot be opened or is not a recording. */
CYC_MUST_CHECK int file_visit(const char *path, const struct file_visit *visit, struct error *err);

#endif
