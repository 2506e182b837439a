/* Live processes and threads, from COMM, FORK, EXIT and MMAP records.
 *
 * Entries are slots, which are reused.  A thread gets a catalog id only with its first sample, so processes without
 * samples take no memory in the catalog.  A slot stays for GRACE_NS of event time after EXIT, because the last samples
 * may come after this record. */
#ifndef RESOLVE_TASK_PROCESS_H
#define RESOLVE_TASK_PROCESS_H

#include "base/alloc.h"
#include "base/index.h"
#include "resolve/naming/dso.h"
#include "resolve/naming/jits.h"
#include "resolve/naming/space.h"

#define SLOT_NONE UINT32_MAX
/* Bytes for a name.  Names in the kernel have 16, but a recording may have the longer name of an app. */
#define COMM_SIZE 64

struct thread {
	uint32_t pid, tid;
	uint32_t process;    /* slot of its process */
	uint32_t task;	     /* catalog id; CATALOG_NONE: not sampled yet */
	uint32_t prev, next; /* list of the process's threads, by slot; `next` also links free slots */
	uint32_t next_dead;
	uint64_t start_ns, dead_ns;
	bool dead;
	bool indexed; /* the index by_tid contains this slot */
	bool comm_known;
	char comm[COMM_SIZE];
};

struct process {
	uint32_t pid;
	uint32_t space_id; /* copy of space->id, to save a memory access */
	struct space *space;
	uint32_t task; /* catalog id of the leader */
	uint32_t uid;
	uint32_t first;	  /* slot of its first thread; links free slots, too */
	uint32_t alive;	  /* number of threads that have not exited */
	uint32_t started; /* number of processes that it has started */
	uint64_t start_ns;
	uint32_t jit;	 /* entry in jits (jits_enter()); 0: none */
	uint32_t parent; /* pid of the process from which it was forked; 0: unknown, or exec was called since */
	uint32_t ppid;	 /* pid of the process that started it; 0: unknown, or there is none */
	char started_by[COMM_SIZE]; /* name of process `ppid` when it started this one; "": unknown */
	uint64_t fork_ns;
	uint64_t exec_ns; /* event time of its last exec; 0: unknown */
	bool dead, indexed;
	bool maps_known;     /* all mappings are known, from /proc or records */
	bool maps_short;     /* mappings could not be read: descriptors or memory ran out */
	uint64_t maps_ns;    /* event time when mappings could not be read */
	bool identity_known; /* name and owner were read, or the attempt failed */
	bool doubtful;	     /* records of the process may be lost, so it is read anew with its next sample */
	bool kernel;
	enum runtime_kind runtime;	       /* by the libraries that it maps */
	const struct jit_runtime *jit_runtime; /* see task_info.jit_runtime */
};

struct processes {
	struct names *names;
	struct dsos *dsos;
	struct jits *jits;
	struct proc_ops proc;
	VEC(struct process) process; /* slots; [0] is a dummy with an empty space */
	VEC(struct thread) thread;
	uint32_t process_free, thread_free; /* first free slots; .first and .next link the others */
	size_t threads_n;		    /* number of used slots of threads */
	uint32_t turn;			    /* slot of the last thread ended by processes_make_room() */
	struct index by_pid, by_tid;
	uint32_t dead_first, dead_last;
	uint32_t checked;	  /* last slot that processes_check() checked */
	VEC(uint32_t) process_of; /* slot of each task's process, indexed by task id; 0: it is gone */
	uint32_t next_space;
	struct space *empty;
	bool keep_comms; /* resolver_config.keep_comms */
	bool lost;	 /* records were lost since the last processes_mark_doubtful() */
};
void processes_init(struct processes *ps, struct names *names, struct dsos *dsos, const struct proc_ops *proc);
void processes_deinit(struct processes *ps);

/* Return the slot of a process or thread; SLOT_NONE: there is none. */
uint32_t process_find(const struct processes *ps, uint32_t pid);
uint32_t thread_find(const struct processes *ps, uint32_t tid);
/* Return the slot of a process or thread, which is added if needed; an earlier one with the same id ends. */
uint32_t process_get(struct processes *ps, uint32_t pid, uint64_t time_ns);
uint32_t thread_get(struct processes *ps, uint32_t pid, uint32_t tid, uint64_t time_ns);

/* Call it before a thread is added. At LIMIT_THREADS, it frees the slot of the thread that ended first or, if none has
 * ended, of any thread: if that thread appears again, it gets a new entry. */
void processes_make_room(struct processes *ps, uint64_t time_ns);

void processes_comm(struct processes *ps, const struct record *rec);
void processes_fork(struct processes *ps, const struct record *rec);
void processes_exit(struct processes *ps, const struct record *rec);
void processes_mmap(struct processes *ps, const struct record *rec);

/* The part of resolver_check_processes() for processes: checks some processes, and ends those that are gone. */
void processes_check(struct processes *ps, uint64_t now_ns);

/* If records were lost, marks all processes as doubtful, and returns true: any may have a new name or new mappings. */
bool processes_mark_doubtful(struct processes *ps);
/* Reads name and mappings of a doubtful process from /proc. If the process has ended, keeps what is known. */
void process_relearn(struct processes *ps, uint32_t slot, uint64_t time_ns);

/* Ends all processes: the recording will be read again from its beginning. */
void processes_restart(struct processes *ps);

/* Returns false for 0 (idle task) and -1 (exiting task), which have no entries here. */
static inline bool is_process_id(uint32_t id)
{
	return id != 0 && id != UINT32_MAX;
}
/* Sets the name of a thread from *id, unless the name is known. */
void thread_learn_comm(struct thread *t, const struct proc_identity *id);
/* Sets the parent and its present name, unless a parent is known. */
void process_learn_parent(const struct processes *ps, struct process *p, uint32_t ppid);
/* Sets p->started_by to the present name of the parent, unless it is set. */
void process_name_parent(const struct processes *ps, struct process *p);
static inline void process_set_space(struct process *p, struct space *s)
{
	p->space = s;
	p->space_id = s->id;
}
void process_add_map(struct processes *ps, uint32_t slot, const struct record_mmap *m);
/* Read name, owner and parent, or the mappings, through ps->proc, unless they are known. */
void process_learn_identity(struct processes *ps, uint32_t slot);
void process_learn_maps(struct processes *ps, uint32_t slot, uint64_t time_ns);
/* Reads mappings again after descriptors or memory ran out, at most once a second of event time.  Returns true if it
 * tried. */
bool process_retry_maps(struct processes *ps, struct process *p, uint64_t time_ns);
/* Finds a live process other than `not_pid` that maps `dso`; false: there is none.  ctx: struct processes. */
bool processes_other(void *ctx, uint32_t dso, int32_t not_pid, int32_t *pid_ret);
/* Returns the index of the process's entry in jits; adds the entry if there is none (see jits_enter()). */
uint32_t process_jit(struct processes *ps, struct process *p);
/* The parts of resolver_lacks_code() and resolver_code_written() for a process. */
bool process_lacks_code(const struct processes *ps, const struct process *p, uint64_t since_ns);
void process_code_written(struct processes *ps, const struct process *p);
/* Learns the runtime of a process from the path of a mapped file. */
void process_learn_library(struct processes *ps, struct process *p, const char *path);
/* Sets used[dso] for each DSO that a process maps. */
void processes_mark_dsos(const struct processes *ps, bool *used);
/* Gives all spaces new ids, before the counter overflows. */
void processes_renumber(struct processes *ps);

#endif
