/* A hash table of facts, the entries in the table itself: one cache line per
 * sample in the hot path. */
#ifndef MODEL_FACTS_H
#define MODEL_FACTS_H

#include <cyctop/base.h>

#include <string.h>

struct fact_key {
	uint32_t task, sym;
	uint16_t cpu, event;
};

/* While its interval is open a fact sums whole periods, unscaled; closing turns
 * them into weights. */
struct fact {
	struct fact_key key;
	uint32_t samples; /* 0: an empty slot */
	union {
		uint64_t periods; /* open */
		double weight;	  /* closed */
	};
	double var; /* sum of squared periods; closed: of squared weights */
};

struct facts {
	struct fact *slots;
	size_t mask, n;
};
void facts_init(struct facts *f);
void facts_deinit(struct facts *f);
/* Empties it; a table that has become much too large gives memory back. */
void facts_clear(struct facts *f);
/* facts_at() of a key that is not there. */
struct fact *facts_new(struct facts *f, struct fact_key key);

static inline size_t facts_home(const struct facts *f, struct fact_key key)
{
	uint64_t h = ((uint64_t)key.cpu << 16 | key.event) * 0xc2b2ae3d27d4eb4full;
	h = (h ^ ((uint64_t)key.sym << 32 | key.task)) * 0x9e3779b97f4a7c15ull;
	return (size_t)(h >> 32) & f->mask;
}

/* The entry of `key`; a new one has samples 0, and the caller must make that at
 * least 1 before the next call.  Valid until the next call. */
static inline struct fact *facts_at(struct facts *f, struct fact_key key)
{
	for (size_t i = facts_home(f, key);; i = (i + 1) & f->mask) {
		struct fact *slot = &f->slots[i];
		if (memcmp(&slot->key, &key, sizeof(key)) == 0 && slot->samples) /* a key has no padding */
			return slot;
		if (!slot->samples)
			return facts_new(f, key);
	}
}
/* Copies the f->n entries to `dense`. */
void facts_copy(const struct facts *f, struct fact *dense);

#endif
