/* JVMs, which know the names of the code that they made, and tell them when they are asked: the key F. */
#include "view/columns.h"
#include "view/screen.h"

#include <stdio.h>
#include <string.h>

bool code_is_made(const struct view_input *in, uint32_t sym)
{
	const struct sym_info *s = sym < in->cat->syms_n ? &in->cat->syms[sym] : NULL;
	return s && s->state == SYM_UNRESOLVED && s->dso < in->cat->dsos_n && dso_is_memory(&in->cat->dsos[s->dso]);
}

/* The process of the task, if it is a JVM that lives; or CATALOG_NONE. */
static uint32_t jvm_of(const struct catalog *cat, uint32_t task)
{
	uint32_t leader = task < cat->tasks_n ? cat->tasks[task].leader : CATALOG_NONE;
	return leader < cat->tasks_n && cat->tasks[leader].jvm && !cat->tasks[leader].exit_ns ? leader : CATALOG_NONE;
}

uint32_t jvm_find(const struct view_input *in, uint32_t task, unsigned *n_ret)
{
	uint32_t found = CATALOG_NONE;
	*n_ret = 0;
	if (!in->lacks_names)
		return CATALOG_NONE;
	if (task != CATALOG_NONE) {
		found = jvm_of(in->cat, task);
		*n_ret = found != CATALOG_NONE;
		return found;
	}
	for (uint32_t i = 0; i < in->cat->tasks_n; i++) {
		if (jvm_of(in->cat, i) != i || !in->lacks_names(in->ctx, i))
			continue;
		found = found == CATALOG_NONE ? i : found;
		++*n_ret;
	}
	return found;
}

const char *jvm_hint(const struct view_input *in, uint32_t sym, uint32_t task, const char *name)
{
	unsigned n;
	if (!in->lacks_names || !code_is_made(in, sym) || jvm_find(in, task, &n) == CATALOG_NONE)
		return name;
	return "[no symbol] (F: ask the JVM)";
}

bool jvm_fetch(const struct press *p, const struct selection *sel, unsigned *reaction_ret)
{
	struct view_state *st = p->st;
	unsigned n = 0;
	if (!p->in->lacks_names || !sel->row || !code_is_made(p->in, sel->sym))
		return false;
	bool of_task = dimensions[sel->dim].part == PART_TASK;
	uint32_t jvm = jvm_find(p->in, of_task ? sel->row->task : p->in->zoomed_task, &n);
	if (!n)
		return false;
	*reaction_ret = REACT_REDRAW;
	if (n > 1) {
		state_say(st, "%u JVMs have code without names. Select the process of one (v, then t), then press F.",
			  n);
		return true;
	}
	const struct task_info *t = &p->in->cat->tasks[jvm];
	struct catalog_ref ref = catalog_task_ref(p->in->cat, jvm);
	if (st->jvm_told.id == ref.id && st->jvm_told.generation == ref.generation) {
		*reaction_ret |= REACT_ASK;
		return true;
	}
	st->jvm_told = ref;
	state_say(
		st,
		"F again asks %.20s (pid %d) for the names of its code (JDK 17 and later). It is sent a SIGQUIT, once, "
		"which opens its attach socket, and writes /tmp/perf-PID.map; later it is asked again when new code "
		"has no name. With any other key, nothing is sent.",
		t->comm ? t->comm : "the JVM", t->pid);
	return true;
}
