/* Adds up the CPU time of each task as a scheduler would: from `load` and `ran` statements.  The CPU time of tasks
 * without either statement is unknown. */
#include "source/synth/synth.h"

struct wanted {
	const struct synth *sy;
	uint32_t pid, tid;
};

static bool is_task(const void *ctx, uint32_t at)
{
	const struct wanted *w = ctx;
	const struct synth_task *t = &w->sy->tasks.data[at];
	return t->pid == w->pid && t->tid == w->tid;
}

static uint64_t hash(const struct synth *sy, uint32_t pid, uint32_t tid)
{
	return index_hash(&sy->by_task, (uint64_t)pid << 32 | tid);
}

static struct synth_task *find(struct synth *sy, uint32_t pid, uint32_t tid)
{
	uint32_t at = index_find(&sy->by_task, hash(sy, pid, tid), is_task, &(struct wanted){sy, pid, tid});
	return at == INDEX_NONE ? NULL : &sy->tasks.data[at];
}

static void add(struct synth *sy, uint32_t pid, uint32_t tid)
{
	if (find(sy, pid, tid))
		return;
	index_add(&sy->by_task, hash(sy, pid, tid), (uint32_t)sy->tasks.n);
	vec_push(&sy->tasks) = (struct synth_task){.pid = pid, .tid = tid};
}

void sched_begin(struct synth *sy)
{
	index_init(&sy->by_task);
	for (size_t i = 0; i < sy->script.stmts.n; i++) {
		const struct stmt *st = &sy->script.stmts.data[i];
		if ((st->kind != STMT_LOAD && st->kind != STMT_RAN) || !st->pid)
			continue;
		add(sy, st->pid, 0);
		add(sy, st->pid, st->tid);
	}
}

void sched_end(struct synth *sy)
{
	vec_free(&sy->tasks);
	index_deinit(&sy->by_task);
}

void sched_ran(struct synth *sy, uint32_t pid, uint32_t tid, uint64_t ns)
{
	struct synth_task *process = find(sy, pid, 0), *thread = find(sy, pid, tid);
	if (!process || !thread)
		return;
	process->step_ns = u64_add_sat(process->step_ns, ns);
	thread->step_ns = u64_add_sat(thread->step_ns, ns);
}

static void start(struct synth *sy, uint32_t pid, uint32_t tid)
{
	struct synth_task *t = find(sy, pid, tid);
	if (t)
		*t = (struct synth_task){.pid = pid, .tid = tid};
}

void sched_enter(struct synth *sy, const struct script_tick *tick)
{
	for (uint32_t i = tick->first; i < tick->first + tick->n; i++) {
		const struct stmt *st = &sy->script.stmts.data[i];
		if (st->kind == STMT_RAN)
			sched_ran(sy, st->pid, st->tid, st->value);
		if (st->kind != STMT_FORK)
			continue;
		if (st->pid != st->child_pid)
			start(sy, st->child_pid, 0);
		start(sy, st->child_pid, st->child_tid);
	}
}

void sched_leave(struct synth *sy, const struct script_tick *tick)
{
	for (uint32_t i = tick->first; i < tick->first + tick->n; i++) {
		const struct stmt *st = &sy->script.stmts.data[i];
		if (st->kind != STMT_EXIT)
			continue;
		struct synth_task *thread = find(sy, st->pid, st->tid), *process = find(sy, st->pid, 0);
		if (thread)
			thread->ended = true;
		if (process && st->pid == st->tid)
			process->ended = true;
	}
}

void sched_begin_interval(struct synth *sy)
{
	for (size_t i = 0; i < sy->tasks.n; i++)
		sy->tasks.data[i].step_ns = 0;
}

void sched_end_interval(struct synth *sy)
{
	for (size_t i = 0; i < sy->tasks.n; i++)
		sy->tasks.data[i].cpu_ns = u64_add_sat(sy->tasks.data[i].cpu_ns, sy->tasks.data[i].step_ns);
}

void synth_processes(struct source *src, void (*add_pid)(void *ctx, uint32_t pid), void *ctx)
{
	const struct synth *sy = (const struct synth *)src;
	for (size_t i = 0; i < sy->script.tasks.n; i++)
		add_pid(ctx, sy->script.tasks.data[i].pid);
}

void synth_task_times(struct source *src, struct task_time *tasks, size_t n)
{
	struct synth *sy = (struct synth *)src;
	for (size_t i = 0; i < n; i++) {
		const struct synth_task *t = find(sy, tasks[i].pid, tasks[i].tid);
		tasks[i].known = t && !t->ended;
		tasks[i].cpu_ns = t ? t->cpu_ns : 0;
	}
}
