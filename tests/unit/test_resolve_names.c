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

static uint32_t made(struct names *n, const char *name, uint64_t addr, uint64_t size)
{
	return names_sym(n, &(struct sym_info){.name = name, .addr = addr, .size = size, .by_name = true});
}

static bool is_alone(const struct names *n, uint32_t id)
{
	return !n->cat.syms[id].namesake && !n->cat.syms[id].alike;
}

static void a_symbol_is_one_piece_of_code(void **state)
{
	(void)state;
	struct names n;
	make(&n);
	uint32_t first = sym(&n, 0, "init", 0x1000, 16);
	char copy[] = "init"; /* an equal string at another address */
	assert_int_equal(sym(&n, 0, copy, 0x1000, 16), first);
	assert_int_equal(sym(&n, 0, copy, 0x1000, 32), first); /* another table of the file has another size */
	assert_true(is_alone(&n, first));
	uint32_t others[] = {sym(&n, 0, "init", 0x2000, 16), sym(&n, 0, "exit", 0x1000, 16),
			     sym(&n, 1, "init", 0x1000, 16)};
	for (size_t i = 0; i < ARRAY_LEN(others); i++) {
		assert_int_not_equal(others[i], first);
		assert_int_equal(catalog_sym_row(&n.cat, others[i]), others[i]);
		for (size_t k = 0; k < i; k++)
			assert_int_not_equal(others[i], others[k]);
	}
	assert_true(n.cat.syms[others[2]].kernel && !n.cat.syms[first].kernel);
	names_deinit(&n);
}

/* Functions of one name in one file are rows of their own, which are marked. */
static void functions_of_one_name_are_rows_of_their_own(void **state)
{
	(void)state;
	enum { MANY = 5000 };
	struct names n;
	make(&n);
	uint32_t first = sym(&n, 0, "helper", 0x1000, 16), elsewhere = sym(&n, 1, "helper", 0x1000, 16);
	assert_true(is_alone(&n, first));
	for (uint64_t i = 1; i < MANY; i++) {
		uint32_t id = sym(&n, 0, "helper", 0x1000 + i * 16, 16);
		assert_int_equal(catalog_sym_row(&n.cat, id), id);
		assert_true(n.cat.syms[id].namesake && !n.cat.syms[id].alike);
	}
	assert_true(n.cat.syms[first].namesake);
	assert_true(is_alone(&n, elsewhere));
	/* The first one is retired: one that comes later still finds the others. */
	bool *used = mem_calloc(n.cat.syms_n, sizeof(*used));
	for (uint32_t i = 1; i < n.cat.syms_n; i++)
		used[i] = true;
	names_retire_syms(&n, used);
	free(used);
	assert_true(n.cat.syms[sym(&n, 0, "helper", 0x100, 16)].namesake);
	intern_destroy(names_move_strings(&n));
	assert_true(n.cat.syms[sym(&n, 0, "helper", 0x200, 16)].namesake);
	names_deinit(&n);
}

/* Other raw names that are read alike: two instances of a function in Rust. */
static void names_that_are_read_alike_are_marked(void **state)
{
	(void)state;
	struct names n;
	make(&n);
	uint32_t one = sym(&n, 0, "_ZN1a1b17h0000000000000001E", 0x1000, 16),
		 two = sym(&n, 0, "_ZN1a1b17h0000000000000002E", 0x2000, 16), other = sym(&n, 0, "a::b", 0x3000, 16);
	names_set_pretty(&n, one, "a::b");
	names_set_pretty(&n, other, NULL);
	assert_true(is_alone(&n, one) && is_alone(&n, other));
	names_set_pretty(&n, two, "a::b");
	assert_true(n.cat.syms[one].alike && n.cat.syms[two].alike);
	assert_false(n.cat.syms[one].namesake || n.cat.syms[two].namesake);
	assert_string_equal(n.cat.syms[other].pretty, "a::b");
	names_deinit(&n);
}

/* Code that was made again, elsewhere or in another size, is the row that it was. */
static void code_made_at_run_time_is_a_row_by_its_name(void **state)
{
	(void)state;
	struct names n;
	make(&n);
	uint32_t first = made(&n, "loop", 0x1000, 16), longer = made(&n, "loop", 0x1000, 32),
		 moved = made(&n, "loop", 0x2000, 16);
	assert_true(first != longer && first != moved && longer != moved);
	assert_int_equal(made(&n, "loop", 0x2000, 16), moved);
	assert_int_equal(catalog_sym_row(&n.cat, longer), first);
	assert_int_equal(catalog_sym_row(&n.cat, moved), first);
	assert_true(is_alone(&n, first) && is_alone(&n, moved));
	uint32_t waits = names_add_sym(&n, &(struct sym_info){.dso = 0, .name = "[loading]", .state = SYM_PENDING});
	struct catalog_ref ref = catalog_sym_ref(&n.cat, waits);
	assert_int_equal(catalog_sym_row(&n.cat, waits), waits);
	names_resolve(&n, waits, moved);
	assert_int_equal(n.cat.syms[waits].resolved, moved);
	assert_int_equal(catalog_sym_row(&n.cat, waits), first);
	assert_true(catalog_sym_valid(&n.cat, ref)); /* the id still belongs to the same sample */
	names_deinit(&n);
}

static void references_become_invalid_with_their_entry(void **state)
{
	(void)state;
	struct names n;
	make(&n);
	struct task_info task = {.pid = 100, .tid = 100, .leader = CATALOG_NONE, .comm = "sh"};
	uint32_t t = names_add_task(&n, &task), s = sym(&n, 0, "main", 0x1000, 16);
	struct catalog_ref task_ref = catalog_task_ref(&n.cat, t), sym_ref = catalog_sym_ref(&n.cat, s);
	assert_true(catalog_task_valid(&n.cat, task_ref) && catalog_sym_valid(&n.cat, sym_ref));
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
	assert_int_equal(catalog_sym_row(&n.cat, CATALOG_NONE), CATALOG_NONE);
	names_deinit(&n);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_symbol_is_one_piece_of_code),
		cmocka_unit_test(functions_of_one_name_are_rows_of_their_own),
		cmocka_unit_test(names_that_are_read_alike_are_marked),
		cmocka_unit_test(code_made_at_run_time_is_a_row_by_its_name),
		cmocka_unit_test(references_become_invalid_with_their_entry),
		cmocka_unit_test(no_reference_is_valid),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
