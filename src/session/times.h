/* CPU times of tasks, by the scheduler's own accounting: which tasks to ask the source about, and what
 * grew between two readings.
 *
 * Processes are asked for from before they are first sampled on, so that the first interval in which one
 * has samples has its time, too: all that exist at the start, then those whose FORK record comes.  Those with samples
 * lately are read in each tick, the others in turn.  Single threads are read only where a process has
 * several, and only while they have samples. */
#ifndef SESSION_TIMES_H
#define SESSION_TIMES_H

#include <cyctop/catalog.h>
#include <cyctop/model.h>
#include <cyctop/source.h>

#include "base/alloc.h"
#include "base/index.h"
#include "base/limits.h"

/* A process or a thread. */
struct times_entry {
	uint32_t pid, id;	 /* id: of a thread its tid, else the pid */
	struct catalog_ref task; /* CATALOG_REF_NONE: no sample so far */
	uint64_t cpu_ns;	 /* of the last reading */
	uint64_t grown_ns;	 /* since the one before */
	uint64_t read_tick;	 /* the interval of the last reading; 0: there is none */
	uint64_t grown_tick;	 /* the interval that grown_ns belongs to; 0: none */
	uint64_t sampled_tick;	 /* the last interval in which it had samples; 0: none */
	uint64_t forked_tick;	 /* the interval in which its FORK record came; 0: it did not */
};
struct times_table {
	VEC(struct times_entry) entries;
	struct index by_id;
	size_t next; /* the entry that is read next of those without samples */
};
struct times {
	struct source *source;
	uint32_t cpus_n;
	struct times_table processes, threads;
	VEC(struct task_time) asked;
	VEC(bool) sampled;		/* [task id]: has samples in the open interval */
	uint64_t tick;			/* number of the open interval, from 2 on; 1 is what was before the first */
	uint64_t read_ns, before_ns;	/* ends of this interval and of the one before */
	struct limit_set reached, told; /* limits, in this interval; and those that times_limits() told of */
	/* the result: what to pass to model_close() */
	VEC(struct task_cpu) of_processes, of_threads;
	uint64_t unlisted_ns;
};

/* Where the CPU times of a source come from. */
void time_config_init(struct time_config *ret, const struct source_info *info);

/* Reads the processes that exist now, if the source can tell. */
void times_init(struct times *t, struct source *source, uint64_t now_ns);
void times_deinit(struct times *t);
/* Forgets what grew until now. */
void times_restart(struct times *t, uint64_t now_ns);
/* A FORK or EXIT record; `ppid`: the process of the task that called fork() or clone(). */
void times_fork(struct times *t, uint32_t pid, uint32_t tid, uint32_t ppid);
void times_exit(struct times *t, uint32_t pid, uint32_t tid);
/* At the end of an interval, in this order: times_read() at that very time; then the records from
 * before are drained; then times_finish() with the model whose open interval has all samples. */
void times_read(struct times *t, uint64_t now_ns);
void times_finish(struct times *t, const struct model *m, const struct catalog *cat);
/* Fills in the members of *ret that are about CPU times; they are valid until the next times_finish(). */
void times_bounds(const struct times *t, const struct catalog *cat, struct interval_bounds *ret);
/* The limits that were reached for the first time. */
struct limit_set times_limits(struct times *t);

#endif
