#include "resolve/task/process.h"

#include <string.h>

enum {
	SPACE_KERNEL = 0, /* space id of the kernel; other spaces have greater ids */
	SPACE_FIRST = 1,
	PROT_EXECUTE = 4,
	PROT_ANY = 7,
};
static const uint64_t GRACE_NS = 1000000000;

void processes_init(struct processes *ps, struct names *names, struct dsos *dsos, const struct proc_ops *proc)
{
	*ps = (struct processes){
		.names = names,
		.dsos = dsos,
		.proc = *proc,
		.process_free = SLOT_NONE,
		.thread_free = SLOT_NONE,
		.dead_first = SLOT_NONE,
		.dead_last = SLOT_NONE,
		.next_space = SPACE_FIRST,
	};
	index_init(&ps->by_pid);
	index_init(&ps->by_tid);
	ps->empty = space_create(ps->next_space++);
	vec_push(&ps->process) = (struct process){
		.space = space_ref(ps->empty),
		.space_id = ps->empty->id,
		.task = CATALOG_NONE,
		.first = SLOT_NONE,
		.maps_known = true,
		.identity_known = true,
	};
}

void processes_deinit(struct processes *ps)
{
	for (size_t i = 0; i < ps->process.n; i++)
		space_unref(ps->process.data[i].space);
	space_unref(ps->empty);
	vec_free(&ps->process);
	vec_free(&ps->thread);
	vec_free(&ps->process_of);
	index_deinit(&ps->by_pid);
	index_deinit(&ps->by_tid);
}

/* ---- ending processes and threads ----------------------------------------------- */

static void thread_unindex(struct processes *ps, uint32_t slot)
{
	struct thread *t = &ps->thread.data[slot];
	if (t->indexed)
		index_remove(&ps->by_tid, index_hash(&ps->by_tid, t->tid), slot);
	t->indexed = false;
}

static void process_unindex(struct processes *ps, uint32_t slot)
{
	struct process *p = &ps->process.data[slot];
	if (p->indexed)
		index_remove(&ps->by_pid, index_hash(&ps->by_pid, p->pid), slot);
	p->indexed = false;
}

static void process_release(struct processes *ps, uint32_t slot)
{
	struct process *p = &ps->process.data[slot];
	process_unindex(ps, slot);
	jits_leave(ps->jits, &p->jit);
	space_unref(p->space);
	if (p->task != CATALOG_NONE)
		ps->process_of.data[p->task] = 0;
	*p = (struct process){.task = CATALOG_NONE, .first = ps->process_free};
	ps->process_free = slot;
}

static void thread_release(struct processes *ps, uint32_t slot)
{
	struct thread *t = &ps->thread.data[slot];
	thread_unindex(ps, slot);
	if (t->task != CATALOG_NONE)
		ps->process_of.data[t->task] = 0;
	struct process *p = &ps->process.data[t->process];
	if (t->prev != SLOT_NONE)
		ps->thread.data[t->prev].next = t->next;
	else
		p->first = t->next;
	if (t->next != SLOT_NONE)
		ps->thread.data[t->next].prev = t->prev;
	if (p->first == SLOT_NONE)
		process_release(ps, t->process);
	*t = (struct thread){.next = ps->thread_free, .dead = true};
	ps->threads_n--;
	ps->thread_free = slot;
}

static void release_first_dead(struct processes *ps)
{
	uint32_t slot = ps->dead_first;
	ps->dead_first = ps->thread.data[slot].next_dead;
	if (ps->dead_first == SLOT_NONE)
		ps->dead_last = SLOT_NONE;
	thread_release(ps, slot);
}

/* Frees the slots of threads whose EXIT was more than GRACE_NS ago. */
static void reap(struct processes *ps, uint64_t now_ns)
{
	while (ps->dead_first != SLOT_NONE && u64_add_sat(ps->thread.data[ps->dead_first].dead_ns, GRACE_NS) < now_ns)
		release_first_dead(ps);
}

static void show_alive(struct processes *ps, const struct process *p)
{
	if (p->task != CATALOG_NONE)
		ps->names->cat.tasks[p->task].threads = p->alive ? p->alive : 1;
}

static void thread_kill(struct processes *ps, uint32_t slot, uint64_t time_ns)
{
	struct thread *t = &ps->thread.data[slot];
	if (t->dead)
		return;
	struct process *p = &ps->process.data[t->process];
	if (!time_ns)
		time_ns = 1; /* exit_ns 0 means alive */
	t->dead = true;
	t->dead_ns = time_ns;
	t->next_dead = SLOT_NONE;
	if (ps->dead_last != SLOT_NONE)
		ps->thread.data[ps->dead_last].next_dead = slot;
	else
		ps->dead_first = slot;
	ps->dead_last = slot;
	p->alive--;
	struct task_info *tasks = ps->names->cat.tasks;
	if (t->task != CATALOG_NONE && t->task != p->task)
		tasks[t->task].exit_ns = time_ns;
	if (!p->alive) {
		p->dead = true;
		if (p->task != CATALOG_NONE)
			tasks[p->task].exit_ns = time_ns;
	}
	show_alive(ps, p);
}

/* Returns the slot of the thread to end when there is no room: the next in turn, preferably one without samples among
 * the next LOOKS threads. */
static uint32_t thread_in_turn(struct processes *ps)
{
	enum { LOOKS = 16 };
	const struct thread *t = NULL;
	for (int i = 0; i < LOOKS || t->dead; i++) {
		ps->turn = ps->turn + 1 < ps->thread.n ? ps->turn + 1 : 0;
		t = &ps->thread.data[ps->turn];
		if (!t->dead && t->task == CATALOG_NONE)
			break;
	}
	return ps->turn;
}

void processes_make_room(struct processes *ps, uint64_t time_ns)
{
	while (ps->threads_n >= LIMIT_THREADS) {
		if (ps->dead_first == SLOT_NONE) {
			limit_count(&ps->names->cat.limits, REACHED_THREADS);
			thread_kill(ps, thread_in_turn(ps), time_ns);
		}
		release_first_dead(ps);
	}
}

void processes_check(struct processes *ps, uint64_t now_ns)
{
	enum { CHECKED_MIN = 16, CHECKED_SHARE = 32 };
	size_t n = ps->process.n - 1, checks = CHECKED_MIN + n / CHECKED_SHARE;
	if (!ps->proc.gone)
		return;
	for (size_t i = 0; i < checks && i < n; i++) {
		ps->checked = ps->checked < n ? ps->checked + 1 : 1; /* slot 0 is no process but a dummy */
		const struct process *p = &ps->process.data[ps->checked];
		if (!p->indexed || p->dead || !ps->proc.gone(ps->proc.ctx, (int32_t)p->pid))
			continue;
		for (uint32_t t = p->first; t != SLOT_NONE; t = ps->thread.data[t].next)
			thread_kill(ps, t, now_ns);
	}
	reap(ps, now_ns);
}

bool processes_mark_doubtful(struct processes *ps)
{
	if (!ps->lost)
		return false;
	ps->lost = false;
	for (size_t slot = 1; slot < ps->process.n; slot++)
		ps->process.data[slot].doubtful = ps->process.data[slot].indexed && !ps->process.data[slot].dead;
	return true;
}

/* Ends a process whose EXIT record is missing, because another process has its pid now. */
static void process_end_replaced(struct processes *ps, uint32_t slot, uint64_t time_ns)
{
	process_unindex(ps, slot);
	jits_leave(ps->jits, &ps->process.data[slot].jit);
	for (uint32_t t = ps->process.data[slot].first; t != SLOT_NONE; t = ps->thread.data[t].next) {
		thread_kill(ps, t, time_ns);
		thread_unindex(ps, t);
	}
}

void processes_restart(struct processes *ps)
{
	for (uint32_t slot = 1; slot < ps->process.n; slot++)
		if (ps->process.data[slot].indexed)
			process_end_replaced(ps, slot, 0);
}

/* Ends a thread whose EXIT record is missing, because another thread has its tid now. A leader ends its whole
 * process. */
static void thread_end_replaced(struct processes *ps, uint32_t slot, uint64_t time_ns)
{
	struct thread *t = &ps->thread.data[slot];
	if (t->tid == t->pid) {
		process_end_replaced(ps, t->process, time_ns);
		return;
	}
	thread_kill(ps, slot, time_ns);
	thread_unindex(ps, slot);
}

/* ---- adding processes and threads ------------------------------------------------ */

static uint32_t thread_add(struct processes *ps, uint32_t process, uint32_t tid, uint64_t time_ns)
{
	uint32_t slot = ps->thread_free;
	if (slot != SLOT_NONE) {
		ps->thread_free = ps->thread.data[slot].next;
	} else {
		slot = (uint32_t)ps->thread.n;
		vec_push(&ps->thread) = (struct thread){0};
	}
	struct process *p = &ps->process.data[process];
	ps->thread.data[slot] = (struct thread){
		.pid = p->pid,
		.tid = tid,
		.process = process,
		.task = tid == p->pid && !ps->keep_comms ? p->task : CATALOG_NONE,
		.prev = SLOT_NONE,
		.next = p->first,
		.start_ns = time_ns,
		.indexed = true,
	};
	struct thread *t = &ps->thread.data[slot];
	if (t->task != CATALOG_NONE)
		ps->process_of.data[t->task] = process;
	if (p->first != SLOT_NONE)
		ps->thread.data[p->first].prev = slot;
	p->first = slot;
	p->alive++;
	ps->threads_n++;
	index_add(&ps->by_tid, index_hash(&ps->by_tid, tid), slot);
	if (p->dead) /* a late sample of an ended process */
		thread_kill(ps, slot, time_ns);
	show_alive(ps, &ps->process.data[process]);
	return slot;
}

static uint32_t process_add(struct processes *ps, uint32_t pid, uint64_t time_ns)
{
	uint32_t slot = ps->process_free;
	if (slot != SLOT_NONE) {
		ps->process_free = ps->process.data[slot].first;
	} else {
		slot = (uint32_t)ps->process.n;
		vec_push(&ps->process) = (struct process){0};
	}
	struct process *p = &ps->process.data[slot];
	*p = (struct process){
		.pid = pid,
		.task = CATALOG_NONE,
		.uid = CATALOG_NONE,
		.first = SLOT_NONE,
		.start_ns = time_ns,
		.indexed = true,
	};
	process_set_space(p, space_ref(ps->empty));
	index_add(&ps->by_pid, index_hash(&ps->by_pid, pid), slot);
	uint32_t other = thread_find(ps, pid); /* a thread of an earlier process */
	if (other != SLOT_NONE)
		thread_end_replaced(ps, other, time_ns);
	thread_add(ps, slot, pid, time_ns);
	return slot;
}

uint32_t process_get(struct processes *ps, uint32_t pid, uint64_t time_ns)
{
	uint32_t slot = process_find(ps, pid);
	return slot != SLOT_NONE ? slot : process_add(ps, pid, time_ns);
}

uint32_t thread_get(struct processes *ps, uint32_t pid, uint32_t tid, uint64_t time_ns)
{
	uint32_t slot = thread_find(ps, tid);
	if (slot != SLOT_NONE) {
		if (ps->thread.data[slot].pid == pid)
			return slot;
		thread_end_replaced(ps, slot, time_ns);
	}
	uint32_t process = process_get(ps, pid, time_ns);
	slot = thread_find(ps, tid);
	return slot != SLOT_NONE ? slot : thread_add(ps, process, tid, time_ns);
}

void processes_renumber(struct processes *ps)
{
	for (size_t i = 0; i < ps->process.n; i++)
		if (ps->process.data[i].space)
			ps->process.data[i].space->id = SPACE_KERNEL;
	ps->next_space = SPACE_FIRST;
	ps->empty->id = ps->next_space++;
	for (size_t i = 0; i < ps->process.n; i++) {
		struct process *p = &ps->process.data[i];
		if (p->space && p->space->id == SPACE_KERNEL)
			p->space->id = ps->next_space++;
		if (p->space)
			p->space_id = p->space->id;
	}
}

/* ---- applying records ------------------------------------------------------------ */

static void set_comm(struct processes *ps, struct thread *t, const char *comm, uint64_t time_ns)
{
	bool had_none = !t->comm_known;
	memset(t->comm, 0, sizeof(t->comm));
	memcpy(t->comm, comm, strnlen(comm, sizeof(t->comm) - 1));
	t->comm_known = true;
	struct task_info *tasks = ps->names->cat.tasks;
	uint32_t leader = ps->process.data[t->process].task;
	bool leads = ps->keep_comms && t->tid == t->pid && leader != CATALOG_NONE;
	if (t->task == CATALOG_NONE && !leads)
		return; /* the thread was not sampled, so its name is not needed */
	const char *name = intern_string(ps->names->strings, t->comm);
	/* With keep_comms, the entry of the process gets the new name: it has no samples of its own. */
	if (leads)
		names_set_comm(ps->names, leader, name);
	if (t->task == CATALOG_NONE || tasks[t->task].comm == name)
		return;
	if (!ps->keep_comms || had_none) {
		names_set_comm(ps->names, t->task, name);
	} else {
		tasks[t->task].exit_ns = time_ns ? time_ns : 1;
		ps->process_of.data[t->task] = 0;
		t->task = CATALOG_NONE;
	}
}

void process_relearn(struct processes *ps, uint32_t slot, uint64_t time_ns)
{
	struct process *p = &ps->process.data[slot];
	struct proc_identity id;
	p->doubtful = false;
	p->identity_known = true;
	if (p->kernel || ps->proc.identity(ps->proc.ctx, (int32_t)p->pid, (int32_t)p->pid, &id) < 0)
		return;
	p->uid = id.uid;
	process_learn_parent(ps, p, id.ppid);
	uint32_t leader = thread_find(ps, p->pid);
	if (leader != SLOT_NONE && strcmp(ps->thread.data[leader].comm, id.comm) != 0)
		set_comm(ps, &ps->thread.data[leader], id.comm, time_ns);
	struct space *old = p->space;
	bool known = p->maps_known;
	process_set_space(p, space_ref(ps->empty));
	p->maps_known = false;
	process_learn_maps(ps, slot, time_ns);
	p = &ps->process.data[slot];
	if (p->maps_known) {
		space_unref(old);
	} else {
		space_unref(p->space);
		process_set_space(p, old);
		p->maps_known = known;
	}
}

/* Applies an exec: the process keeps one thread and no mappings, and may get another owner. */
static void exec(struct processes *ps, uint32_t slot, uint32_t tid, uint64_t time_ns)
{
	struct process *p = &ps->process.data[slot];
	for (uint32_t t = p->first; p->alive > 1 && t != SLOT_NONE; t = ps->thread.data[t].next)
		if (ps->thread.data[t].tid != tid)
			thread_kill(ps, t, time_ns);
	jits_leave(ps->jits, &p->jit);
	p->exec_ns = time_ns;
	p->parent = 0;
	space_unref(p->space);
	process_set_space(p, space_ref(ps->empty));
	p->maps_known = true;
	p->identity_known = false;
	p->kernel = false;
	p->runtime = RUNTIME_NONE;
	p->jit_runtime = NULL;
	if (p->task == CATALOG_NONE)
		return;
	ps->names->cat.tasks[p->task].kernel = ps->names->cat.tasks[p->task].self = false;
	ps->names->cat.tasks[p->task].runtime = RUNTIME_NONE;
	ps->names->cat.tasks[p->task].jit_runtime = NULL;
	ps->names->cat.tasks[p->task].exec_ns = time_ns;
}

void processes_comm(struct processes *ps, const struct record *rec)
{
	uint32_t pid = rec->u.comm.pid, tid = rec->u.comm.tid;
	if (!is_process_id(pid) || !is_process_id(tid))
		return;
	uint64_t time_ns = rec->id.time_ns;
	uint32_t slot = thread_get(ps, pid, tid, time_ns);
	if (ps->thread.data[slot].dead) {
		/* the id is in use again: it was reused, or an exec took over the leader's id */
		thread_end_replaced(ps, slot, time_ns);
		slot = thread_get(ps, pid, tid, time_ns);
	}
	if (rec->misc & MISC_COMM_EXEC)
		exec(ps, ps->thread.data[slot].process, tid, time_ns);
	set_comm(ps, &ps->thread.data[slot], rec->u.comm.comm, time_ns);
	const struct process *p = &ps->process.data[ps->thread.data[slot].process];
	if (p->jit && tid == pid)
		jits_comm(ps->jits, p->jit, ps->thread.data[slot].comm);
}

static void inherit_comm(struct processes *ps, uint32_t child, uint32_t ptid, uint64_t time_ns)
{
	uint32_t parent = thread_find(ps, ptid);
	if (parent == SLOT_NONE || !ps->thread.data[parent].comm_known)
		return;
	char comm[COMM_SIZE];
	memcpy(comm, ps->thread.data[parent].comm, sizeof(comm));
	set_comm(ps, &ps->thread.data[child], comm, time_ns);
}

static void fork_process(struct processes *ps, const struct record *rec, uint64_t time_ns)
{
	uint32_t pid = rec->u.task.pid, ppid = rec->u.task.ppid;
	uint32_t old = process_find(ps, pid);
	if (old != SLOT_NONE)
		process_end_replaced(ps, old, time_ns);
	if (!is_process_id(ppid)) {
		process_add(ps, pid, time_ns);
		return;
	}
	if (rec->misc & MISC_FORK_EXEC) {
		/* no fork: the record stands for a process that existed already; its mappings follow */
		uint32_t slot = process_add(ps, pid, time_ns); /* may move the array */
		process_learn_parent(ps, &ps->process.data[slot], ppid);
		return;
	}
	uint32_t parent = process_get(ps, ppid, time_ns);
	/* Reads the parent's mappings now: the child has the same, and may end before it is sampled. */
	if (!ps->process.data[parent].maps_known) {
		process_learn_identity(ps, parent);
		process_learn_maps(ps, parent, time_ns);
	}
	uint32_t child = process_add(ps, pid, time_ns);
	struct process *c = &ps->process.data[child];
	struct process *p = &ps->process.data[parent];
	p->started++;
	if (p->task != CATALOG_NONE)
		ps->names->cat.tasks[p->task].started = p->started;
	space_unref(c->space);
	process_set_space(c, space_ref(p->space));
	c->maps_known = p->maps_known;
	c->jit_runtime = p->jit_runtime;
	c->uid = p->uid;
	c->kernel = p->kernel;
	inherit_comm(ps, c->first, rec->u.task.ptid, time_ns);
	c->parent = ppid;
	process_learn_parent(ps, c, ppid);
	c->fork_ns = time_ns;
	if (p->jit) /* at once, because the parent may end before the child is sampled */
		process_jit(ps, c);
}

void processes_fork(struct processes *ps, const struct record *rec)
{
	uint32_t pid = rec->u.task.pid, tid = rec->u.task.tid;
	if (!is_process_id(pid) || !is_process_id(tid))
		return;
	uint64_t time_ns = rec->u.task.time_ns;
	reap(ps, time_ns);
	if (pid != rec->u.task.ppid) {
		fork_process(ps, rec, time_ns);
		return;
	}
	uint32_t old = thread_find(ps, tid);
	if (old != SLOT_NONE)
		thread_end_replaced(ps, old, time_ns);
	inherit_comm(ps, thread_get(ps, pid, tid, time_ns), rec->u.task.ptid, time_ns);
}

void processes_exit(struct processes *ps, const struct record *rec)
{
	uint64_t time_ns = rec->u.task.time_ns;
	reap(ps, time_ns);
	uint32_t slot = thread_find(ps, rec->u.task.tid);
	if (slot != SLOT_NONE && ps->thread.data[slot].pid == rec->u.task.pid)
		thread_kill(ps, slot, time_ns);
}

void processes_mmap(struct processes *ps, const struct record *rec)
{
	const struct record_mmap *m = &rec->u.mmap;
	unsigned mode = rec->misc & MISC_CPUMODE_MASK;
	if (!is_process_id(m->pid) || mode == MISC_KERNEL || rec->misc & MISC_MMAP_DATA)
		return;
	/* prot == 0: the writer of the record left prot unset, so keep the mapping */
	if (rec->type == RECORD_MMAP2 && m->prot & PROT_ANY && !(m->prot & PROT_EXECUTE))
		return;
	process_add_map(ps, process_get(ps, m->pid, rec->id.time_ns), m);
}
