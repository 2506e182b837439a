/* A library with the tables that a JVM's has for HotSpot's serviceability agent.  At first they are empty, as in a JVM
 * that has just started; made_jvm_start() fills them in, and made_jvm_compile() adds a piece of code. */
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

enum { LOG2 = 7 };

static struct block {
	uint64_t length, used;
	const char *name;
	uint8_t *from, *to;
	uint8_t rest[128 - 40];
} block;
static uint8_t segments[1];
static struct {
	struct block *memory_low, *memory_high;
	uint8_t *map_low, *map_high;
	int32_t log2;
} heap = {&block, &block + 1, segments, segments + 1, LOG2};
static void *heaps[] = {&heap};
static struct list {
	int32_t n;
	void **data;
} list = {0, heaps}, *list_at = &list;

/* Of methods, which there are none of, only the offsets are here. */
static struct entry entries[] = {
	{"CodeCache", "_heaps", 1, 0, &list_at},
	{"GrowableArrayBase", "_len", 0, offsetof(struct list, n), NULL},
	{"GrowableArray<int>", "_data", 0, offsetof(struct list, data), NULL},
	{"CodeHeap", "_memory", 0, 0, NULL},
	{"CodeHeap", "_segmap", 0, 16, NULL},
	{"CodeHeap", "_log2_segment_size", 0, 32, NULL},
	{"VirtualSpace", "_low", 0, 0, NULL},
	{"VirtualSpace", "_high", 0, 8, NULL},
	{"HeapBlock", "_header", 0, 0, NULL},
	{"HeapBlock::Header", "_length", 0, 0, NULL},
	{"HeapBlock::Header", "_used", 0, 8, NULL},
	{"CodeBlob", "_name", 0, 0, NULL},
	{"CodeBlob", "_code_begin", 0, 8, NULL},
	{"CodeBlob", "_code_end", 0, 16, NULL},
	{"CompiledMethod", "_method", 0, 24, NULL},
	{"nmethod", "_compile_id", 0, 32, NULL},
	{"Method", "_constMethod", 0, 0, NULL},
	{"ConstMethod", "_constants", 0, 0, NULL},
	{"ConstMethod", "_name_index", 0, 16, NULL},
	{"ConstMethod", "_signature_index", 0, 18, NULL},
	{"ConstantPool", "_pool_holder", 0, 0, NULL},
	{"Klass", "_name", 0, 0, NULL},
	{"Symbol", "_length", 0, 0, NULL},
	{"Symbol", "_body", 0, 8, NULL},
	{NULL, NULL, 0, 0, NULL},
};
static struct type types[] = {{"HeapBlock", 16}, {"ConstantPool", 64}, {NULL, 0}};

void made_jvm_start(void);
void made_jvm_start(void)
{
	gHotSpotVMStructs = entries;
	gHotSpotVMTypes = types;
}

/* Returns where the code is. */
void *made_jvm_compile(const char *name);
void *made_jvm_compile(const char *name)
{
	block = (struct block){
		.length = 1, .used = 1, .name = name, .from = block.rest, .to = block.rest + sizeof(block.rest)};
	list.n = 1;
	return block.from;
}
