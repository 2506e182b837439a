/* Memory stays bounded: what nothing refers to is retired, and what is gone gives its facts to others. */
#include "../lib/resolver_stats.h"
#include "base/limits.h"

#include "test_resolve_world.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* A program of its own file each time, sampled in a function, and gone. */
static uint32_t run_once(struct resolver *r, uint32_t i)
{
	char path[64];
	uint64_t t = 2000000000ull * (i + 1);
	snprintf(path, sizeof(path), "/tmp/build-%u/conftest", i);
	apply_task(r, RECORD_FORK, 100 + i % 3, 100 + i % 3, 1, 1, t);
	apply_comm(r, 100 + i % 3, 100 + i % 3, "conftest", true);
	apply_mmap(r, 100 + i % 3, 0x400000, 0x10000, 0, path);
	uint32_t task = resolver_task(r, 100 + i % 3, 100 + i % 3, t);
	uint32_t sym = resolver_symbol(r, task, MISC_USER, 0x401000, t);
	apply_task(r, RECORD_EXIT, 100 + i % 3, 100 + i % 3, 1, 1, t + 1);
	return sym;
}

static void programs_that_ended_take_no_memory(void **state)
{
	(void)state;
	struct world w = {0};
	struct resolver *r = make(&w, false);
	struct resolver_stats before, after;
	for (uint32_t i = 0; i < 20000; i++) {
		uint32_t sym = run_once(r, i);
		struct catalog_ref ref = catalog_sym_ref(resolver_catalog(r), sym);
		assert_int_equal(resolver_catalog(r)->syms[sym].state, SYM_NAMED);
		if (i % 100 != 99)
			continue;
		struct catalog_used used = nothing_used(r);
		used.syms[sym] = true; /* the latest is still in the history */
		resolver_retire(r, &used);
		free_used(&used);
		assert_true(catalog_sym_valid(resolver_catalog(r), ref));
		assert_non_null(strstr(resolver_pretty(r, sym), "conftest1"));
		retire_unused(r);
		assert_false(catalog_sym_valid(resolver_catalog(r), ref));
		if (i == 4999)
			resolver_stats_get(r, &before);
	}
	resolver_stats_get(r, &after);
	assert_true(after.names_bytes < before.names_bytes + 300000); /* unused strings go now and then */
	assert_in_range(resolver_catalog(r)->dsos_n, 1, 500);
	resolver_destroy(r);
}

/* A retired symbol that is sampled again gets an id again: neither the address cache nor a table remembers it. */
static void retired_symbols_come_back(void **state)
{
	(void)state;
	struct world w = {0};
	struct resolver *r = make(&w, false);
	uint32_t t = resolver_task(r, 10, 10, 1);
	apply_mmap(r, 10, 0x400000, 0x10000, 0, "/prog");
	for (int round = 0; round < 3; round++) {
		assert_string_equal(name_at(r, t, 0x401004), "prog1");
		assert_string_equal(name_at(r, t, 0x40f004), "prog15");
		retire_unused(r);
	}
	resolver_destroy(r);
}

/* Of functions that cannot run again those with the most samples keep their names in the total. */
static void code_that_is_gone_is_folded(void **state)
{
	(void)state;
	enum { LIGHT = 500 };
	struct world w = {0};
	struct resolver *r = make(&w, false);
	uint32_t syms[LIMIT_GONE_FUNCTIONS + LIGHT + 1];
	const size_t n = ARRAY_LEN(syms);
	for (uint32_t i = 0; i < n; i++)
		syms[i] = run_once(r, i);
	apply_task(r, RECORD_EXIT, 999, 999, 1, 1, UINT64_MAX - 1); /* the grace of the others is over */
	struct catalog_used used = nothing_used(r);
	struct catalog_weights weights = no_weights(r);
	for (size_t i = 0; i < n; i++)
		weights.syms[syms[i]] = i < LIGHT ? 1 : 2;
	used.syms[syms[n - 1]] = true; /* in the history */
	struct catalog_fold fold;
	assert_true(resolver_fold(r, 0, &used, &weights, &fold));
	for (size_t i = 0; i < n; i++) {
		if (i >= LIGHT) {
			assert_int_equal(fold.syms[syms[i]], CATALOG_NONE);
			continue;
		}
		const struct sym_info *s = &resolver_catalog(r)->syms[fold.syms[syms[i]]];
		assert_int_equal(s->state, SYM_FOLDED);
		assert_string_equal(dso_name(r, s), "[not loaded]");
	}
	free_fold(&fold);
	/* What has no samples in the total is not counted. */
	for (size_t i = 0; i < LIGHT; i++)
		weights.syms[syms[i]] = 0;
	assert_false(resolver_fold(r, 0, &used, &weights, &fold));
	free_fold(&fold);
	free_used(&used);
	free_weights(&weights);
	resolver_destroy(r);
}

/* Where many ids are made, those that are not used any more are looked for early. */
static void many_new_ids_are_worth_a_retirement(void **state)
{
	(void)state;
#ifdef RETIRE_ALWAYS
	skip();
#endif
	struct world w = {0};
	struct resolver *r = make(&w, false);
	uint32_t i = 0, most = 0;
	for (unsigned round = 0; round < 20; round++) {
		assert_false(resolver_wants_retire(r, 0));
		for (uint32_t first = i; !resolver_wants_retire(r, 0); i++) {
			assert_true(i - first < 4096);
			run_once(r, i);
		}
		retire_unused(r);
		if (round == 0)
			most = resolver_catalog(r)->syms_n;
	}
	assert_in_range(resolver_catalog(r)->syms_n, most, most + most / 4);
	resolver_destroy(r);
}

/* Where few are made, they are looked for now and then; where none are, seldom. */
static void few_new_ids_can_wait(void **state)
{
	(void)state;
#ifdef RETIRE_ALWAYS
	skip();
#endif
	static const uint64_t second_ns = 1000000000;
	struct world w = {0};
	struct resolver *r = make(&w, false);
	retire_unused(r);
	assert_false(resolver_wants_retire(r, 63 * second_ns));
	assert_true(resolver_wants_retire(r, 64 * second_ns));
	for (uint32_t i = 0; i < 100; i++)
		run_once(r, i);
	assert_false(resolver_wants_retire(r, 7 * second_ns));
	assert_true(resolver_wants_retire(r, 8 * second_ns));
	resolver_destroy(r);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(programs_that_ended_take_no_memory),
		cmocka_unit_test(retired_symbols_come_back),
		cmocka_unit_test(code_that_is_gone_is_folded),
		cmocka_unit_test(many_new_ids_are_worth_a_retirement),
		cmocka_unit_test(few_new_ids_can_wait),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
