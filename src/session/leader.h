/* Computes periods in leader sampling ({a,b}:S): each sample carries the counts of all events of the group.  The
 * period of an event is the growth of its count since the previous sample. */
#ifndef SESSION_LEADER_H
#define SESSION_LEADER_H

#include "base/alloc.h"
#include "base/index.h"

struct leader_value {
	uint64_t id, value;
	uint32_t tid;
	uint32_t next; /* next value of the thread, or next free one; INDEX_NONE: the last */
};
struct leader {
	struct index by_id;  /* (id, tid) -> value */
	struct index by_tid; /* finds one value of each thread */
	VEC(struct leader_value) values;
	uint32_t free;
	uint32_t turn; /* position of the value that was dropped last to make room */
};
void leader_init(struct leader *l);
void leader_deinit(struct leader *l);
/* Returns by how much the count of event `id` has grown since the last call.  `tid`: the thread that the count
 * belongs to (record_layout.own_counts), else 0.  The first call returns 0, because the first value is the count
 * since the event was opened, or, with `from_0`, the whole value. */
uint64_t leader_step(struct leader *l, uint64_t id, uint32_t tid, uint64_t value, bool from_0);
/* Notes that the thread began, so that its counts begin at 0. */
void leader_begin(struct leader *l, uint32_t tid);
/* Forgets a thread that ended. */
void leader_forget(struct leader *l, uint32_t tid);

#endif
