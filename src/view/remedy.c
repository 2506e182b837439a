/* What would give code without a name one, for the panel of the key y. */
#include "view/screen.h"

#include <stdio.h>
#include <string.h>

/* How a runtime is made to write the names of the code that it makes; the commands of its processes begin so. */
static const struct runtime {
	const char *comm, *how;
} runtimes[] = {
	{"java",
	 "jcmd PID Compiler.perfmap (JDK 17 and later; again after more was compiled)"}, /* the first: see below */
	{"node", "node --perf-basic-prof"},
	{"python", "python3 -X perf (3.12 and later)"},
	{"dotnet", "DOTNET_PerfMapEnabled=1 in its environment"},
	{"php", "opcache.jit_debug=0x10 in its settings"},
	{"ruby", "ruby --yjit --yjit-perf (3.3 and later)"},
	{"beam", "erl +JPperf true (Erlang/OTP 24 and later)"},
	{"julia", "ENABLE_JITPROFILING=1 in its environment, of a Julia that was built with USE_PERF_JITEVENTS=1"},
	{"luajit", "a LuaJIT that was built with -DLUAJIT_USE_PERFTOOLS"},
	{"deno", "deno --v8-flags=--perf-basic-prof"},
	{"wasmtime", "wasmtime --profile=perfmap"},
};

static const struct runtime *runtime_of(const struct catalog *cat, uint32_t task)
{
	const struct task_info *t = task < cat->tasks_n ? &cat->tasks[cat->tasks[task].leader] : NULL;
	const char *comm = t ? t->comm : NULL;
	if (t && t->jvm)
		return &runtimes[0];
	for (size_t i = 0; comm && i < ARRAY_LEN(runtimes); i++)
		if (strncmp(comm, runtimes[i].comm, strlen(runtimes[i].comm)) == 0)
			return &runtimes[i];
	return NULL;
}

/* `task`: the process that it is about, whose pid replaces the word PID. */
static void add_how(const struct runtime *r, const struct catalog *cat, uint32_t task, struct strbuf *b)
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
	const struct runtime *r = runtime_of(cat, task);
	if (!r || t->leader != task || t->exit_ns)
		return false;
	for (uint32_t i = 0; i < task; i++)
		if (!cat->tasks[i].exit_ns && cat->tasks[i].leader == i && runtime_of(cat, i) == r)
			return false;
	return true;
}

/* Code made at run time: by this task or, if that is not known, by any that runs. */
static void add_runtimes(const struct view_input *in, uint32_t task, struct strbuf *b)
{
	const struct catalog *cat = in->cat;
	unsigned jvms;
	uint32_t jvm = jvm_find(in, task, &jvms);
	if (jvm != CATALOG_NONE) {
		strbuf_add(b, " The key F asks ");
		if (jvms == 1)
			strbuf_addf(b, "%s (pid %d)", cat->tasks[jvm].comm ? cat->tasks[jvm].comm : "the JVM",
				    cat->tasks[jvm].pid);
		else
			strbuf_add(b, "a JVM");
		strbuf_add(
			b,
			" for the names of its code, as jcmd does, after it has said what that does to the process.");
		return;
	}
	const struct runtime *known = runtime_of(cat, task);
	bool any = known;
	strbuf_add(b, " What helps: ");
	if (known)
		add_how(known, cat, task, b);
	for (uint32_t i = 0; task == CATALOG_NONE && i < cat->tasks_n; i++) {
		if (!is_first(cat, i))
			continue;
		strbuf_add(b, any ? "; " : "");
		strbuf_addf(b, "%s: %s", cat->tasks[i].comm, runtime_of(cat, i)->how);
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
