/* Steps from a function to its caller, by rules or by the frame pointer. */
#include "base/load.h"
#include "unwind/table.h"

enum { WORD = 8 };

/* Tables from perf's register numbers (bits of sample_regs_user) to DWARF's; NONE: the register is not needed. */
enum { NONE = 0xff, PC = 0xfe, X86_REGISTERS = 24, ARM64_REGISTERS = 33 };
static const uint8_t x86_registers[X86_REGISTERS] = {
	0,    3,    2,	  1,	4,    5,    6,	  7,  PC, /* ax bx cx dx si di bp sp ip */
	NONE, NONE, NONE, NONE, NONE, NONE, NONE,	  /* flags cs ss ds es fs gs: not used */
	8,    9,    10,	  11,	12,   13,   14,	  15,
};

static unsigned number_of(enum unwind_machine machine, unsigned bit)
{
	if (machine == UNWIND_X86_64)
		return bit < X86_REGISTERS ? x86_registers[bit] : NONE;
	return bit < ARM64_REGISTERS - 1 ? bit : bit == ARM64_REGISTERS - 1 ? PC : NONE;
}

static bool has(const struct unwind_registers *r, unsigned number)
{
	return number < UNWIND_REGISTERS && r->has >> number & 1;
}

static void give(struct unwind_registers *r, unsigned number, uint64_t value)
{
	r->r[number] = value;
	r->has |= 1u << number;
}

unsigned unwind_stack_pointer(enum unwind_machine machine)
{
	return unwind_numbers[machine].stack;
}

bool unwind_registers_take(enum unwind_machine machine, uint64_t mask, const uint64_t *values,
			   struct unwind_registers *ret)
{
	bool has_pc = false;
	*ret = (struct unwind_registers){.machine = machine};
	for (unsigned bit = 0; mask >> bit; bit++) {
		if (!(mask >> bit & 1))
			continue;
		unsigned number = number_of(machine, bit);
		if (number < UNWIND_REGISTERS) {
			give(ret, number, *values);
		} else if (number == PC) {
			ret->pc = *values;
			has_pc = true;
		}
		values++;
		if (bit == 63)
			break;
	}
	return has_pc && has(ret, unwind_numbers[machine].stack);
}

/* ---- reading values from the stack -------------------------------------------------------- */

static bool read_word(const struct unwind_stack *s, uint64_t addr, uint64_t *ret)
{
	uint64_t at = addr - s->addr;
	if (addr < s->addr || s->n < WORD || at > s->n - WORD)
		return false;
	*ret = load_number(s->data + at, WORD, false);
	return true;
}

static uint64_t plus(uint64_t base, int32_t offset)
{
	return base + (uint64_t)(int64_t)offset;
}

/* Reads a word of the stack. Returns UNWIND_CALLER: success; UNWIND_SHORT: the word is beyond the copied part. */
static enum unwind_result fetch(const struct unwind_stack *s, uint64_t addr, uint64_t *ret)
{
	if (read_word(s, addr, ret))
		return UNWIND_CALLER;
	return addr >= s->addr ? UNWIND_SHORT : UNWIND_UNKNOWN;
}

/* Removes the signature of arm64's return addresses: it is in the bits above the 48 of a user address. */
static uint64_t strip(enum unwind_machine machine, uint64_t addr)
{
	return machine == UNWIND_ARM64 ? addr & (((uint64_t)1 << 48) - 1) : addr;
}

/* ---- applying a rule ------------------------------------------------------------------------- */

static const struct unwind_rule *find_rule(const struct unwind *u, uint64_t offset)
{
	size_t low = 0, high = u->n;
	while (low < high) {
		size_t mid = low + (high - low) / 2;
		if (u->starts[mid] <= offset)
			low = mid + 1;
		else
			high = mid;
	}
	return low ? &u->rules[u->of[low - 1]] : NULL;
}

static enum unwind_result find_cfa(const struct unwind_rule *rule, const struct unwind_stack *stack,
				   const struct unwind_registers *regs, uint64_t *ret)
{
	if (!has(regs, rule->cfa_register))
		return UNWIND_UNKNOWN;
	uint64_t base = regs->r[rule->cfa_register];
	switch ((enum cfa_kind)rule->cfa_kind) {
	case CFA_REGISTER:
		*ret = plus(base, rule->cfa);
		return UNWIND_CALLER;
	case CFA_PLT:
		*ret = base + WORD + ((regs->pc & 15) >= (uint32_t)rule->cfa ? WORD : 0);
		return UNWIND_CALLER;
	case CFA_AT:
		return fetch(stack, plus(base, rule->cfa), ret);
	default:
		return UNWIND_UNKNOWN;
	}
}

struct frame {
	const struct unwind_rule *rule;
	const struct unwind_stack *stack;
	const struct unwind_registers *regs;
	uint64_t cfa;
};

/* Finds a value of the caller; UNWIND_CALLER: success.  `number`: the register with the value if it is unchanged. */
static enum unwind_result find_value(const struct frame *f, uint8_t kind, int32_t offset, unsigned number,
				     uint64_t *ret)
{
	switch ((enum value_kind)kind) {
	case VALUE_SAME:
		if (!has(f->regs, number))
			return UNWIND_UNKNOWN;
		*ret = f->regs->r[number];
		return UNWIND_CALLER;
	case VALUE_UNDEFINED:
		return UNWIND_OUTERMOST;
	case VALUE_AT_CFA:
		return fetch(f->stack, plus(f->cfa, offset), ret);
	case VALUE_AT:
		return fetch(f->stack, plus(f->regs->r[f->rule->cfa_register], offset), ret);
	case VALUE_CFA:
		*ret = plus(f->cfa, offset);
		return UNWIND_CALLER;
	default:
		return UNWIND_UNKNOWN;
	}
}

/* Returns true if the caller is plausible, because its frame is at a higher address. Only the innermost function, which
 * may have no frame (yet), can have the same frame as its caller. */
static bool caller_is_plausible(const struct frame *f, uint64_t pc)
{
	uint64_t before = f->regs->r[unwind_numbers[f->regs->machine].stack];
	return f->rule->signal || f->cfa > before || (f->cfa == before && !f->regs->returns && pc != f->regs->pc);
}

enum unwind_result unwind_step(const struct unwind *u, uint64_t offset, const struct unwind_stack *stack,
			       struct unwind_registers *regs)
{
	const struct unwind_rule *rule = find_rule(u, offset);
	if (!rule || rule->cfa_kind == CFA_NO_FUNCTION)
		return UNWIND_UNCOVERED;
	if (u->machine != regs->machine)
		return UNWIND_UNKNOWN;
	const struct unwind_numbers *numbers = &unwind_numbers[regs->machine];
	struct frame f = {.rule = rule, .stack = stack, .regs = regs};
	uint64_t pc = 0, frame = 0, base = 0, link = 0;
	if (rule->returns_kind == VALUE_UNDEFINED)
		return UNWIND_OUTERMOST;
	enum unwind_result r = find_cfa(rule, stack, regs, &f.cfa);
	if (r == UNWIND_CALLER)
		r = find_value(&f, rule->returns_kind, rule->returns, numbers->returns, &pc);
	if (r != UNWIND_CALLER)
		return r;
	pc = strip(regs->machine, pc);
	if (!pc || !caller_is_plausible(&f, pc))
		return UNWIND_UNKNOWN;
	struct unwind_registers caller = {.machine = regs->machine, .pc = pc, .returns = !rule->signal};
	give(&caller, numbers->stack, f.cfa);
	if (find_value(&f, rule->frame_kind, rule->frame, numbers->frame, &frame) == UNWIND_CALLER)
		give(&caller, numbers->frame, frame);
	if (numbers->base < UNWIND_REGISTERS &&
	    find_value(&f, rule->base_kind, rule->base, numbers->base, &base) == UNWIND_CALLER)
		give(&caller, numbers->base, base);
	/* interrupted code may have its return address only in the link register */
	if (rule->signal && regs->machine == UNWIND_ARM64 &&
	    find_value(&f, VALUE_AT, rule->returns - 2 * WORD, UNWIND_REGISTERS, &link) == UNWIND_CALLER)
		give(&caller, numbers->returns, link);
	*regs = caller;
	return UNWIND_CALLER;
}

enum unwind_result unwind_by_frame(const struct unwind_stack *stack, struct unwind_registers *regs)
{
	const struct unwind_numbers *numbers = &unwind_numbers[regs->machine];
	uint64_t frame = 0, pc = 0;
	if (!has(regs, numbers->frame) || regs->r[numbers->frame] < regs->r[numbers->stack])
		return UNWIND_UNKNOWN;
	uint64_t at = regs->r[numbers->frame];
	enum unwind_result r = fetch(stack, at, &frame);
	if (r == UNWIND_CALLER)
		r = fetch(stack, at + WORD, &pc);
	if (r != UNWIND_CALLER)
		return r;
	pc = strip(regs->machine, pc);
	if (!pc)
		return UNWIND_UNKNOWN;
	struct unwind_registers caller = {.machine = regs->machine, .pc = pc, .returns = true};
	give(&caller, numbers->stack, at + 2 * WORD);
	give(&caller, numbers->frame, frame);
	*regs = caller;
	return UNWIND_CALLER;
}
