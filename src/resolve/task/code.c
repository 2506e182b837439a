/* Tells struct jits which processes have JIT code, and from which processes they inherited it. */
#include "resolve/task/process.h"

static uint32_t enter_jit(struct processes *ps, struct process *p, unsigned depth);

/* Lets a process inherit the JIT code that its parent had at the fork, unless another program has the parent's pid by
 * now. */
static void inherit_code(struct processes *ps, const struct process *p, unsigned depth)
{
	uint32_t slot = p->parent ? process_find(ps, p->parent) : SLOT_NONE;
	struct process *parent = slot != SLOT_NONE ? &ps->process.data[slot] : NULL;
	if (parent && parent->start_ns <= p->fork_ns && parent->exec_ns <= p->fork_ns)
		jits_inherit(ps->jits, p->jit, enter_jit(ps, parent, depth + 1), p->fork_ns);
}

static void tell_runtime(struct processes *ps, const struct process *p)
{
	if (p->jit)
		jits_runtime(ps->jits, p->jit, p->runtime == RUNTIME_JVM);
}

static uint32_t enter_jit(struct processes *ps, struct process *p, unsigned depth)
{
	enum { DEPTH_MAX = 8 };
	if (p->jit)
		return p->jit;
	uint32_t leader = thread_find(ps, p->pid);
	const char *comm = leader != SLOT_NONE ? ps->thread.data[leader].comm : "";
	jits_enter(ps->jits, &p->jit, &(struct jit_process){(int32_t)p->pid, p->uid, p->exec_ns, comm});
	tell_runtime(ps, p);
	if (depth < DEPTH_MAX)
		inherit_code(ps, p, depth);
	return p->jit;
}

uint32_t process_jit(struct processes *ps, struct process *p)
{
	return enter_jit(ps, p, 0);
}

bool process_lacks_code(const struct processes *ps, const struct process *p, uint64_t since_ns)
{
	return p->jit && jits_lacks(ps->jits, p->jit, since_ns);
}

void process_code_written(struct processes *ps, const struct process *p)
{
	if (p->jit)
		jits_written(ps->jits, p->jit);
}

void process_learn_library(struct processes *ps, struct process *p, const char *path)
{
	if (p->runtime == RUNTIME_NONE) /* the first mapped runtime library decides */
		p->runtime = runtime_of_library(path);
	if (!p->jit_runtime)
		p->jit_runtime = jit_runtime_of_file(path);
	tell_runtime(ps, p);
	if (p->task == CATALOG_NONE)
		return;
	ps->names->cat.tasks[p->task].runtime = p->runtime;
	ps->names->cat.tasks[p->task].jit_runtime = p->jit_runtime;
}
