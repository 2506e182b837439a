/* The memory that names of JIT code take. */
#include "../lib/resolver_stats.h"
#include "base/alloc.h"
#include "base/limits.h"
#include "test_resolve_code_world.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

/* The last function is the newest. */
static void read_functions(unsigned n, const struct jit_key *key, struct jit_news *ret)
{
	struct jit_list l;
	jit_list_init(&l);
	for (unsigned i = 1; i <= n; i++) {
		char name[64];
		snprintf(name, sizeof(name), "%u_is_the_number_of_this_function_of_%d", n - i, key->pid);
		jit_list_add(&l,
			     &(struct jit_code){
				     .addr = code_at + (n - i) * 16, .size = 16, .name = name, .name_n = strlen(name)});
	}
	ret->table = jit_table_within(&l, ORIGIN_PERF_MAP, false, key->max_bytes);
	limit_add(&ret->limits, &l.reached);
	jit_list_deinit(&l);
	ret->file = mem_strdup("/tmp/perf-1.map");
}

static void large_read(void *ctx, const struct jit_key *key, void **reader, struct jit_news *ret)
{
	(void)ctx, (void)reader;
	read_functions(50000, key, ret);
}

static void small_read(void *ctx, const struct jit_key *key, void **reader, struct jit_news *ret)
{
	(void)ctx, (void)reader;
	read_functions(256, key, ret);
}

/* The tables of all processes take bounded memory: those that are largest become smaller. */
static void tables_of_many_processes_are_bounded(void **state)
{
	(void)state;
	for (int background = 0; background < 2; background++) {
		struct jit_ops ops = {.read = large_read, .once = true, .samples_wait = true};
		struct resolver_config config = {.proc = proc_none, .jit = &ops, .background = background};
		struct resolver *r;
		struct error err;
		char name[64];
		assert_int_equal(resolver_create(&config, &r, &err), 0);
		for (uint32_t pid = 10; pid < 30; pid++) {
			apply_comm(r, pid, "node", false);
			map_code(r, pid);
			at(r, pid, code_at);
			resolver_settle(r, -1);
			struct resolver_stats stats;
			resolver_stats_get(r, &stats);
			assert_true(stats.symtab_bytes <= LIMIT_JIT_BYTES);
		}
		for (uint32_t pid = 10; pid < 30; pid++) {
			snprintf(name, sizeof(name), "0_is_the_number_of_this_function_of_%u", pid);
			uint32_t sym = at(r, pid, code_at);
			resolver_settle(r, -1);
			assert_string_equal(now(r, sym)->name, name);
		}
		assert_true(resolver_catalog(r)->limits.n[REACHED_JIT_BYTES] > 0);
		resolver_destroy(r);
	}
}

/* How many entries are looked at while so many processes come whose tables take too much together. */
static uint64_t looks_of(uint32_t processes)
{
	struct jit_ops ops = {.read = small_read, .once = true, .samples_wait = true};
	struct resolver_config config = {.proc = proc_none, .jit = &ops};
	struct resolver *r;
	struct error err;
	assert_int_equal(resolver_create(&config, &r, &err), 0);
	for (uint32_t pid = 10; pid < 10 + processes; pid++) {
		apply_comm(r, pid, "node", false);
		map_code(r, pid);
		at(r, pid, code_at);
		resolver_settle(r, -1);
	}
	assert_true(resolver_catalog(r)->limits.n[REACHED_JIT_BYTES] > 0);
	uint64_t looks = r->jits->looks;
	resolver_destroy(r);
	return looks;
}

/* It is a few for each process, not all others for each. */
static void many_processes_are_little_work_each(void **state)
{
	(void)state;
	enum { MANY = 6000, FEW = 16 };
	uint64_t looks = looks_of(MANY);
	if (!looks || looks > (uint64_t)MANY * FEW)
		fail_msg("%d processes: %llu looks", MANY, (unsigned long long)looks);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(many_processes_are_little_work_each),
					   cmocka_unit_test(tables_of_many_processes_are_bounded)};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
