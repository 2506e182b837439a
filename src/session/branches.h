/* Branch stacks of samples: the last branches that the CPU took before a sample. */
#ifndef SESSION_BRANCHES_H
#define SESSION_BRANCHES_H

#include "base/alloc.h"

#include <cyctop/model.h>
#include <cyctop/record.h>
#include <cyctop/resolve.h>
#include <cyctop/source.h>

struct ingest;

struct branches {
	uint32_t event; /* source_info.branches; 0: branch stacks are not looked at */
	bool predicted; /* entries say whether they were predicted */
	uint64_t *sums; /* [(event - branches.event) * cpus_n + cpu]: what both events counted */
	/* of one sample */
	VEC(uint64_t) flags;		     /* of each entry */
	VEC(struct resolver_lookup) lookups; /* of each entry where the branch led from, and to */
	VEC(struct model_sample) samples;
};
void branches_init(struct branches *b, size_t event, unsigned cpus_n);
void branches_deinit(struct branches *b);
/* Sets the counters of both events on all CPUs, which have their times: [(event - branches.event) * cpus_n + cpu]. */
void branches_report(const struct branches *b, unsigned cpus_n, struct counter *counters);

/* Bits of branch_entry.flags; and the cycles since the branch before, in the block that this one ended.  0: unknown. */
enum { BRANCH_MISPREDICTED = 1 << 0, BRANCH_PREDICTED = 1 << 1 };
static inline uint64_t branch_cycles(uint64_t flags)
{
	return flags >> 4 & 0xffff;
}

/* Do samples have branch stacks of branches that were taken? */
static inline bool branches_in(const struct record_layout *layout)
{
	return layout->sample_type & SAMPLE_BRANCH_STACK && !(layout->branch_type & BRANCH_CALL_STACK);
}
/* Lists the branches of a sample, `at` which an instruction was sampled, in b->flags and b->lookups. */
void branches_list(struct branches *b, struct resolver *r, const struct record_sample *s,
		   const struct resolver_lookup *at);
/* Counts the branches of one sample, as events at the instructions that they led from.  `at`: its task and CPU;
 * `place`: its cgroup and parallelism, or NULL. */
void branches_take(struct ingest *in, const struct record_layout *layout, const uint8_t *bytes, size_t size,
		   const struct model_sample *at, const struct sample_place *place);

#endif
