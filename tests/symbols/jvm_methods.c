/* Prints the code of a running JVM as a perf map has it.
 *   nm -D LIBJVM | jvm_methods PID ADDRESS     ADDRESS: where the library is, hexadecimal */
#include "resolve/jit/hotspot.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/uio.h>

enum { SYMBOLS = 64 };
struct jvm {
	pid_t pid;
	size_t n;
	uint64_t address[SYMBOLS];
	char name[SYMBOLS][80];
};

static bool read_memory(void *ctx, uint64_t address, void *buf, size_t n)
{
	const struct jvm *j = ctx;
	struct iovec to = {buf, n}, from = {(void *)(uintptr_t)address, n};
	return process_vm_readv(j->pid, &to, 1, &from, 1, 0) == (ssize_t)n;
}

static uint64_t symbol(void *ctx, const char *name)
{
	const struct jvm *j = ctx;
	for (size_t i = 0; i < j->n; i++)
		if (strcmp(j->name[i], name) == 0)
			return j->address[i];
	return 0;
}

static void print(void *ctx, const struct jit_code *code)
{
	(void)ctx;
	printf("0x%016" PRIx64 " 0x%016" PRIx64 " %.*s\n", code->addr, code->size, (int)code->name_n, code->name);
}

int main(int argc, char **argv)
{
	static struct jvm j;
	char line[512];
	if (argc != 3)
		return 2;
	j.pid = (pid_t)atoi(argv[1]);
	uint64_t base = strtoull(argv[2], NULL, 16);
	while (j.n < SYMBOLS && fgets(line, sizeof(line), stdin)) {
		char *name = strstr(line, "gHotSpotVM");
		if (!name)
			continue;
		name[strcspn(name, "@\n")] = '\0';
		j.address[j.n] = base + strtoull(line, NULL, 16);
		snprintf(j.name[j.n++], sizeof(j.name[0]), "%.79s", name);
	}
	struct limit_set reached = {0};
	struct hotspot_process p = {.read = read_memory, .symbol = symbol, .ctx = &j};
	return hotspot_read(&p, print, NULL, &reached) ? 0 : 1;
}
