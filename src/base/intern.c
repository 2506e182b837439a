#include "base/intern.h"

#include "base/alloc.h"
#include "base/index.h"

#include <stdlib.h>
#include <string.h>

enum { BLOCK_MIN = 16 * 1024 };

struct block {
	struct block *next;
	size_t used, cap;
	char data[];
};
struct intern {
	struct block *blocks;
	VEC(const char *) strings;
	struct index index;
	size_t bytes; /* length of all strings, with their NULs */
};

struct intern *intern_create(void)
{
	struct intern *in = mem_calloc(1, sizeof(*in));
	index_init(&in->index);
	return in;
}

void intern_destroy(struct intern *in)
{
	if (!in)
		return;
	for (struct block *b = in->blocks, *next; b; b = next) {
		next = b->next;
		free(b);
	}
	vec_free(&in->strings);
	index_deinit(&in->index);
	free(in);
}

struct wanted {
	const struct intern *in;
	const char *s;
	size_t n;
};

static bool equal(const void *ctx, uint32_t pos)
{
	const struct wanted *w = ctx;
	const char *have = w->in->strings.data[pos];
	return strncmp(have, w->s, w->n) == 0 && have[w->n] == '\0';
}

static char *take(struct intern *in, size_t n)
{
	struct block *b = in->blocks;
	if (!b || b->cap - b->used < n) {
		/* Blocks grow with the set, because malloc() returns large blocks to the system when the set is
		 * destroyed. */
		size_t cap = in->bytes / 8 > BLOCK_MIN ? in->bytes / 8 : BLOCK_MIN;
		cap = n > cap ? n : cap;
		b = mem_calloc(1, sizeof(*b) + cap);
		b->cap = cap;
		b->next = in->blocks;
		in->blocks = b;
	}
	char *p = b->data + b->used;
	b->used += n;
	in->bytes += n;
	return p;
}

const char *intern_bytes(struct intern *in, const char *s, size_t n)
{
	n = strnlen(s, n);
	uint64_t hash = index_hash_bytes(&in->index, s, n);
	struct wanted w = {in, s, n};
	uint32_t pos = index_find(&in->index, hash, equal, &w);
	if (pos != INDEX_NONE)
		return in->strings.data[pos];
	char *copy = take(in, n + 1);
	memcpy(copy, s, n);
	copy[n] = '\0';
	index_add(&in->index, hash, (uint32_t)in->strings.n);
	vec_push(&in->strings) = copy;
	return copy;
}

const char *intern_string(struct intern *in, const char *s)
{
	return intern_bytes(in, s, strlen(s));
}

size_t intern_memory(const struct intern *in)
{
	enum { INDEX_SLOT = 2 * sizeof(uint64_t) }; /* bytes for each string: its slot, and as much for empty slots */
	return in->bytes + in->strings.n * (sizeof(char *) + INDEX_SLOT);
}
