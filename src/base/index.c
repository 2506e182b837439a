#include "base/index.h"

#include "base/alloc.h"

#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>

enum { SLOTS_MIN = 16 };

/* The only slot, always empty, of an index to which nothing was ever added. */
static const uint64_t none;

void index_init(struct index *ix)
{
	*ix = (struct index){
		.slots = (uint64_t *)(uintptr_t)&none, .slots_n = 1, .seed = hash_u64(hash_seed() + (uintptr_t)ix)};
}

void index_deinit(struct index *ix)
{
	if (ix->slots_n > 1)
		free(ix->slots);
	*ix = (struct index){0};
}

void index_clear(struct index *ix)
{
	if (ix->n)
		memset(ix->slots, 0, ix->slots_n * sizeof(uint64_t));
	ix->n = 0;
}

static uint64_t slot_of(uint64_t hash, uint32_t pos)
{
	return (hash & 0xffffffff00000000ull) | (pos + 1u);
}

static void insert(struct index *ix, uint64_t slot)
{
	size_t i = index_home(ix, slot);
	while (ix->slots[i])
		i = index_next(ix, i);
	ix->slots[i] = slot;
}

/* Makes the table half as large again.  Doubling would take much more memory at once. */
static void grow(struct index *ix)
{
	struct index old = *ix;
	ix->slots_n = old.slots_n > 1 ? old.slots_n + old.slots_n / 2 : SLOTS_MIN;
	ix->slots = mem_calloc(ix->slots_n, sizeof(*ix->slots));
	for (size_t i = 0; i < old.slots_n; i++)
		if (old.slots[i])
			insert(ix, old.slots[i]);
	index_deinit(&old);
}

void index_reserve(struct index *ix, size_t n)
{
	size_t slots_n = n + n / 3 + 2;
	if (ix->slots_n > 1 || slots_n <= SLOTS_MIN)
		return;
	ix->slots_n = slots_n;
	ix->slots = mem_calloc(slots_n, sizeof(*ix->slots));
}

void index_add(struct index *ix, uint64_t hash, uint32_t pos)
{
	if ((ix->n + 1) * 4 > ix->slots_n * 3)
		grow(ix);
	insert(ix, slot_of(hash, pos));
	ix->n++;
}

/* Returns the distance from slot `from` forward to slot `to`, around the end of the table. */
static size_t distance(const struct index *ix, size_t from, size_t to)
{
	return to >= from ? to - from : to + ix->slots_n - from;
}

void index_remove(struct index *ix, uint64_t hash, uint32_t pos)
{
	uint64_t want = slot_of(hash, pos);
	size_t i = index_home(ix, hash);
	while (ix->slots[i] != want) {
		if (!ix->slots[i])
			return;
		i = index_next(ix, i);
	}
	ix->n--;
	/* Closes the gap: moves back every following entry whose home slot is at or before the gap. */
	for (size_t gap = i;;) {
		ix->slots[gap] = 0;
		size_t j = gap;
		for (;;) {
			j = index_next(ix, j);
			if (!ix->slots[j])
				return;
			if (distance(ix, index_home(ix, ix->slots[j]), j) >= distance(ix, gap, j))
				break;
		}
		ix->slots[gap] = ix->slots[j];
		gap = j;
	}
}

uint64_t hash_bytes(const void *data, size_t n, uint64_t seed)
{
	const uint8_t *p = data;
	uint64_t h = hash_u64(seed ^ 0x9e3779b97f4a7c15ull) ^ n;
	for (; n >= 8; p += 8, n -= 8) {
		uint64_t w;
		memcpy(&w, p, 8);
		h = hash_u64(h ^ w);
	}
	uint64_t w = 0;
	memcpy(&w, p, n);
	return hash_u64(h ^ w);
}

/* Returns a seed from the random bytes that the kernel gives each program (AT_RANDOM).  Several indexes are made per
 * second, for which asking the kernel for new bytes would be slow. */
uint64_t hash_seed(void)
{
	uint64_t random[2] = {0, (uintptr_t)&none}; /* without AT_RANDOM: the random load address */
	const void *given = (const void *)(uintptr_t)getauxval(AT_RANDOM);
	if (given)
		memcpy(random, given, sizeof(random));
	return hash_u64(hash_u64(random[0]) ^ random[1]);
}
