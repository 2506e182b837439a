/* Instructions of two builds of a function are paired. */
#include "base/alloc.h"

#include <cyctop/code.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include <cmocka.h>

struct text {
	const char *text;
	uint64_t target; /* of a jump or call */
};
struct build {
	struct function_code code;
	struct instructions in;
};

static struct build build(uint64_t addr, const struct text *texts, size_t n)
{
	struct build b = {.code = {.addr = addr, .size = 4 * n, .n = 4 * n, .bytes = mem_calloc(n + 1, 4)},
			  .in = {.v = mem_calloc(n + 1, sizeof(*b.in.v)), .n = n}};
	for (size_t i = 0; i < n; i++)
		b.in.v[i] = (struct instruction){.addr = addr + 4 * i,
						 .size = 4,
						 .kind = texts[i].target ? INSTRUCTION_JUMP : INSTRUCTION_PLAIN,
						 .target = texts[i].target,
						 .text = texts[i].text};
	return b;
}

static void build_free(struct build *b)
{
	free(b->code.bytes);
	free(b->in.v);
}

static void pair(const struct build *before, const struct build *after, struct code_pairs *ret)
{
	const struct code_build builds[CODE_BUILDS] = {{&before->code, &before->in}, {&after->code, &after->in}};
	code_pairs_create(builds, ret);
}

/* Writes the rows as "=" for both builds, "-" for before alone, "+" for after alone. */
static void draw(const struct code_pairs *p, char *buf)
{
	for (size_t i = 0; i < p->n; i++)
		buf[i] = p->rows[i].at[CODE_BEFORE] == SIZE_MAX	 ? '+'
			 : p->rows[i].at[CODE_AFTER] == SIZE_MAX ? '-'
			 : p->rows[i].alike			 ? '~'
								 : '=';
	buf[p->n] = '\0';
}

/* Each instruction of each build is in one row, in its order. */
static void check_rows(const struct code_pairs *p, size_t before, size_t after)
{
	const size_t n[CODE_BUILDS] = {before, after};
	size_t next[CODE_BUILDS] = {0, 0}, paired = 0;
	for (size_t i = 0; i < p->n; i++) {
		for (enum code_side side = 0; side < CODE_BUILDS; side++)
			if (p->rows[i].at[side] != SIZE_MAX)
				assert_int_equal(p->rows[i].at[side], next[side]++);
		paired += p->rows[i].at[CODE_BEFORE] != SIZE_MAX && p->rows[i].at[CODE_AFTER] != SIZE_MAX;
	}
	for (enum code_side side = 0; side < CODE_BUILDS; side++)
		assert_int_equal(next[side], n[side]);
	assert_int_equal(p->paired, paired);
}

#define CHECK(before_addr, before_texts, after_addr, after_texts, wanted)                                              \
	do {                                                                                                           \
		struct build before_ = build(before_addr, before_texts, ARRAY_LEN(before_texts));                      \
		struct build after_ = build(after_addr, after_texts, ARRAY_LEN(after_texts));                          \
		struct code_pairs p_;                                                                                  \
		char drawn_[100];                                                                                      \
		pair(&before_, &after_, &p_);                                                                          \
		check_rows(&p_, before_.in.n, after_.in.n);                                                            \
		draw(&p_, drawn_);                                                                                     \
		assert_string_equal(drawn_, wanted);                                                                   \
		code_pairs_deinit(&p_);                                                                                \
		build_free(&before_);                                                                                  \
		build_free(&after_);                                                                                   \
	} while (0)

/* Jumps, calls and data are at other addresses in the other build, and an instruction is new. */
static void addresses_do_not_count(void **state)
{
	(void)state;
	static const struct text before[] = {
		{"pushq %rbp", 0},
		{"leaq 0x2e5a(%rip),%rdi  # 0x4010 <table>", 0},
		{"leaq -0x14(%rip),%rax  # 0x1000", 0},
		{"callq 0x2000 <foo::bar<int>>", 0x2000},
		{"je 0x1010 <f+0x10>", 0x1010},
		{"movl $0x40,%eax", 0},
		{"retq", 0},
	};
	static const struct text after[] = {
		{"pushq %rbp", 0},
		{"leaq 0x3ffa(%rip),%rdi  # 0x6010 <table>", 0},
		{"leaq 0x24(%rip),%rax  # 0x5500", 0},
		{"nop", 0},
		{"callq 0x3000 <foo::bar<int>>", 0x3000},
		{"je 0x5114 <f+0x14>", 0x5114},
		{"movl $0x40,%eax", 0},
		{"retq", 0},
	};
	CHECK(0x1000, before, 0x5100, after, "===+====");
}

/* What is called, constants, and what data is used are part of an instruction. */
static void other_instructions(void **state)
{
	(void)state;
	static const struct text before[] = {
		{"callq 0x2000 <malloc>", 0x2000},
		{"imull $0x9e3779b1,%eax", 0},
		{"leaq 0x2e5a(%rip),%rdi  # 0x4010 <table>", 0},
		{"movl 0x8(%rdi),%eax", 0},
	};
	static const struct text after[] = {
		{"callq 0x2000 <calloc>", 0x2000},
		{"imull $0x85ebca6b,%eax", 0},
		{"leaq 0x2e5a(%rip),%rdi  # 0x4010 <chairs>", 0},
		{"movl 0x10(%rdi),%eax", 0},
	};
	CHECK(0x1000, before, 0x1000, after, "----++++");
}

/* In a program with fixed addresses, they are numbers in instructions. */
static void fixed_addresses(void **state)
{
	(void)state;
	static const struct text before[] = {{"movl $0x402010,%edi", 0}, {"jmpq *0x402100(,%rax,8)", 0}, {"nop", 0}};
	static const struct text after[] = {{"movl $0x403040,%edi", 0}, {"jmpq *0x403200(,%rax,8)", 0}, {"nop", 0}};
	CHECK(0x401000, before, 0x401800, after, "===");
	CHECK(0x1000, before, 0x1000, after, "--++=");
}

static void pages_of_arm64(void **state)
{
	(void)state;
	static const struct text before[] = {{"adrp x0,0x411000", 0}, {"add x0,x0,#0x10", 0}, {"add x1,x1,#0x10", 0}};
	static const struct text after[] = {{"adrp x0,0x421000", 0}, {"add x0,x0,#0x80", 0}, {"add x1,x1,#0x18", 0}};
	CHECK(0x1000, before, 0x1000, after, "==-+");
}

/* Between the same instructions, those with other registers are paired. */
static void registers(void **state)
{
	(void)state;
	static const struct text before[] = {
		{"movl (%rdi),%ecx", 0}, {"xorl %ecx,%eax", 0}, {"addl $0x20,%eax", 0}, {"retq", 0}};
	static const struct text after[] = {
		{"movl (%rdi),%ecx", 0}, {"nop", 0}, {"xorl %edx,%eax", 0}, {"addl $0x10,%eax", 0}, {"retq", 0}};
	CHECK(0x1000, before, 0x1000, after, "=+~-+=");
	static const struct text arm_before[] = {{"add x0,x1,#0x10", 0}, {"ldr w2,[sp,#0x8]", 0}, {"d2 x", 0}};
	static const struct text arm_after[] = {{"add x9,x12,#0x10", 0}, {"ldr x3,[sp,#0x10]", 0}, {"d2 y", 0}};
	CHECK(0x1000, arm_before, 0x1000, arm_after, "~--++");
}

/* Moved code: one of both ways to pair it; code of nothing in common; no code at all. */
static void moved_and_empty(void **state)
{
	(void)state;
	static const struct text before[] = {{"a", 0}, {"b", 0}, {"c", 0}, {"x", 0}, {"y", 0}};
	static const struct text after[] = {{"x", 0}, {"y", 0}, {"a", 0}, {"b", 0}, {"c", 0}};
	CHECK(0, before, 0, after, "++===--");
	struct build none = build(0, NULL, 0), some = build(0, before, ARRAY_LEN(before));
	struct code_pairs p;
	pair(&none, &some, &p);
	check_rows(&p, 0, ARRAY_LEN(before));
	code_pairs_deinit(&p);
	pair(&some, &none, &p);
	check_rows(&p, ARRAY_LEN(before), 0);
	code_pairs_deinit(&p);
	pair(&none, &none, &p);
	assert_int_equal(p.n, 0);
	code_pairs_deinit(&p);
	build_free(&none);
	build_free(&some);
}

/* Without a disassembler pieces of the same bytes are the same. */
static void bytes(void **state)
{
	(void)state;
	static const struct text none[] = {{"", 0}, {"", 0}, {"", 0}};
	struct build before = build(0x10, none, 3), after = build(0x20, none, 3);
	struct code_pairs p;
	char drawn[10];
	memcpy(before.code.bytes, "aaaabbbbcccc", 12);
	memcpy(after.code.bytes, "aaaaBBBBcccc", 12);
	pair(&before, &after, &p);
	draw(&p, drawn);
	assert_string_equal(drawn, "=-+=");
	code_pairs_deinit(&p);
	build_free(&before);
	build_free(&after);
}

static double seconds(void)
{
	struct timespec t;
	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

/* Functions of 50,000 instructions, of which `kinds` are different and every `changed`th changed, take no longer than a
 * few seconds under a sanitizer; most is paired. */
static void check_long(size_t kinds, size_t changed, size_t least)
{
	enum { N = 50000, TEXT = 24 };
	char(*names)[TEXT] = mem_calloc(2 * kinds, TEXT);
	struct text *before = mem_calloc(N, sizeof(*before)), *after = mem_calloc(N, sizeof(*after));
	for (size_t i = 0; i < 2 * kinds; i++)
		snprintf(names[i], TEXT, "op%zu", i);
	uint64_t random = 1;
	for (size_t i = 0; i < N; i++) {
		random = random * 6364136223846793005u + 1442695040888963407u;
		before[i].text = after[i].text = names[(random >> 33) % kinds];
		if (i % changed == changed - 1)
			after[i].text = names[kinds + (random >> 40) % kinds];
	}
	struct build a = build(0x1000, before, N), b = build(0x1000, after + N / 100, N - N / 100);
	struct code_pairs p;
	double from = seconds();
	pair(&a, &b, &p);
	double took = seconds() - from;
	print_message("%zu kinds, one in %zu changed: %.2f s, %zu of %d paired\n", kinds, changed, took, p.paired, N);
	check_rows(&p, N, N - N / 100);
	assert_true(p.paired >= least);
	assert_true(took < 20);
	code_pairs_deinit(&p);
	build_free(&a);
	build_free(&b);
	free(before);
	free(after);
	free(names);
}

static void long_functions(void **state)
{
	(void)state;
	check_long(1000, 10, 44000);
	check_long(20, 10, 44000);
	check_long(1000, 2, 15000);
	check_long(2, 3, 30000);
	check_long(1, 2, 24000);
	check_long(1000, 1, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(addresses_do_not_count),
		cmocka_unit_test(other_instructions),
		cmocka_unit_test(fixed_addresses),
		cmocka_unit_test(pages_of_arm64),
		cmocka_unit_test(registers),
		cmocka_unit_test(moved_and_empty),
		cmocka_unit_test(bytes),
		cmocka_unit_test(long_functions),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
