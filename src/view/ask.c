/* The key F on a process whose runtime tells the names of the code that it made. */
#include "view/columns.h"
#include "view/screen.h"

#include <string.h>

/* Is it the code without a name in such memory? */
static bool code_is_made(const struct view_input *in, uint32_t sym)
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

bool ask_goes_on(const struct view_input *in, uint32_t leader)
{
	return in->goes_on && in->goes_on(in->ctx, leader);
}

/* The process of the task, if it lives and can be asked; or CATALOG_NONE. */
static uint32_t process_of(const struct view_input *in, uint32_t task)
{
	const struct task_info *tasks = in->cat->tasks;
	uint32_t leader = task < in->cat->tasks_n ? tasks[task].leader : CATALOG_NONE;
	bool can = leader < in->cat->tasks_n && tasks[leader].runtime != RUNTIME_NONE && !tasks[leader].exit_ns &&
		   !ask_goes_on(in, leader);
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
	if (!in->lacks_names || task == CATALOG_NONE || !code_is_made(in, sym))
		return name;
	uint32_t found = ask_find(in, task, &n);
	return found == CATALOG_NONE ? name : runtimes[in->cat->tasks[found].runtime].hint;
}

/* Handles F for a process: the first F says what asking does to the process, the second one asks.  Each confirmation is
 * for one question: after its result, the next F says again what asking does. */
static unsigned ask_process(const struct press *p, uint32_t found)
{
	const struct task_info *t = &p->in->cat->tasks[found];
	const struct runtime *runtime = &runtimes[t->runtime];
	struct catalog_ref ref = catalog_task_ref(p->in->cat, found), told = p->st->told;
	bool yes = told.id == ref.id && told.generation == ref.generation;
	p->st->told = yes ? CATALOG_REF_NONE : ref;
	p->st->asked = yes ? ref : CATALOG_REF_NONE;
	if (yes)
		return REACT_REDRAW | REACT_ASK;
	state_say(p->st,
		  "F again asks %.20s (pid %d) for the names of its code (%s). %s With any other key, nothing is sent.",
		  t->comm ? t->comm : runtime->name, t->pid, runtime->since, runtime->effect);
	return REACT_REDRAW;
}

bool ask_fetch(const struct press *p, const struct selection *sel, unsigned *reaction_ret)
{
	const struct view_input *in = p->in;
	unsigned n = 0;
	if (!in->lacks_names || !sel->row || !code_is_made(in, sel->sym))
		return false;
	uint32_t task = row_task(in, sel->row);
	uint32_t found = ask_find(in, task, &n);
	*reaction_ret = REACT_REDRAW;
	if (n == 1)
		*reaction_ret = ask_process(p, found);
	else if (n)
		state_say(p->st,
			  "%u processes that can be asked have code without names. Select one (v, then t), then press "
			  "F.",
			  n);
	else if (task < in->cat->tasks_n && ask_goes_on(in, in->cat->tasks[task].leader))
		state_say(p->st, "It was asked, and goes on writing the names of its code; this is not among them.");
	else
		return false;
	return true;
}
