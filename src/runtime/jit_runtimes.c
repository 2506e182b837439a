#include <cyctop/runtime.h>

#include <string.h>

const struct jit_runtime jit_runtimes[] = {
	{"java", "jcmd PID Compiler.perfmap (JDK 17 and later; again after more was compiled)", RUNTIME_JVM, "libjvm",
	 .next_time = "cyctop record, which reads the names that the JVM has"},
	{"node", "node --perf-basic-prof", RUNTIME_NONE, "libnode", NULL},
	{"python",
	 "a profiler for Python, such as py-spy: python3 -X perf names only trampolines, in which hardly any time is "
	 "spent",
	 RUNTIME_NONE, "libpython", NULL},
	{"dotnet", "DOTNET_PerfMapEnabled=1 in its environment, or the key F while it runs (.NET 8 and later)",
	 RUNTIME_DOTNET, "libcoreclr", .next_time = "DOTNET_PerfMapEnabled=1 in its environment"},
	{"php", "opcache.jit_debug=0x10 in its settings", RUNTIME_NONE, "libphp", NULL},
	{"ruby", "ruby --yjit --yjit-perf (3.3 and later)", RUNTIME_NONE, "libruby", NULL},
	{"beam", "erl +JPperf true (Erlang/OTP 24 and later)", RUNTIME_NONE, NULL, NULL},
	{"julia", "ENABLE_JITPROFILING=1 in its environment, of a Julia that was built with USE_PERF_JITEVENTS=1",
	 RUNTIME_NONE, "libjulia", NULL},
	{"luajit", "a LuaJIT that was built with -DLUAJIT_USE_PERFTOOLS", RUNTIME_NONE, "libluajit", NULL},
	{"deno", "deno --v8-flags=--perf-basic-prof", RUNTIME_NONE, NULL, NULL},
	{"wasmtime", "wasmtime --profile=perfmap", RUNTIME_NONE, "libwasmtime", NULL},
};
const size_t jit_runtimes_n = ARRAY_LEN(jit_runtimes);

/* Returns true if the file's name is `name` with a version: "python3.11" and "libnode.so.108", but not
 * "node_exporter". */
static bool is_file(const char *base, const char *name)
{
	size_t n = name ? strlen(name) : 0;
	return n && strncmp(base, name, n) == 0 && strchr("0123456789.- ", base[n]);
}

const struct jit_runtime *jit_runtime_of_file(const char *path)
{
	const char *slash = strrchr(path, '/'), *base = slash ? slash + 1 : path;
	for (size_t i = 0; slash && i < jit_runtimes_n; i++)
		if (is_file(base, jit_runtimes[i].comm) || is_file(base, jit_runtimes[i].library))
			return &jit_runtimes[i];
	return NULL;
}

const struct jit_runtime *jit_runtime_of(enum runtime_kind runtime, const struct jit_runtime *mapped, const char *comm)
{
	bool asked = runtime != RUNTIME_NONE;
	if (!asked && mapped)
		return mapped;
	for (size_t i = 0; i < jit_runtimes_n; i++) {
		const struct jit_runtime *m = &jit_runtimes[i];
		if (asked ? m->kind == runtime : comm && strncmp(comm, m->comm, strlen(m->comm)) == 0)
			return m;
	}
	return NULL;
}
