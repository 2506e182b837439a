#include "base/index.h"

#include "base/alloc.h"

#include <stdlib.h>
#include <string.h>

enum { SLOTS_MIN = 16 };

void index_init(struct index *ix)
{
	*ix = (struct index){.slots = mem_calloc(SLOTS_MIN, sizeof(uint64_t)), .mask = SLOTS_MIN - 1};
}

void index_deinit(struct index *ix)
{
	free(ix->slots);
	*ix = (struct index){0};
}

void index_clear(struct index *ix)
{
	memset(ix->slots, 0, (ix->mask + 1) * sizeof(uint64_t));
	ix->n = 0;
}

static uint64_t slot_of(uint64_t hash, uint32_t pos)
{
	return (hash & 0xffffffff00000000ull) | (pos + 1u);
}

/* Where a hash starts to probe: its upper half, which the slot keeps, so that the
 * table can be rebuilt from its slots alone. */
static size_t home_of(uint64_t slot, size_t mask)
{
	return (size_t)(slot >> 32) & mask;
}

uint32_t index_find(const struct index *ix, uint64_t hash, index_eq_fn *eq, const void *ctx)
{
	for (size_t i = home_of(hash, ix->mask);; i = (i + 1) & ix->mask) {
		uint64_t slot = ix->slots[i];
		if (!slot)
			return INDEX_NONE;
		if ((slot ^ hash) >> 32 == 0 && eq(ctx, (uint32_t)slot - 1))
			return (uint32_t)slot - 1;
	}
}

static void insert(uint64_t *slots, size_t mask, uint64_t slot)
{
	size_t i = home_of(slot, mask);
	while (slots[i])
		i = (i + 1) & mask;
	slots[i] = slot;
}

void index_add(struct index *ix, uint64_t hash, uint32_t pos)
{
	if ((ix->n + 1) * 4 > (ix->mask + 1) * 3) {
		size_t slots_n = (ix->mask + 1) * 2;
		uint64_t *slots = mem_calloc(slots_n, sizeof(*slots));
		for (size_t i = 0; i <= ix->mask; i++)
			if (ix->slots[i])
				insert(slots, slots_n - 1, ix->slots[i]);
		free(ix->slots);
		ix->slots = slots;
		ix->mask = slots_n - 1;
	}
	insert(ix->slots, ix->mask, slot_of(hash, pos));
	ix->n++;
}

void index_remove(struct index *ix, uint64_t hash, uint32_t pos)
{
	uint64_t want = slot_of(hash, pos);
	size_t i = home_of(hash, ix->mask);
	while (ix->slots[i] != want) {
		if (!ix->slots[i])
			return;
		i = (i + 1) & ix->mask;
	}
	ix->n--;
	/* Close the gap: move back whatever may stand at or before it. */
	for (size_t gap = i;;) {
		ix->slots[gap] = 0;
		size_t j = gap;
		for (;;) {
			j = (j + 1) & ix->mask;
			if (!ix->slots[j])
				return;
			size_t home = home_of(ix->slots[j], ix->mask);
			if (((j - home) & ix->mask) >= ((j - gap) & ix->mask))
				break;
		}
		ix->slots[gap] = ix->slots[j];
		gap = j;
	}
}

uint64_t hash_bytes(const void *data, size_t n)
{
	const uint8_t *p = data;
	uint64_t h = 0x9e3779b97f4a7c15ull ^ n;
	for (; n >= 8; p += 8, n -= 8) {
		uint64_t w;
		memcpy(&w, p, 8);
		h = hash_u64(h ^ w);
	}
	uint64_t w = 0;
	memcpy(&w, p, n);
	return hash_u64(h ^ w);
}
