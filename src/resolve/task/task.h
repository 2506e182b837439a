/* Finds the catalog id for the (pid, tid) of a sample. */
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
	VEC(uint32_t) ended;		       /* entries for ended tasks; see tasks_fold() */
	uint32_t ended_rest;		       /* entry for all other ended commands; CATALOG_NONE: not needed so far */
	uint32_t idle, exiting, outside, more; /* see special() in task.c; CATALOG_NONE: not needed so far */
	struct task_slot cache[TASK_CACHE];    /* ids found lately; indexed by the lower bits of the tid */
};
void tasks_init(struct tasks *t, struct names *names, struct dsos *dsos, struct jits *jits, const struct proc_ops *proc,
		int32_t self_pid);
void tasks_deinit(struct tasks *t);
/* The slow path of tasks_get(): finds a task, and stores it in the cache. */
uint32_t tasks_find(struct tasks *t, uint32_t pid, uint32_t tid, uint64_t time_ns);
/* Drops `tid` from the cache: a COMM, FORK or EXIT record may change which task it is. */
void tasks_forget(struct tasks *t, uint32_t tid);

/* Tells that pids are those of a pid namespace; see struct catalog. */
void tasks_namespaced(struct tasks *t);

/* Ends all tasks: see processes_restart(). */
void tasks_restart(struct tasks *t);

/* Do the parts of resolver_fold() and resolver_retire() for tasks; tasks_fold() fills in fold[task id] of n tasks. */
void tasks_fold(struct tasks *t, uint64_t oldest_ns, const struct catalog_weights *weights, uint32_t *fold, uint32_t n);
void tasks_retire(struct tasks *t, bool *used);

static inline uint32_t tasks_get(struct tasks *t, uint32_t pid, uint32_t tid, uint64_t time_ns)
{
	const struct task_slot *slot = &t->cache[tid % TASK_CACHE];
	if (slot->tid == tid && slot->pid == pid)
		return slot->task;
	return tasks_find(t, pid, tid, time_ns);
}

/* Returns the live process of a task; after its end, process 0, which is empty. */
static inline struct process *tasks_process(const struct tasks *t, uint32_t task)
{
	uint32_t slot = task < t->ps.process_of.n ? t->ps.process_of.data[task] : 0;
	return &t->ps.process.data[slot];
}

#endif
