/* Processes and threads that live, from COMM, FORK, EXIT and MMAP records.
 *
 * Entries are slots that are reused.  A thread gets an id in the catalog with its first sample, so that processes
 * without samples take no memory there.  A slot stays for GRACE_NS of event time after EXIT, because the last
 * samples may come after that record. */
#ifndef RESOLVE_TASK_PROCESS_H
#define RESOLVE_TASK_PROCESS_H

#include "base/alloc.h"
#include "base/index.h"
#include "resolve/naming/dso.h"
#include "resolve/naming/jits.h"
#include "resolve/naming/space.h"

#define SLOT_NONE UINT32_MAX
/* The size of a name.  Names of the kernel have at most 16 bytes, but a recording may have the longer name of an
 * app. */
#define COMM_SIZE 64

struct thread {
	uint32_t pid, tid;
	uint32_t process;    /* slot of its process */
	uint32_t task;	     /* catalog id; CATALOG_NONE: not sampled yet */
	uint32_t prev, next; /* slots in the list of the process's threads; `next` also links free slots */
	uint32_t next_dead;
	uint64_t start_ns, dead_ns;
	bool dead;
	bool indexed; /* the index of tids refers to it */
	bool comm_known;
	char comm[COMM_SIZE];
};

struct process {
	uint32_t pid;
	uint32_t space_id; /* copy of space->id, which saves a memory access */
	struct space *space;
	uint32_t task; /* catalog id of the leader */
	uint32_t uid;
	uint32_t first;	  /* slot of its first thread */
	uint32_t alive;	  /* number of threads that have not exited */
	uint32_t started; /* number of processes that it started since the first record */
	uint64_t start_ns;
	uint32_t jit;	 /* entry in jits, see jits_enter(); 0: none */
	uint32_t parent; /* pid of the process from which it was forked; 0: unknown, or it called exec() since */
	uint32_t ppid;	 /* pid of the process that started it; 0: unknown, or there is none */
	char started_by[COMM_SIZE]; /* name of that process at that time; "": unknown */
	uint64_t fork_ns;
	uint64_t exec_ns; /* time of its last exec(), if known; else 0 */
	bool dead, indexed;
	bool maps_known;     /* mappings were read from /proc, or records have all of them */
	bool maps_short;     /* reading the mappings failed, because descriptors or memory ran out */
	uint64_t maps_ns;    /* event time of that failure */
	bool identity_known; /* name and owner were read, or reading them failed */
	bool kernel;
	enum runtime_kind runtime;	/* the runtime whose library it maps */
	const struct code_maker *maker; /* program that makes code: task_info.maker */
};

struct processes {
	struct names *names;
	struct dsos *dsos;
	struct jits *jits;
	struct proc_ops proc;
	VEC(struct process) process; /* slots; [0] is a dummy process with an empty space */
	VEC(struct thread) thread;
	uint32_t process_free, thread_free; /* first free slots, which .first and .next link */
	size_t threads_n;		    /* number of threads that are not free */
	uint32_t turn;			    /* slot of the thread that was ended last to make room */
	struct index by_pid, by_tid;
	uint32_t dead_first, dead_last;
	uint32_t checked;	  /* slot that processes_check() looked at last */
	VEC(uint32_t) process_of; /* task id -> slot; 0: the process is gone */
	uint32_t next_space;
	struct space *empty;
	bool keep_comms; /* resolver_config.keep_comms */
};
void processes_init(struct processes *ps, struct names *names, struct dsos *dsos, const struct proc_ops *proc);
void processes_deinit(struct processes *ps);

/* Return the slot of a process or thread; SLOT_NONE: there is none. */
uint32_t process_find(const struct processes *ps, uint32_t pid);
uint32_t thread_find(const struct processes *ps, uint32_t tid);
/* Finds a process, or adds one; ends the entry of an earlier process with this pid. */
uint32_t process_get(struct processes *ps, uint32_t pid, uint64_t time_ns);
uint32_t thread_get(struct processes *ps, uint32_t pid, uint32_t tid, uint64_t time_ns);

/* Makes room for another thread; to be called before one is added.  If there are LIMIT_THREADS threads, frees the
 * one that ended longest ago or, if none has ended, any; if a record or sample names a freed thread again, it
 * becomes a new one. */
void processes_make_room(struct processes *ps, uint64_t time_ns);

void processes_comm(struct processes *ps, const struct record *rec);
void processes_fork(struct processes *ps, const struct record *rec);
void processes_exit(struct processes *ps, const struct record *rec);
void processes_mmap(struct processes *ps, const struct record *rec);

/* Looks at some processes and ends those that are gone: see resolver_check_processes(). */
void processes_check(struct processes *ps, uint64_t now_ns);

/* Ends all processes, because a recording is read again from its beginning. */
void processes_restart(struct processes *ps);

/* Returns false for 0, which is the idle task, and -1, which is an exiting task: they have no entries here. */
static inline bool is_process_id(uint32_t id)
{
	return id != 0 && id != UINT32_MAX;
}
/* Takes the thread's name, unless it is known. */
void thread_learn_comm(struct thread *t, const struct proc_identity *id);
/* Takes the parent, with its present name, unless a parent is known. */
void process_learn_parent(const struct processes *ps, struct process *p, uint32_t ppid);
void process_name_parent(const struct processes *ps, struct process *p); /* only the name, if unknown */
static inline void process_set_space(struct process *p, struct space *s)
{
	p->space = s;
	p->space_id = s->id;
}
void process_add_map(struct processes *ps, uint32_t slot, const struct record_mmap *m);
/* Read name, owner and parent, or the present mappings, from /proc, if they are not known yet. */
void process_learn_identity(struct processes *ps, uint32_t slot);
void process_learn_maps(struct processes *ps, uint32_t slot, uint64_t time_ns);
/* Reads mappings again that could not be read because descriptors or memory ran out, at most once a second.  Returns
 * true if it tried. */
bool process_retry_maps(struct processes *ps, struct process *p, uint64_t time_ns);
/* Finds a living process other than `not_pid` that maps `dso`; ctx: the processes. */
bool processes_other(void *ctx, uint32_t dso, int32_t not_pid, int32_t *pid_ret);
/* Returns the entry in jits of a process that makes code (see jits_enter()); adds it if needed. */
uint32_t process_jit(struct processes *ps, struct process *p);
/* Do what resolver_lacks_code() and resolver_code_written() say, for one process. */
bool process_lacks_code(const struct processes *ps, const struct process *p, uint64_t since_ns);
void process_code_written(struct processes *ps, const struct process *p);
/* Learns the runtime of a process from the path of a library that it maps. */
void process_learn_library(struct processes *ps, struct process *p, const char *path);
/* Sets used[dso] for each DSO that a process maps. */
void processes_mark_dsos(const struct processes *ps, bool *used);
/* Gives every live space a new id, before the counter overflows. */
void processes_renumber(struct processes *ps);

#endif
