/* Knows which tasks belong to a target, and when.  Pure: FORK, EXIT and exec records, in order of time, and the
 * tasks that /proc showed at some time are passed in as numbers.
 *
 * A thread or process that a member makes is a member.  A tid may pass from one task to another, and samples are
 * looked up a little later than the records were applied, so each tid has a chain of the tasks that had it, the
 * newest first.  A task that ended is kept for ENDED_KEPT_NS: it still runs for some microseconds after its EXIT
 * record. */
#ifndef SOURCE_LIVE_MEMBERS_H
#define SOURCE_LIVE_MEMBERS_H

#include "base/alloc.h"
#include "base/index.h"

#define ENDED_KEPT_NS UINT64_C(1000000000)

struct member {
	uint32_t tid, pid;
	uint32_t older;	      /* slot of the task that had this tid before; of a free slot, the next free one */
	uint32_t threads;     /* of a leader: number of other threads of its process that have not ended */
	uint64_t from_ns;     /* time from which it is a member; UINT64_MAX: only after its exec */
	uint64_t ended_ns;    /* time of its end; 0: it has not ended */
	bool belongs;	      /* false: the task is no member, but took the tid of one */
	bool leader_has_gone; /* the leader has ended, but other threads of its process have not */
};

struct member_end {
	uint64_t time_ns;
	uint32_t slot;
};

struct members {
	VEC(struct member) all;
	struct index by_tid; /* tid -> slot of the newest task with it */
	uint32_t free;
	size_t alive;		      /* number of members that have not ended */
	VEC(struct member_end) ended; /* ends of tasks, oldest first, from `ended_at` on */
	size_t ended_at;
	size_t checked; /* slot that members_check() looked at last */
};

void members_init(struct members *m);
void members_deinit(struct members *m);

/* Adds a task that /proc showed: it is a member from `time_ns` on, when /proc was about to be read. */
void members_add(struct members *m, uint32_t pid, uint32_t tid, uint64_t time_ns);
/* Adds a process that is a member from its next exec on. */
void members_await_exec(struct members *m, uint32_t pid);

/* Returns true if the task with this tid belonged to the target at that time. */
bool members_has(const struct members *m, uint32_t tid, uint64_t time_ns);
/* Returns true if a member with this tid is alive. */
bool members_alive(const struct members *m, uint32_t tid);

/* Take records, in order of time. members_fork() returns true if the new task is a member. */
bool members_fork(struct members *m, uint32_t pid, uint32_t tid, uint32_t parent_tid, uint64_t time_ns);
void members_exit(struct members *m, uint32_t pid, uint32_t tid, uint64_t time_ns);
void members_exec(struct members *m, uint32_t pid, uint64_t time_ns);

/* Forgets tasks that ended long before `time_ns`; every sample from before that must have been looked up. */
void members_settle(struct members *m, uint64_t time_ns);
/* Ends members whose EXIT record was lost: asks for some of the members, other ones in each call. */
void members_check(struct members *m, bool (*gone)(uint32_t pid, uint32_t tid), uint64_t time_ns);

#endif
