#include "resolve/table/block.h"

#include <string.h>

/* Offsets of the arrays in the block, in bytes. */
struct plan {
	uint64_t address, length, name, module_name, module, origin, end;
};

static uint64_t take(uint64_t *at, uint64_t n, size_t size)
{
	uint64_t from = (*at + 7) & ~(uint64_t)7;
	*at = from + n * size;
	return from;
}

static struct plan plan_of(const struct block_header *h)
{
	uint64_t at = h->names_end;
	struct plan p = {.address = take(&at, h->count, h->address_size)};
	p.length = take(&at, h->count, sizeof(uint32_t));
	p.name = take(&at, h->count, sizeof(uint32_t));
	p.module_name = take(&at, (uint64_t)h->modules + 1, sizeof(uint32_t));
	p.module = take(&at, h->modules ? h->count : 0, sizeof(uint16_t));
	p.origin = take(&at, h->count, sizeof(uint8_t));
	p.end = at;
	return p;
}

uint64_t block_size(const struct block_header *h)
{
	return plan_of(h).end;
}

void block_open(const uint8_t *bytes, struct block *ret)
{
	struct block_header h;
	memcpy(&h, bytes, sizeof(h));
	struct plan p = plan_of(&h);
	*ret = (struct block){
		.bytes = bytes,
		.size = p.end,
		.count = h.count,
		.names_end = (size_t)h.names_end,
		.base = h.base,
		.far = h.address_size == 8 ? (const uint64_t *)(const void *)(bytes + p.address) : NULL,
		.near = h.address_size == 4 ? (const uint32_t *)(const void *)(bytes + p.address) : NULL,
		.length = (const uint32_t *)(const void *)(bytes + p.length),
		.name = (const uint32_t *)(const void *)(bytes + p.name),
		.module_name = (const uint32_t *)(const void *)(bytes + p.module_name),
		.module = h.modules ? (const uint16_t *)(const void *)(bytes + p.module) : NULL,
		.origin = bytes + p.origin,
	};
}
