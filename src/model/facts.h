/* A table of facts (samples of the same task, context, CPU and event) in the order of their first sample, with an index
 * to find them by key. */
#ifndef MODEL_FACTS_H
#define MODEL_FACTS_H

#include "base/alloc.h"
#include "base/index.h"
#include "base/limits.h"
#include "model/fact_columns.h"

#include <float.h>
#include <string.h>

struct fact_key {
	uint32_t task, ctx;
	uint16_t cpu, event;
};

/* A fact: the samples of one task, context, CPU and event in one interval.  While the interval is open, a fact sums the
 * sampled periods as integers; when it is closed, they are scaled to weights. */
struct fact {
	struct fact_key key;
	uint32_t samples; /* number of samples, at most LIMIT_FACT_SAMPLES; the other sums have no limit */
	union {
		uint64_t periods; /* in an open interval */
		double weight;	  /* in a closed interval */
	};
	/* sums of squared periods or, once the interval is closed, of squared weights: see struct sum */
	float edges, far;
};
_Static_assert(sizeof(struct fact) == 32, "two facts fit into a cache line");

/* Returns the sum of the squared weights of a closed fact's samples.  It is exact if all samples weigh the same, or if
 * each sample's neighbours are of other facts. */
static inline double fact_var(const struct fact *f)
{
	double square = f->weight * f->weight, half = (double)f->edges / 2;
	if (f->samples == LIMIT_FACT_SAMPLES)
		return half;
	/* saves a division for facts with one sample, as most have */
	double equal = f->samples > 1 ? square / f->samples : f->samples ? square : 0;
	/* `edges` is a float, so the sum in it may have overflowed to infinity */
	return equal > half || half > (double)FLT_MAX ? equal : half;
}

struct facts {
	VEC(struct fact) all;
	struct fact_columns extra; /* further numbers of the first extra_cap facts; the numbers of later facts are
				     * 0 */
	size_t extra_cap;
	struct index by_key;
};
void facts_init(struct facts *f);
void facts_deinit(struct facts *f);
/* Removes all facts.  Frees the memory if less than a sixteenth of it was used, or if it is so large that the next
 * interval hardly needs it: the only interval of a recording may be huge. */
void facts_clear(struct facts *f);
/* Makes the arrays in `extra` as long as that of the facts, for the kinds of numbers that `like` has. */
void facts_widen(struct facts *f, const struct fact_columns *like);
/* Adds a zeroed fact with a key that `f` does not have, and returns it; valid until the next call. */
struct fact *facts_new(struct facts *f, struct fact_key key);

static inline size_t facts_bytes(const struct facts *f)
{
	return f->all.cap * sizeof(struct fact) + f->extra_cap * columns_bytes(&f->extra) +
	       f->by_key.slots_n * sizeof(uint64_t);
}

static inline uint64_t fact_hash(const struct index *by_key, struct fact_key key)
{
	return index_hash_pair(by_key, (uint64_t)key.ctx << 32 | key.task, (uint64_t)key.cpu << 16 | key.event);
}

struct fact_wanted {
	const struct fact *all;
	struct fact_key key;
};
static inline bool fact_is(const void *ctx, uint32_t pos)
{
	const struct fact_wanted *w = ctx;
	return memcmp(&w->all[pos].key, &w->key, sizeof(w->key)) == 0; /* no padding, so bytes can be compared */
}

/* To look up many keys, first call facts_prefetch_index() for all of them, then
 * facts_prefetch() for all of them: the cache misses then overlap. */
static inline void facts_prefetch_index(const struct facts *f, uint64_t hash)
{
	__builtin_prefetch(&f->by_key.slots[index_home(&f->by_key, hash)]);
}

static inline void facts_prefetch(const struct facts *f, uint64_t hash)
{
	uint32_t next = (uint32_t)f->by_key.slots[index_home(&f->by_key, hash)];
	if (next)
		__builtin_prefetch(&f->all.data[next - 1], 1);
}

/* Returns the fact with `key`, valid until the next call; adds a zeroed one if there is none. */
static inline struct fact *facts_at_hash(struct facts *f, struct fact_key key, uint64_t hash)
{
	uint32_t pos = index_find(&f->by_key, hash, fact_is, &(struct fact_wanted){f->all.data, key});
	return pos != INDEX_NONE ? &f->all.data[pos] : facts_new(f, key);
}

static inline struct fact *facts_at(struct facts *f, struct fact_key key)
{
	return facts_at_hash(f, key, fact_hash(&f->by_key, key));
}

#endif
