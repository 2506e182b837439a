/* Facts by their keys: in a row, as they first came, and an index over them. */
#ifndef MODEL_FACTS_H
#define MODEL_FACTS_H

#include "base/alloc.h"
#include "base/index.h"

#include <string.h>

struct fact_key {
	uint32_t task, sym;
	uint16_t cpu, event;
};

/* While its interval is open a fact sums whole periods, unscaled; closing turns
 * them into weights. */
struct fact {
	struct fact_key key;
	uint32_t samples;
	union {
		uint64_t periods; /* open */
		double weight;	  /* closed */
	};
	double var; /* sum of squared periods; closed: of squared weights */
};

struct facts {
	VEC(struct fact) all;
	struct index by_key;
};
void facts_init(struct facts *f);
void facts_deinit(struct facts *f);
/* Empties it; one that has become much too large gives memory back. */
void facts_clear(struct facts *f);
/* facts_at() of a key that is not there. */
struct fact *facts_new(struct facts *f, struct fact_key key);

static inline size_t facts_bytes(const struct facts *f)
{
	return f->all.cap * sizeof(struct fact) + (f->by_key.mask + 1) * sizeof(uint64_t);
}

static inline uint64_t fact_hash(struct fact_key key)
{
	uint64_t h = ((uint64_t)key.cpu << 16 | key.event) * 0xc2b2ae3d27d4eb4full;
	return (h ^ ((uint64_t)key.sym << 32 | key.task)) * 0x9e3779b97f4a7c15ull;
}

struct fact_wanted {
	const struct fact *all;
	struct fact_key key;
};
static inline bool fact_is(const void *ctx, uint32_t pos)
{
	const struct fact_wanted *w = ctx;
	return memcmp(&w->all[pos].key, &w->key, sizeof(w->key)) == 0; /* a key has no padding */
}

/* Whoever asks for many keys calls these with their hashes for all of them first, the one and then the other:
 * then the memory of all comes at once. */
static inline void facts_prefetch_index(const struct facts *f, uint64_t hash)
{
	__builtin_prefetch(&f->by_key.slots[index_home(hash, f->by_key.mask)]);
}

static inline void facts_prefetch(const struct facts *f, uint64_t hash)
{
	uint32_t next = (uint32_t)f->by_key.slots[index_home(hash, f->by_key.mask)];
	if (next)
		__builtin_prefetch(&f->all.data[next - 1], 1);
}

/* The entry of `key`; a new one is all zero.  Valid until the next call. */
static inline struct fact *facts_at_hash(struct facts *f, struct fact_key key, uint64_t hash)
{
	uint32_t pos = index_find(&f->by_key, hash, fact_is, &(struct fact_wanted){f->all.data, key});
	return pos != INDEX_NONE ? &f->all.data[pos] : facts_new(f, key);
}

static inline struct fact *facts_at(struct facts *f, struct fact_key key)
{
	return facts_at_hash(f, key, fact_hash(key));
}

#endif
