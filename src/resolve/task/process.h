/* Live processes and threads, as the records tell of them.
 *
 * Entries here are slots that are used again; the catalog, which only grows, gets an
 * entry when a thread is first sampled.  So a machine that forks all day without
 * being sampled in most of it costs nothing.  Who exits stays for GRACE_NS of event
 * time, because its last samples may come after its EXIT record. */
#ifndef RESOLVE_TASK_PROCESS_H
#define RESOLVE_TASK_PROCESS_H

#include "base/alloc.h"
#include "resolve/dso.h"
#include "resolve/jit/jits.h"
#include "resolve/task/space.h"

#define SLOT_NONE UINT32_MAX
/* The kernel's are 16 bytes, but a recording may have the name of an app. */
#define COMM_SIZE 64

struct thread {
	uint32_t pid, tid;
	uint32_t process;    /* slot */
	uint32_t task;	     /* catalog id, CATALOG_NONE until sampled */
	uint32_t prev, next; /* of the same process; `next` links free slots */
	uint32_t next_dead;
	uint64_t start_ns, dead_ns;
	bool dead;
	bool indexed; /* found by its tid */
	bool comm_known;
	char comm[COMM_SIZE];
};

struct process {
	uint32_t pid;
	uint32_t space_id; /* == space->id, one hop nearer */
	struct space *space;
	uint32_t task; /* catalog id of the leader */
	uint32_t uid;
	uint32_t first; /* thread */
	uint32_t alive; /* threads known to be */
	uint64_t start_ns;
	uint32_t jit;	 /* see jits_enter() */
	uint32_t parent; /* the pid it was forked from, when that was seen and it is the same program still */
	uint64_t fork_ns;
	uint64_t exec_ns; /* of its last exec, as far as known; else 0 */
	bool dead, indexed;
	bool maps_known;     /* from /proc, or because records told all */
	bool identity_known; /* asked for, at least */
	bool kernel;
};

struct processes {
	struct names *names;
	struct dsos *dsos;
	struct jits *jits;
	struct proc_ops proc;
	VEC(struct process) process; /* [0] is nobody: an empty space */
	VEC(struct thread) thread;
	uint32_t process_free, thread_free; /* chains through .first and .next */
	struct index by_pid, by_tid;
	uint32_t dead_first, dead_last;
	VEC(uint32_t) process_of; /* task id -> slot; 0 when it is gone */
	uint32_t next_space;
	struct space *empty;
	bool keep_comms; /* see resolver_config */
};
void processes_init(struct processes *ps, struct names *names, struct dsos *dsos, const struct proc_ops *proc);
void processes_deinit(struct processes *ps);

/* Slots, or SLOT_NONE. */
uint32_t process_find(const struct processes *ps, uint32_t pid);
uint32_t thread_find(const struct processes *ps, uint32_t tid);
/* Found, or made; something else that had this id before is over. */
uint32_t process_get(struct processes *ps, uint32_t pid, uint64_t time_ns);
uint32_t thread_get(struct processes *ps, uint32_t pid, uint32_t tid, uint64_t time_ns);

void processes_comm(struct processes *ps, const struct record *rec);
void processes_fork(struct processes *ps, const struct record *rec);
void processes_exit(struct processes *ps, const struct record *rec);
void processes_mmap(struct processes *ps, const struct record *rec);

/* All of them are over: what records tell from now on is told from the beginning. */
void processes_restart(struct processes *ps);

/* Reads from /proc what is not known yet; of the maps, those that were there then. */
void process_learn_identity(struct processes *ps, uint32_t slot);
void process_learn_maps(struct processes *ps, uint32_t slot, uint64_t time_ns);
/* A living process other than `not_pid` that has it mapped; ctx: the processes. */
bool processes_other(void *ctx, uint32_t dso, int32_t not_pid, int32_t *pid_ret);
/* What is known of the code it makes: an entry, if none is there yet. */
uint32_t process_jit(struct processes *ps, struct process *p);
/* Sets used[dso] for what is mapped somewhere. */
void processes_mark_dsos(const struct processes *ps, bool *used);
/* Gives every live space a new id; for when the counter has come round. */
void processes_renumber(struct processes *ps);

#endif
