/* The memory of a made JVM: it begins at an address, its first words are the variables that libjvm.so has for its
 * serviceability agent, and what is outside cannot be read. */
#ifndef TESTS_LIB_MADE_JVM_H
#define TESTS_LIB_MADE_JVM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

enum { JVM_BASE = 4096 };

struct made_jvm {
	const uint8_t *data;
	size_t n;
};

static inline bool made_jvm_read(void *ctx, uint64_t address, void *buf, size_t n)
{
	const struct made_jvm *m = ctx;
	if (address < JVM_BASE || address - JVM_BASE > m->n || m->n - (address - JVM_BASE) < n)
		return false;
	memcpy(buf, m->data + (address - JVM_BASE), n);
	return true;
}

static inline void made_jvm_read_each(void *ctx, const uint64_t *addresses, size_t count, void *buf, size_t n,
				      bool *ok_ret)
{
	for (size_t i = 0; i < count; i++)
		ok_ret[i] = made_jvm_read(ctx, addresses[i], (uint8_t *)buf + i * n, n);
}

static inline uint64_t made_jvm_symbol(void *ctx, const char *name)
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
			return JVM_BASE + i * 8;
	return 0;
}

#endif
