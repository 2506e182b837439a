/* Callers found by hand-made unwind tables on hand-made stacks. */
#include <cyctop/unwind.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { TABLE_AT = 0x5000, CODE_AT = 0x1000, CODE_N = 0x1000, OFFSET = 0x400, STACK_AT = 0x7000, WORDS = 128 };
enum { RSP = 7, RBP = 6, RIP = 16, X29 = 29, X30 = 30, SP = 31 };

struct maker {
	uint8_t data[1024];
	size_t n, cie;
	bool debug, sframe;
};

static void put(struct maker *m, uint64_t v, size_t n)
{
	for (size_t i = 0; i < n; i++)
		m->data[m->n++] = (uint8_t)(v >> 8 * i);
}

static void put_code(struct maker *m, size_t from, const uint8_t *code, size_t n)
{
	memcpy(m->data + m->n, code, n);
	m->n += n;
	size_t end = m->n;
	m->n = from;
	put(m, end - from - 4, 4);
	m->n = end;
}

/* Adds a CIE; `letters` "" or "zR" and more: pointers in FDEs are absolute, of 8 bytes. */
static void put_cie(struct maker *m, const char *letters, int data_align, unsigned returns, const uint8_t *code,
		    size_t n)
{
	size_t from = m->n;
	m->cie = from;
	put(m, 0, 4);
	put(m, m->debug ? UINT32_MAX : 0, 4);
	put(m, 1, 1);
	for (size_t i = 0; i <= strlen(letters); i++)
		put(m, (uint8_t)letters[i], 1);
	put(m, 1, 1);
	put(m, (uint64_t)data_align & 0x7f, 1);
	put(m, returns, 1);
	if (*letters) {
		put(m, 1, 1);
		put(m, 0x04, 1);
	}
	put_code(m, from, code, n);
}

static void put_fde(struct maker *m, uint64_t start, uint64_t size, const uint8_t *code, size_t n)
{
	size_t from = m->n;
	put(m, 0, 4);
	put(m, m->debug ? m->cie : from + 4 - m->cie, 4);
	put(m, start, 8);
	put(m, size, 8);
	if (!m->debug)
		put(m, 0, 1);
	put_code(m, from, code, n);
}
#define CODE(...) ((const uint8_t[]){__VA_ARGS__}), sizeof((const uint8_t[]){__VA_ARGS__})

static bool place(void *ctx, uint64_t addr, uint64_t *offset_ret, uint64_t *n_ret)
{
	(void)ctx;
	*offset_ret = addr - CODE_AT + OFFSET;
	*n_ret = CODE_AT + CODE_N - addr;
	return addr >= CODE_AT && addr < CODE_AT + CODE_N;
}

static struct unwind *table_of(enum unwind_machine machine, const struct maker *a, const struct maker *b)
{
	const struct maker *const all[] = {a, b};
	struct unwind_builder *builder = unwind_builder_create(machine);
	for (size_t i = 0; i < 2 && all[i]; i++) {
		uint8_t *exact = malloc(all[i]->n);
		assert_non_null(exact);
		memcpy(exact, all[i]->data, all[i]->n);
		struct frames f = {.table = {exact, all[i]->n, TABLE_AT}, .wide = true, .debug = all[i]->debug};
		assert_true(all[i]->sframe ? unwind_add_sframe(builder, &f.table, place, NULL)
					   : unwind_add(builder, &f, place, NULL));
		free(exact);
	}
	struct unwind *u = unwind_finish(builder);
	assert_non_null(u);
	return u;
}

struct world {
	struct unwind_registers regs;
	uint64_t words[WORDS]; /* of the stack, from STACK_AT on */
};

/* The stack has its own addresses as words, so that a test sees which one was read. */
static struct world world_of(enum unwind_machine machine, uint64_t pc, uint64_t sp, uint64_t fp)
{
	struct world w = {.regs = {.machine = machine, .pc = pc}};
	unsigned stack = unwind_stack_pointer(machine), frame = machine == UNWIND_ARM64 ? X29 : RBP;
	w.regs.r[stack] = sp;
	w.regs.r[frame] = fp;
	w.regs.has = 1u << stack | 1u << frame;
	for (size_t i = 0; i < WORDS; i++)
		w.words[i] = STACK_AT + 8 * i;
	return w;
}

static enum unwind_result step(const struct unwind *u, struct world *w)
{
	const struct unwind_stack stack = {(const uint8_t *)w->words, sizeof(w->words), STACK_AT};
	return unwind_step(u, w->regs.pc - w->regs.returns - CODE_AT + OFFSET, &stack, &w->regs);
}

static void expect(const struct unwind *u, struct world w, uint64_t pc, uint64_t sp, uint64_t fp)
{
	unsigned stack = unwind_stack_pointer(w.regs.machine), frame = w.regs.machine == UNWIND_ARM64 ? X29 : RBP;
	assert_int_equal(step(u, &w), UNWIND_CALLER);
	assert_int_equal(w.regs.pc, pc);
	assert_int_equal(w.regs.r[stack], sp);
	assert_int_equal(w.regs.r[frame], fp);
	assert_true(w.regs.has >> frame & 1);
}

/* def_cfa rsp + 8; the return address at CFA - 8 */
#define AT_ENTRY 0x0c, RSP, 8, 0x80 | RIP, 1

/* push rbp; mov rbp, rsp; sub rsp; ...; leave; ret; more code */
static void put_usual(struct maker *m, uint64_t start)
{
	put_fde(m, start, 0x40,
		CODE(0x41, 0x0e, 16, 0x80 | RBP, 2, 0x43, 0x0d, RBP, 0x02, 0x10, 0x0a, 0x0c, RSP, 8, 0x80 | 0x40 | RBP,
		     0x41, 0x0b));
}

static void a_function_with_a_frame(void **state)
{
	(void)state;
	struct maker m = {0};
	put_cie(&m, "zR", -8, RIP, CODE(AT_ENTRY));
	put_usual(&m, CODE_AT);
	struct unwind *u = table_of(UNWIND_X86_64, &m, NULL);
	const enum unwind_machine x86 = UNWIND_X86_64;
	expect(u, world_of(x86, CODE_AT, STACK_AT, 99), STACK_AT, STACK_AT + 8, 99);
	expect(u, world_of(x86, CODE_AT + 1, STACK_AT, 99), STACK_AT + 8, STACK_AT + 16, STACK_AT);
	expect(u, world_of(x86, CODE_AT + 3, STACK_AT, 99), STACK_AT + 8, STACK_AT + 16, STACK_AT);
	expect(u, world_of(x86, CODE_AT + 4, STACK_AT, STACK_AT + 80), STACK_AT + 88, STACK_AT + 96, STACK_AT + 80);
	expect(u, world_of(x86, CODE_AT + 0x14, STACK_AT + 88, 99), STACK_AT + 88, STACK_AT + 96, 99);
	expect(u, world_of(x86, CODE_AT + 0x15, STACK_AT, STACK_AT + 80), STACK_AT + 88, STACK_AT + 96, STACK_AT + 80);
	/* a call that never returns is the last instruction: the return address is behind the function */
	struct world w = world_of(x86, CODE_AT + 0x40, STACK_AT, STACK_AT + 80);
	assert_int_equal(step(u, &w), UNWIND_UNCOVERED);
	w.regs.returns = true;
	expect(u, w, STACK_AT + 88, STACK_AT + 96, STACK_AT + 80);
	/* what is needed is not in the copy of the stack, or in no register */
	w = world_of(x86, CODE_AT + 4, STACK_AT, STACK_AT + 8 * (WORDS - 1));
	assert_int_equal(step(u, &w), UNWIND_SHORT);
	assert_int_equal(w.regs.pc, CODE_AT + 4);
	w = world_of(x86, CODE_AT + 4, STACK_AT, 5);
	assert_int_equal(step(u, &w), UNWIND_UNKNOWN);
	w.regs.has = 1u << RSP;
	assert_int_equal(step(u, &w), UNWIND_UNKNOWN);
	/* a frame further in than the one before is no caller's */
	w = world_of(x86, CODE_AT + 4, STACK_AT + 80, STACK_AT);
	assert_int_equal(step(u, &w), UNWIND_UNKNOWN);
	unwind_destroy(u);
}

static void stubs_and_expressions(void **state)
{
	(void)state;
	struct maker m = {0};
	put_cie(&m, "zR", -8, RIP, CODE(AT_ENTRY));
	put_fde(&m, CODE_AT, 0x40,
		CODE(0x0e, 16, 0x46, 0x0f, 11, 0x77, 8, 0x80, 0, 0x3f, 0x1a, 0x3b, 0x2a, 0x33, 0x24, 0x22));
	/* CFA: the word at rbp - 8; rbp: the word at rbp + 0; then an expression that is not followed */
	put_fde(&m, CODE_AT + 0x40, 0x40, CODE(0x0f, 3, 0x76, 0x78, 0x06, 0x10, RBP, 2, 0x76, 0, 0x48, 0x0f, 1, 0x9c));
	/* no caller; a register that is not kept; an instruction that does not exist, behind good ones */
	put_fde(&m, CODE_AT + 0x80, 0x10, CODE(0x07, RIP));
	put_fde(&m, CODE_AT + 0x90, 0x10, CODE(0x0c, 3, 8));
	put_fde(&m, CODE_AT + 0xa0, 0x10, CODE(0x48, 0x3f));
	struct unwind *u = table_of(UNWIND_X86_64, &m, NULL);
	const enum unwind_machine x86 = UNWIND_X86_64;
	expect(u, world_of(x86, CODE_AT + 0x10, STACK_AT, 9), STACK_AT, STACK_AT + 8, 9);
	expect(u, world_of(x86, CODE_AT + 0x1b, STACK_AT, 9), STACK_AT + 8, STACK_AT + 16, 9);
	struct world w = world_of(x86, CODE_AT + 0x40, STACK_AT, STACK_AT + 80);
	w.words[9] = STACK_AT + 160;
	expect(u, w, STACK_AT + 152, STACK_AT + 160, STACK_AT + 80);
	w.regs.pc = CODE_AT + 0x48;
	assert_int_equal(step(u, &w), UNWIND_UNKNOWN);
	w.regs.pc = CODE_AT + 0x80;
	assert_int_equal(step(u, &w), UNWIND_OUTERMOST);
	w.regs.pc = CODE_AT + 0x90;
	assert_int_equal(step(u, &w), UNWIND_UNKNOWN);
	w.regs.r[3] = STACK_AT + 24;
	w.regs.has |= 1u << 3;
	expect(u, w, STACK_AT + 24, STACK_AT + 32, STACK_AT + 80);
	expect(u, world_of(x86, CODE_AT + 0xa7, STACK_AT, 9), STACK_AT, STACK_AT + 8, 9);
	w.regs.pc = CODE_AT + 0xa8;
	assert_int_equal(step(u, &w), UNWIND_UNKNOWN);
	w.regs.pc = CODE_AT + 0xb0;
	assert_int_equal(step(u, &w), UNWIND_UNCOVERED);
	unwind_destroy(u);
}

/* The words at rsp + 160 and so on are registers of what was interrupted, which may have been anywhere. */
static void signal_handlers(void **state)
{
	(void)state;
	struct maker m = {0};
	put_cie(&m, "zRS", -8, RIP, CODE(0x0f, 4, 0x77, 0xa0, 1, 0x06));
	put_fde(&m, CODE_AT, 0x10, CODE(0x10, RIP, 3, 0x77, 0xa8, 1, 0x10, RBP, 3, 0x77, 0xf8, 0));
	struct unwind *u = table_of(UNWIND_X86_64, &m, NULL);
	struct world w = world_of(UNWIND_X86_64, CODE_AT, STACK_AT, 1);
	w.words[20] = 0x666; /* another stack */
	expect(u, w, STACK_AT + 168, 0x666, STACK_AT + 120);
	assert_int_equal(step(u, &w), UNWIND_CALLER);
	assert_false(w.regs.returns);
	unwind_destroy(u);

	struct maker arm = {0};
	put_cie(&arm, "zRS", -8, X30, CODE(0x0c, X29, 0, 0x80 | X29, 0));
	put_fde(&arm, CODE_AT, 0x10, CODE(0));
	u = table_of(UNWIND_ARM64, &arm, NULL);
	w = world_of(UNWIND_ARM64, CODE_AT, STACK_AT, 1);
	w.words[70] = 0x666;
	assert_int_equal(step(u, &w), UNWIND_CALLER);
	assert_int_equal(w.regs.pc, STACK_AT + 568);
	assert_int_equal(w.regs.r[SP], 0x666);
	assert_int_equal(w.regs.r[X29], STACK_AT + 544);
	assert_int_equal(w.regs.r[X30], STACK_AT + 552);
	assert_false(w.regs.returns);
	unwind_destroy(u);
}

static void arm64(void **state)
{
	(void)state;
	struct maker m = {0};
	put_cie(&m, "zR", -8, X30, CODE(0x0c, SP, 0));
	put_fde(&m, CODE_AT, 0x40, CODE(0x44, 0x2d, 0x0e, 32, 0x80 | X29, 4, 0x80 | X30, 3));
	struct unwind *u = table_of(UNWIND_ARM64, &m, NULL);
	/* a leaf has its return address in a register, if that is known; others on the stack, perhaps signed */
	struct world w = world_of(UNWIND_ARM64, CODE_AT, STACK_AT, 1);
	assert_int_equal(step(u, &w), UNWIND_UNKNOWN);
	w.regs.r[X30] = 0x2004;
	w.regs.has |= 1u << X30;
	expect(u, w, 0x2004, STACK_AT, 1);
	w = world_of(UNWIND_ARM64, CODE_AT + 4, STACK_AT, 1);
	w.words[1] |= 0x7f2a000000000000;
	expect(u, w, STACK_AT + 8, STACK_AT + 32, STACK_AT);
	/* no endless loop, where nothing changes */
	w = world_of(UNWIND_ARM64, CODE_AT, STACK_AT, 1);
	w.regs.r[X30] = CODE_AT;
	w.regs.has |= 1u << X30;
	assert_int_equal(step(u, &w), UNWIND_UNKNOWN);
	/* registers of another machine */
	w = world_of(UNWIND_X86_64, CODE_AT, STACK_AT, 1);
	assert_int_equal(step(u, &w), UNWIND_UNKNOWN);
	unwind_destroy(u);
}

static void several_tables(void **state)
{
	(void)state;
	struct maker eh = {0}, debug = {.debug = true};
	put_cie(&eh, "zR", -8, RIP, CODE(AT_ENTRY));
	put_fde(&eh, CODE_AT + 0x80, 0x10, CODE(0x0e, 24));
	put_fde(&eh, CODE_AT, 0x10, CODE(0x0e, 16));
	put_fde(&eh, CODE_AT + CODE_N - 8, 0x40, CODE(0x0e, 40));
	put_cie(&debug, "", -8, RIP, CODE(AT_ENTRY));
	put_fde(&debug, CODE_AT, 0x10, CODE(0x0e, 48));
	put_fde(&debug, CODE_AT + 0x10, 0x10, CODE(0x0e, 32));
	struct unwind *u = table_of(UNWIND_X86_64, &eh, &debug);
	static const struct {
		uint64_t at, cfa;
	} cases[] = {{0, 16}, {0xf, 16}, {0x10, 32}, {0x1f, 32}, {0x80, 24}, {0x8f, 24}, {CODE_N - 1, 40}};
	for (size_t i = 0; i < ARRAY_LEN(cases); i++)
		expect(u, world_of(UNWIND_X86_64, CODE_AT + cases[i].at, STACK_AT, 7), STACK_AT + cases[i].cfa - 8,
		       STACK_AT + cases[i].cfa, 7);
	static const uint64_t none[] = {0x20, 0x7f, 0x90, CODE_N};
	for (size_t i = 0; i < ARRAY_LEN(none); i++) {
		struct world w = world_of(UNWIND_X86_64, CODE_AT + none[i], STACK_AT, STACK_AT + 16);
		assert_int_equal(step(u, &w), UNWIND_UNCOVERED);
		const struct unwind_stack stack = {(const uint8_t *)w.words, sizeof(w.words), STACK_AT};
		assert_int_equal(unwind_by_frame(&stack, &w.regs), UNWIND_CALLER);
		assert_int_equal(w.regs.pc, STACK_AT + 24);
		assert_int_equal(w.regs.r[RSP], STACK_AT + 32);
		assert_int_equal(w.regs.r[RBP], STACK_AT + 16);
	}
	assert_true(unwind_bytes(u) > 0);
	unwind_destroy(u);
}

/* ---- .sframe --------------------------------------------------------------------------------- */

/* A function of a table, and its rows as bytes. */
struct row_function {
	uint64_t start, size, rows_n;
	unsigned kind, stub; /* of V1 stubs have 16 bytes */
	const uint8_t *rows;
	size_t bytes;
};

static void make_sframe(struct maker *m, unsigned version, unsigned flags, enum unwind_machine machine,
			const struct row_function *f, size_t n)
{
	size_t function_bytes = version == 1 ? 17 : 20, rows = 0;
	*m = (struct maker){.sframe = true};
	put(m, 0xdee2, 2);
	put(m, version, 1);
	put(m, flags, 1);
	put(m, machine == UNWIND_ARM64 ? 2 : 3, 1);
	put(m, 0, 1);
	put(m, machine == UNWIND_ARM64 ? 0 : 0xf8, 1);
	put(m, 4, 1); /* bytes that this version does not know */
	put(m, n, 4);
	put(m, 0, 8);
	put(m, 0, 4);
	put(m, n * function_bytes, 4);
	put(m, 0, 4);
	for (size_t i = 0; i < n; i++) {
		put(m, f[i].start - TABLE_AT - (flags & 4 ? m->n : 0), 4);
		put(m, f[i].size, 4);
		put(m, rows, 4);
		put(m, f[i].rows_n, 4);
		put(m, f[i].kind, 1);
		if (version == 2)
			put(m, f[i].stub, 3);
		rows += f[i].bytes;
	}
	for (size_t i = 0; i < n; i++) {
		memcpy(m->data + m->n, f[i].rows, f[i].bytes);
		m->n += f[i].bytes;
	}
}

enum { BY_FP = 0, BY_SP = 1, ONE = 2, TWO = 4, THREE = 6, WORDS_OF_2 = 0x20, WIDE_STARTS = 1, STUBS = 0x10 };

static void sframe_x86(void **state)
{
	(void)state;
	const enum unwind_machine x86 = UNWIND_X86_64;
	static const uint8_t usual[] = {0, BY_SP | ONE, 8,  1,	  BY_SP | TWO, 16,	    0xf0,
					4, BY_FP | TWO, 16, 0xf0, 0x14,	       BY_SP | ONE, 8};
	static const uint8_t stubs[] = {0, BY_SP | ONE, 8, 11, BY_SP | ONE, 16};
	static const uint8_t large[] = {0, 0, BY_SP | ONE | WORDS_OF_2, 0, 1, 0x10, 0, BY_SP};
	static const uint8_t damaged[] = {0, BY_SP | ONE, 8, 4, BY_SP | ONE, 16, 4, BY_SP | ONE, 24};
	const struct row_function functions[] = {
		{CODE_AT, 0x40, 4, 0, 0, usual, sizeof(usual)},
		{CODE_AT + 0x40, 0x30, 2, STUBS, 16, stubs, sizeof(stubs)},
		{CODE_AT + 0x70, 0x20, 2, WIDE_STARTS, 0, large, sizeof(large)},
		{CODE_AT + 0x90, 0x10, 3, 0, 0, damaged, sizeof(damaged)},
		{CODE_AT + 0xa0, 0x10, 1, 0x0c, 0, usual, sizeof(usual)},
	};
	for (unsigned version = 1; version <= 2; version++) {
		struct maker m, eh = {0};
		make_sframe(&m, version, version == 2 ? 5 : 1, x86, functions, ARRAY_LEN(functions));
		put_cie(&eh, "zR", -8, RIP, CODE(AT_ENTRY));
		put_fde(&eh, CODE_AT + 0x70, 0x20, CODE(0x0e, 24)); /* .eh_frame comes first */
		struct unwind *u = table_of(x86, &m, NULL), *both = table_of(x86, &eh, &m);
		expect(u, world_of(x86, CODE_AT, STACK_AT, 99), STACK_AT, STACK_AT + 8, 99);
		expect(u, world_of(x86, CODE_AT + 3, STACK_AT, 99), STACK_AT + 8, STACK_AT + 16, STACK_AT);
		expect(u, world_of(x86, CODE_AT + 4, STACK_AT, STACK_AT + 80), STACK_AT + 88, STACK_AT + 96,
		       STACK_AT + 80);
		expect(u, world_of(x86, CODE_AT + 0x14, STACK_AT + 88, 99), STACK_AT + 88, STACK_AT + 96, 99);
		expect(u, world_of(x86, CODE_AT + 0x5a, STACK_AT, 9), STACK_AT, STACK_AT + 8, 9);
		expect(u, world_of(x86, CODE_AT + 0x6b, STACK_AT, 9), STACK_AT + 8, STACK_AT + 16, 9);
		expect(u, world_of(x86, CODE_AT + 0x70, STACK_AT, 9), STACK_AT + 248, STACK_AT + 256, 9);
		expect(both, world_of(x86, CODE_AT + 0x70, STACK_AT, 9), STACK_AT + 16, STACK_AT + 24, 9);
		expect(both, world_of(x86, CODE_AT + 3, STACK_AT, 99), STACK_AT + 8, STACK_AT + 16, STACK_AT);
		struct world w = world_of(x86, CODE_AT + 0x80, STACK_AT, 9);
		assert_int_equal(step(u, &w), UNWIND_OUTERMOST);
		expect(u, world_of(x86, CODE_AT + 0x94, STACK_AT, 9), STACK_AT + 8, STACK_AT + 16, 9);
		w.regs.pc = CODE_AT + 0x95; /* behind a row that goes back */
		assert_int_equal(step(u, &w), UNWIND_UNKNOWN);
		w.regs.pc = CODE_AT + 0xa0;
		assert_int_equal(step(u, &w), UNWIND_UNCOVERED);
		unwind_destroy(u);
		unwind_destroy(both);
		for (size_t n = m.n; n-- > 0;) { /* what is cut off is left out */
			m.n = n;
			u = table_of(x86, &m, NULL);
			step(u, &w);
			unwind_destroy(u);
		}
	}
}

static void sframe_arm64(void **state)
{
	(void)state;
	static const uint8_t usual[] = {0,  BY_SP | ONE, 0,    4,  BY_SP | THREE, 32, 0xe8, 0xe0, 8, BY_FP | THREE,
					32, 0xe8,	 0xe0, 12, BY_SP | TWO,	  16, 0xf8};
	const struct row_function f = {CODE_AT, 0x40, 4, 0, 0, usual, sizeof(usual)};
	struct maker m;
	make_sframe(&m, 2, 1, UNWIND_ARM64, &f, 1);
	struct unwind *u = table_of(UNWIND_ARM64, &m, NULL), *other = table_of(UNWIND_X86_64, &m, NULL);
	struct world w = world_of(UNWIND_ARM64, CODE_AT, STACK_AT, 1);
	w.regs.r[X30] = 0x2004;
	w.regs.has |= 1u << X30;
	expect(u, w, 0x2004, STACK_AT, 1);
	expect(u, world_of(UNWIND_ARM64, CODE_AT + 4, STACK_AT, 1), STACK_AT + 8, STACK_AT + 32, STACK_AT);
	expect(u, world_of(UNWIND_ARM64, CODE_AT + 8, STACK_AT, STACK_AT + 80), STACK_AT + 88, STACK_AT + 112,
	       STACK_AT + 80);
	expect(u, world_of(UNWIND_ARM64, CODE_AT + 12, STACK_AT, 9), STACK_AT + 8, STACK_AT + 16, 9);
	w = world_of(UNWIND_X86_64, CODE_AT, STACK_AT, 1);
	assert_int_equal(step(other, &w), UNWIND_UNCOVERED); /* a table of another machine is not read */
	unwind_destroy(u);
	unwind_destroy(other);
}

static void registers_of_samples(void **state)
{
	(void)state;
	uint64_t values[64];
	struct unwind_registers r;
	for (size_t i = 0; i < ARRAY_LEN(values); i++)
		values[i] = 100 + i;
	assert_true(unwind_registers_take(UNWIND_X86_64, 0xff0fff, values, &r)); /* perf's */
	assert_int_equal(r.has, 0xffff);
	static const uint64_t x86[] = {100, 103, 102, 101, 104, 105, 106, 107, 112, 113, 114, 115, 116, 117, 118, 119};
	assert_memory_equal(r.r, x86, sizeof(x86));
	assert_int_equal(r.pc, 108);
	assert_true(unwind_registers_take(UNWIND_ARM64, (1ull << 33) - 1, values, &r));
	assert_int_equal(r.pc, 132);
	assert_int_equal(r.r[SP], 131);
	assert_true(unwind_registers_take(UNWIND_X86_64, UINT64_MAX, values, &r));
	assert_false(unwind_registers_take(UNWIND_X86_64, 0x80, values, &r));
	assert_false(unwind_registers_take(UNWIND_X86_64, 0x100, values, &r));
	assert_false(unwind_registers_take(UNWIND_X86_64, 0, values, &r));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_function_with_a_frame),
		cmocka_unit_test(stubs_and_expressions),
		cmocka_unit_test(signal_handlers),
		cmocka_unit_test(arm64),
		cmocka_unit_test(several_tables),
		cmocka_unit_test(sframe_x86),
		cmocka_unit_test(sframe_arm64),
		cmocka_unit_test(registers_of_samples),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
