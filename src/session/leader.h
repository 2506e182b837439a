/* Leader sampling ({a,b}:S): each sample carries the counts of all events of the group.  The
 * period of an event is the growth of its count since the previous sample. */
#ifndef SESSION_LEADER_H
#define SESSION_LEADER_H

#include "base/alloc.h"
#include "base/index.h"

struct leader_value {
	uint64_t id, value;
	uint32_t tid;
	uint32_t next; /* another of the same thread, or of a free one another free one; INDEX_NONE: the last */
};
struct leader {
	struct index by_id;  /* (id, tid) */
	struct index by_tid; /* one value of each thread */
	VEC(struct leader_value) values;
	uint32_t free;
	uint32_t turn; /* position of the value that made room last */
};
void leader_init(struct leader *l);
void leader_deinit(struct leader *l);
/* Returns by how much the count of event `id` has grown since the last call.  `tid`: the thread
 * that the count belongs to (record_layout.own_counts), else 0.  The first value stands for all since the
 * event was opened: it is a start, and the growth 0.  `from_0`: the start is 0. */
uint64_t leader_step(struct leader *l, uint64_t id, uint32_t tid, uint64_t value, bool from_0);
/* The thread began: its counts begin at 0. */
void leader_begin(struct leader *l, uint32_t tid);
/* The thread ended. */
void leader_forget(struct leader *l, uint32_t tid);

#endif
