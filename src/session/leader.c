#include "session/leader.h"

#include <stdlib.h>

void leader_init(struct leader *l)
{
	*l = (struct leader){0};
	index_init(&l->by_id);
}

void leader_deinit(struct leader *l)
{
	index_deinit(&l->by_id);
	vec_free(&l->values);
}

struct wanted {
	const struct leader *leader;
	uint64_t id;
	uint32_t tid;
};

static bool is_wanted(const void *ctx, uint32_t pos)
{
	const struct wanted *w = ctx;
	const struct leader_value *v = &w->leader->values.data[pos];
	return v->id == w->id && v->tid == w->tid;
}

uint64_t leader_step(struct leader *l, uint64_t id, uint32_t tid, uint64_t value)
{
	uint64_t hash = hash_u64(id ^ (uint64_t)tid << 32);
	uint32_t pos = index_find(&l->by_id, hash, is_wanted, &(struct wanted){l, id, tid});
	if (pos == INDEX_NONE) {
		pos = (uint32_t)l->values.n;
		index_add(&l->by_id, hash, pos);
		vec_push(&l->values) = (struct leader_value){.id = id, .tid = tid};
	}
	struct leader_value *v = &l->values.data[pos];
	uint64_t step = value >= v->value ? value - v->value : value; /* it was opened anew */
	v->value = value;
	return step;
}
