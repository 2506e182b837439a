/* The catalog: identity of symbols, rows that symbols share, references to ids. */
#include "resolve/naming/names.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static void make(struct names *n)
{
	names_init(n);
	assert_int_equal(names_add_dso(n, &(struct dso_info){.path = "/usr/bin/app", .name = "app"}), 0);
	assert_int_equal(names_add_dso(n, &(struct dso_info){.path = "[kernel]", .name = "[kernel]", .kernel = true}),
			 1);
}

static uint32_t sym(struct names *n, uint32_t dso, const char *name, uint64_t addr, uint64_t size)
{
	return names_sym(n, &(struct sym_info){.dso = dso, .name = name, .addr = addr, .size = size});
}

static void a_symbol_is_one_piece_of_code(void **state)
{
	(void)state;
	struct names n;
	make(&n);
	uint32_t first = sym(&n, 0, "init", 0x1000, 16);
	char copy[] = "init"; /* an equal string at another address */
	assert_int_equal(sym(&n, 0, copy, 0x1000, 16), first);
	uint32_t others[] = {sym(&n, 0, "init", 0x2000, 16), sym(&n, 0, "init", 0x1000, 32),
			     sym(&n, 0, "exit", 0x1000, 16), sym(&n, 1, "init", 0x1000, 16)};
	for (size_t i = 0; i < ARRAY_LEN(others); i++) {
		assert_int_not_equal(others[i], first);
		for (size_t k = 0; k < i; k++)
			assert_int_not_equal(others[i], others[k]);
	}
	/* symbols of a DSO with the same name are one row */
	assert_int_equal(n.cat.syms[first].same, first);
	assert_int_equal(catalog_sym_row(&n.cat, others[0]), first);
	assert_int_equal(catalog_sym_row(&n.cat, others[1]), first);
	assert_int_equal(catalog_sym_row(&n.cat, others[2]), others[2]);
	assert_int_equal(catalog_sym_row(&n.cat, others[3]), others[3]);
	assert_int_equal(n.cat.syms[others[1]].size, 32);
	assert_true(n.cat.syms[others[3]].kernel && !n.cat.syms[first].kernel);
	names_deinit(&n);
}

static void a_pending_symbol_joins_the_row_of_its_name(void **state)
{
	(void)state;
	struct names n;
	make(&n);
	uint32_t first = sym(&n, 0, "init", 0x1000, 16), second = sym(&n, 0, "init", 0x2000, 16);
	uint32_t waits = names_add_sym(&n, &(struct sym_info){.dso = 0, .name = "[loading]", .state = SYM_PENDING});
	struct catalog_ref ref = catalog_sym_ref(&n.cat, waits);
	assert_int_equal(catalog_sym_row(&n.cat, waits), waits);
	names_resolve(&n, waits, second);
	assert_int_equal(n.cat.syms[waits].resolved, second);
	assert_int_equal(catalog_sym_row(&n.cat, waits), first);
	assert_true(catalog_sym_valid(&n.cat, ref)); /* the id still belongs to the same sample */
	names_deinit(&n);
}

/* A symbol that represents a row is resolved to another symbol; the row gets a new
 * representative. */
static void rows_survive_the_symbol_they_were_named_after(void **state)
{
	(void)state;
	struct names n;
	make(&n);
	uint32_t old[3], real = sym(&n, 0, "real", 0x1000, 16);
	for (size_t i = 0; i < ARRAY_LEN(old); i++)
		old[i] = sym(&n, 0, "old", 0x1000 * i, 16);
	names_resolve(&n, old[0], real);
	names_regroup(&n, 0);
	assert_int_equal(catalog_sym_row(&n.cat, old[0]), real);
	assert_int_equal(catalog_sym_row(&n.cat, old[1]), old[1]);
	assert_int_equal(catalog_sym_row(&n.cat, old[2]), old[1]);
	assert_int_equal(sym(&n, 0, "old", 0x1000, 16), old[1]);
	assert_int_equal(catalog_sym_row(&n.cat, sym(&n, 0, "old", 0, 16)), old[1]);
	bool used[8] = {false};
	names_retire_syms(&n, used);
	uint32_t again = sym(&n, 0, "real", 0x1000, 16);
	assert_string_equal(n.cat.syms[again].name, "real");
	names_deinit(&n);
}

static void references_become_invalid_with_their_entry(void **state)
{
	(void)state;
	struct names n;
	make(&n);
	struct task_info task = {.pid = 100, .tid = 100, .leader = CATALOG_NONE, .comm = "sh"};
	uint32_t t = names_add_task(&n, &task), s = sym(&n, 0, "main", 0x1000, 16);
	struct catalog_ref task_ref = catalog_task_ref(&n.cat, t), sym_ref = catalog_sym_ref(&n.cat, s),
			   dso_ref = catalog_dso_ref(&n.cat, 1);
	assert_true(catalog_task_valid(&n.cat, task_ref) && catalog_sym_valid(&n.cat, sym_ref) &&
		    catalog_dso_valid(&n.cat, dso_ref));
	assert_int_equal(n.cat.tasks[t].leader, t);
	names_retire_task(&n, t);
	bool used[8] = {false};
	names_retire_syms(&n, used);
	assert_true(n.cat.syms[s].retired);
	assert_false(catalog_task_valid(&n.cat, task_ref) || catalog_sym_valid(&n.cat, sym_ref));
	task.pid = task.tid = 400;
	assert_int_equal(names_add_task(&n, &task), t);
	assert_false(catalog_task_valid(&n.cat, task_ref));
	assert_true(catalog_task_valid(&n.cat, catalog_task_ref(&n.cat, t)));
	names_deinit(&n);
}

static void no_reference_is_valid(void **state)
{
	(void)state;
	struct names n;
	make(&n);
	assert_false(catalog_task_valid(&n.cat, catalog_task_ref(&n.cat, CATALOG_NONE)));
	assert_false(catalog_sym_valid(&n.cat, catalog_sym_ref(&n.cat, CATALOG_NONE)));
	assert_false(catalog_dso_valid(&n.cat, catalog_dso_ref(&n.cat, 2)));
	assert_int_equal(catalog_sym_row(&n.cat, CATALOG_NONE), CATALOG_NONE);
	names_deinit(&n);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_symbol_is_one_piece_of_code),
		cmocka_unit_test(a_pending_symbol_joins_the_row_of_its_name),
		cmocka_unit_test(rows_survive_the_symbol_they_were_named_after),
		cmocka_unit_test(references_become_invalid_with_their_entry),
		cmocka_unit_test(no_reference_is_valid),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
