/* Computes CPU times of tasks, by the scheduler's own accounting: decides which tasks to ask the source about, and
 * computes the growth between two readings.
 *
 * Reading a process begins before its first sample, so that the first interval in which it has samples has its time,
 * too: with all processes that exist at the start, then with each FORK record.  Processes with recent samples are read
 * in each tick (end of an interval), the others in turn.  Single threads are read only if their process has several,
 * and only while they have samples. */
#ifndef SESSION_TIMES_H
#define SESSION_TIMES_H

#include <cyctop/catalog.h>
#include <cyctop/model.h>
#include <cyctop/source.h>

#include "base/alloc.h"
#include "base/index.h"
#include "base/limits.h"

/* The CPU time of a process or a thread, in ns, and when it was read. */
struct times_entry {
	uint32_t pid, id;	 /* id: tid of a thread, pid of a process */
	struct catalog_ref task; /* CATALOG_REF_NONE: the task had no sample so far */
	uint64_t cpu_ns;	 /* CPU time at the last reading */
	uint64_t grown_ns;	 /* growth between the last two readings */
	uint64_t read_tick;	 /* tick (number of the interval) of the last reading; 0: none */
	uint64_t grown_tick;	 /* tick that grown_ns belongs to; 0: none */
	uint64_t sampled_tick;	 /* last tick with samples of the task; 0: none */
	uint64_t forked_tick;	 /* tick of its FORK record; 0: none */
};
struct times_table {
	VEC(struct times_entry) entries;
	struct index by_id;
	size_t next; /* position from which entries without recent samples are read in the next tick */
};
struct times {
	struct source *source;
	uint32_t cpus_n;
	struct times_table processes, threads;
	VEC(struct task_time) asked;
	VEC(bool) sampled;		    /* [task id]: the task has samples in the open interval */
	uint64_t tick;			    /* number of the open interval, from 2 on; 1: the time before it */
	uint64_t read_ns, before_ns;	    /* ends of this interval and of the one before */
	struct limit_set reached, reported; /* limits of this interval; limits that times_limits() has returned */
	/* the result, to be passed to model_close(): */
	VEC(struct task_cpu) of_processes, of_threads;
	uint64_t unlisted_ns;
};

/* Decides by which events or times a source's CPU times are computed. */
void time_config_init(struct time_config *ret, const struct source_info *info);

/* Lists the processes that exist now, if the source can tell; from then on their times are read. */
void times_init(struct times *t, struct source *source, uint64_t now_ns);
void times_deinit(struct times *t);
/* Forgets how much CPU times have grown, as when the measurement restarts at now_ns. */
void times_restart(struct times *t, uint64_t now_ns);
/* Take a FORK or EXIT record; `ppid`: process of the task that called fork() or clone(), equal to `pid` for a new
 * thread. */
void times_fork(struct times *t, uint32_t pid, uint32_t tid, uint32_t ppid);
void times_exit(struct times *t, uint32_t pid, uint32_t tid);
/* Read the CPU times at the end of an interval.  Call times_read() at its very end, then drain the records that are
 * older, then call times_finish() with the model whose open interval has all samples. */
void times_read(struct times *t, uint64_t now_ns);
void times_finish(struct times *t, const struct model *m, const struct catalog *cat);
/* Fills in the members of *ret about CPU times; they are valid until the next times_finish(). */
void times_bounds(const struct times *t, const struct catalog *cat, struct interval_bounds *ret);
/* Returns the limits that were reached since start, each limit only once. */
struct limit_set times_limits(struct times *t);

#endif
