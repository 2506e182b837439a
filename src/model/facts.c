#include "model/facts.h"

#include "base/alloc.h"
#include "base/index.h"

#include <stdlib.h>
#include <string.h>

enum { SLOTS_MIN = 64 };

/* What a table without entries looks into; most of many CPUs' stay so. */
static const struct fact none;

void facts_init(struct facts *f)
{
	*f = (struct facts){.slots = (struct fact *)(uintptr_t)&none};
}

void facts_deinit(struct facts *f)
{
	if (f->mask)
		free(f->slots);
	*f = (struct facts){0};
}

void facts_clear(struct facts *f)
{
	if (!f->mask)
		return;
	if (f->mask >= SLOTS_MIN && f->n * 16 < f->mask) {
		facts_deinit(f);
		facts_init(f);
		return;
	}
	memset(f->slots, 0, (f->mask + 1) * sizeof(struct fact));
	f->n = 0;
}

static void grow(struct facts *f)
{
	struct facts old = *f;
	f->mask = old.mask ? old.mask * 2 + 1 : SLOTS_MIN - 1;
	f->slots = mem_calloc(f->mask + 1, sizeof(struct fact));
	for (size_t i = 0; i <= old.mask; i++) {
		if (!old.slots[i].samples)
			continue;
		size_t at = facts_home(f, old.slots[i].key);
		while (f->slots[at].samples)
			at = (at + 1) & f->mask;
		f->slots[at] = old.slots[i];
	}
	facts_deinit(&old);
}

struct fact *facts_new(struct facts *f, struct fact_key key)
{
	if ((f->n + 1) * 2 > f->mask)
		grow(f);
	size_t at = facts_home(f, key);
	while (f->slots[at].samples)
		at = (at + 1) & f->mask;
	f->slots[at].key = key;
	f->n++;
	return &f->slots[at];
}

void facts_copy(const struct facts *f, struct fact *dense)
{
	for (size_t i = 0; i <= f->mask; i++)
		if (f->slots[i].samples)
			*dense++ = f->slots[i];
}
