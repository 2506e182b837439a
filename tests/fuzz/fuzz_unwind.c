/* Fuzzes what unwind tables say of callers, and stacks.  The first byte gives the machine and the kind of table, the
 * second the size of the table in units of 4 bytes; the table follows, and then the stack. */
#include <cyctop/unwind.h>

#include <stdint.h>
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { CODE_AT = 0x1000, CODE_N = 0x800, STEPS = 64 };

static bool place(void *ctx, uint64_t addr, uint64_t *offset_ret, uint64_t *n_ret)
{
	(void)ctx;
	*offset_ret = addr - CODE_AT;
	*n_ret = CODE_AT + CODE_N - addr;
	return addr >= CODE_AT && addr < CODE_AT + CODE_N;
}

/* A function has a caller further out, or was interrupted. */
static void walk(const struct unwind *u, const struct unwind_stack *stack, struct unwind_registers regs)
{
	unsigned sp = unwind_stack_pointer(regs.machine);
	for (size_t n = 0; n < STEPS; n++) {
		struct unwind_registers before = regs;
		enum unwind_result r = unwind_step(u, regs.pc - CODE_AT, stack, &regs);
		if (r == UNWIND_UNCOVERED)
			r = unwind_by_frame(stack, &regs);
		if (r != UNWIND_CALLER)
			return;
		if (!regs.pc || !(regs.has >> sp & 1) ||
		    (regs.returns && regs.r[sp] == before.r[sp] && regs.pc == before.pc))
			abort();
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	if (size < 2)
		return 0;
	enum unwind_machine machine = data[0] & 1 ? UNWIND_ARM64 : UNWIND_X86_64;
	size_t n = data[1] * 4u < size - 2 ? data[1] * 4u : size - 2;
	struct frames f = {.table = {data + 2, n, 0x5000}, .wide = true, .debug = data[0] & 2};
	struct unwind_builder *b = unwind_builder_create(machine);
	if (!(data[0] & 4 ? unwind_add_sframe(b, &f.table, place, NULL) : unwind_add(b, &f, place, NULL)))
		abort();
	struct unwind *u = unwind_finish(b);
	const struct unwind_stack stack = {data + 2 + n, size - 2 - n, 0x7000};
	struct unwind_registers regs = {.machine = machine, .has = UINT32_MAX};
	for (size_t i = 0; i < UNWIND_REGISTERS; i++)
		regs.r[i] = stack.addr + 8 * i;
	regs.r[unwind_stack_pointer(machine)] = stack.addr;
	for (uint64_t at = 0; at <= CODE_N; at += 16) {
		regs.pc = CODE_AT + at;
		walk(u, &stack, regs);
	}
	unwind_destroy(u);
	return 0;
}
