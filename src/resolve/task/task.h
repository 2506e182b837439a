/* (pid, tid) of a sample -> catalog id. */
#ifndef RESOLVE_TASK_TASK_H
#define RESOLVE_TASK_TASK_H

#include "resolve/task/process.h"

enum { TASK_CACHE = 4096 };

struct task_slot {
	uint32_t pid, tid, task;
};

struct tasks {
	struct processes ps;
	struct names *names;
	uint32_t self_pid;
	VEC(uint32_t) ended;		    /* one entry a command, see tasks_ended() */
	uint32_t idle, exiting;		    /* CATALOG_NONE until seen */
	struct task_slot cache[TASK_CACHE]; /* at tid's lower bits */
};
void tasks_init(struct tasks *t, struct names *names, struct dsos *dsos, struct jits *jits, const struct proc_ops *proc,
		int32_t self_pid);
void tasks_deinit(struct tasks *t);
/* Fills the cache slot. */
uint32_t tasks_find(struct tasks *t, uint32_t pid, uint32_t tid, uint64_t time_ns);
/* COMM, FORK and EXIT may change who a tid is. */
void tasks_forget(struct tasks *t, uint32_t tid);

/* See processes_restart(). */
void tasks_restart(struct tasks *t);

/* See resolver_ended() and resolver_retire(). */
uint32_t tasks_ended(struct tasks *t, const char *comm);
void tasks_retire(struct tasks *t, bool *used);

static inline uint32_t tasks_get(struct tasks *t, uint32_t pid, uint32_t tid, uint64_t time_ns)
{
	const struct task_slot *slot = &t->cache[tid % TASK_CACHE];
	if (slot->tid == tid && slot->pid == pid)
		return slot->task;
	return tasks_find(t, pid, tid, time_ns);
}

/* The live process of a task; nobody's, once it is gone. */
static inline struct process *tasks_process(const struct tasks *t, uint32_t task)
{
	uint32_t slot = task < t->ps.process_of.n ? t->ps.process_of.data[task] : 0;
	return &t->ps.process.data[slot];
}

#endif
