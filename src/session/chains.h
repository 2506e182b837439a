/* Turns call chains of samples into contexts: which functions called the sampled one. */
#ifndef SESSION_CHAINS_H
#define SESSION_CHAINS_H

#include "base/alloc.h"

#include <cyctop/record.h>
#include <cyctop/resolve.h>
#include <cyctop/unwind.h>

struct chains {
	bool used; /* samples are told apart by their callers */
	/* true: an address outside of all mappings ends a chain, because code without frame pointers puts other values
	 * into the register.  false: such an address is a caller without a name, as in perf. */
	bool ends_outside;
	bool unwinds; /* copies of the user stack can be unwound on this machine */
	enum unwind_machine machine;
	VEC(struct resolver_lookup) lookups;
	VEC(struct chain_frame) frames;
};
void chains_deinit(struct chains *c);

/* The sampled function itself, the innermost of the chain. */
struct chain_leaf {
	uint64_t ip, time_ns;
	uint32_t task, sym;
	uint16_t misc;
};
/* What a sample tells about its callers. */
struct sample_chain {
	struct record_words addresses;
	struct record_regs regs; /* user registers; the copy of the user stack in `stack` is unwound from them */
	struct record_bytes stack;
	/* LBR call stack, used instead of the user addresses: calls that have not returned, newest first, as branch
	 * entries of three words.  calls.n 0: there is none. */
	struct record_words calls;
};
/* Returns true if the branch stacks of samples are LBR call stacks. */
static inline bool chains_of_calls(const struct record_layout *layout)
{
	return layout->sample_type & SAMPLE_BRANCH_STACK && layout->branch_type & BRANCH_CALL_STACK;
}
/* Finds a sample's call chain; the layout must have SAMPLE_CALLCHAIN.  A damaged sample has an empty chain. */
void chain_find(const struct record_layout *layout, const uint8_t *bytes, size_t size, struct sample_chain *ret);
/* Sets in *at the caller, the inlined functions, and whether a chain without a caller was cut.  The other members of
 * *at, the place of the sample, must be set. */
void chains_place(struct chains *c, struct resolver *r, const struct sample_chain *chain, const struct chain_leaf *leaf,
		  struct sample_place *at);

#endif
