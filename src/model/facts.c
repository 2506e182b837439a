#include "model/facts.h"

#include "base/alloc.h"
#include "base/index.h"

#include <stdlib.h>
#include <string.h>

enum { SLOTS_MIN = 64 };

void facts_init(struct facts *f)
{
	*f = (struct facts){.slots = mem_calloc(SLOTS_MIN, sizeof(struct fact)), .mask = SLOTS_MIN - 1};
}

void facts_deinit(struct facts *f)
{
	free(f->slots);
	*f = (struct facts){0};
}

void facts_clear(struct facts *f)
{
	if (f->mask >= SLOTS_MIN && f->n * 16 < f->mask) {
		facts_deinit(f);
		facts_init(f);
		return;
	}
	memset(f->slots, 0, (f->mask + 1) * sizeof(struct fact));
	f->n = 0;
}

static size_t home_of(const struct facts *f, struct fact_key key)
{
	uint64_t h = ((uint64_t)key.task << 32 | key.sym) * 0x9e3779b97f4a7c15ull;
	h ^= ((uint64_t)key.cpu << 16 | key.event) * 0xc2b2ae3d27d4eb4full;
	return (size_t)(h ^ h >> 29 ^ h >> 47) & f->mask;
}

static bool same(struct fact_key a, struct fact_key b)
{
	return a.task == b.task && a.sym == b.sym && a.cpu == b.cpu && a.event == b.event;
}

static void grow(struct facts *f)
{
	struct fact *old = f->slots;
	size_t old_n = f->mask + 1;
	f->mask = old_n * 2 - 1;
	f->slots = mem_calloc(f->mask + 1, sizeof(struct fact));
	for (size_t i = 0; i < old_n; i++) {
		if (!old[i].samples)
			continue;
		size_t at = home_of(f, old[i].key);
		while (f->slots[at].samples)
			at = (at + 1) & f->mask;
		f->slots[at] = old[i];
	}
	free(old);
}

struct fact *facts_at(struct facts *f, struct fact_key key)
{
	for (size_t i = home_of(f, key);; i = (i + 1) & f->mask) {
		struct fact *slot = &f->slots[i];
		if (slot->samples && same(slot->key, key))
			return slot;
		if (slot->samples)
			continue;
		if ((f->n + 1) * 2 > f->mask) {
			grow(f);
			return facts_at(f, key);
		}
		slot->key = key;
		f->n++;
		return slot;
	}
}

void facts_copy(const struct facts *f, struct fact *dense)
{
	for (size_t i = 0; i <= f->mask; i++)
		if (f->slots[i].samples)
			*dense++ = f->slots[i];
}
