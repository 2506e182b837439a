/* Branch stacks of samples (LBR): the last branches that the CPU took before a sample. */
#ifndef SESSION_BRANCHES_H
#define SESSION_BRANCHES_H

#include "base/alloc.h"

#include <cyctop/model.h>
#include <cyctop/record.h>
#include <cyctop/resolve.h>
#include <cyctop/source.h>

struct ingest;

struct branches {
	uint32_t event; /* index of the first of the two events (source_info.branches); 0: branch stacks are ignored */
	bool predicted; /* at least one entry told whether its branch was predicted */
	uint64_t *sums; /* [(event - branches.event) * cpus_n + cpu]: numbers of branches, and of mispredictions */
	/* results of the last branches_list(): */
	VEC(uint64_t) flags;		     /* [entry]: branch_entry.flags */
	VEC(struct resolver_lookup) lookups; /* two for each entry: source and target of the branch */
	VEC(struct model_sample) samples;
};
void branches_init(struct branches *b, size_t event, unsigned cpus_n);
void branches_deinit(struct branches *b);
/* Sets the counts of both events on all CPUs.  `counters`, [(event - branches.event) * cpus_n + cpu], must have their
 * times already. */
void branches_report(const struct branches *b, unsigned cpus_n, struct counter *counters);

/* Bits of branch_entry.flags, which is the bit-field of struct perf_branch_entry.  branch_cycles() returns the cycles
 * since the previous branch; 0: unknown. */
enum { BRANCH_MISPREDICTED = 1 << 0, BRANCH_PREDICTED = 1 << 1 };
static inline uint64_t branch_cycles(uint64_t flags)
{
	return flags >> 4 & 0xffff;
}

/* Returns true if samples have stacks of taken branches, not LBR call stacks. */
static inline bool branches_in(const struct record_layout *layout)
{
	return layout->sample_type & SAMPLE_BRANCH_STACK && !(layout->branch_type & BRANCH_CALL_STACK);
}
/* Lists the branches of a sample in b->flags and b->lookups.  `at`: task and time of the sample. */
void branches_list(struct branches *b, struct resolver *r, const struct record_sample *s,
		   const struct resolver_lookup *at);
/* Counts the branches of one sample, as events at their source addresses.  `at`: the sample's task and CPU; `place`:
 * its cgroup and parallelism, or NULL. */
void branches_take(struct ingest *in, const struct record_layout *layout, const uint8_t *bytes, size_t size,
		   const struct model_sample *at, const struct sample_place *place);

#endif
