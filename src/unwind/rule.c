/* Runs the CFA instructions (DW_CFA_*) of unwind tables, which change the rules of registers from address to address.
 * Only the rules of the CFA, the return address, and the frame and base pointers are kept. */
#include "unwind/rule.h"

#include "unwind/read.h"

#include <string.h>

enum { SAVED_MAX = 16 };

const struct unwind_numbers unwind_numbers[] = {
	[UNWIND_X86_64] = {.stack = 7, .frame = 6, .base = 3, .returns = UNWIND_REGISTERS},
	[UNWIND_ARM64] = {.stack = 31, .frame = 29, .base = UNWIND_REGISTERS, .returns = 30},
};

/* Where the caller's value of a register is; `of`: base register of VALUE_AT. */
struct value {
	enum value_kind kind;
	uint64_t of;
	int64_t offset;
};

struct state {
	enum cfa_kind cfa_kind;
	uint64_t cfa_register;
	int64_t cfa;
	struct value returns, frame, base;
};

struct run {
	enum unwind_machine machine;
	const struct frames_function *f;
	struct state now, first; /* first: the state after the CIE's instructions */
	struct state saved[SAVED_MAX];
	size_t saved_n;
	uint64_t at, since; /* offsets in the function: `now` holds for [since, at) */
	bool lost;	    /* after an unknown instruction: the rest of the function has no rules */
	void (*row)(void *ctx, uint64_t start, const struct unwind_rule *rule);
	void *ctx;
};

/* ---- making a rule from the state ----------------------------------------------------- */

static bool fits(int64_t offset)
{
	return offset >= INT32_MIN && offset <= INT32_MAX;
}

static uint8_t value_kind(const struct state *s, const struct value *v)
{
	bool foreign = v->kind == VALUE_AT && (s->cfa_kind == CFA_PLT || v->of != s->cfa_register);
	return foreign || !fits(v->offset) ? VALUE_UNKNOWN : v->kind;
}

/* Returns the rule for signal frames of Linux: where the interrupted registers are, relative to the stack pointer.  The
 * kernel's unwind table tells only the frame pointer. */
static struct unwind_rule arm64_signal(void)
{
	return (struct unwind_rule){
		.cfa_kind = CFA_AT,
		.cfa_register = 31,
		.cfa = 560,
		.returns_kind = VALUE_AT,
		.returns = 568,
		.frame_kind = VALUE_AT,
		.frame = 544,
		.signal = true,
	};
}

static struct unwind_rule rule_of(const struct run *r)
{
	const struct state *s = &r->now;
	if (r->machine == UNWIND_ARM64 && r->f->cie->signal)
		return arm64_signal();
	if (r->lost || s->cfa_kind == CFA_UNKNOWN || s->cfa_register >= UNWIND_REGISTERS || !fits(s->cfa))
		return (struct unwind_rule){.cfa_kind = CFA_UNKNOWN};
	return (struct unwind_rule){
		.cfa_kind = (uint8_t)s->cfa_kind,
		.cfa_register = (uint8_t)s->cfa_register,
		.cfa = (int32_t)s->cfa,
		.returns_kind = value_kind(s, &s->returns),
		.returns = (int32_t)s->returns.offset,
		.frame_kind = value_kind(s, &s->frame),
		.frame = (int32_t)s->frame.offset,
		.base_kind = value_kind(s, &s->base),
		.base = (int32_t)s->base.offset,
		.signal = r->f->cie->signal,
	};
}

/* Calls row() with the rule for the offsets [since, to), and continues at offset `to`. */
static void go_to(struct run *r, uint64_t to)
{
	if (to > r->since) {
		struct unwind_rule rule = rule_of(r);
		r->row(r->ctx, r->since, &rule);
		r->since = to;
	}
	r->at = to;
}

static void advance(struct run *r, uint64_t by)
{
	uint64_t step = 0, to = 0;
	bool over =
		__builtin_mul_overflow(by, r->f->cie->code_align, &step) || __builtin_add_overflow(r->at, step, &to);
	go_to(r, over || to > r->f->size ? r->f->size : to);
}

/* ---- running instructions ---------------------------------------------------------------- */

/* Returns where a state keeps the value of register `reg`; NULL: no rule needs this register. */
static struct value *value_of(const struct run *r, struct state *s, uint64_t reg)
{
	const struct unwind_numbers *numbers = &unwind_numbers[r->machine];
	if (reg == r->f->cie->returns)
		return &s->returns;
	return reg == numbers->frame ? &s->frame : reg == numbers->base ? &s->base : NULL;
}

static void set(struct run *r, uint64_t reg, struct value v)
{
	struct value *to = value_of(r, &r->now, reg);
	if (to)
		*to = v;
}

static void restore(struct run *r, uint64_t reg)
{
	const struct value *first = value_of(r, &r->first, reg);
	if (first)
		set(r, reg, *first);
}

static int64_t scaled(const struct run *r, uint64_t n)
{
	return (int64_t)(n * (uint64_t)r->f->cie->data_align); /* wraps around if the table is damaged */
}

/* Takes a DWARF expression from the instructions.  Returns a cursor on its bytes, with `bad` set if it is cut off. */
static struct frames_cursor take_block(struct frames_cursor *c)
{
	uint64_t n = frames_leb(c, false);
	struct frames_cursor ret = *c;
	if (c->bad || n > c->end - c->at) {
		c->bad = ret.bad = true;
		return ret;
	}
	ret.end = ret.at + (size_t)n;
	c->at = ret.end;
	return ret;
}

/* Reads "register + offset" (DW_OP_breg0 to 31).  Returns false if it is another operation. */
static bool read_sum(struct frames_cursor *c, uint64_t *register_ret, int64_t *offset_ret)
{
	enum { OP_BREG0 = 0x70, OP_BREG31 = 0x8f };
	uint64_t op = frames_get(c, 1);
	*register_ret = op - OP_BREG0;
	*offset_ret = (int64_t)frames_leb(c, true);
	return !c->bad && op >= OP_BREG0 && op <= OP_BREG31;
}

/* Returns true if the rest of the expression is what linkers write for PLT stubs: "+ ((pc & 15) >= N) << 3".
 * *from_ret: N. */
static bool read_plt(struct frames_cursor *c, int64_t *from_ret)
{
	static const uint8_t before[] = {0x80, 0, 0x3f, 0x1a}, behind[] = {0x2a, 0x33, 0x24, 0x22};
	enum { OP_LIT0 = 0x30 };
	const uint8_t *p = c->data + c->at;
	if (c->end - c->at != sizeof(before) + 1 + sizeof(behind) || memcmp(p, before, sizeof(before)) != 0 ||
	    memcmp(p + sizeof(before) + 1, behind, sizeof(behind)) != 0)
		return false;
	*from_ret = p[sizeof(before)] - OP_LIT0;
	return *from_ret >= 0 && *from_ret < 16;
}

static void cfa_expression(struct run *r, struct frames_cursor c)
{
	enum { OP_DEREF = 0x06 };
	struct state *s = &r->now;
	s->cfa_kind = CFA_UNKNOWN;
	if (!read_sum(&c, &s->cfa_register, &s->cfa))
		return;
	if (c.end - c.at == 1 && c.data[c.at] == OP_DEREF)
		s->cfa_kind = CFA_AT;
	else if (s->cfa == 8 && s->cfa_register == unwind_numbers[r->machine].stack && read_plt(&c, &s->cfa))
		s->cfa_kind = CFA_PLT;
}

static void value_expression(struct run *r, uint64_t reg, struct frames_cursor c)
{
	struct value v = {.kind = VALUE_AT};
	if (!read_sum(&c, &v.of, &v.offset) || c.at != c.end)
		v.kind = VALUE_UNKNOWN;
	set(r, reg, v);
}

static void define_cfa(struct run *r, uint64_t reg, int64_t offset)
{
	r->now.cfa_kind = CFA_REGISTER;
	r->now.cfa_register = reg;
	r->now.cfa = offset;
}

/* Sets the offset of the CFA, which must be register + offset. */
static void move_cfa(struct run *r, int64_t offset)
{
	r->now.cfa = offset;
	if (r->now.cfa_kind != CFA_REGISTER)
		r->now.cfa_kind = CFA_UNKNOWN;
}

static void remember(struct run *r)
{
	if (r->saved_n == SAVED_MAX)
		r->lost = true;
	else
		r->saved[r->saved_n++] = r->now;
}

static void recall(struct run *r)
{
	if (!r->saved_n)
		r->lost = true;
	else
		r->now = r->saved[--r->saved_n];
}

static void set_at_cfa(struct run *r, uint64_t reg, int64_t offset)
{
	set(r, reg, (struct value){.kind = VALUE_AT_CFA, .offset = offset});
}

/* Runs a CFA instruction that changes the CFA or the whole state. Returns false if `op` is no such instruction. */
static bool run_cfa(struct run *r, struct frames_cursor *c, unsigned op)
{
	uint64_t n = 0;
	switch (op) {
	case 0x00: /* DW_CFA_nop */
		return true;
	case 0x02: /* DW_CFA_advance_loc1, 2 and 4 */
	case 0x03:
	case 0x04:
		advance(r, frames_get(c, (size_t)1 << (op - 0x02)));
		return true;
	case 0x0a: /* DW_CFA_remember_state */
		remember(r);
		return true;
	case 0x0b: /* DW_CFA_restore_state */
		recall(r);
		return true;
	case 0x0c: /* DW_CFA_def_cfa */
		n = frames_leb(c, false);
		define_cfa(r, n, (int64_t)frames_leb(c, false));
		return true;
	case 0x0d: /* DW_CFA_def_cfa_register */
		r->now.cfa_register = frames_leb(c, false);
		move_cfa(r, r->now.cfa);
		return true;
	case 0x0e: /* DW_CFA_def_cfa_offset */
		move_cfa(r, (int64_t)frames_leb(c, false));
		return true;
	case 0x0f: /* DW_CFA_def_cfa_expression */
		cfa_expression(r, take_block(c));
		return true;
	case 0x12: /* DW_CFA_def_cfa_sf */
		n = frames_leb(c, false);
		define_cfa(r, n, scaled(r, frames_leb(c, true)));
		return true;
	case 0x13: /* DW_CFA_def_cfa_offset_sf */
		move_cfa(r, scaled(r, frames_leb(c, true)));
		return true;
	case 0x2c: /* DW_CFA_AARCH64_negate_ra_state_with_pc */
	case 0x2d: /* DW_CFA_AARCH64_negate_ra_state: see strip() in step.c */
		return r->machine == UNWIND_ARM64;
	case 0x2e: /* DW_CFA_GNU_args_size */
		frames_leb(c, false);
		return true;
	default:
		return false;
	}
}

/* Runs a CFA instruction whose first operand is a register. Returns false if `op` is unknown. */
static bool run_register(struct run *r, struct frames_cursor *c, unsigned op)
{
	uint64_t reg = frames_leb(c, false);
	switch (op) {
	case 0x05: /* DW_CFA_offset_extended */
		set_at_cfa(r, reg, scaled(r, frames_leb(c, false)));
		return true;
	case 0x11: /* DW_CFA_offset_extended_sf */
		set_at_cfa(r, reg, scaled(r, frames_leb(c, true)));
		return true;
	case 0x2f: /* DW_CFA_GNU_negative_offset_extended */
		set_at_cfa(r, reg, scaled(r, 0 - frames_leb(c, false)));
		return true;
	case 0x06: /* DW_CFA_restore_extended */
		restore(r, reg);
		return true;
	case 0x07: /* DW_CFA_undefined */
		set(r, reg, (struct value){.kind = VALUE_UNDEFINED});
		return true;
	case 0x08: /* DW_CFA_same_value */
		set(r, reg, (struct value){.kind = VALUE_SAME});
		return true;
	case 0x09: /* DW_CFA_register */
		frames_leb(c, false);
		set(r, reg, (struct value){.kind = VALUE_UNKNOWN});
		return true;
	case 0x10: /* DW_CFA_expression */
		value_expression(r, reg, take_block(c));
		return true;
	case 0x14: /* DW_CFA_val_offset */
		set(r, reg, (struct value){.kind = VALUE_CFA, .offset = scaled(r, frames_leb(c, false))});
		return true;
	case 0x15: /* DW_CFA_val_offset_sf */
		set(r, reg, (struct value){.kind = VALUE_CFA, .offset = scaled(r, frames_leb(c, true))});
		return true;
	case 0x16: /* DW_CFA_val_expression */
		take_block(c);
		set(r, reg, (struct value){.kind = VALUE_UNKNOWN});
		return true;
	default:
		return false;
	}
}

static void run_instruction(struct run *r, struct frames_cursor *c)
{
	unsigned op = (unsigned)frames_get(c, 1), low = op & 0x3f;
	switch (op >> 6) {
	case 1: /* DW_CFA_advance_loc */
		advance(r, low);
		return;
	case 2: /* DW_CFA_offset */
		set_at_cfa(r, low, scaled(r, frames_leb(c, false)));
		return;
	case 3: /* DW_CFA_restore */
		restore(r, low);
		return;
	default:
		r->lost |= !run_cfa(r, c, op) && !run_register(r, c, op);
	}
}

static void run_all(struct run *r, const struct frames_bytes *code, bool wide, bool big)
{
	struct frames_cursor c = {.data = code->data, .addr = code->addr, .end = code->n, .wide = wide, .big = big};
	while (c.at < c.end && !c.bad && !r->lost && r->at < r->f->size)
		run_instruction(r, &c);
	r->lost |= c.bad;
}

void rule_run(enum unwind_machine machine, const struct frames_function *f, bool wide, bool big,
	      void (*row)(void *ctx, uint64_t start, const struct unwind_rule *rule), void *ctx)
{
	struct run r = {.machine = machine, .f = f, .row = row, .ctx = ctx, .lost = !f->has_code};
	run_all(&r, &f->cie->code, wide, big);
	if (r.at) /* a CIE must not advance */
		r.lost = true;
	r.first = r.now;
	if (!r.lost)
		run_all(&r, &f->code, wide, big);
	go_to(&r, f->size);
}
