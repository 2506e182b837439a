/* Fuzzes the reading of a JVM's memory: the input is the memory, from address 4096 on; its first words are the
 * variables that libjvm.so has. */
#include "resolve/jit/hotspot.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { BASE = 4096 };
struct memory {
	const uint8_t *data;
	size_t n;
};

static bool read_memory(void *ctx, uint64_t address, void *buf, size_t n)
{
	const struct memory *m = ctx;
	if (address < BASE || address - BASE > m->n || m->n - (address - BASE) < n)
		return false;
	memcpy(buf, m->data + (address - BASE), n);
	return true;
}

static uint64_t symbol(void *ctx, const char *name)
{
	static const char *const names[] = {"gHotSpotVMStructs",
					    "gHotSpotVMStructEntryArrayStride",
					    "gHotSpotVMStructEntryTypeNameOffset",
					    "gHotSpotVMStructEntryFieldNameOffset",
					    "gHotSpotVMStructEntryIsStaticOffset",
					    "gHotSpotVMStructEntryOffsetOffset",
					    "gHotSpotVMStructEntryAddressOffset",
					    "gHotSpotVMTypes",
					    "gHotSpotVMTypeEntryArrayStride",
					    "gHotSpotVMTypeEntryTypeNameOffset",
					    "gHotSpotVMTypeEntrySizeOffset"};
	(void)ctx;
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (strcmp(name, names[i]) == 0)
			return BASE + i * 8;
	return 0;
}

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
	struct memory m = {data, size};
	struct limit_set reached = {0};
	struct hotspot_process p = {.read = read_memory, .symbol = symbol, .ctx = &m};
	hotspot_read(&p, check, NULL, &reached);
	return 0;
}
