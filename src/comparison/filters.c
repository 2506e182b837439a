/* Makes filters from the user's options: processes, threads, users, CPUs, commands. */
#include <cyctop/comparison.h>

#include <fnmatch.h>
#include <stdio.h>
#include <string.h>

static const struct task_info *task_of(const struct model_names *names, uint32_t id)
{
	return id < names->cat->tasks_n ? &names->cat->tasks[id] : NULL;
}

static bool has_id(const struct target *target, int32_t id)
{
	for (size_t i = 0; i < target->ids_n; i++)
		if (id >= 0 && target->ids[i] == (uint32_t)id)
			return true;
	return false;
}

static bool is_process(const void *ctx, const struct model_names *names, uint32_t id)
{
	const struct task_info *task = task_of(names, id);
	return task && has_id(ctx, task->pid);
}

static bool is_thread(const void *ctx, const struct model_names *names, uint32_t id)
{
	const struct task_info *task = task_of(names, id);
	return task && has_id(ctx, task->tid);
}

static bool is_users(const void *ctx, const struct model_names *names, uint32_t id)
{
	const struct task_info *task = task_of(names, id);
	return task && !task->idle && task->uid == ((const struct target *)ctx)->uid;
}

static bool is_on_cpu(const void *ctx, const struct model_names *names, uint32_t id)
{
	(void)names;
	return cpu_bits_has(&((const struct target *)ctx)->cpus, id);
}

/* Returns true if the name of a task or of its process matches the pattern `ctx` (fnmatch). */
static bool is_command(const void *ctx, const struct model_names *names, uint32_t id)
{
	const char *pattern = ctx;
	const struct task_info *task = task_of(names, id), *leader = task ? task_of(names, task->leader) : NULL;
	return (task && task->comm && fnmatch(pattern, task->comm, 0) == 0) ||
	       (leader && leader->comm && fnmatch(pattern, leader->comm, 0) == 0);
}

static const struct {
	enum dimension_id dim;
	bool (*accepts)(const void *ctx, const struct model_names *names, uint32_t id);
} by_kind[] = {
	[TARGET_PROCESSES] = {DIM_PID, is_process},
	[TARGET_THREADS] = {DIM_TID, is_thread},
	[TARGET_USER] = {DIM_USER, is_users},
};

static void add_text(struct filters *f, const char *before, const char *what, const char *after)
{
	size_t n = strlen(f->text);
	snprintf(f->text + n, sizeof(f->text) - n, "%s%s%.60s%s", n ? ", " : "", before, what, after);
}

void filters_init(const struct target *t, const char *comm, struct filters *ret)
{
	*ret = (struct filters){.n = 0};
	if (t) {
		target_text(t, "", ret->text, sizeof(ret->text) / 2);
		if (t->kind != TARGET_ALL)
			ret->v[ret->n++] = (struct filter){
				.dim = by_kind[t->kind].dim, .accepts = by_kind[t->kind].accepts, .ctx = t};
		if (t->some_cpus)
			ret->v[ret->n++] = (struct filter){.dim = DIM_CPU, .accepts = is_on_cpu, .ctx = t};
	}
	if (comm) {
		ret->v[ret->n++] = (struct filter){.dim = DIM_COMM, .accepts = is_command, .ctx = comm};
		add_text(ret, "command '", comm, "'");
	}
}
