/* Room source: "give me the next records".  live, synth and later file are three
 * tables of the same functions; everything above sees only these.
 *
 * One tick of the session:
 *   advance(); now = now_ns(); read_counters(); begin() -> lanes -> merge -> end()
 * Between ticks a watermark wake-up runs begin/merge/end alone. */
#ifndef CYCTOP_SOURCE_H
#define CYCTOP_SOURCE_H

#include <cyctop/base.h>
#include <cyctop/event.h>
#include <cyctop/record.h>

/* Cumulative readings of one event on one CPU since it was opened. */
struct counter {
	uint64_t value, enabled_ns, running_ns;
	uint64_t lost; /* samples lost, PERF_FORMAT_LOST; 0 where unsupported */
	bool opened;   /* false: this event is not on this CPU */
};

/* Cumulative times of one CPU; of clocks the source can vouch for. */
struct cpu_time {
	uint64_t busy_ns, idle_ns; /* valid only if `known` */
	bool known, online;
};

enum source_kind { SOURCE_LIVE, SOURCE_FILE, SOURCE_SYNTHETIC };

enum source_scope {
	SCOPE_SYSTEM,	   /* every task on every CPU, user and kernel */
	SCOPE_SYSTEM_USER, /* every task, user space only */
	SCOPE_TASKS,	   /* the tasks of a target, user and kernel */
	SCOPE_TASKS_USER,  /* the tasks of a target, user space only */
	SCOPE_OWN_USER,	   /* the user's own processes, user space only */
	SCOPE_PROC,	   /* no perf events at all: CPU times of tasks from /proc */
};

/* An event as it was really opened. */
struct source_event {
	struct event_spec spec;
	bool available; /* false: `why` says which errno and what to do */
	char why[160];
};

struct source_info {
	enum source_kind kind;
	enum source_scope scope;
	char target[96];	   /* who is measured, "process 4242 (make)"; "" where nobody was named */
	char host[65], kernel[96]; /* kernel: release and machine */
	char pmu[64];		   /* "armv8_pmuv3_0"; "" where there is none */
	char notice[1024];	   /* plain sentences with the remedy, "" if all is well */
	char short_notice[64];	   /* the causes in a few words, for the trust line, which
				* says itself what the PMU and the scope are */
	size_t events_n;
	struct source_event events[EVENTS_MAX]; /* [0] is the primary */
	unsigned cpus_n;			/* highest CPU number + 1 */
	uint64_t rate_hz;			/* what is really sampled at; 0 with a fixed period */
	size_t ring_bytes;			/* of one data ring */
	const struct record_layout *layout;	/* of all its records */
};

#define SOURCE_ANY_CPU UINT32_MAX

/* An event as a recording of the source describes it. */
struct source_stream {
	char name[64];
	struct perf_attr attr; /* as it was opened */
	uint64_t *ids;	       /* malloc'ed: those of its records until now */
	size_t ids_n;
};

struct source;

struct source_ops {
	/* Fixed after open, but for notice, and rate_hz, which
	 * follows the kernel's own maximum down. */
	const struct source_info *(*info)(struct source *src);
	/* The next tick begins: a script that does not follow the wall clock moves on by
	 * one interval, so that now_ns(), the counters and the records of this tick
	 * all end there.  NULL where there is nothing to do. */
	void (*advance)(struct source *src);
	/* The clock the records are stamped with; for synth: the script's. */
	uint64_t (*now_ns)(struct source *src);
	/* counters[event * cpus_n + cpu]; times[cpu] */
	void (*read_counters)(struct source *src, struct counter *counters, struct cpu_time *times);
	/* Snapshots the lanes: each ring's head is loaded once. */
	size_t (*begin)(struct source *src, struct lane **ret);
	/* Publishes what the lanes' `used` says; their bytes are gone after it. */
	void (*end)(struct source *src);
	/* Between begin() and end(): the sideband lanes once more, with what was written since, to
	 * look at and not to use.  NULL: nothing is written meanwhile. */
	size_t (*ahead)(struct source *src, struct lane **ret);
	/* The layout of one record, where a source has several; NULL: info()->layout fits
	 * all.  All of them have id and time at the same places, or there is but one. */
	const struct record_layout *(*layout)(struct source *src, const uint8_t *bytes, size_t size);
	/* Which event and CPU a sample's id stands for; false: unknown id.  A cpu of
	 * SOURCE_ANY_CPU: the one the sample names.  Samples without an id ask for 0. */
	bool (*identify)(struct source *src, uint64_t id, uint32_t *event_ret, uint32_t *cpu_ret);
	/* The i-th event that writes records: those of info(), where one that is not
	 * available has no ids, then the ones that write sideband records.  false: there
	 * is none.  NULL: the source has no events of its own. */
	bool (*stream)(struct source *src, size_t i, struct source_stream *ret);
	/* What a sample without a period stands for; NULL: every sample has one. */
	uint64_t (*period)(struct source *src, uint64_t id);
	/* For a source whose records come in batches, several a tick; else both NULL.
	 * horizon(): below which time the lanes of the last begin() are complete and may
	 * be handed on; more(): after end(), this tick has another batch. */
	uint64_t (*horizon)(struct source *src);
	bool (*more)(struct source *src);
	/* An fd that polls readable when there is something to drain: a ring that passes its
	 * watermark, a pipe that has bytes; or -1.  Ask anew before each wait. */
	int (*wake_fd)(struct source *src);
	/* Something the source must do each second (rescan own tasks, CPU hotplug). */
	void (*maintain)(struct source *src);
	/* true: no record will come any more (the end of a script or a file, or of all tasks that
	 * are measured).  Fixed within a tick: what was recorded before it is handed out in it. */
	bool (*finished)(struct source *src);
	void (*close)(struct source *src);
};

struct source {
	const struct source_ops *ops;
};

/* ---- live -------------------------------------------------------------------- */

struct live_config {
	struct event_spec events[EVENTS_MAX]; /* as asked for */
	size_t events_n;
	bool events_given; /* the user named them: no silent replacement */
	uint64_t freq, period;
	size_t ring_bytes; /* 0: chosen from the number of CPUs */
	bool user_only;
	struct target target;
	bool from_exec;	     /* the target is a process that waits: what it does before its exec() is not it */
	bool keep;	     /* for a recording: what is lost cannot be made good from /proc */
	const char *vmlinux; /* NULL, or the file of the kernel that runs */
};
/* Climbs down the ladder system -> system, user -> own, user -> /proc and says in
 * info()->notice where it stopped and how to do better.  Fails only where not
 * even /proc can be read, or where the user named events none of which opens, or tasks or
 * CPUs that are not there or not to be had. */
CYC_MUST_CHECK int live_open(const struct live_config *config, struct source **ret, struct error *err);

/* ---- synth ------------------------------------------------------------------- */

/* Runs a script (doc/synthetic.md) as a source.  Its time moves at advance() only,
 * so that clock, counters and records of a tick tell of the same time: by one
 * interval of the script, or, `realtime`, by those that have passed on the wall
 * clock.  With base time T and interval I, otherwise than in real time:
 *
 *   base line:            now_ns() = T            all counters 0
 *   tick k, from 0 on:    now_ns() = T + (k+1)I   the records of interval k
 *
 * Every record of interval k is older than T + (k+1)I.  finished() holds after the
 * end() that emptied the rings of a script's last interval. */
CYC_MUST_CHECK int synth_open(const char *script, size_t len, const char *script_name, bool realtime,
			      struct source **ret, struct error *err);
extern const char synth_demo_script[]; /* what --demo runs */

/* The symbols a script declares: the resolver asks for them by DSO path.
 * *name_ret is valid as long as the source. */
bool synth_symbol(struct source *src, const char *dso_path, size_t i, uint64_t *addr_ret, uint64_t *size_ret,
		  const char **name_ret);

/* ---- file -------------------------------------------------------------------- */

/* A recording (perf.data, doc/perf-data.md) as a source.  Its time is the recorded
 * one.  It has no counters: opened, and always running; what was counted is what was
 * sampled, which the session adds up. */
struct file_config {
	const char *path;     /* a file, a directory that perf made, or "-": standard input */
	double speed;	      /* recorded seconds a second of the wall clock; 0: as fast as it goes */
	uint64_t interval_ns; /* speed 0: recorded time a tick; 0: all of it in one */
	/* Called now and then while bytes are read, with those read and those there are
	 * (0: not known).  false: stop reading, as if the recording ended here. */
	bool (*progress)(void *ctx, uint64_t done, uint64_t total);
	void *progress_ctx;
	/* Polls readable when the user no longer wants to wait for a pipe: what came until then is
	 * the recording.  0: there is none. */
	int stop_fd;
	const char *symfs; /* NULL, or a directory in which the files of the recorded machine are looked up */
	const char *vmlinux, *kallsyms; /* NULL, or files of the recorded kernel */
};
CYC_MUST_CHECK int file_open(const struct file_config *config, struct source **ret, struct error *err);
/* What the recording says of itself; as of now, since it may come piece by piece. */
struct pd_info;
const struct pd_info *file_info(const struct source *src);
struct file_stats {
	uint64_t records, samples, bytes; /* read so far; bytes: of the file */
	uint64_t unknown_types;		  /* records from 64 on of no known type, skipped */
	uint64_t unknown_ids;		  /* samples whose id no event has */
	uint64_t damaged;		  /* records that contradict themselves, skipped */
	uint64_t first_ns, last_ns;	  /* recorded time read so far; 0: the records have none */
	bool truncated;			  /* it ends in the middle of a record, or was not closed */
};
void file_stats_get(const struct source *src, struct file_stats *ret);
/* Recorded time stands still; while it does, no record comes. */
void file_pause(struct source *src, bool paused);
/* Goes on from `offset_ns` after the first record; 0.  Back: the recording is read from its
 * start again, and what its records told is the caller's to forget (session_rewound()); 1.
 * -ESPIPE: a pipe only goes forward. */
CYC_MUST_CHECK int file_seek(struct source *src, uint64_t offset_ns);
/* Of a pipe: what lies before the place sought is still coming, and is the caller's to forget. */
bool file_behind(const struct source *src);
void file_set_speed(struct source *src, double speed);

/* All of a recording, as it lies in the file, for dumps: its header, attrs, features and
 * records, each with all its fields, and what cannot be read where it is met. */
struct pd_visitor;
struct file_visit {
	const struct pd_visitor *fields;
	void (*begin)(void *ctx, const char *kind); /* "header", "attr", "feature", "file", "record", "damage" */
	bool (*end)(void *ctx);			    /* false: stop */
	void *ctx;
};
/* Fails where it is no recording at all. */
CYC_MUST_CHECK int file_visit(const char *path, const struct file_visit *visit, struct error *err);

#endif
