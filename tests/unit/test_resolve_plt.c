/* PLT stubs of other machines, by their instructions. */
#include "resolve/elf/stub.h"

#include <elf.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define CODE(m, w, at, text)                                                                                           \
	(struct stub_code)                                                                                             \
	{                                                                                                              \
		.machine = (m), .wide = (w), .got = 0x4000, .bytes = (const uint8_t *)(text), .n = sizeof(text) - 1,   \
		.addr = (at)                                                                                           \
	}

/* Stubs made by the linkers for these machines, with the addresses that objdump shows. */
static void instructions_of_any_machine(void **state)
{
	(void)state;
	const struct {
		struct stub_code code;
		uint64_t word;
		size_t n;
	} cases[] = {
		{CODE(EM_X86_64, true, 0x26030, "\xff\x25\xda\xcf\x1a\x00"), 0x1d3010, 6},
		{CODE(EM_X86_64, true, 0x1050, "\xf3\x0f\x1e\xfa\xff\x25\x76\x2f\x00\x00"), 0x3fd0, 10},
		{CODE(EM_X86_64, true, 0x1050, "\xf3\x0f\x1e\xfa\xf2\xff\x25\x75\x2f\x00\x00"), 0x3fd0, 11},
		{CODE(EM_X86_64, true, 0x1050, "\xf3\x0f\x1e\xfa\x41\xbb\1\0\0\0\xff\x25\x70\xff\xff\xff"), 0xfd0, 16},
		{CODE(EM_386, false, 0x1050, "\xff\x25\x0c\xc0\x04\x08"), 0x804c00c, 6},
		{CODE(EM_386, false, 0x1050, "\xff\xa3\x0c\0\0\0"), 0x400c, 6},
		{CODE(EM_386, false, 0x1050, "\xf3\x0f\x1e\xfb\xff\xa3\xf8\xff\xff\xff"), 0x3ff8, 10},
		{CODE(EM_AARCH64, true, 0x340, "\x10\x01\x00\x90\x11\x06\x40\xf9"), 0x20008, 8},
		{CODE(EM_AARCH64, true, 0x340, "\x5f\x24\x03\xd5\x10\x01\x00\x90\x11\x06\x40\xf9"), 0x20008, 12},
		/* the stub refers to a word at a lower address */
		{CODE(EM_AARCH64, true, 0x40340, "\xf0\xff\xff\xf0\x11\x06\x40\xf9"), 0x3f008, 8},
		{CODE(EM_ARM, false, 0x1b4, "\x00\xc6\x8f\xe2\x01\xca\x8c\xe2\x50\xfe\xbc\xe5"), 0x200c, 12},
		{CODE(EM_ARM, false, 0x1b4, "\x78\x47\xc0\x46\x00\xc6\x8f\xe2\x01\xca\x8c\xe2\x50\xfe\xbc\xe5"), 0x2010,
		 16},
		{CODE(EM_ARM, false, 0x1b4, "\x00\xc2\x8f\xe2\x00\xc6\x8c\xe2\x01\xca\x8c\xe2\x50\xfe\xbc\xe5"), 0x200c,
		 16},
		{CODE(EM_ARM, false, 0x10250, "\x00\xc6\x8f\xe2\x20\xca\x8c\xe2\x7c\xf0\xbc\xe5"), 0x302d4, 12},
		{CODE(EM_ARM, false, 0x1000, "\x04\xc0\x9f\xe5\x0f\xc0\x8c\xe0\x00\xf0\x9c\xe5\xf4\x1f\0\0"), 0x3000,
		 16},
		{CODE(EM_RISCV, true, 0x320, "\x17\x2e\x00\x00\x03\x3e\x8e\xcf"), 0x2018, 8},
		{CODE(EM_RISCV, false, 0x320, "\x17\x2e\x00\x00\x03\x2e\x8e\xcf"), 0x2018, 8},
	};
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct stub stub;
		assert_true(stub_decode(&cases[i].code, 0, &stub));
		assert_false(stub.lazy);
		assert_int_equal(stub.word, cases[i].word);
		assert_int_equal(stub.n, cases[i].n);
		assert_true(stub_step(&cases[i].code) > 0);
		struct stub_code cut = cases[i].code;
		while (cut.n--) {
			uint8_t *exact = malloc(cut.n + 1);
			assert_non_null(exact);
			memcpy(exact + 1, cases[i].code.bytes, cut.n);
			cut.bytes = exact + 1;
			assert_false(stub_decode(&cut, 0, &stub));
			assert_false(stub_decode(&cut, cut.n, &stub));
			free(exact);
		}
	}
	struct stub stub;
	struct stub_code lazy =
		CODE(EM_X86_64, true, 0x1020, "\xf3\x0f\x1e\xfa\x68\x03\x00\x00\x00\xe9\xe2\xff\xff\xff");
	assert_true(stub_decode(&lazy, 0, &stub));
	assert_true(stub.lazy);
	assert_int_equal(stub.push, 3);
	struct stub_code head = CODE(EM_X86_64, true, 0x1020, "\xff\x35\xe2\x2f\x00\x00\xff\x25\xe4\x2f\x00\x00");
	assert_false(stub_decode(&head, 0, &stub));
	struct stub_code other = CODE(EM_S390, true, 0x1020, "\xff\x25\xda\xcf\x1a\x00");
	assert_false(stub_decode(&other, 0, &stub));
	assert_int_equal(stub_step(&other), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(instructions_of_any_machine),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
