#include <cyctop/diff.h>

#include <math.h>
#include <stdlib.h>

static int by_key(const void *va, const void *vb)
{
	const struct chain_share *a = va, *b = vb;
	return (a->key > b->key) - (a->key < b->key);
}

/* Adds the share `b`, which is of other samples than `a`. */
static struct ratio sum_of(struct ratio a, struct ratio b)
{
	return (struct ratio){a.value + b.value, hypot(a.error, b.error), a.valid && b.valid};
}

void chain_shares_sort(struct chain_shares *s)
{
	size_t n = 0;
	if (s->n)
		qsort(s->v, s->n, sizeof(*s->v), by_key);
	for (size_t i = 0; i < s->n; i++) {
		const struct chain_share *from = &s->v[i];
		struct chain_share *to = n && s->v[n - 1].key == from->key ? &s->v[n - 1] : NULL;
		if (!to) {
			s->v[n++] = *from;
			continue;
		}
		to->own = sum_of(to->own, from->own);
		to->whole = sum_of(to->whole, from->whole);
		to->ipc.valid = false;
	}
	s->n = n;
}

const struct chain_share *chain_share_find(const struct chain_shares *s, uint64_t key)
{
	const struct chain_share wanted = {.key = key};
	return s->n ? bsearch(&wanted, s->v, s->n, sizeof(*s->v), by_key) : NULL;
}

void chain_shares_deinit(struct chain_shares *s)
{
	free(s->v);
	*s = (struct chain_shares){.v = NULL};
}
