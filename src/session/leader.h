/* Computes periods in leader sampling ({a,b}:S): each sample carries the counts of all events of its group, and the
 * period of an event is how much its count has grown since the previous sample. */
#ifndef SESSION_LEADER_H
#define SESSION_LEADER_H

#include "base/alloc.h"
#include "base/index.h"

struct leader_value {
	uint64_t id, value;
	uint32_t tid;
	uint32_t next; /* index of the next value of the thread, or of the next free value; INDEX_NONE: none */
};
struct leader {
	struct index by_id;  /* (id, tid) -> value */
	struct index by_tid; /* finds one value of a thread; leader_value.next leads to the others */
	VEC(struct leader_value) values;
	uint32_t free;
	uint32_t turn; /* index of the value that make_room() dropped last */
};
void leader_init(struct leader *l);
void leader_deinit(struct leader *l);
/* Returns how much the count of event `id` has grown since the last call.  `tid`: the thread that was counted
 * (record_layout.own_counts), else 0.  The first call returns 0, since its value counts from the opening of the event;
 * with `from_0` it returns the value. */
uint64_t leader_step(struct leader *l, uint64_t id, uint32_t tid, uint64_t value, bool from_0);
/* Notes that a thread has begun, so that its counts start at 0. */
void leader_begin(struct leader *l, uint32_t tid);
/* Forgets the values of a thread that has ended. */
void leader_forget(struct leader *l, uint32_t tid);

#endif
