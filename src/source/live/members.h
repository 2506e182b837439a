/* Keeps track of which tasks are members of a target, and when.  Pure: the caller passes FORK, EXIT and exec records,
 * in order of time, and tasks that /proc listed.
 *
 * A thread or process that a member starts is a member, too.  Samples are looked up a little later than records are
 * applied.  As a tid may have been reused meanwhile, each tid has a chain of the tasks that had it, the newest first.
 * An ended task is kept for ENDED_KEPT_NS: it runs for some microseconds after its EXIT record, and may be sampled. */
#ifndef SOURCE_LIVE_MEMBERS_H
#define SOURCE_LIVE_MEMBERS_H

#include "base/alloc.h"
#include "base/index.h"

#define ENDED_KEPT_NS UINT64_C(1000000000)

struct member {
	uint32_t tid, pid;
	uint32_t older;	      /* slot of the task that had the tid before; in a free slot: next free slot */
	uint32_t threads;     /* of a leader: number of other threads of its process that have not ended */
	uint64_t from_ns;     /* time since which the task is a member; UINT64_MAX: from its next exec on */
	uint64_t ended_ns;    /* 0: it has not ended */
	bool belongs;	      /* false: the task is no member, but reuses a member's tid */
	bool leader_has_gone; /* the leader has ended, but not all other threads of its process */
};

struct member_end {
	uint64_t time_ns;
	uint32_t slot;
};

struct members {
	VEC(struct member) all;	      /* indexed by slot */
	struct index by_tid;	      /* tid -> slot of the newest task with it */
	uint32_t free;		      /* first free slot */
	size_t alive;		      /* number of members that have not ended */
	VEC(struct member_end) ended; /* ended tasks, the oldest first; those before `ended_at` were handled */
	size_t ended_at;
	size_t checked; /* slot that members_check() visited last */
};

void members_init(struct members *m);
void members_deinit(struct members *m);

/* Adds a task that /proc listed.  It is a member from `time_ns` on, a time before /proc was read. */
void members_add(struct members *m, uint32_t pid, uint32_t tid, uint64_t time_ns);
/* Adds a process that is a member from its next exec on. */
void members_await_exec(struct members *m, uint32_t pid);

/* Returns true if the task that had this tid at that time is a member. */
bool members_has(const struct members *m, uint32_t tid, uint64_t time_ns);
/* Returns true if a member with this tid is alive. */
bool members_alive(const struct members *m, uint32_t tid);

/* Apply records in order of time.  members_fork() returns true if the new task is a member. */
bool members_fork(struct members *m, uint32_t pid, uint32_t tid, uint32_t parent_tid, uint64_t time_ns);
void members_exit(struct members *m, uint32_t pid, uint32_t tid, uint64_t time_ns);
void members_exec(struct members *m, uint32_t pid, uint64_t time_ns);

/* Forgets tasks that ended long before `time_ns`; samples older than that must have been looked up. */
void members_settle(struct members *m, uint64_t time_ns);
/* Ends members whose EXIT record was lost: those for which gone() returns true.  Each call checks only some members, in
 * turn. */
void members_check(struct members *m, bool (*gone)(uint32_t pid, uint32_t tid), uint64_t time_ns);

#endif
