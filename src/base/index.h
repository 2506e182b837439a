/* An open-addressing hash index: hash -> u32 position in the caller's array.  The caller keeps the entries; its
 * function eq() tells which of the entries with the same hash is the right one.
 *
 * Keys come from files, records and other programs.  Each index has a random seed, and the caller takes its hashes from
 * index_hash() or index_hash_bytes(), so that nobody can choose keys that all collide. */
#ifndef BASE_INDEX_H
#define BASE_INDEX_H

#include <cyctop/base.h>

#include <string.h>

#define INDEX_NONE UINT32_MAX

struct index {
	uint64_t *slots; /* upper 32 bits: upper half of the hash; lower 32 bits: position + 1; 0: the slot is empty */
	size_t slots_n;	 /* number of slots; 1: nothing was ever added, and nothing is allocated */
	size_t n;
	uint64_t seed;
};
void index_init(struct index *ix);
void index_deinit(struct index *ix);
void index_clear(struct index *ix); /* removes all entries, and keeps the seed */
/* Allocates memory for `n` entries in an index to which nothing was ever added. */
void index_reserve(struct index *ix, size_t n);

/* Returns the home slot of a hash, where probing begins: the upper half of the hash, scaled to the number of slots,
 * which need not be a power of two.  Slots store that half, so that the table can be rebuilt from its slots alone. */
static inline size_t index_home(const struct index *ix, uint64_t hash)
{
	return (size_t)((hash >> 32) * ix->slots_n >> 32);
}

static inline size_t index_next(const struct index *ix, size_t i)
{
	return i + 1 < ix->slots_n ? i + 1 : 0;
}

typedef bool index_eq_fn(const void *ctx, uint32_t pos);
/* Returns the position for which eq(ctx, pos) is true, or INDEX_NONE.  Inline, so that the compiler can inline `eq`. */
static inline uint32_t index_find(const struct index *ix, uint64_t hash, index_eq_fn *eq, const void *ctx)
{
	for (size_t i = index_home(ix, hash);; i = index_next(ix, i)) {
		uint64_t slot = ix->slots[i];
		if (!slot)
			return INDEX_NONE;
		if ((slot ^ hash) >> 32 == 0 && eq(ctx, (uint32_t)slot - 1))
			return (uint32_t)slot - 1;
	}
}
/* Adds `pos`, which must be below INDEX_NONE and not in the index yet. */
void index_add(struct index *ix, uint64_t hash, uint32_t pos);
/* Removes the entry with position `pos`. */
void index_remove(struct index *ix, uint64_t hash, uint32_t pos);

/* Mixes a number so that every input bit influences every output bit: the finalizer of splitmix64. */
static inline uint64_t hash_u64(uint64_t x)
{
	x ^= x >> 30;
	x *= 0xbf58476d1ce4e5b9ull;
	x ^= x >> 27;
	x *= 0x94d049bb133111ebull;
	return x ^ (x >> 31);
}
uint64_t hash_bytes(const void *data, size_t n, uint64_t seed);
/* Returns a random number, which is the same during the life of this process. */
uint64_t hash_seed(void);

/* Returns the hash of a key for this index.  To make a key of several numbers, hash them first. */
static inline uint64_t index_hash(const struct index *ix, uint64_t key)
{
	return hash_u64(key ^ ix->seed);
}
/* Returns the hash of a pair in half the instructions, for hot paths.  Other programs must not be able to choose `b`:
 * by choosing both numbers they could find collisions. */
static inline uint64_t index_hash_pair(const struct index *ix, uint64_t a, uint32_t b)
{
	__extension__ unsigned __int128 product =
		(unsigned __int128)(a ^ ix->seed) * (0x9e3779b97f4a7c15ull ^ (uint64_t)b << 1);
	return (uint64_t)(product >> 64) ^ (uint64_t)product;
}
static inline uint64_t index_hash_bytes(const struct index *ix, const void *data, size_t n)
{
	return hash_bytes(data, n, ix->seed);
}

/* Context of index_is_number(): the number to find, and where the caller's entries have their numbers. */
struct index_number {
	const char *entries;
	size_t entry_bytes, number_at, number_bytes; /* size of an entry; offset and size (4 or 8) of its number */
	uint64_t number;
};
static inline bool index_is_number(const void *ctx, uint32_t pos)
{
	const struct index_number *w = ctx;
	const void *at = w->entries + pos * w->entry_bytes + w->number_at;
	return (w->number_bytes == 4 ? *(const uint32_t *)at : *(const uint64_t *)at) == w->number;
}
/* Returns the position of the entry whose `member` is `key`, or INDEX_NONE.  Entries must have been added with the
 * index_hash() of `member`.  Evaluates `key` twice. */
#define index_find_by(ix, entries, member, key)                                                                        \
	index_find((ix), index_hash((ix), (key)), index_is_number,                                                     \
		   &(struct index_number){(const char *)(entries), sizeof(*(entries)),                                 \
					  offsetof(__typeof__(*(entries)), member), sizeof((entries)->member), (key)})

/* Hashes text, without its NUL. */
static inline uint64_t index_hash_text(const struct index *ix, const char *text)
{
	return index_hash_bytes(ix, text, strlen(text));
}

/* Context of index_is_text(): the text to find, and where the caller's entries have pointers to their texts. */
struct index_text {
	const char *entries;
	size_t entry_bytes, text_at;
	const char *text;
};
static inline bool index_is_text(const void *ctx, uint32_t pos)
{
	const struct index_text *w = ctx;
	return strcmp(*(const char *const *)(w->entries + pos * w->entry_bytes + w->text_at), w->text) == 0;
}
/* Returns the position of the entry whose `member` points to a text equal to `key`, or INDEX_NONE.  Entries must have
 * been added with the index_hash_text() of that text.  Evaluates `key` twice. */
#define index_find_by_text(ix, entries, member, key)                                                                   \
	index_find((ix), index_hash_text((ix), (key)), index_is_text,                                                  \
		   &(struct index_text){(const char *)(entries), sizeof(*(entries)),                                   \
					offsetof(__typeof__(*(entries)), member), (key)})

#endif
