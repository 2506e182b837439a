/* Learns the names, owners and parents of processes. */
#include "resolve/task/process.h"

#include <string.h>

void thread_learn_comm(struct thread *t, const struct proc_identity *id)
{
	if (t->comm_known)
		return;
	memcpy(t->comm, id->comm, sizeof(id->comm));
	t->comm[sizeof(id->comm) - 1] = '\0';
	t->comm_known = true;
}

/* Writes the name that the process has now to `name`; "": unknown. */
static void name_now(const struct processes *ps, uint32_t pid, char name[COMM_SIZE])
{
	uint32_t leader = thread_find(ps, pid);
	struct thread unknown = {.pid = pid};
	const struct thread *t = leader != SLOT_NONE ? &ps->thread.data[leader] : &unknown;
	struct proc_identity id;
	if (!t->comm_known && ps->proc.identity(ps->proc.ctx, (int32_t)pid, (int32_t)pid, &id) == 0) {
		thread_learn_comm(&unknown, &id);
		t = &unknown;
	}
	memcpy(name, t->comm, COMM_SIZE);
}

void process_learn_parent(const struct processes *ps, struct process *p, uint32_t ppid)
{
	if (p->ppid || !is_process_id(ppid) || ppid == p->pid)
		return;
	p->ppid = ppid;
	process_name_parent(ps, p);
}

void process_name_parent(const struct processes *ps, struct process *p)
{
	if (!p->started_by[0])
		name_now(ps, p->ppid, p->started_by);
}

void process_learn_identity(struct processes *ps, uint32_t slot)
{
	struct process *p = &ps->process.data[slot];
	if (p->identity_known)
		return;
	p->identity_known = true;
	struct proc_identity id;
	if (ps->proc.identity(ps->proc.ctx, (int32_t)p->pid, (int32_t)p->pid, &id) < 0)
		return;
	p->uid = id.uid;
	p->kernel = id.kernel;
	process_learn_parent(ps, p, id.ppid);
	uint32_t leader = thread_find(ps, p->pid);
	if (leader != SLOT_NONE)
		thread_learn_comm(&ps->thread.data[leader], &id);
}
