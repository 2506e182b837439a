/* Call chains of samples -> contexts of their callers. */
#ifndef SESSION_CHAINS_H
#define SESSION_CHAINS_H

#include "base/alloc.h"

#include <cyctop/record.h>
#include <cyctop/resolve.h>
#include <cyctop/unwind.h>

struct chains {
	bool used; /* samples are told apart by their callers */
	/* An address that is in no mapping ends a chain: it is no return address, but what code without frame pointers
	 * keeps in the register.  false: it is a caller without a name, as in perf. */
	bool ends_outside;
	bool unwinds; /* stacks of the machine can be followed */
	enum unwind_machine machine;
	VEC(struct resolver_lookup) lookups;
	VEC(struct chain_frame) frames;
};
void chains_deinit(struct chains *c);

/* A sample whose symbol is known. */
struct chain_leaf {
	uint64_t ip, time_ns;
	uint32_t task, sym;
	uint16_t misc;
};
/* What a sample tells of its callers. */
struct sample_chain {
	struct record_words addresses;
	struct record_regs regs; /* with `stack`: of user code, whose callers are not among the addresses */
	struct record_bytes stack;
	/* The CPU's list of calls that have not returned, the newest first, in place of the addresses of user code: the
	 * words of branch entries, three each.  n 0: there is none. */
	struct record_words calls;
};
/* Are the branch stacks of samples such lists? */
static inline bool chains_of_calls(const struct record_layout *layout)
{
	return layout->sample_type & SAMPLE_BRANCH_STACK && layout->branch_type & BRANCH_CALL_STACK;
}
/* Finds what a sample whose layout has SAMPLE_CALLCHAIN tells; nothing if it is damaged. */
void chain_find(const struct record_layout *layout, const uint8_t *bytes, size_t size, struct sample_chain *ret);
/* Sets sample_place.caller of a sample, what was inlined at its address, and whether a chain without a caller is cut.
 * *at: where the sample was taken, but for these. */
void chains_place(struct chains *c, struct resolver *r, const struct sample_chain *chain, const struct chain_leaf *leaf,
		  struct sample_place *at);

#endif
