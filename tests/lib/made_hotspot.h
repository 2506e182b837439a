/* The tables by which HotSpot's serviceability agent, and cyctop, read a JVM; as tests make them.  The offsets are
 * those of structs that the test has in the place of HotSpot's.  With MADE_HOTSPOT_LIBRARY defined, the symbols that
 * libjvm.so exports are here, too. */
#ifndef TESTS_LIB_MADE_HOTSPOT_H
#define TESTS_LIB_MADE_HOTSPOT_H

#include <stddef.h>
#include <stdint.h>

struct entry {
	const char *type, *field;
	uint64_t is_static, offset;
	void *address;
};
struct type {
	const char *name;
	uint64_t size;
};

extern struct entry *gHotSpotVMStructs;
extern struct type *gHotSpotVMTypes;

#ifdef MADE_HOTSPOT_LIBRARY
struct entry *gHotSpotVMStructs;
struct type *gHotSpotVMTypes;
uint64_t gHotSpotVMStructEntryArrayStride = sizeof(struct entry);
uint64_t gHotSpotVMStructEntryTypeNameOffset = offsetof(struct entry, type);
uint64_t gHotSpotVMStructEntryFieldNameOffset = offsetof(struct entry, field);
uint64_t gHotSpotVMStructEntryIsStaticOffset = offsetof(struct entry, is_static);
uint64_t gHotSpotVMStructEntryOffsetOffset = offsetof(struct entry, offset);
uint64_t gHotSpotVMStructEntryAddressOffset = offsetof(struct entry, address);
uint64_t gHotSpotVMTypeEntryArrayStride = sizeof(struct type);
uint64_t gHotSpotVMTypeEntryTypeNameOffset = offsetof(struct type, name);
uint64_t gHotSpotVMTypeEntrySizeOffset = offsetof(struct type, size);
#endif

/* A list of heaps, to which heaps_at points. */
struct list {
	int32_t n;
	void **data;
};

/* clang-format off */
#define MADE_HOTSPOT_ENTRIES(heaps_at) \
	{"CodeCache", "_heaps", 1, 0, heaps_at}, \
	{"GrowableArrayBase", "_len", 0, 0, NULL}, \
	{"GrowableArray<int>", "_data", 0, 8, NULL}, \
	{"CodeHeap", "_memory", 0, 0, NULL}, \
	{"CodeHeap", "_segmap", 0, 16, NULL}, \
	{"CodeHeap", "_log2_segment_size", 0, 32, NULL}, \
	{"VirtualSpace", "_low", 0, 0, NULL}, \
	{"VirtualSpace", "_high", 0, 8, NULL}, \
	{"HeapBlock", "_header", 0, 0, NULL}, \
	{"HeapBlock::Header", "_length", 0, 0, NULL}, \
	{"HeapBlock::Header", "_used", 0, 8, NULL}, \
	{"CodeBlob", "_name", 0, 0, NULL}, \
	{"CodeBlob", "_code_begin", 0, 8, NULL}, \
	{"CodeBlob", "_code_end", 0, 16, NULL}, \
	{"CompiledMethod", "_method", 0, 24, NULL}, \
	{"nmethod", "_compile_id", 0, 32, NULL}, \
	{"Method", "_constMethod", 0, 0, NULL}, \
	{"ConstMethod", "_constants", 0, 0, NULL}, \
	{"ConstMethod", "_name_index", 0, 16, NULL}, \
	{"ConstMethod", "_signature_index", 0, 18, NULL}, \
	{"ConstantPool", "_pool_holder", 0, 0, NULL}, \
	{"Klass", "_name", 0, 0, NULL}, \
	{"Symbol", "_length", 0, 0, NULL}, \
	{"Symbol", "_body", 0, 8, NULL}, \
	{NULL, NULL, 0, 0, NULL}
#define MADE_HOTSPOT_TYPES {"HeapBlock", 16}, {"ConstantPool", 64}, {NULL, 0}
/* clang-format on */

#endif
