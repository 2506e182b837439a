/* Which tasks belong to a target, and when.  Pure: the records of FORK, EXIT and exec, in order of time,
 * and what /proc showed at some time, come in as numbers.
 *
 * A thread or process that a member makes is a member.  A tid may pass from one task to another, and
 * samples are looked up a little later than the records were applied, so each tid has a chain of
 * the tasks that had it, the newest first.  A task that ended is kept for ENDED_KEPT_NS: it still runs
 * for some microseconds after its EXIT record. */
#ifndef SOURCE_LIVE_MEMBERS_H
#define SOURCE_LIVE_MEMBERS_H

#include "base/alloc.h"
#include "base/index.h"

#define ENDED_KEPT_NS UINT64_C(1000000000)

struct member {
	uint32_t tid, pid;
	uint32_t older;	      /* slot of the task that had this tid before; of a free slot, the next free one */
	uint32_t threads;     /* of a leader: other threads of its process that have not ended */
	uint64_t from_ns;     /* UINT64_MAX: only after its exec */
	uint64_t ended_ns;    /* 0: it has not ended */
	bool belongs;	      /* false: a task that is no member, and took the tid of one */
	bool leader_has_gone; /* the leader has ended, but other threads of its process have not */
};

struct member_end {
	uint64_t time_ns;
	uint32_t slot;
};

struct members {
	VEC(struct member) all;
	struct index by_tid; /* tid -> slot of its newest task */
	uint32_t free;
	size_t alive;		      /* members that have not ended */
	VEC(struct member_end) ended; /* oldest first, from `ended_at` on */
	size_t ended_at;
	size_t checked; /* see members_check() */
};

void members_init(struct members *m);
void members_deinit(struct members *m);

/* A task that /proc showed: a member from `time_ns` on, at which /proc was about to be read. */
void members_add(struct members *m, uint32_t pid, uint32_t tid, uint64_t time_ns);
/* A process that is a member from its next exec on. */
void members_await_exec(struct members *m, uint32_t pid);

/* Did the task with this tid belong to the target at that time? */
bool members_has(const struct members *m, uint32_t tid, uint64_t time_ns);
/* Is a member with this tid alive? */
bool members_alive(const struct members *m, uint32_t tid);

/* Records, in order of time.  fork: is the new task a member? */
bool members_fork(struct members *m, uint32_t pid, uint32_t tid, uint32_t parent_tid, uint64_t time_ns);
void members_exit(struct members *m, uint32_t pid, uint32_t tid, uint64_t time_ns);
void members_exec(struct members *m, uint32_t pid, uint64_t time_ns);

/* Every sample from before `time_ns` has been looked up: forgets the tasks that ended long before. */
void members_settle(struct members *m, uint64_t time_ns);
/* Ends those whose EXIT record was lost: asks for some of the members, another part in each call. */
void members_check(struct members *m, bool (*gone)(uint32_t pid, uint32_t tid), uint64_t time_ns);

#endif
