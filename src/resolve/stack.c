/* Unwinds copied stacks through the code of a process. */
#include "resolve/resolver.h"

#include <cyctop/unwind.h>

/* Steps to the caller of code in mapping `m`.  Code without unwind rules is JIT code, Go or assembler, which may keep
 * frame pointers. */
static enum unwind_result step(struct resolver *r, const struct process *p, const struct map *m,
			       const struct unwind_stack *stack, struct unwind_registers *regs)
{
	if (dsos_has_code(r->dsos, m->dso))
		return unwind_by_frame(stack, regs);
	const struct unwind *u = dsos_unwind(r->dsos, m->dso, (int32_t)p->pid);
	if (!u)
		return UNWIND_UNKNOWN;
	enum unwind_result result = unwind_step(u, regs->pc - regs->returns - m->start + m->offset, stack, regs);
	return result == UNWIND_UNCOVERED ? unwind_by_frame(stack, regs) : result;
}

size_t resolver_unwind(struct resolver *r, uint32_t task, uint64_t time_ns, const struct unwind_stack *stack,
		       struct unwind_registers *regs, struct resolver_lookup *ret, size_t max)
{
	struct process *p = tasks_process(&r->tasks, task);
	size_t n = 0;
	while (n < max) {
		const struct map *m = space_find(p->space, regs->pc - regs->returns);
		if (!m && !n && process_retry_maps(&r->tasks.ps, p, time_ns))
			m = space_find(p->space, regs->pc);
		if (!m && n) /* a caller outside of all mappings is wrong, so the chain ends before it */
			break;
		ret[n++] = (struct resolver_lookup){
			.ip = regs->pc, .time_ns = time_ns, .task = task, .misc = MISC_USER, .returns = regs->returns};
		enum unwind_result result = m ? step(r, p, m, stack, regs) : UNWIND_UNKNOWN;
		ret[n - 1].outermost = result == UNWIND_OUTERMOST;
		ret[n - 1].cut = result == UNWIND_SHORT || (result == UNWIND_CALLER && n == max);
		if (result != UNWIND_CALLER)
			break;
	}
	return n;
}

void resolver_outermost(struct resolver *r, uint32_t sym)
{
	struct sym_info *s = &r->names.cat.syms[sym];
	s->outermost |= s->state == SYM_NAMED || s->state == SYM_GROUP; /* other symbols stand for many functions */
}
