/* What would give code without a name one, for the panel of the key y. */
#include "view/screen.h"

#include <stdio.h>
#include <string.h>

static const struct code_maker *maker_of(const struct catalog *cat, uint32_t task)
{
	const struct task_info *t = task < cat->tasks_n ? &cat->tasks[cat->tasks[task].leader] : NULL;
	return t ? code_maker_of(t->runtime, t->maker, t->comm) : NULL;
}

/* `task`: the process that it is about, whose pid replaces the word PID. */
static void add_how(const struct code_maker *r, const struct catalog *cat, uint32_t task, struct strbuf *b)
{
	static const char word[] = "PID";
	const struct task_info *t = &cat->tasks[cat->tasks[task].leader];
	const char *pid = strstr(r->how, word);
	if (pid)
		strbuf_addf(b, "%.*s%d%s", (int)(pid - r->how), r->how, t->pid, pid + sizeof(word) - 1);
	else
		strbuf_add(b, r->how);
}

/* Does the process live, and is its runtime not among those before it? */
static bool is_first(const struct catalog *cat, uint32_t task)
{
	const struct task_info *t = &cat->tasks[task];
	const struct code_maker *r = maker_of(cat, task);
	if (!r || t->leader != task || t->exit_ns)
		return false;
	for (uint32_t i = 0; i < task; i++)
		if (!cat->tasks[i].exit_ns && cat->tasks[i].leader == i && maker_of(cat, i) == r)
			return false;
	return true;
}

/* What the key F does, or did; false: nobody can be asked. */
static bool add_asking(const struct view_input *in, uint32_t task, struct strbuf *b)
{
	const struct task_info *tasks = in->cat->tasks;
	unsigned n;
	uint32_t found = ask_find(in, task, &n);
	if (task < in->cat->tasks_n && ask_goes_on(in, tasks[task].leader)) {
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

/* Code made at run time: by this task or, if that is not known, by any that runs. */
static void add_runtimes(const struct view_input *in, uint32_t task, struct strbuf *b)
{
	const struct catalog *cat = in->cat;
	if (add_asking(in, task, b))
		return;
	const struct code_maker *known = maker_of(cat, task);
	bool any = known;
	strbuf_add(b, " What helps: ");
	if (known)
		add_how(known, cat, task, b);
	for (uint32_t i = 0; task == CATALOG_NONE && i < cat->tasks_n; i++) {
		if (!is_first(cat, i))
			continue;
		strbuf_add(b, any ? "; " : "");
		strbuf_addf(b, "%s: %s", cat->tasks[i].comm, maker_of(cat, i)->how);
		any = true;
	}
	if (!any)
		strbuf_add(b, "an option with which its runtime writes a perf map, as java's jcmd PID "
			      "Compiler.perfmap and node's --perf-basic-prof");
	strbuf_add(b, ".");
}

bool dso_is_memory(const struct dso_info *dso)
{
	return strncmp(dso->path, "[anon", 5) == 0 || strcmp(dso->path, "[heap]") == 0 ||
	       strncmp(dso->path, "/memfd:", 7) == 0 || strncmp(dso->path, "/SYSV", 5) == 0;
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
