#include "base/runtime.h"

#include "base/dotnet.h"
#include "base/jvm.h"

#include <string.h>

static enum runtime_library none(const char *path)
{
	(void)path;
	return LIBRARY_OTHER;
}

const struct runtime runtimes[RUNTIME_COUNT] = {
	[RUNTIME_NONE] = {.library = none},
	[RUNTIME_JVM] =
		{
			.name = "the JVM",
			.hint = "[no symbol] (F: ask the JVM)",
			.since = "JDK 17 and later",
			.effect = "It is sent a SIGQUIT, once, which opens its attach socket, and writes "
				  "/tmp/perf-PID.map; later it is asked again when new code has no name.",
			.done = "wrote the names of its code; it is asked again when new code has none",
			.again = true,
			.library = jvm_library,
		},
	[RUNTIME_DOTNET] =
		{
			.name = ".NET",
			.hint = "[no symbol] (F: ask .NET)",
			.since = ".NET 8 and later",
			.effect = "From then on, until it ends, it writes /tmp/perf-PID.map, which grows, and each "
				  "method that it compiles costs it a little more.",
			.done = "wrote the names of its code, and goes on writing those of new code",
			.library = dotnet_library,
		},
};

bool library_is(const char *path, const char *name)
{
	const char *slash = strrchr(path, '/'), *base = slash ? slash + 1 : path;
	size_t n = strlen(name);
	return strncmp(base, name, n) == 0 && (!base[n] || strcmp(base + n, " (deleted)") == 0);
}

enum runtime_kind runtime_of_library(const char *path)
{
	for (enum runtime_kind kind = RUNTIME_NONE + 1; kind < RUNTIME_COUNT; kind++)
		if (runtimes[kind].library(path) == LIBRARY_RUNTIME)
			return kind;
	return RUNTIME_NONE;
}
