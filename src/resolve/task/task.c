#include "base/limits.h"
#include "resolve/naming/heaviest.h"
#include "resolve/task/task.h"

#include <stdio.h>

enum {
	ENDED_NS = 1,		       /* exit_ns of entries for many ended tasks */
	TASKS_MAX = 2 * LIMIT_THREADS, /* one for each thread, and one for its process */
};

static void tasks_forget_all(struct tasks *t)
{
	/* the tid of an empty slot belongs into another slot, so that no lookup matches */
	for (uint32_t i = 0; i < TASK_CACHE; i++)
		t->cache[i] = (struct task_slot){.tid = i + 1, .task = CATALOG_NONE};
}

void tasks_init(struct tasks *t, struct names *names, struct dsos *dsos, struct jits *jits, const struct proc_ops *proc,
		int32_t self_pid)
{
	t->names = names;
	t->self_pid = (uint32_t)self_pid;
	t->idle = t->exiting = t->outside = t->more = t->ended_rest = CATALOG_NONE;
	processes_init(&t->ps, names, dsos, proc);
	t->ps.jits = jits;
	tasks_forget_all(t);
}

void tasks_deinit(struct tasks *t)
{
	vec_free(&t->ended);
	processes_deinit(&t->ps);
}

void tasks_forget(struct tasks *t, uint32_t tid)
{
	t->cache[tid % TASK_CACHE] = (struct task_slot){.tid = tid + 1, .task = CATALOG_NONE};
}

void tasks_restart(struct tasks *t)
{
	processes_restart(&t->ps);
	tasks_forget_all(t);
}

void tasks_doubt(struct tasks *t)
{
	if (processes_mark_doubtful(&t->ps))
		tasks_forget_all(t);
}

static uint32_t add(struct tasks *t, const struct task_info *info, uint32_t process)
{
	uint32_t id = names_add_task(t->names, info);
	if (id == t->ps.process_of.n)
		vec_push(&t->ps.process_of) = process;
	else
		t->ps.process_of.data[id] = process;
	return id;
}

/* Returns the entry that stands for a group of tasks (all idle ones, all exiting ones, all in other pid namespaces, or
 * all beyond TASKS_MAX); adds it if needed. *id: where its id is kept. */
static uint32_t special(struct tasks *t, uint32_t *id, int32_t pid, const char *comm, uint64_t time_ns)
{
	if (*id == CATALOG_NONE) {
		struct task_info info = {
			.pid = pid,
			.tid = pid,
			.leader = CATALOG_NONE,
			.uid = pid == 0 ? 0 : CATALOG_NONE,
			.comm = comm,
			.start_ns = time_ns,
			.threads = 1,
			.idle = pid == 0,
			.kernel = pid == 0,
		};
		*id = add(t, &info, 0);
	}
	return *id;
}

void tasks_namespaced(struct tasks *t)
{
	uint32_t idle = special(t, &t->idle, 0, "[idle]", 0);
	uint32_t outside = special(t, &t->outside, -1, "[other pid namespaces]", 0);
	struct catalog *cat = &t->names->cat;
	cat->namespaced = true;
	cat->idle = idle;
	cat->outside_task = outside;
}

/* Reads the name of a thread from /proc, unless a record gave it. */
static void learn_comm(struct processes *ps, struct thread *th)
{
	struct proc_identity id;
	if (!th->comm_known && ps->proc.identity(ps->proc.ctx, (int32_t)th->pid, (int32_t)th->tid, &id) == 0)
		thread_learn_comm(th, &id);
}

/* Returns the name of a thread; if it is unknown, that of its process. */
static const char *comm_of(const struct processes *ps, const struct thread *th)
{
	if (th->comm_known)
		return th->comm;
	uint32_t leader = thread_find(ps, th->pid);
	if (leader != SLOT_NONE && ps->thread.data[leader].comm_known)
		return ps->thread.data[leader].comm;
	return "[unknown]";
}

/* Formats the parent of a process, "make (17)"; NULL: the parent is unknown. */
static const char *parent_of(const struct processes *ps, struct process *p, char *buf, size_t cap)
{
	if (!p->ppid)
		return NULL;
	process_name_parent(ps, p);
	snprintf(buf, cap, "%s (%u)", p->started_by[0] ? p->started_by : "[unknown]", p->ppid);
	return buf;
}

/* Returns true for cyctop, and for its helpers: processes that it forked, with its name, which have executed no other
 * program. */
static bool is_self(const struct tasks *t, const struct process *p, const char *comm)
{
	uint32_t own = t->self_pid ? thread_find(&t->ps, t->self_pid) : SLOT_NONE;
	bool helps = own != SLOT_NONE && p->ppid == t->self_pid && !p->exec_ns &&
		     strcmp(comm, comm_of(&t->ps, &t->ps.thread.data[own])) == 0;
	return t->self_pid && (p->pid == t->self_pid || helps);
}

static uint32_t enter(struct tasks *t, uint32_t process, struct thread *th, uint64_t start_ns, bool leads)
{
	struct process *p = &t->ps.process.data[process];
	char parent[COMM_SIZE + 16];
	struct task_info info = {
		.pid = (int32_t)p->pid,
		.tid = leads ? (int32_t)p->pid : (int32_t)th->tid,
		.leader = leads ? CATALOG_NONE : p->task,
		.uid = p->uid,
		.comm = th ? comm_of(&t->ps, th) : "[unknown]",
		.parent = parent_of(&t->ps, p, parent, sizeof(parent)),
		.ppid = p->ppid,
		.start_ns = start_ns,
		.exec_ns = leads ? p->exec_ns : 0,
		.exit_ns = !leads && th->dead ? th->dead_ns : 0,
		.threads = leads && p->alive ? p->alive : 1,
		.started = leads ? p->started : 0,
		.kernel = p->kernel,
		.runtime = leads ? p->runtime : RUNTIME_NONE,
		.jit_runtime = leads ? p->jit_runtime : NULL,
	};
	info.self = is_self(t, p, info.comm);
	if (leads && p->dead && th)
		info.exit_ns = th->dead_ns;
	return add(t, &info, process);
}

/* Updates the entry of a process when it is sampled for the first time, or after an exec. */
static void refresh(struct tasks *t, uint32_t process)
{
	process_learn_identity(&t->ps, process);
	const struct process *p = &t->ps.process.data[process];
	if (p->task == CATALOG_NONE)
		return;
	struct task_info *info = &t->names->cat.tasks[p->task];
	info->uid = p->uid;
	info->kernel = p->kernel;
}

static bool is_full(const struct tasks *t)
{
	return t->names->cat.tasks_n - t->names->free_tasks.n >= TASKS_MAX;
}

/* Adds the entry of a process, unless it has one; its leader thread may be gone. */
static void enter_process(struct tasks *t, uint32_t process)
{
	struct processes *ps = &t->ps;
	if (ps->process.data[process].task != CATALOG_NONE)
		return;
	uint32_t leader = thread_find(ps, ps->process.data[process].pid);
	struct thread *th = leader != SLOT_NONE ? &ps->thread.data[leader] : NULL;
	uint32_t id = enter(t, process, th, ps->process.data[process].start_ns, true);
	ps->process.data[process].task = id;
	if (th && !ps->keep_comms)
		th->task = id;
}

/* Returns the slot of the live process that started this one; a parent without records is added.  SLOT_NONE: there is
 * none, or no room for it. */
static uint32_t living_parent(struct processes *ps, uint32_t process)
{
	uint32_t ppid = ps->process.data[process].ppid, slot = process_find(ps, ppid);
	struct proc_identity id;
	if (slot == SLOT_NONE && is_process_id(ppid) && ps->threads_n < LIMIT_THREADS &&
	    ps->proc.identity(ps->proc.ctx, (int32_t)ppid, (int32_t)ppid, &id) == 0)
		slot = process_get(ps, ppid, ps->process.data[process].start_ns);
	return slot != SLOT_NONE && !ps->process.data[slot].dead ? slot : SLOT_NONE;
}

/* Adds entries for the live ancestors of a process, which may have no samples: the tree of tasks shows them. */
static void enter_above(struct tasks *t, uint32_t process)
{
	struct processes *ps = &t->ps;
	enum { FAR = 64 }; /* bounds the walk: in a corrupt recording the parent links can form a circle */
	for (int i = 0; i < FAR && !is_full(t); i++) {
		process = living_parent(ps, process);
		if (process == SLOT_NONE || ps->process.data[process].task != CATALOG_NONE)
			return;
		process_learn_identity(ps, process);
		enter_process(t, process);
	}
}

static uint32_t resolve(struct tasks *t, uint32_t pid, uint32_t tid, uint64_t time_ns)
{
	struct processes *ps = &t->ps;
	processes_make_room(ps, time_ns);
	uint32_t slot = thread_get(ps, pid, tid, time_ns);
	uint32_t process = ps->thread.data[slot].process;
	bool doubtful = ps->process.data[process].doubtful;
	if (doubtful)
		process_relearn(ps, process, time_ns);
	if (doubtful || !ps->process.data[process].identity_known)
		refresh(t, process);
	if (ps->thread.data[slot].task != CATALOG_NONE)
		return ps->thread.data[slot].task;
	if (is_full(t)) {
		limit_count(&t->names->cat.limits, REACHED_THREADS);
		return special(t, &t->more, -1, "[more threads]", time_ns);
	}
	process_learn_maps(ps, process, time_ns);
	enter_process(t, process);
	enter_above(t, process);
	struct thread *th = &ps->thread.data[slot];
	if (th->task == CATALOG_NONE) {
		learn_comm(ps, th);
		th->task = enter(t, process, th, th->start_ns, false);
	}
	return th->task;
}

uint32_t tasks_find(struct tasks *t, uint32_t pid, uint32_t tid, uint64_t time_ns)
{
	uint32_t id;
	if (pid == 0)
		id = special(t, &t->idle, 0, "[idle]", time_ns);
	else if (pid == UINT32_MAX || tid == 0)
		id = special(t, &t->exiting, -1, "[exiting]", time_ns);
	else /* an exiting thread loses its tid before its pid */
		id = resolve(t, pid, tid == UINT32_MAX ? pid : tid, time_ns);
	t->cache[tid % TASK_CACHE] = (struct task_slot){pid, tid, id};
	return id;
}

/* ---- folding tasks that ended -------------------------------------------------- */

static uint32_t add_ended(struct tasks *t, const char *comm, const char *parent, uint32_t ppid)
{
	struct task_info info = {
		.pid = -1,
		.tid = -1,
		.leader = CATALOG_NONE,
		.uid = CATALOG_NONE,
		.comm = comm,
		.parent = parent,
		.ppid = ppid,
		.threads = 1,
	};
	return add(t, &info, 0);
}

static bool lives(const struct processes *ps, uint32_t pid)
{
	uint32_t slot = process_find(ps, pid);
	return slot != SLOT_NONE && !ps->process.data[slot].dead;
}

/* Returns the entry for all ended tasks of a command with this parent. Ended parents share one entry; each live parent
 * has its own, to show which process starts many short ones. */
static uint32_t ended(struct tasks *t, const struct task_info *info)
{
	char name[32];
	snprintf(name, sizeof(name), "[exited] %s", info->comm);
	const char *want = intern_string(t->names->strings, name);
	const char *parent = lives(&t->ps, info->ppid) ? info->parent : NULL;
	uint32_t ppid = parent ? info->ppid : 0;
	for (size_t i = 0; i < t->ended.n; i++) {
		const struct task_info *e = &t->names->cat.tasks[t->ended.data[i]];
		if (e->comm == want && e->parent == parent)
			return t->ended.data[i];
	}
	uint32_t id = add_ended(t, want, parent, ppid);
	vec_push(&t->ended) = id;
	return id;
}

/* Folds the entries of all but the heaviest commands into one entry. Folded entries are retired when no fact (model.h)
 * has their ids. */
static void fold_lightest(struct tasks *t, const struct catalog_weights *weights, uint32_t *fold)
{
	if (t->ended.n <= LIMIT_ENDED_COMMANDS)
		return;
	limit_count(&t->names->cat.limits, REACHED_ENDED_COMMANDS);
	if (t->ended_rest == CATALOG_NONE)
		t->ended_rest = add_ended(t, "[exited]", NULL, 0);
	heaviest_first(t->ended.data, t->ended.n, weights->tasks);
	for (size_t i = LIMIT_ENDED_COMMANDS; i < t->ended.n; i++) {
		fold[t->ended.data[i]] = t->ended_rest;
		t->names->cat.tasks[t->ended.data[i]].exit_ns = ENDED_NS;
	}
	t->ended.n = LIMIT_ENDED_COMMANDS;
}

void tasks_fold(struct tasks *t, uint64_t oldest_ns, const struct catalog_weights *weights, uint32_t *fold, uint32_t n)
{
	for (uint32_t id = 0; id < n; id++)
		fold[id] = CATALOG_NONE;
	fold_lightest(t, weights, fold);
	for (uint32_t id = 0; id < n; id++) {
		const struct task_info *info = &t->names->cat.tasks[id]; /* ended() may move the array */
		if (info->exit_ns && info->exit_ns < oldest_ns && info->pid >= 0)
			fold[id] = ended(t, info);
	}
}

void tasks_retire(struct tasks *t, bool *used)
{
	struct names *n = t->names;
	/* keeps the entries of processes whose leader thread ended before the others */
	for (size_t i = 0; i < t->ps.process.n; i++)
		if (t->ps.process.data[i].space && t->ps.process.data[i].task != CATALOG_NONE)
			used[t->ps.process.data[i].task] = true;
	for (uint32_t id = 0; id < n->cat.tasks_n; id++)
		if (used[id])
			used[n->cat.tasks[id].leader] = true;
	for (uint32_t id = 0; id < n->cat.tasks_n; id++) {
		/* retired entries have exit_ns 0, so none is retired twice */
		if (!used[id] && n->cat.tasks[id].exit_ns && t->ps.process_of.data[id] == 0)
			names_retire_task(n, id);
	}
	tasks_forget_all(t);
}
