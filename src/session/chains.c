#include "session/chains.h"

void chains_deinit(struct chains *c)
{
	vec_free(&c->lookups);
	vec_free(&c->frames);
}

void chain_find(const struct record_layout *layout, const uint8_t *bytes, size_t size, struct sample_chain *ret)
{
	struct record rec;
	*ret = (struct sample_chain){0};
	if (!(layout->sample_type & SAMPLE_STACK_USER) && !chains_of_calls(layout)) {
		if (!record_sample_chain(layout, bytes, size, &ret->addresses))
			ret->addresses.n = 0;
		return;
	}
	if (record_decode(layout, bytes, size, &rec) < 0)
		return;
	*ret = (struct sample_chain){rec.u.sample.callchain, rec.u.sample.regs_user, rec.u.sample.stack_user, {0}};
	if (chains_of_calls(layout))
		ret->calls = (struct record_words){rec.u.sample.branch.entries, 3 * rec.u.sample.branch.nr,
						   rec.u.sample.branch.swap};
}

/* Returns the cpumode (MISC_USER, ...) of the addresses after a context marker in a call chain; -1: unknown marker. */
static int mode_of_marker(uint64_t marker)
{
	switch (marker) {
	case CALLCHAIN_HV:
		return MISC_HYPERVISOR;
	case CALLCHAIN_KERNEL:
		return MISC_KERNEL;
	case CALLCHAIN_USER:
		return MISC_USER;
	case CALLCHAIN_GUEST_KERNEL:
		return MISC_GUEST_KERNEL;
	case CALLCHAIN_GUEST:
	case CALLCHAIN_GUEST_USER:
		return MISC_GUEST_USER;
	default:
		return -1;
	}
}

static void list_address(struct chains *c, uint64_t ip, int mode, bool returns, const struct chain_leaf *leaf)
{
	vec_push(&c->lookups) = (struct resolver_lookup){
		.ip = ip, .time_ns = leaf->time_ns, .task = leaf->task, .misc = (uint16_t)mode, .returns = returns};
}

/* Lists the calls of an LBR call stack, as perf does: for a sample of kernel code first the target of the newest call,
 * the function that entered the kernel; then the address that each call came from. */
static void list_calls(struct chains *c, const struct record_words *calls, const struct chain_leaf *leaf)
{
	if ((leaf->misc & MISC_CPUMODE_MASK) != MISC_USER)
		list_address(c, record_u64(*calls, 1), MISC_USER, false, leaf);
	for (uint64_t i = 0; i < calls->n; i += 3)
		list_address(c, record_u64(*calls, i), MISC_USER, false, leaf);
}

/* Lists the addresses of a chain, innermost first.  Returns true if the user part is to be unwound from a copy of the
 * stack.  *cut_ret: true if the chain has the kernel's maximal length, or its user part did not come. */
static bool list_addresses(struct chains *c, const struct sample_chain *of, const struct chain_leaf *leaf,
			   bool *cut_ret)
{
	enum { LONGEST = 127 }; /* default of kernel.perf_event_max_stack */
	const struct record_words *chain = &of->addresses;
	int mode = 0;
	bool returns = false; /* false for the innermost address of kernel and of user code */
	c->lookups.n = 0;
	*cut_ret = chain->n >= LONGEST;
	for (uint64_t i = 0; i < chain->n; i++) {
		uint64_t ip = record_u64(*chain, i);
		if (ip >= CALLCHAIN_CONTEXT_MAX) {
			mode = mode_of_marker(ip);
			*cut_ret |= ip == CALLCHAIN_USER_DEFERRED;
			returns = false;
			if (mode == MISC_USER && of->calls.n)
				list_calls(c, &of->calls, leaf);
			if (mode < 0 || (mode == MISC_USER && of->calls.n))
				return false;
			continue;
		}
		list_address(c, ip, mode, returns, leaf);
		returns = true;
	}
	return mode != MISC_USER;
}

/* Appends the addresses that unwinding the sample's copy of the user stack finds. */
static void follow_stack(struct chains *c, struct resolver *r, const struct sample_chain *chain,
			 const struct chain_leaf *leaf)
{
	enum { ABI_64 = 2, MAX = 512 };
	uint64_t values[64] = {0};
	struct unwind_registers regs;
	for (size_t i = 0; i < chain->regs.values.n && i < ARRAY_LEN(values); i++)
		values[i] = record_u64(chain->regs.values, i);
	if (!c->unwinds || chain->regs.abi != ABI_64 || !chain->regs.values.n ||
	    !unwind_registers_take(c->machine, chain->regs.mask, values, &regs))
		return;
	const struct unwind_stack stack = {chain->stack.data, chain->stack.size,
					   regs.r[unwind_stack_pointer(c->machine)]};
	vec_reserve(&c->lookups, c->lookups.n + MAX);
	c->lookups.n +=
		resolver_unwind(r, leaf->task, leaf->time_ns, &stack, &regs, c->lookups.data + c->lookups.n, MAX);
}

/* Adds the function at an address, and those inlined there, without the innermost `skip` of them.  *first_ret gets the
 * innermost one in any case. */
static void add_frames(struct chains *c, struct resolver *r, const struct resolver_lookup *l, size_t skip,
		       struct chain_frame *first_ret)
{
	struct chain_frame frames[INLINED_DEPTH_MAX + 1];
	size_t n = resolver_frames(r, l, frames);
	*first_ret = frames[0];
	for (size_t i = skip; i < n; i++)
		vec_push(&c->frames) = frames[i];
}

void chains_place(struct chains *c, struct resolver *r, const struct sample_chain *chain, const struct chain_leaf *leaf,
		  struct sample_place *at)
{
	const struct resolver_lookup own = {
		.ip = leaf->ip, .time_ns = leaf->time_ns, .task = leaf->task, .misc = leaf->misc, .sym = leaf->sym};
	struct chain_frame first;
	bool cut = false;
	if (list_addresses(c, chain, leaf, &cut))
		follow_stack(c, r, chain, leaf);
	resolver_symbols(r, c->lookups.data, c->lookups.n);
	c->frames.n = 0;
	add_frames(c, r, &own, 1, &first);
	at->inlined = first.inlined;
	at->site = first.site;
	for (size_t i = 0; i < c->lookups.n; i++) {
		const struct resolver_lookup *l = &c->lookups.data[i];
		if (c->ends_outside && resolver_catalog(r)->syms[l->sym].state == SYM_NO_DSO)
			break;
		cut |= l->cut;
		if (l->outermost)
			resolver_outermost(r, l->sym);
		if (i || (l->ip != leaf->ip && l->sym != leaf->sym))
			add_frames(c, r, l, 0, &first);
	}
	at->cut = cut;
	at->caller = resolver_chain(r, c->frames.data, c->frames.n, at);
	at->cut &= !c->frames.n; /* only a chain without any caller is shown as cut */
	at->inlined = at->caller == CATALOG_NONE ? 0 : at->inlined;
}
