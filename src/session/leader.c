#include "session/leader.h"

#include "base/limits.h"

#include <stdlib.h>

void leader_init(struct leader *l)
{
	*l = (struct leader){.free = INDEX_NONE};
	index_init(&l->by_id);
	index_init(&l->by_tid);
}

void leader_deinit(struct leader *l)
{
	index_deinit(&l->by_id);
	index_deinit(&l->by_tid);
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
	return v->tid == w->tid && v->id == w->id;
}

static uint64_t hash_id(const struct leader *l, uint64_t id, uint32_t tid)
{
	return index_hash(&l->by_id, index_hash(&l->by_id, id) + tid);
}

static uint32_t find_thread(const struct leader *l, uint32_t tid)
{
	return index_find_by(&l->by_tid, l->values.data, tid, tid);
}

/* Makes room for a value by dropping the values of a thread other than `not_tid`, which may have ended without a
 * record.  If it still runs, its next sample counts nothing, as if it were its first. */
static void make_room(struct leader *l, uint32_t not_tid)
{
	enum { LOOKS = 16 };
	for (int i = 0; i < LOOKS && l->free == INDEX_NONE && l->values.n >= LIMIT_THREADS; i++) {
		l->turn = l->turn + 1 < l->values.n ? l->turn + 1 : 0;
		if (l->values.data[l->turn].tid != not_tid)
			leader_forget(l, l->values.data[l->turn].tid);
	}
}

static uint32_t add(struct leader *l, uint64_t id, uint32_t tid)
{
	make_room(l, tid);
	uint32_t pos = l->free, first = find_thread(l, tid);
	if (pos != INDEX_NONE) {
		l->free = l->values.data[pos].next;
	} else {
		pos = (uint32_t)l->values.n;
		vec_push(&l->values) = (struct leader_value){0};
	}
	struct leader_value *v = &l->values.data[pos];
	*v = (struct leader_value){.id = id, .tid = tid, .next = INDEX_NONE};
	if (first == INDEX_NONE) {
		index_add(&l->by_tid, index_hash(&l->by_tid, tid), pos);
	} else {
		v->next = l->values.data[first].next;
		l->values.data[first].next = pos;
	}
	index_add(&l->by_id, hash_id(l, id, tid), pos);
	return pos;
}

/* Id of a marker among a thread's values: the thread began while it was measured, so that all its counts begin at 0. */
#define BEGUN UINT64_MAX

static uint32_t find(const struct leader *l, uint64_t id, uint32_t tid)
{
	return index_find(&l->by_id, hash_id(l, id, tid), is_wanted, &(struct wanted){l, id, tid});
}

uint64_t leader_step(struct leader *l, uint64_t id, uint32_t tid, uint64_t value, bool from_0)
{
	uint32_t pos = find(l, id, tid);
	if (pos == INDEX_NONE) {
		bool begun = from_0 || (tid && find(l, BEGUN, tid) != INDEX_NONE);
		pos = add(l, id, tid);
		l->values.data[pos].value = value;
		return begun ? value : 0;
	}
	struct leader_value *v = &l->values.data[pos];
	uint64_t step = value >= v->value ? value - v->value : value; /* a smaller value: the event was opened again */
	v->value = value;
	return step;
}

void leader_begin(struct leader *l, uint32_t tid)
{
	leader_forget(l, tid);
	if (tid)
		add(l, BEGUN, tid);
}

void leader_forget(struct leader *l, uint32_t tid)
{
	uint32_t pos = find_thread(l, tid);
	if (pos == INDEX_NONE || !tid)
		return;
	index_remove(&l->by_tid, index_hash(&l->by_tid, tid), pos);
	for (uint32_t next; pos != INDEX_NONE; pos = next) {
		struct leader_value *v = &l->values.data[pos];
		next = v->next;
		index_remove(&l->by_id, hash_id(l, v->id, tid), pos);
		v->next = l->free;
		l->free = pos;
	}
}
