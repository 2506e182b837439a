/* A library with the tables that a JVM's has for HotSpot's serviceability agent.  At first they are empty, as in a JVM
 * that has just started; made_jvm_start() fills them in, and made_jvm_compile() adds a piece of code. */
#define MADE_HOTSPOT_LIBRARY
#include "../lib/made_hotspot.h"

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
static struct list list = {0, heaps}, *list_at = &list;

/* Of methods, which there are none of, only the offsets are here. */
static struct entry entries[] = {MADE_HOTSPOT_ENTRIES(&list_at)};
static struct type types[] = {MADE_HOTSPOT_TYPES};

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
