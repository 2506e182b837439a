/* The feature CODE_NAMES: bytes in both byte orders -> functions, and back; damaged and hostile ones. */
#include "../lib/pd_made.h"

#include "base/limits.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* Two processes, out of order: 20 with two functions, 10 with one. */
static void make(struct made *m)
{
	num(m, 1, 4); /* version */
	num(m, 0, 4); /* not packed */
	num(m, 2, 4);
	num(m, 20, 4);
	num(m, 2, 4);
	num(m, 100, 8);
	num(m, 900, 8);
	num(m, 0x1000, 8);
	num(m, 0x2000, 8);
	num(m, 0x10, 8);
	num(m, 0x20, 8);
	num(m, 0, 8);
	num(m, 500, 8);
	text(m, "first", 6);
	text(m, "second", 7);
	num(m, 10, 4);
	num(m, 1, 4);
	num(m, 1, 8);
	num(m, 2, 8);
	num(m, 0x3000, 8);
	num(m, 8, 8);
	num(m, 1, 8);
	text(m, "other", 6);
}

static int parse(struct pd_info *info, const void *bytes, size_t n, bool swap)
{
	/* exactly as large, so that a sanitizer finds reads beyond it */
	uint8_t *copy = malloc(n ? n : 1);
	assert_non_null(copy);
	memcpy(copy, bytes, n);
	pd_info_init(info);
	int rc = pd_info_feature(info, PD_CODE_NAMES, copy, n, swap, NULL);
	free(copy);
	return rc;
}

static void bytes_of_both_orders(void **state)
{
	(void)state;
	for (unsigned big = 0; big < 2; big++) {
		struct made m = {.big = big};
		struct pd_info info;
		make(&m);
		assert_int_equal(parse(&info, m.p, m.n, HOST_SWAP(big)), 0);
		assert_int_equal(info.code_n, 2);
		assert_int_equal(info.code[0].pid, 10); /* sorted */
		assert_string_equal(info.code[0].functions[0].name, "other");
		const struct pd_code *code = &info.code[1];
		assert_int_equal(code->pid, 20);
		assert_int_equal(code->first_ns, 100);
		assert_int_equal(code->last_ns, 900);
		assert_int_equal(code->functions_n, 2);
		assert_int_equal(code->functions[1].addr, 0x2000);
		assert_int_equal(code->functions[1].size, 0x20);
		assert_int_equal(code->functions[1].from_ns, 500);
		assert_string_equal(code->functions[0].name, "first");
		assert_string_equal(code->functions[1].name, "second");
		pd_info_deinit(&info);
	}
}

/* Cut off anywhere, it has the functions before that, and is said to be damaged. */
static void a_part_is_malformed(void **state)
{
	(void)state;
	struct made m = {0};
	make(&m);
	for (size_t n = 1; n < m.n; n++) {
		struct pd_info info;
		assert_int_equal(parse(&info, m.p, n, HOST_SWAP(false)), -EBADMSG);
		for (size_t i = 0; i < info.code_n; i++)
			for (size_t k = 0; k < info.code[i].functions_n; k++)
				assert_true(strlen(info.code[i].functions[k].name) > 0);
		pd_info_deinit(&info);
	}
}

static void put(uint8_t *at, uint64_t v, size_t n)
{
	memcpy(at, &v, n);
}

static void numbers_are_not_believed(void **state)
{
	(void)state;
	static const struct {
		size_t at, n;
		uint64_t v;
	} damage[] = {
		{0, 4, 2},		       /* version */
		{4, 4, 2},		       /* packing */
		{4, 4, 1},		       /* zstd, which it is not */
		{8, 4, UINT32_MAX},	       /* processes */
		{16, 4, UINT32_MAX},	       /* functions */
		{16, 4, 0x0a3d70a4},	       /* functions: 25 times as many overflow 32 bits */
		{12 + 24 + 16, 8, 0},	       /* size of a function */
		{12 + 24 + 16, 8, UINT64_MAX}, /* its end overflows */
		{12 + 24 + 48, 6, 0},	       /* no name */
	};
	for (size_t i = 0; i < ARRAY_LEN(damage); i++) {
		struct made m = {0};
		struct pd_info info;
		make(&m);
		put(m.p + damage[i].at, damage[i].v, damage[i].n);
		int rc = parse(&info, m.p, m.n, HOST_SWAP(false));
		if (rc != -EBADMSG && !info.code_packed)
			fail_msg("damage %zu: %d", i, rc);
		pd_info_deinit(&info);
	}
}

/* A program of one process with `n` functions, whose names are `name_n` bytes long. */
static void fill(struct pd_info *info, size_t n, size_t name_n)
{
	pd_info_init(info);
	info->code = calloc(1, sizeof(*info->code));
	assert_non_null(info->code);
	info->code_n = 1;
	struct pd_code *code = info->code;
	*code = (struct pd_code){.pid = 7, .first_ns = 1, .last_ns = 2, .functions_n = n};
	code->functions = calloc(n, sizeof(*code->functions));
	code->names = malloc(name_n + 1);
	assert_non_null(code->functions);
	assert_non_null(code->names);
	memset(code->names, 'n', name_n);
	code->names[name_n] = 0;
	for (size_t i = 0; i < n; i++)
		code->functions[i] = (struct pd_function){.addr = i * 16, .size = 16, .name = code->names};
}

static void what_is_written_is_read(void **state)
{
	(void)state;
	struct pd_info info, again;
	struct pd_buffer out = {0};
	fill(&info, 1000, 40);
	assert_true(pd_feature_encode(&info, PD_CODE_NAMES, &out));
	assert_int_equal(parse(&again, out.data, out.n, false), 0);
	assert_int_equal(again.code_n, 1);
	assert_int_equal(again.code->functions_n, 1000);
	assert_int_equal(again.code->functions[999].addr, 999 * 16);
	assert_string_equal(again.code->functions[999].name, info.code->names);
	pd_info_deinit(&again);
	pd_info_deinit(&info);
	free(out.data);
	pd_info_init(&info);
	assert_false(pd_feature_encode(&info, PD_CODE_NAMES, &(struct pd_buffer){0}));
}

/* A few bytes that unpack to more than the limit: what is below it is there. */
static void memory_is_bounded(void **state)
{
	(void)state;
	struct pd_info info, again;
	struct pd_buffer out = {0};
	fill(&info, 2000, LIMIT_CODE_NAMES / 1000);
	assert_true(pd_feature_encode(&info, PD_CODE_NAMES, &out));
	assert_int_equal(parse(&again, out.data, out.n, false), 0);
	assert_true(again.code_cut);
	assert_true(again.code->functions_n > 500 && again.code->functions_n < 1000);
	pd_info_deinit(&again);
	pd_info_deinit(&info);
	free(out.data);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(bytes_of_both_orders),	    cmocka_unit_test(a_part_is_malformed),
		cmocka_unit_test(numbers_are_not_believed), cmocka_unit_test(what_is_written_is_read),
		cmocka_unit_test(memory_is_bounded),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
