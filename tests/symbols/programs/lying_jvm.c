/* A program that looks like a JVM, and whose tables for HotSpot's debugger lie.  With -DLIBRARY: its libjvm.so.
 *   lying_jvm stays KIND     runs until it is killed
 *   lying_jvm starts KIND    executes itself again and again
 * KIND: what the lie is, one of the letters in lie(). */
#define _GNU_SOURCE
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

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

#ifdef LIBRARY

struct entry *gHotSpotVMStructs;
struct type *gHotSpotVMTypes;
uint64_t gHotSpotVMStructEntryArrayStride = sizeof(struct entry);
uint64_t gHotSpotVMStructEntryTypeNameOffset = 0;
uint64_t gHotSpotVMStructEntryFieldNameOffset = 8;
uint64_t gHotSpotVMStructEntryIsStaticOffset = 16;
uint64_t gHotSpotVMStructEntryOffsetOffset = 24;
uint64_t gHotSpotVMStructEntryAddressOffset = 32;
uint64_t gHotSpotVMTypeEntryArrayStride = sizeof(struct type);
uint64_t gHotSpotVMTypeEntryTypeNameOffset = 0;
uint64_t gHotSpotVMTypeEntrySizeOffset = 8;

#else

enum { LOG2 = 7, BLOCKS = 1 << 18, SEGMENTS = 1 << 24, HEAPS = 16 };

struct block {
	uint64_t length;
	uint64_t used;
	const char *name;
	uint64_t from, to;
	void *method;
	uint64_t compile_id, rest[9];
};

static struct list {
	int32_t n;
	void **data;
} list, *list_at = &list;
static struct {
	uint64_t memory_low, memory_high, map_low, map_high;
	int32_t log2;
} heap;
static void *heaps[HEAPS];
static struct type types[] = {{"HeapBlock", 16}, {"ConstantPool", 64}, {NULL, 0}};
static struct entry entries[] = {
	{"CodeCache", "_heaps", 1, 0, &list_at},
	{"GrowableArrayBase", "_len", 0, 0, NULL},
	{"GrowableArray<int>", "_data", 0, 8, NULL},
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

static void *pages(size_t n)
{
	void *at = mmap(NULL, n, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (at == MAP_FAILED)
		_exit(3);
	return at;
}

/* A heap with as many blocks as cyctop reads; of one third, nothing of the method can be read; of one, every pointer
 * leads to itself. */
static void make_heap(void)
{
	struct block *blocks = pages((size_t)SEGMENTS << LOG2);
	void **circle = pages(1 << 20);
	circle[0] = circle;
	for (size_t i = 0; i < BLOCKS; i++) {
		uint64_t at = (uint64_t)&blocks[i];
		blocks[i] = (struct block){.length = 1,
					   .used = 1,
					   .name = i % 4 ? "nmethod" : "a stub",
					   .from = at + 64,
					   .to = at + 96,
					   .method = i % 3 ? (void *)circle : (void *)(i << 30)};
	}
	uint8_t *map = pages(SEGMENTS);
	heap.memory_low = (uint64_t)blocks;
	heap.memory_high = heap.memory_low + ((uint64_t)SEGMENTS << LOG2);
	heap.map_low = (uint64_t)map;
	heap.map_high = heap.map_low + SEGMENTS;
	heap.log2 = LOG2;
	for (int i = 0; i < HEAPS; i++)
		heaps[i] = &heap;
	list = (struct list){HEAPS, heaps};
	gHotSpotVMStructs = entries;
	gHotSpotVMTypes = types;
}

static void lie(char kind)
{
	enum { FOREVER = 64 << 20 };
	make_heap();
	if (kind == 'e') { /* tables without an end, of one entry that no reader wants */
		struct entry *many = pages(FOREVER);
		for (size_t i = 0; i < FOREVER / sizeof(*many) - 1; i++)
			many[i] = (struct entry){"Klass", "_name", 0, 0, NULL};
		gHotSpotVMStructs = many;
	} else if (kind == 'u') { /* pointers to where nothing is */
		gHotSpotVMTypes = (struct type *)0x10000000000;
	} else if (kind == 'n') { /* numbers that cannot be */
		list.n = INT32_MAX;
		heap.map_high = UINT64_MAX;
	}
}

/* Changes what is read, again and again. */
static void change(unsigned long i)
{
	struct block *b = (struct block *)heap.memory_low + i % BLOCKS;
	b->to ^= 0xffffffff00000000;
	b->length = i;
	heap.log2 = i & 64 ? LOG2 : 3;
	list.n = i & 32 ? HEAPS : -1;
}

static volatile unsigned long sink;
__attribute__((noinline, noclone)) void liar_hot(unsigned long n)
{
	for (unsigned long i = 0; i < n; i++)
		sink += i * n;
}

/* Copied to memory without a file: code without a name, for which a JVM's memory is read. */
__attribute__((noinline, noclone, optimize("no-stack-protector"))) static void made(unsigned long n)
{
	for (volatile unsigned long i = 0; i < n; i++)
		;
}

int main(int argc, char **argv)
{
	enum { CODE = 256, LOOPS = 200000 };
	if (argc != 3)
		return 2;
	void *code = mmap(NULL, 4096, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (code == MAP_FAILED)
		return 3;
	memcpy(code, (void *)(uintptr_t)made, CODE);
	__builtin___clear_cache((char *)code, (char *)code + CODE);
	void (*copied)(unsigned long);
	memcpy(&copied, &code, sizeof(code));
	alarm(1700);
	lie(argv[2][0]);
	clock_t begun = clock();
	for (unsigned long i = 0;; i++) {
		liar_hot(LOOPS * 2);
		copied(LOOPS);
		if (argv[2][0] == 'c')
			change(i);
		if (strcmp(argv[1], "starts") == 0 && clock() - begun > CLOCKS_PER_SEC / 5)
			execv("/proc/self/exe", argv);
	}
}

#endif
