/* Fuzzes the reading of a JVM's memory: the input is the memory, from address 4096 on; its first words are the
 * variables that libjvm.so has. */
#include "resolve/jit/hotspot.h"

#include "../lib/made_jvm.h"

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
	struct made_jvm m = {data, size};
	struct limit_set reached = {0};
	struct hotspot_process p = {
		.read = made_jvm_read, .read_each = made_jvm_read_each, .symbol = made_jvm_symbol, .ctx = &m};
	struct hotspot *h = hotspot_create();
	for (int i = 0; i < 2; i++) /* the second time, nothing is new, or names are tried again */
		hotspot_read(h, &p, check, NULL, &reached);
	hotspot_destroy(h);
	return 0;
}
