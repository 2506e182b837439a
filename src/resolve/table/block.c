#include "resolve/table/block.h"

#include "resolve/table/names.h"

#include <cyctop/catalog.h>

#include <string.h>

enum { MAGIC = 0x79736363, VERSION = 1 };

/* Offsets of the arrays in bytes from the start of the block. */
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

uint64_t block_plan(struct block_header *h)
{
	h->magic = MAGIC;
	h->version = VERSION;
	return h->size = plan_of(h).end;
}

bool block_open(const uint8_t *bytes, size_t n, struct block *ret)
{
	struct block_header h;
	if (n < sizeof(h))
		return false;
	memcpy(&h, bytes, sizeof(h));
	if (h.magic != MAGIC || h.version != VERSION || h.size != n || (h.address_size != 4 && h.address_size != 8) ||
	    h.modules > UINT16_MAX || h.names_end <= sizeof(h) || h.names_end > n)
		return false;
	struct plan p = plan_of(&h);
	if (p.end != n)
		return false;
	*ret = (struct block){
		.bytes = bytes,
		.size = n,
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
		.modules = h.modules,
	};
	return true;
}

static bool ascends(const struct block *b)
{
	for (size_t i = 1; i < b->count; i++)
		if (b->far ? b->far[i] <= b->far[i - 1] : b->near[i] <= b->near[i - 1])
			return false;
	if (b->count && b->far && b->far[0] != b->base)
		return false;
	return !b->count || b->far || b->base <= UINT64_MAX - b->near[b->count - 1];
}

/* References to names are not checked here, because names_get() stays within the names for any
 * reference. */
bool block_is_sound(const struct block *b)
{
	if (b->bytes[b->names_end - 1] || !ascends(b))
		return false;
	for (size_t i = 0; i < b->count; i++)
		if (b->origin[i] >= ORIGIN_COUNT || (b->module && b->module[i] > b->modules))
			return false;
	for (size_t i = 0; i <= b->modules; i++)
		if (b->module_name[i] & NAMES_PART)
			return false;
	return true;
}
