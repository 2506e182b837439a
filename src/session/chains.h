/* Turns call chains of samples into contexts: which functions called the sampled one. */
#ifndef SESSION_CHAINS_H
#define SESSION_CHAINS_H

#include "base/alloc.h"

#include <cyctop/record.h>
#include <cyctop/resolve.h>
#include <cyctop/unwind.h>

struct chains {
	bool used; /* samples are distinguished by their callers */
	/* An address outside all mappings ends a chain: code without frame pointers keeps other values in the register.
	 * false: it is a caller without a name, as in perf. */
	bool ends_outside;
	bool unwinds; /* copies of the stack can be unwound on this machine */
	enum unwind_machine machine;
	VEC(struct resolver_lookup) lookups;
	VEC(struct chain_frame) frames;
};
void chains_deinit(struct chains *c);

/* The sample itself, whose symbol is known. */
struct chain_leaf {
	uint64_t ip, time_ns;
	uint32_t task, sym;
	uint16_t misc;
};
/* The data of a sample from which its callers follow. */
struct sample_chain {
	struct record_words addresses;
	struct record_regs regs; /* with `stack`: registers of user code, whose callers are to be unwound */
	struct record_bytes stack;
	/* LBR call stack in place of the user addresses: calls that have not returned, newest first, as branch entries
	 * of three words.  n 0: there is none. */
	struct record_words calls;
};
/* Returns true if the branch stacks of samples are LBR call stacks. */
static inline bool chains_of_calls(const struct record_layout *layout)
{
	return layout->sample_type & SAMPLE_BRANCH_STACK && layout->branch_type & BRANCH_CALL_STACK;
}
/* Finds the call chain data of a sample whose layout has SAMPLE_CALLCHAIN; a damaged sample has none. */
void chain_find(const struct record_layout *layout, const uint8_t *bytes, size_t size, struct sample_chain *ret);
/* Sets the caller and the inlined functions of *at, the place of a sample, and whether a chain without a caller was
 * cut.  The other members of *at must be set. */
void chains_place(struct chains *c, struct resolver *r, const struct sample_chain *chain, const struct chain_leaf *leaf,
		  struct sample_place *at);

#endif
