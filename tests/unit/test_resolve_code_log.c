/* What a recording keeps of JIT code: every sample has the name that it had when it was taken. */
#include "resolve/naming/code_log.h"

#include "base/alloc.h"
#include "base/index.h"
#include "base/limits.h"
#include "resolve/jit/jit.h"

#include <cyctop/perfdata.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { ADDRESSES = 400, STEPS = 120, PER_STEP = 30 };

struct taken {
	uint64_t addr, time_ns;
	char name[32]; /* "": it had none */
};

static uint64_t next(uint64_t *state)
{
	return hash_u64(*state += 0x9e3779b97f4a7c15ull);
}

static void make_code(struct jit_list *l, uint64_t *state, unsigned number, uint64_t time_ns)
{
	char name[32];
	snprintf(name, sizeof(name), "f%u", number);
	const struct jit_code code = {
		.addr = 0x1000 + next(state) % ADDRESSES,
		.size = 1 + next(state) % 60,
		.time_ns = time_ns,
		.index = next(state) % 50,
		.numbered = true,
		.moved = number % 9 == 8,
		.name = name,
		.name_n = strlen(name),
	};
	jit_list_add(l, &code);
}

/* The table that -i makes of what the recording has. */
static struct jit_table *table_of(const struct pd_code *code)
{
	struct jit_list l;
	jit_list_init(&l);
	for (size_t i = 0; i < code->functions_n; i++) {
		const struct pd_function *f = &code->functions[i];
		jit_list_add(&l, &(struct jit_code){.addr = f->addr,
						    .size = f->size,
						    .time_ns = f->from_ns,
						    .name = f->name,
						    .name_n = strlen(f->name)});
	}
	struct jit_table *t = jit_table_create(&l, ORIGIN_RECORDING, true);
	jit_list_deinit(&l);
	return t;
}

/* Code comes, covers other code and moves, while samples are taken.  `timed`: as from a jitdump; else as from a perf
 * map, whose lines have the time of the read before. */
static size_t check_history(uint64_t seed, bool timed)
{
	struct code_log *log = code_log_create();
	struct jit_list l;
	VEC(struct taken) all = {0};
	uint64_t state = seed, time_ns = 1000;
	unsigned made = 0;
	jit_list_init(&l);
	for (unsigned step = 0; step < STEPS; step++) {
		uint64_t before = time_ns;
		for (unsigned i = 0; i < 3; i++)
			make_code(&l, &state, made++, timed ? time_ns++ : step ? before - 500 : 0);
		struct jit_table *t = jit_table_create(&l, ORIGIN_PERF_MAP, timed);
		for (unsigned i = 0; i < PER_STEP; i++) {
			struct taken s = {.addr = 0x1000 + next(&state) % ADDRESSES, .time_ns = time_ns += 10};
			struct symtab_hit hit;
			if (jit_table_find(t, s.addr, s.time_ns, &hit)) {
				snprintf(s.name, sizeof(s.name), "%s", hit.name);
				code_log_add(log, &(struct code_sample){.pid = 3, .era = 1, .time_ns = s.time_ns},
					     &hit);
			}
			vec_push(&all) = s;
		}
		jit_table_destroy(t);
		time_ns += 1000;
	}
	struct pd_code *code;
	size_t n, named = 0;
	uint64_t dropped_ns;
	code_log_get(log, &code, &n, &dropped_ns);
	assert_int_equal(n, 1);
	assert_int_equal(dropped_ns, 0);
	struct jit_table *t = table_of(code);
	for (size_t i = 0; i < all.n; i++) {
		const struct taken *s = &all.data[i];
		struct symtab_hit hit;
		if (!s->name[0])
			continue;
		named++;
		if (!jit_table_find(t, s->addr, s->time_ns, &hit) || strcmp(hit.name, s->name) != 0)
			fail_msg("seed %lu: the sample at %lx, %lu had the name %s", (unsigned long)seed,
				 (unsigned long)s->addr, (unsigned long)s->time_ns, s->name);
	}
	jit_table_destroy(t);
	pd_code_free(code, n);
	vec_free(&all);
	jit_list_deinit(&l);
	code_log_destroy(log);
	return named;
}

static void samples_keep_their_names(void **state)
{
	(void)state;
	size_t named = 0;
	for (uint64_t seed = 1; seed <= 40; seed++)
		named += check_history(seed, seed % 2);
	assert_true(named > 20 * STEPS * PER_STEP);
}

/* A recording may say that a hundred thousand functions were at one address: each search is short all the same, and
 * the newest ones are found. */
static void searches_are_bounded(void **state)
{
	(void)state;
	enum { N = 100000, SEARCHES = 20000 };
	struct jit_list l;
	jit_list_init(&l);
	for (unsigned i = 0; i < N; i++)
		jit_list_add(&l, &(struct jit_code){
					 .addr = 0x1000, .size = 0x100, .time_ns = i + 1, .name = "same", .name_n = 4});
	struct jit_table *t = jit_table_within(&l, ORIGIN_RECORDING, true, SIZE_MAX);
	struct symtab_hit hit;
	assert_true(limit_is_reached(&l.reached, REACHED_JIT_DEPTH));
	for (unsigned i = 0; i < SEARCHES; i++)
		assert_false(jit_table_find(t, 0x1010, 0, &hit)); /* looks at all of them */
	assert_true(jit_table_find(t, 0x1010, N, &hit));
	assert_true(jit_table_find(t, 0x1010, N - LIMIT_JIT_DEPTH / 2, &hit));
	assert_false(jit_table_find(t, 0x1010, N / 2, &hit));
	jit_table_destroy(t);
	jit_list_deinit(&l);
}

static void add(struct code_log *l, int32_t pid, uint64_t era, uint64_t addr, const char *name, uint64_t time_ns)
{
	struct symtab_hit hit = {.addr = addr, .size = 8, .name = name};
	code_log_add(l, &(struct code_sample){.pid = pid, .era = era, .time_ns = time_ns}, &hit);
}

static void processes_are_apart(void **state)
{
	(void)state;
	struct code_log *l = code_log_create();
	struct pd_code *code;
	size_t n;
	uint64_t dropped_ns;
	code_log_get(l, &code, &n, &dropped_ns);
	assert_null(code);
	assert_int_equal(n, 0);
	add(l, 9, 5, 0x100, "of a later program", 50);
	add(l, 9, 1, 0x100, "of 9", 10);
	add(l, 9, 1, 0x100, "of 9", 30);
	add(l, 4, 1, 0x100, "of 4", 20);
	code_log_get(l, &code, &n, &dropped_ns);
	assert_int_equal(n, 3);
	assert_int_equal(code[0].pid, 4);
	assert_int_equal(code[1].pid, 9);
	assert_int_equal(code[1].functions_n, 1);
	assert_int_equal(code[1].first_ns, 10);
	assert_int_equal(code[1].last_ns, 30);
	assert_string_equal(code[1].functions[0].name, "of 9");
	assert_string_equal(code[2].functions[0].name, "of a later program");
	pd_code_free(code, n);
	code_log_destroy(l);
}

/* Beyond the limit, the names go whose last sample is oldest. */
static void memory_is_bounded(void **state)
{
	(void)state;
	enum { N = LIMIT_CODE_NAMES / 60 };
	struct code_log *l = code_log_create();
	struct pd_code *code;
	size_t n;
	uint64_t dropped_ns;
	for (unsigned i = 1; i <= N; i++) {
		add(l, 1, 1, i * 16, "name", i);
		if (i % 1000 == 0)
			add(l, 1, 1, 16, "name", i); /* the first one goes on running */
	}
	code_log_get(l, &code, &n, &dropped_ns);
	assert_int_equal(n, 1);
	assert_true(code->functions_n > N / 3 && code->functions_n < N * 2 / 3);
	assert_true(dropped_ns > N / 3 && dropped_ns < N * 2 / 3);
	assert_int_equal(code->functions[0].addr, 16);
	assert_int_equal(code->functions[1].addr, (dropped_ns + 1) * 16);
	pd_code_free(code, n);
	code_log_destroy(l);
}

/* Names of code that no remembered sample is in are forgotten, which is no loss to a recording. */
static void old_names_are_forgotten(void **state)
{
	(void)state;
	struct code_log *l = code_log_create();
	struct pd_code *code;
	size_t n;
	uint64_t dropped_ns;
	for (unsigned i = 1; i <= 100; i++)
		add(l, 1, 1, i * 16, "name", i);
	add(l, 1, 1, 16, "name", 101); /* the first one goes on running */
	code_log_forget(l, 5);	       /* so few that it is not worth the work */
	code_log_get(l, &code, &n, &dropped_ns);
	assert_int_equal(code->functions_n, 100);
	pd_code_free(code, n);
	code_log_forget(l, 61);
	code_log_get(l, &code, &n, &dropped_ns);
	assert_int_equal(code->functions_n, 41);
	assert_int_equal(code->functions[0].addr, 16);
	assert_int_equal(code->functions[1].addr, 61 * 16);
	assert_int_equal(dropped_ns, 0);
	pd_code_free(code, n);
	add(l, 1, 1, 99 * 16, "name", 200); /* found again, not added twice */
	code_log_forget(l, 1000);
	code_log_get(l, &code, &n, &dropped_ns);
	assert_int_equal(n, 0);
	assert_int_equal(dropped_ns, 0);
	code_log_destroy(l);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(samples_keep_their_names), cmocka_unit_test(searches_are_bounded),
		cmocka_unit_test(processes_are_apart),	    cmocka_unit_test(memory_is_bounded),
		cmocka_unit_test(old_names_are_forgotten),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
