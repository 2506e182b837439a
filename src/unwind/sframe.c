/* Parses .sframe (versions 1 and 2).  Instead of CFA instructions, it has rows for each function, which say where
 * the stack pointer, return address and frame pointer of the caller are:
 *
 * 	header: magic, version, flags, machine, fixed offsets of frame pointer and return address, places of the rest
 * 	functions: start, size, place of the first row, number of rows, kind of rows
 * 	rows: first byte of the code, kind of the offsets, offsets (of the CFA from a register, others from the CFA) */
#include "unwind/read.h"
#include "unwind/rule.h"

enum {
	SFRAME_MAGIC = 0xdee2,
	FLAG_FROM_HERE = 4, /* a function's start counts from the field that has it, not from the section's start */
	MACHINE_ARM64 = 2,
	MACHINE_X86_64 = 3,
	FUNCTION_BYTES_V1 = 17,
	FUNCTION_BYTES_V2 = 20,
	STUB_BYTES_V1 = 16,
	HEADER_BYTES = 28,
	/* limit on table rows for sections of equal stubs (.plt), which need rows for each stub: a malformed file must
	 * not take all memory */
	ROWS_FOR_STUBS = 1 << 20,
};

struct sframe {
	enum unwind_machine machine;
	const struct frames_bytes *table;
	uint64_t flags, functions, functions_n, rows;
	int8_t fixed_frame, fixed_returns; /* offsets from the CFA that hold for all rows; 0: each row has its own */
	bool old;			   /* version 1 */
	uint64_t left; /* rows that may still be made: bounds the work, as damaged functions may share rows */
	const struct unwind_add *add;
};

struct function {
	uint64_t start, size, rows_n;
	struct frames_cursor rows;
	size_t start_bytes; /* bytes of a row's start offset: 1, 2 or 4 */
	uint64_t stub;	    /* size of a stub, if the function is a sequence of equal stubs; 0: it is not */
};

static struct frames_cursor cursor_at(const struct sframe *s, uint64_t at)
{
	return (struct frames_cursor){.data = s->table->data,
				      .addr = s->table->addr,
				      .at = at < s->table->n ? (size_t)at : s->table->n,
				      .end = s->table->n};
}

static int64_t get_signed(struct frames_cursor *c, size_t n)
{
	unsigned unused = 64 - 8 * (unsigned)n;
	return (int64_t)(frames_get(c, n) << unused) >> unused;
}

static bool read_header(struct sframe *s)
{
	struct frames_cursor c = cursor_at(s, 0);
	uint64_t magic = frames_get(&c, 2), version = frames_get(&c, 1);
	s->flags = frames_get(&c, 1);
	uint64_t machine = frames_get(&c, 1);
	s->fixed_frame = (int8_t)frames_get(&c, 1);
	s->fixed_returns = (int8_t)frames_get(&c, 1);
	uint64_t body = HEADER_BYTES + frames_get(&c, 1);
	s->functions_n = frames_get(&c, 4);
	frames_get(&c, 8); /* number and bytes of all rows */
	s->functions = body + frames_get(&c, 4);
	s->rows = body + frames_get(&c, 4);
	s->old = version == 1;
	s->left = s->table->n + ROWS_FOR_STUBS;
	return !c.bad && magic == SFRAME_MAGIC && (version == 1 || version == 2) &&
	       machine == (s->machine == UNWIND_ARM64 ? MACHINE_ARM64 : MACHINE_X86_64);
}

static bool read_function(const struct sframe *s, uint64_t i, struct function *ret)
{
	static const size_t bytes[4] = {1, 2, 4, 0};
	uint64_t at = s->functions + i * (s->old ? FUNCTION_BYTES_V1 : FUNCTION_BYTES_V2);
	struct frames_cursor c = cursor_at(s, at);
	uint64_t start = (uint64_t)get_signed(&c, 4);
	ret->start = s->table->addr + (s->flags & FLAG_FROM_HERE ? at : 0) + start;
	ret->size = frames_get(&c, 4);
	ret->rows = cursor_at(s, s->rows + frames_get(&c, 4));
	ret->rows_n = frames_get(&c, 4);
	uint64_t kind = frames_get(&c, 1), stub = s->old ? STUB_BYTES_V1 : frames_get(&c, 1);
	ret->stub = kind & 0x10 ? stub : 0;
	ret->start_bytes = bytes[kind & 3];
	return !c.bad && ret->size && ret->start_bytes && !(kind & 0x0c) && (stub || !(kind & 0x10));
}

/* Reads a row: the offset of the CFA, and the offsets of the return address and the frame pointer if they are on the
 * stack and not fixed.  A row without offsets means that there is no caller.  Returns false if the row is damaged. */
static bool read_row(const struct sframe *s, const struct function *f, struct frames_cursor *c, uint64_t *start_ret,
		     struct unwind_rule *ret)
{
	static const size_t bytes[4] = {1, 2, 4, 0};
	const struct unwind_numbers *numbers = &unwind_numbers[s->machine];
	int32_t offset[3] = {0};
	*start_ret = frames_get(c, f->start_bytes);
	uint64_t kind = frames_get(c, 1), n = kind >> 1 & 0xf;
	size_t size = bytes[kind >> 5 & 3];
	if (n > ARRAY_LEN(offset) || !size)
		return false;
	for (size_t i = 0; i < n; i++)
		offset[i] = (int32_t)get_signed(c, size);
	size_t frame = s->fixed_returns ? 1 : 2;
	int32_t returns_at = s->fixed_returns ? s->fixed_returns : offset[1], frame_at = s->fixed_frame ? s->fixed_frame
											 : n > frame	? offset[frame]
													: 0;
	*ret = (struct unwind_rule){
		.cfa_kind = CFA_REGISTER,
		.cfa_register = kind & 1 ? numbers->stack : numbers->frame,
		.cfa = offset[0],
		.returns_kind = !n	     ? VALUE_UNDEFINED
				: returns_at ? VALUE_AT_CFA
					     : VALUE_SAME,
		.returns = returns_at,
		.frame_kind = frame_at ? VALUE_AT_CFA : VALUE_SAME,
		.frame = frame_at,
		.base_kind = VALUE_UNKNOWN,
	};
	return !c->bad;
}

/* Passes the rows of a function, or of a stub in it that begins at offset `from`, to s->add. After a damaged row, the
 * remaining code is marked as unknown. */
static void pass_rows(struct sframe *s, const struct function *f, uint64_t from, uint64_t size)
{
	static const struct unwind_rule lost = {.cfa_kind = CFA_UNKNOWN};
	struct frames_cursor c = f->rows;
	uint64_t next = 0, start;
	struct unwind_rule rule;
	for (uint64_t i = 0; i < f->rows_n && s->left; i++, next = start + 1) {
		s->left--;
		if (!read_row(s, f, &c, &start, &rule) || start < next || (!i && start)) {
			s->add->row(s->add->ctx, from + next, &lost);
			return;
		}
		if (start >= size)
			return;
		s->add->row(s->add->ctx, from + start, &rule);
	}
	if (!f->rows_n || !s->left)
		s->add->row(s->add->ctx, from + next, &lost);
}

void sframe_read(enum unwind_machine machine, const struct frames_bytes *table, const struct unwind_add *add)
{
	struct sframe s = {.machine = machine, .table = table, .add = add};
	if (!read_header(&s))
		return;
	for (uint64_t i = 0; i < s.functions_n && s.left; i++, s.left--) {
		struct function f;
		if (s.functions + i * FUNCTION_BYTES_V1 >= table->n)
			return;
		uint64_t n = read_function(&s, i, &f) ? add->begin(add->ctx, f.start, f.size) : 0;
		uint64_t step = n && f.stub ? f.stub : f.size;
		for (uint64_t from = 0; from < n && s.left; from += step)
			pass_rows(&s, &f, from, step);
	}
}
