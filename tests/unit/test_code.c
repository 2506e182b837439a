/* Functions disassembled into instructions: their bytes, texts, jumps and what they call. */
#include <cyctop/code.h>

#include <elf.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

struct expected {
	uint32_t size;
	enum instruction_kind kind;
	uint64_t target;
	const char *text;
};

static struct symtab *names(void)
{
	struct symtab_builder *b = symtab_builder_create();
	symtab_add(b, 0x1000, 0x40, "loop", 0, NULL);
	symtab_add(b, 0x2000, 0x10, "_ZN3foo3barEi", 0, NULL);
	return symtab_finish(b);
}

static void check(uint16_t machine, const uint8_t *bytes, size_t n, const struct expected *expected, size_t expected_n)
{
	struct symtab *t = names();
	struct function_code code = {
		.addr = 0x1000, .bytes = (uint8_t *)(uintptr_t)bytes, .n = n, .machine = machine, .wide = true};
	struct instructions in;
	instructions_read(&code, t, &in);
#if HAVE_CAPSTONE
	assert_null(in.why);
	assert_int_equal(in.n, expected_n);
	uint64_t addr = code.addr;
	for (size_t i = 0; i < in.n; i++) {
		assert_string_equal(in.v[i].text, expected[i].text);
		assert_int_equal(in.v[i].addr, addr);
		assert_int_equal(in.v[i].size, expected[i].size);
		assert_int_equal(in.v[i].kind, expected[i].kind);
		assert_int_equal(in.v[i].target, expected[i].target);
		addr += in.v[i].size;
	}
	assert_int_equal(addr, code.addr + n);
#else
	(void)expected, (void)expected_n;
	assert_non_null(strstr(in.why, "capstone"));
#endif
	instructions_deinit(&in);
	symtab_destroy(t);
}

static void x86_64(void **state)
{
	(void)state;
	static const uint8_t bytes[] = {0x55, 0x48, 0x89, 0xe5, 0xe8, 0xf7, 0x0f, 0x00, 0x00, 0x74, 0xf9,
					0xff, 0xd0, 0x48, 0x8d, 0x05, 0xec, 0xff, 0xff, 0xff, 0xff, 0x24,
					0xc5, 0,    0,	  0,	0,    0x06, 0xeb, 0x00, 0xc3};
	static const char *const bar = HAVE_IBERTY ? "callq 0x2000 <foo::bar(int)>" : "callq 0x2000 <_ZN3foo3barEi>";
	const struct expected expected[] = {
		{1, INSTRUCTION_PLAIN, 0, "pushq %rbp"},
		{3, INSTRUCTION_PLAIN, 0, "movq %rsp,%rbp"},
		{5, INSTRUCTION_CALL, 0x2000, bar},
		{2, INSTRUCTION_JUMP, 0x1004, "je 0x1004 <loop+0x4>"},
		{2, INSTRUCTION_CALL, 0, "callq *%rax"},
		{7, INSTRUCTION_PLAIN, 0, "leaq -0x14(%rip),%rax  # 0x1000 <loop>"},
		{7, INSTRUCTION_JUMP, 0, "jmpq *(,%rax,8)"},
		{1, INSTRUCTION_PLAIN, 0, "(bad)"},
		{2, INSTRUCTION_JUMP, 0x101e, "jmp 0x101e <loop+0x1e>"},
		{1, INSTRUCTION_RETURN, 0, "retq"},
	};
	check(EM_X86_64, bytes, sizeof(bytes), expected, ARRAY_LEN(expected));
}

/* Instructions that capstone may not know do not make it read those behind them wrongly. */
static void avx512(void **state)
{
	(void)state;
	static const uint8_t bytes[] = {0xc5, 0xfb, 0x92, 0xd1, 0x62, 0xe1, 0x7f, 0x2a, 0x6f, 0x16, 0x62, 0xf3,
					0x6d, 0x22, 0x3e, 0x0f, 0x04, 0xc5, 0xfb, 0x93, 0xc1, 0x85, 0xc0};
	static const uint32_t sizes[] = {4, 6, 7, 4, 2};
	struct function_code code = {.bytes = (uint8_t *)(uintptr_t)bytes, .n = sizeof(bytes), .machine = EM_X86_64};
	struct instructions in;
	code.wide = true;
	instructions_read(&code, NULL, &in);
	for (size_t i = 0; HAVE_CAPSTONE && i < ARRAY_LEN(sizes); i++)
		assert_int_equal(in.v[i].size, sizes[i]);
	assert_int_equal(in.n, HAVE_CAPSTONE ? 5 : 3);
	instructions_deinit(&in);
}

static void arm64(void **state)
{
	(void)state;
	static const uint8_t bytes[] = {0xfd, 0x7b, 0xbf, 0xa9, 0xff, 0x03, 0x00, 0x94, 0x40, 0x00, 0x00, 0xb4,
					0xe1, 0xff, 0xff, 0x54, 0x60, 0x00, 0x18, 0x36, 0xff, 0xff, 0xff, 0xff,
					0x00, 0x02, 0x1f, 0xd6, 0xc0, 0x03, 0x5f, 0xd6, 0x1f, 0x20};
	static const char *const bar = HAVE_IBERTY ? "bl 0x2000 <foo::bar(int)>" : "bl 0x2000 <_ZN3foo3barEi>";
	const struct expected expected[] = {
		{4, INSTRUCTION_PLAIN, 0, "stp x29,x30,[sp,#-0x10]!"},
		{4, INSTRUCTION_CALL, 0x2000, bar},
		{4, INSTRUCTION_JUMP, 0x1010, "cbz x0,0x1010 <loop+0x10>"},
		{4, INSTRUCTION_JUMP, 0x1008, "b.ne 0x1008 <loop+0x8>"},
		{4, INSTRUCTION_JUMP, 0x101c, "tbz w0,#3,0x101c <loop+0x1c>"},
		{4, INSTRUCTION_PLAIN, 0, "(bad)"},
		{4, INSTRUCTION_JUMP, 0, "br x16"},
		{4, INSTRUCTION_RETURN, 0, "ret"},
		{2, INSTRUCTION_PLAIN, 0, "(bad)"},
	};
	check(EM_AARCH64, bytes, sizeof(bytes), expected, ARRAY_LEN(expected));
}

/* A processor that is not known has pieces of equal length, and a reason. */
static void other_processors(void **state)
{
	(void)state;
	static uint8_t bytes[20];
	struct function_code code = {.addr = 0x10, .bytes = bytes, .n = sizeof(bytes), .machine = EM_SPARCV9};
	struct instructions in;
	instructions_read(&code, NULL, &in);
	assert_non_null(in.why);
	assert_int_equal(in.n, 3);
	assert_int_equal(in.v[2].size, 4);
	assert_string_equal(in.v[2].text, "");
	assert_int_equal(instructions_at(&in, 0xf), 3);
	assert_int_equal(instructions_at(&in, 0x10), 0);
	assert_int_equal(instructions_at(&in, 0x17), 0);
	assert_int_equal(instructions_at(&in, 0x18), 1);
	assert_int_equal(instructions_at(&in, 0x23), 2);
	assert_int_equal(instructions_at(&in, 0x24), 3);
	instructions_deinit(&in);
}

/* Every prefix of some code, and bytes that are not code, end where they should. */
static void code_that_is_none(void **state)
{
	(void)state;
	static const uint16_t machines[] = {EM_X86_64, EM_386, EM_AARCH64, EM_ARM, 243, 0};
	uint8_t bytes[257];
	for (size_t i = 0; i < sizeof(bytes); i++)
		bytes[i] = (uint8_t)(i * 167 + (i >> 3));
	for (size_t m = 0; m < ARRAY_LEN(machines); m++)
		for (size_t n = 0; n < sizeof(bytes); n += 1 + n / 16) {
			struct function_code code = {
				.addr = UINT64_MAX - 128, .bytes = bytes, .n = n, .machine = machines[m]};
			struct instructions in;
			uint64_t sum = 0;
			instructions_read(&code, NULL, &in);
			for (size_t i = 0; i < in.n; i++)
				sum += in.v[i].size;
			assert_int_equal(sum, n);
			instructions_deinit(&in);
		}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(x86_64),
		cmocka_unit_test(avx512),
		cmocka_unit_test(arm64),
		cmocka_unit_test(other_processors),
		cmocka_unit_test(code_that_is_none),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
