/* Group reads of leader sampling ({a,b}:S): each sample carries what all events of the
 * group have counted until then, and the growth since the last sample is what it stands
 * for. */
#ifndef SESSION_LEADER_H
#define SESSION_LEADER_H

#include "base/alloc.h"
#include "base/index.h"

struct leader_value {
	uint64_t id, value;
	uint32_t tid;
};
struct leader {
	struct index by_id;
	VEC(struct leader_value) values;
};
void leader_init(struct leader *l);
void leader_deinit(struct leader *l);
/* How far the event `id` has come since the last call; `tid`: 0, or the thread whose own
 * count it is (record_layout.own_counts). */
uint64_t leader_step(struct leader *l, uint64_t id, uint32_t tid, uint64_t value);

#endif
