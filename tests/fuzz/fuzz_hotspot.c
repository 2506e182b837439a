/* Fuzzes the reading of a JVM's memory: the input is the memory, from address 4096 on; its first words are the
 * variables that libjvm.so has. */
#include "resolve/jit/hotspot.h"

#include "../lib/jvm_memory.h"

#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check(void *ctx, const struct jit_code *code)
{
	(void)ctx;
	if (!code->size || code->addr + code->size < code->addr || !code->name_n)
		abort();
	for (size_t i = 0; i < code->name_n; i++)
		if ((unsigned char)code->name[i] < ' ')
			abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct jvm_memory m = {data, size};
	struct limit_set reached = {0};
	struct hotspot_process p = {.read = jvm_memory_read, .symbol = jvm_memory_symbol, .ctx = &m};
	hotspot_read(&p, check, NULL, &reached);
	return 0;
}
