/* Adds to the panel of the key y how code without a name could get one. */
#include "view/columns.h"

#include <string.h>

static const struct jit_runtime *jit_runtime_of_task(const struct catalog *cat, uint32_t task)
{
	const struct task_info *t = task < cat->tasks_n ? &cat->tasks[cat->tasks[task].leader] : NULL;
	return t ? jit_runtime_of(t->runtime, t->jit_runtime, t->comm) : NULL;
}

/* Returns true if the process of `task` cannot be asked or restarted, because it is in a recording, or has ended. */
static bool is_past(const struct view_input *in, uint32_t task)
{
	const struct task_info *tasks = in->cat->tasks;
	return in->info->playable || (task != CATALOG_NONE && tasks[tasks[task].leader].exit_ns);
}

/* Adds the command that makes a JIT runtime write names.  Replaces the word PID in it by the pid of `task`, unless
 * `task` is CATALOG_NONE. */
static void add_how(const struct view_input *in, const struct jit_runtime *m, uint32_t task, struct strbuf *b)
{
	static const char word[] = "PID";
	const struct task_info *tasks = in->cat->tasks;
	const char *how = is_past(in, task) && m->next_time ? m->next_time : m->how, *pid = strstr(how, word);
	if (pid && task != CATALOG_NONE)
		strbuf_addf(b, "%.*s%d%s", (int)(pid - how), how, tasks[tasks[task].leader].pid,
			    pid + sizeof(word) - 1);
	else
		strbuf_add(b, how);
}

/* Counts the processes with a JIT runtime, in a recording also those that have ended.  *first_ret: the first. */
static unsigned count_processes(const struct view_input *in, const struct jit_runtime *m, uint32_t *first_ret)
{
	const struct catalog *cat = in->cat;
	unsigned n = 0;
	for (uint32_t i = 0; i < cat->tasks_n; i++) {
		bool counts = cat->tasks[i].leader == i && (in->info->playable || !cat->tasks[i].exit_ns);
		if (!counts || jit_runtime_of_task(cat, i) != m)
			continue;
		*first_ret = n++ ? *first_ret : i;
	}
	return n;
}

/* Adds what the key F would do, or that the process was asked already.  Returns false if no process can be asked. */
static bool add_asking(const struct view_input *in, uint32_t task, struct strbuf *b)
{
	const struct task_info *tasks = in->cat->tasks;
	unsigned n;
	uint32_t found = ask_find(in, task, &n);
	if (task < in->cat->tasks_n && ask_writes_names(in, tasks[task].leader)) {
		strbuf_add(b, " It was asked for the names of its code, and goes on writing them; this is not among "
			      "them.");
		return true;
	}
	if (found == CATALOG_NONE)
		return false;
	const struct runtime *runtime = &runtimes[tasks[found].runtime];
	if (n == 1)
		strbuf_addf(b, " The key F, pressed twice, asks %s (pid %d) for the names of its code (%s). %s",
			    tasks[found].comm ? tasks[found].comm : runtime->name, tasks[found].pid, runtime->since,
			    runtime->effect);
	else
		strbuf_addf(b,
			    " The key F asks one of %u processes for the names of its code, after it has said what "
			    "that does to the process.",
			    n);
	return true;
}

/* Adds the advice for each JIT runtime that runs in a process; returns the number of these runtimes. */
static unsigned add_all(const struct view_input *in, struct strbuf *b)
{
	const struct jit_runtime *only = NULL;
	unsigned kinds = 0;
	uint32_t first = CATALOG_NONE, unused;
	for (size_t i = 0; i < jit_runtimes_n; i++) {
		unsigned n = count_processes(in, &jit_runtimes[i], &first);
		if (!n)
			continue;
		only = &jit_runtimes[i];
		first = n == 1 ? first : CATALOG_NONE;
		kinds++;
	}
	if (kinds == 1)
		add_how(in, only, first, b);
	for (size_t i = 0, said = 0; kinds > 1 && i < jit_runtimes_n; i++) {
		if (!count_processes(in, &jit_runtimes[i], &unused))
			continue;
		strbuf_addf(b, "%s%s: ", said++ ? "; " : "", jit_runtimes[i].comm);
		add_how(in, &jit_runtimes[i], CATALOG_NONE, b);
	}
	return kinds;
}

/* Adds advice for JIT code of a task or, if the task is not known (CATALOG_NONE), of any process. */
static void add_runtimes(const struct view_input *in, uint32_t task, struct strbuf *b)
{
	if (add_asking(in, task, b))
		return;
	const struct jit_runtime *known = jit_runtime_of_task(in->cat, task);
	bool past = is_past(in, task);
	strbuf_add(b, past ? " What helps next time: " : " What helps: ");
	if (known)
		add_how(in, known, task, b);
	else if (task != CATALOG_NONE || !add_all(in, b))
		strbuf_addf(b, "an option with which its runtime writes a perf map, as %snode's --perf-basic-prof",
			    past ? "" : "java's jcmd PID Compiler.perfmap and ");
	strbuf_add(b, ".");
}

void remedy_add(const struct view_input *in, const struct sym_info *s, uint32_t task, struct strbuf *b)
{
	const struct dso_info *dso = s->dso < in->cat->dsos_n ? &in->cat->dsos[s->dso] : NULL;
	bool nameless = s->state == SYM_GROUP || s->state == SYM_UNRESOLVED;
	bool partial = s->state == SYM_NAMED && (s->origin == ORIGIN_DYNSYM || s->origin == ORIGIN_MINIDEBUG);
	if (!dso || dso->kernel || (!nameless && !partial))
		return;
	if (nameless && dso_is_memory(dso))
		add_runtimes(in, task, b);
	else if (dso->path[0] != '/')
		return;
	else if (in->fetch.possible && dso->build_id)
		strbuf_addf(b, " The key F asks a debuginfod server for %s.", nameless ? "its names" : "all of them");
	else if (nameless)
		strbuf_addf(b, " What helps: its debug symbols, from a package (NAME-dbgsym, NAME-debuginfo)%s.",
			    dso->build_id ? " or from a debuginfod server (--debuginfod URL, then the key F)" : "");
}
