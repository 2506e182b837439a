/* Finds the task id of a sample by its pid and tid. */
#ifndef RESOLVE_TASK_TASK_H
#define RESOLVE_TASK_TASK_H

#include "base/alloc.h"
#include "resolve/task/process.h"

enum { TASK_CACHE = 4096 };

struct task_slot {
	uint32_t pid, tid, task;
};

struct tasks {
	struct processes ps;
	struct names *names;
	uint32_t self_pid;
	VEC(uint32_t) ended;		       /* entries for ended commands: tasks_fold() */
	uint32_t ended_rest;		       /* entry for all other ended commands; CATALOG_NONE: not needed yet */
	uint32_t idle, exiting, outside, more; /* see special() in task.c; CATALOG_NONE: not needed yet */
	struct task_slot cache[TASK_CACHE];    /* recent results, indexed by tid % TASK_CACHE */
};
void tasks_init(struct tasks *t, struct names *names, struct dsos *dsos, struct jits *jits, const struct proc_ops *proc,
		int32_t self_pid);
void tasks_deinit(struct tasks *t);
/* tasks_get() without a lookup in the cache; stores the result in the cache. */
uint32_t tasks_find(struct tasks *t, uint32_t pid, uint32_t tid, uint64_t time_ns);
/* Drops a tid from the cache: COMM, FORK and EXIT may change its task. */
void tasks_forget(struct tasks *t, uint32_t tid);

/* Has all processes read anew if records were lost: see processes_mark_doubtful(). */
void tasks_doubt(struct tasks *t);

/* Notes that pids are those of a pid namespace; see struct catalog. */
void tasks_namespaced(struct tasks *t);

/* Ends all tasks, and empties the cache: see processes_restart(). */
void tasks_restart(struct tasks *t);

/* The parts of resolver_fold() and resolver_retire() for tasks; tasks_fold() sets fold[task id] for n tasks. */
void tasks_fold(struct tasks *t, uint64_t oldest_ns, const struct catalog_weights *weights, uint32_t *fold, uint32_t n);
void tasks_retire(struct tasks *t, bool *used);

static inline uint32_t tasks_get(struct tasks *t, uint32_t pid, uint32_t tid, uint64_t time_ns)
{
	const struct task_slot *slot = &t->cache[tid % TASK_CACHE];
	if (slot->tid == tid && slot->pid == pid)
		return slot->task;
	return tasks_find(t, pid, tid, time_ns);
}

/* Returns the process of a task; if it has ended, an empty dummy. */
static inline struct process *tasks_process(const struct tasks *t, uint32_t task)
{
	uint32_t slot = task < t->ps.process_of.n ? t->ps.process_of.data[task] : 0;
	return &t->ps.process.data[slot];
}

#endif
