#include <cyctop/runtime.h>

#include <string.h>

const struct runtime runtimes[RUNTIME_COUNT] = {
	[RUNTIME_JVM] =
		{
			.name = "the JVM",
			.hint = "[no symbol] (F: ask the JVM)",
			.since = "JDK 17 and later",
			.effect = "It is sent a SIGQUIT, once, which opens its attach socket, and writes "
				  "/tmp/perf-PID.map; later it is asked again when new code has no name.",
			.done = "wrote the names of its code; it is asked again when new code has none",
			.again = true,
			.libraries = {"libjvm.so"},
			.foreign = "libj9vm", /* OpenJ9 also has a libjvm.so, but only OpenJ9 maps this library */
		},
	[RUNTIME_DOTNET] =
		{
			.name = ".NET",
			.hint = "[no symbol] (F: ask .NET)",
			.since = ".NET 8 and later",
			.effect = "From then on, until it ends, it writes /tmp/perf-PID.map, which grows, and each "
				  "method that it compiles costs it a little more.",
			.done = "wrote the names of its code, and goes on writing those of new code",
			/* a single-file app maps no libcoreclr.so, but this memfd for its JIT code */
			.libraries = {"libcoreclr.so", "memfd:doublemapper"},
		},
};

/* Returns true if a file has this name, or "NAME (deleted)", as the kernel writes for a deleted file. */
static bool is_named(const char *base, const char *name)
{
	size_t n = strlen(name);
	return strncmp(base, name, n) == 0 && (!base[n] || strcmp(base + n, " (deleted)") == 0);
}

enum runtime_library runtime_library(enum runtime_kind kind, const char *path)
{
	const struct runtime *r = &runtimes[kind];
	const char *slash = strrchr(path, '/'), *base = slash ? slash + 1 : path;
	if (r->foreign && strncmp(base, r->foreign, strlen(r->foreign)) == 0)
		return LIBRARY_FOREIGN;
	for (size_t i = 0; i < ARRAY_LEN(r->libraries) && r->libraries[i]; i++)
		if (is_named(base, r->libraries[i]))
			return LIBRARY_RUNTIME;
	return LIBRARY_OTHER;
}

enum runtime_kind runtime_of_library(const char *path)
{
	for (enum runtime_kind kind = RUNTIME_NONE + 1; kind < RUNTIME_COUNT; kind++)
		if (runtime_library(kind, path) == LIBRARY_RUNTIME)
			return kind;
	return RUNTIME_NONE;
}
