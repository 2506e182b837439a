/* An open-addressing hash index: hash -> u32 position in the caller's array.  The
 * caller keeps the entries and says which of those with the same hash is meant. */
#ifndef BASE_INDEX_H
#define BASE_INDEX_H

#include <cyctop/base.h>

#define INDEX_NONE UINT32_MAX

struct index {
	uint64_t *slots; /* high half: hash bits, low half: position + 1; 0: empty */
	size_t mask;	 /* slots - 1; 0: nothing was ever added, and nothing is allocated */
	size_t n;
};
void index_init(struct index *ix);
void index_deinit(struct index *ix);
void index_clear(struct index *ix);

/* Where a hash starts to probe: its upper half, which the slot keeps, so that the
 * table can be rebuilt from its slots alone. */
static inline size_t index_home(uint64_t slot, size_t mask)
{
	return (size_t)(slot >> 32) & mask;
}

typedef bool index_eq_fn(const void *ctx, uint32_t pos);
/* The position for which eq(ctx, pos) holds, or INDEX_NONE.  Inline, so that `eq` is. */
static inline uint32_t index_find(const struct index *ix, uint64_t hash, index_eq_fn *eq, const void *ctx)
{
	for (size_t i = index_home(hash, ix->mask);; i = (i + 1) & ix->mask) {
		uint64_t slot = ix->slots[i];
		if (!slot)
			return INDEX_NONE;
		if ((slot ^ hash) >> 32 == 0 && eq(ctx, (uint32_t)slot - 1))
			return (uint32_t)slot - 1;
	}
}
/* `pos` must not be there yet, and be below INDEX_NONE. */
void index_add(struct index *ix, uint64_t hash, uint32_t pos);
/* Forgets the entry whose position is `pos`. */
void index_remove(struct index *ix, uint64_t hash, uint32_t pos);

/* Finalizer of splitmix64: every input bit reaches every output bit. */
static inline uint64_t hash_u64(uint64_t x)
{
	x ^= x >> 30;
	x *= 0xbf58476d1ce4e5b9ull;
	x ^= x >> 27;
	x *= 0x94d049bb133111ebull;
	return x ^ (x >> 31);
}
uint64_t hash_bytes(const void *data, size_t n);

#endif
