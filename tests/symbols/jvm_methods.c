/* Prints the code of a running JVM as a perf map has it, and on stderr the CPU time of this and of a second reading, in
 * ms, the number of pieces of code, and that of those which the second reading passed on: 0 if nothing was new.
 *   jvm_methods PID */
#include "os/clock.h"
#include "resolve/jit/jvm_memory.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

static bool alive(void *ctx)
{
	(void)ctx;
	return true;
}

static void print(void *ctx, const struct jit_code *code)
{
	size_t *n = ctx;
	++*n;
	printf("0x%016" PRIx64 " 0x%016" PRIx64 " %.*s\n", code->addr, code->size, (int)code->name_n, code->name);
}

static void count(void *ctx, const struct jit_code *code)
{
	size_t *n = ctx;
	(void)code;
	++*n;
}

int main(int argc, char **argv)
{
	struct limit_set reached = {0};
	size_t n = 0, news = 0;
	char why[JVM_WHY] = "";
	uint64_t start_ns = clock_ns(CLOCK_THREAD_CPUTIME_ID);
	struct jvm_memory *j = argc == 2 ? jvm_memory_find(atoi(argv[1]), why) : NULL;
	if (!j || !jvm_memory_read(j, alive, NULL, print, &n, &reached)) {
		fprintf(stderr, "%s\n", why);
		return 1;
	}
	uint64_t began_ns = clock_ns(CLOCK_THREAD_CPUTIME_ID);
	bool ok = jvm_memory_read(j, alive, NULL, count, &news, &reached);
	uint64_t end_ns = clock_ns(CLOCK_THREAD_CPUTIME_ID);
	fprintf(stderr, "%.1f ms, then %.1f ms, %zu pieces, then %zu\n", (double)(began_ns - start_ns) / 1e6,
		(double)(end_ns - began_ns) / 1e6, n, news);
	jvm_memory_free(j);
	return ok ? 0 : 1;
}
