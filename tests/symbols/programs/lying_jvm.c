/* A program that looks like a JVM, and whose tables for HotSpot's debugger lie.  With -DLIBRARY: its libjvm.so.
 *   lying_jvm stays KIND     runs until it is killed
 *   lying_jvm starts KIND    executes itself again and again
 * KIND: what the lie is, one of the letters in lie(). */
#define _GNU_SOURCE
#ifdef LIBRARY
#define MADE_HOTSPOT_LIBRARY
#endif
#include "../../lib/made_hotspot.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#ifndef LIBRARY

enum { LOG2 = 7, BLOCKS = 1 << 18, SEGMENTS = 1 << 24, HEAPS = 16 };

struct block {
	uint64_t length;
	uint64_t used;
	const char *name;
	uint64_t from, to;
	void *method;
	uint64_t compile_id, rest[9];
};

static struct list list, *list_at = &list;
static struct {
	uint64_t memory_low, memory_high, map_low, map_high;
	int32_t log2;
} heap;
static void *heaps[HEAPS];
static struct type types[] = {MADE_HOTSPOT_TYPES};
static struct entry entries[] = {MADE_HOTSPOT_ENTRIES(&list_at)};

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
