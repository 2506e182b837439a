#include "base/index.h"

#include "base/alloc.h"

#include <stdlib.h>
#include <string.h>

enum { SLOTS_MIN = 16 };

/* What an index without entries looks into. */
static const uint64_t none;

void index_init(struct index *ix)
{
	*ix = (struct index){.slots = (uint64_t *)(uintptr_t)&none};
}

void index_deinit(struct index *ix)
{
	if (ix->mask)
		free(ix->slots);
	*ix = (struct index){0};
}

void index_clear(struct index *ix)
{
	if (ix->n)
		memset(ix->slots, 0, (ix->mask + 1) * sizeof(uint64_t));
	ix->n = 0;
}

static uint64_t slot_of(uint64_t hash, uint32_t pos)
{
	return (hash & 0xffffffff00000000ull) | (pos + 1u);
}

static void insert(uint64_t *slots, size_t mask, uint64_t slot)
{
	size_t i = index_home(slot, mask);
	while (slots[i])
		i = (i + 1) & mask;
	slots[i] = slot;
}

static void grow(struct index *ix)
{
	struct index old = *ix;
	size_t slots_n = old.mask ? (old.mask + 1) * 2 : SLOTS_MIN;
	ix->slots = mem_calloc(slots_n, sizeof(*ix->slots));
	ix->mask = slots_n - 1;
	for (size_t i = 0; i <= old.mask; i++)
		if (old.slots[i])
			insert(ix->slots, ix->mask, old.slots[i]);
	index_deinit(&old);
}

void index_add(struct index *ix, uint64_t hash, uint32_t pos)
{
	if ((ix->n + 1) * 4 > (ix->mask + 1) * 3)
		grow(ix);
	insert(ix->slots, ix->mask, slot_of(hash, pos));
	ix->n++;
}

void index_remove(struct index *ix, uint64_t hash, uint32_t pos)
{
	uint64_t want = slot_of(hash, pos);
	size_t i = index_home(hash, ix->mask);
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
			size_t home = index_home(ix->slots[j], ix->mask);
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
