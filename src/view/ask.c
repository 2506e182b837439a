/* Finds processes whose JIT runtime can be asked for the names of its code. */
#include "view/columns.h"

#include <string.h>

bool dso_is_memory(const struct dso_info *dso)
{
	return strncmp(dso->path, "[anon", 5) == 0 || strcmp(dso->path, "[heap]") == 0 ||
	       strncmp(dso->path, "/memfd:", 7) == 0 || strncmp(dso->path, "/SYSV", 5) == 0;
}

bool code_is_unnamed_jit(const struct view_input *in, uint32_t sym)
{
	const struct sym_info *s = sym < in->cat->syms_n ? &in->cat->syms[sym] : NULL;
	return s && s->state == SYM_UNRESOLVED && s->dso < in->cat->dsos_n && dso_is_memory(&in->cat->dsos[s->dso]);
}

uint32_t row_task(const struct view_input *in, const struct row *row)
{
	if (row->task != CATALOG_NONE)
		return row->task;
	return in->zoomed_task != CATALOG_NONE ? in->zoomed_task : row->top;
}

bool ask_writes_names(const struct view_input *in, uint32_t leader)
{
	return in->writes_names && in->writes_names(in->ctx, leader);
}

/* Returns the task's process if it is alive, can be asked, and is not writing names already; else CATALOG_NONE. */
static uint32_t process_of(const struct view_input *in, uint32_t task)
{
	const struct task_info *tasks = in->cat->tasks;
	uint32_t leader = task < in->cat->tasks_n ? tasks[task].leader : CATALOG_NONE;
	bool can = leader < in->cat->tasks_n && tasks[leader].runtime != RUNTIME_NONE && !tasks[leader].exit_ns &&
		   !ask_writes_names(in, leader);
	return can ? leader : CATALOG_NONE;
}

uint32_t ask_find(const struct view_input *in, uint32_t task, unsigned *n_ret)
{
	uint32_t found = CATALOG_NONE;
	*n_ret = 0;
	if (!in->lacks_names)
		return CATALOG_NONE;
	if (task != CATALOG_NONE) {
		found = process_of(in, task);
		*n_ret = found != CATALOG_NONE;
		return found;
	}
	for (uint32_t i = 0; i < in->cat->tasks_n; i++) {
		if (process_of(in, i) != i || !in->lacks_names(in->ctx, i))
			continue;
		found = found == CATALOG_NONE ? i : found;
		++*n_ret;
	}
	return found;
}

const char *ask_hint(const struct view_input *in, uint32_t sym, uint32_t task, const char *name)
{
	unsigned n;
	if (!in->lacks_names || task == CATALOG_NONE || !code_is_unnamed_jit(in, sym))
		return name;
	uint32_t found = ask_find(in, task, &n);
	return found == CATALOG_NONE ? name : runtimes[in->cat->tasks[found].runtime].hint;
}
