/* The functions of files that were read, which outlive the resolver. */
#include "test_resolve_world.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static const struct function_file *find(const struct function_files *f, const char *path)
{
	for (size_t i = 0; i < f->n; i++)
		if (strcmp(f->v[i].path, path) == 0)
			return &f->v[i];
	return NULL;
}

struct names {
	size_t n;
	bool has_f3;
};

static void count(void *ctx, const char *name)
{
	struct names *names = ctx;
	names->n++;
	names->has_f3 |= strcmp(name, "f3") == 0;
}

static void files_keep_their_functions(void **state)
{
	(void)state;
	struct world w = {.go = true};
	struct resolver *r = make(&w, false);
	apply_mmap(r, 10, 0x10000, 0x10000, 0, "/f");
	apply_mmap(r, 10, 0x30000, 0x10000, 0, "/none");
	apply_mmap(r, 10, 0x50000, 0x10000, 0, "/unused");
	uint32_t task = resolver_task(r, 10, 10, 1);
	assert_string_equal(name_at(r, task, 0x13000), "f3");
	name_at(r, task, 0x30000);
	struct function_files all = {.n = 0}, again = {.n = 0};
	resolver_functions(r, NULL, &all);
	resolver_functions(r, NULL, &again);
	bool *none = calloc(resolver_catalog(r)->dsos_n, sizeof(*none));
	size_t n = again.n;
	resolver_functions(r, none, &again);
	assert_int_equal(again.n, n);
	free(none);
	assert_true(resolver_destroy(r));

	struct names names = {.n = 0};
	assert_true(find(&all, "/f") && find(&all, "/f")->whole);
	assert_true(find(&all, "/none") && !find(&all, "/none")->whole); /* it has no table */
	assert_null(find(&all, "/unused"));				 /* nor was it read */
	function_file_names(find(&all, "/f"), NULL, count, &names);
	assert_true(names.n == 15 && names.has_f3); /* the last one is of another module */
	names = (struct names){.n = 0};
	function_file_names(find(&all, "/f"), "f1", count, &names);
	assert_int_equal(names.n, 6); /* f1, and f10 to f14 */
	function_files_join(&all, &again);
	assert_int_equal(again.n, 0);
	function_files_deinit(&all);
}

/* A recording may say builds with its mappings alone. */
static void files_have_the_builds_of_their_mappings(void **state)
{
	(void)state;
	static const uint8_t id[20] = {1, 2, 3, 4};
	struct world w = {.go = true};
	struct resolver *r = make(&w, false);
	struct record rec = {.type = RECORD_MMAP2, .misc = MISC_USER};
	rec.u.mmap = (struct record_mmap){
		.pid = 10, .start = 0x10000, .len = 0x10000, .prot = 5, .filename = "/f", .build_id_size = sizeof(id)};
	memcpy(rec.u.mmap.build_id, id, sizeof(id));
	resolver_apply(r, &rec);
	apply_mmap(r, 10, 0x30000, 0x10000, 0, "/none");
	uint32_t task = resolver_task(r, 10, 10, 1);
	name_at(r, task, 0x13000);
	name_at(r, task, 0x30000);
	struct function_files all = {.n = 0};
	resolver_functions(r, NULL, &all);
	assert_true(resolver_destroy(r));
	assert_int_equal(find(&all, "/f")->id.build_id.size, sizeof(id));
	assert_memory_equal(find(&all, "/f")->id.build_id.bytes, id, sizeof(id));
	assert_int_equal(find(&all, "/none")->id.build_id.size, 0);
	function_files_deinit(&all);
}

static void tables_of_what_others_may_call_are_not_whole(void **state)
{
	(void)state;
	struct symtab_builder *b = symtab_builder_create();
	symtab_origin(b, ORIGIN_DYNSYM);
	symtab_add(b, 0x1000, 16, "f", 0, NULL);
	symtab_origin(b, ORIGIN_UNWIND);
	symtab_add_range(b, 0x2000, 16);
	struct symtab *t = symtab_finish(b);
	assert_false(symtab_is_whole(t));
	symtab_destroy(t);
	t = world_table("f");
	assert_true(symtab_is_whole(t));
	symtab_destroy(t);
}

static void a_file_of_another_build_is_another_one(void **state)
{
	(void)state;
	struct function_files to = {.n = 0};
	for (uint8_t build = 1; build <= 3; build++) {
		struct function_files from = {.v = calloc(1, sizeof(*from.v)), .n = 1};
		from.v[0] = (struct function_file){
			.path = strdup("/f"),
			.id = {.file_size = 1, .build_id = {1, {build / 2}}},
		};
		function_files_join(&to, &from);
	}
	assert_int_equal(to.n, 2);
	function_files_deinit(&to);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(files_keep_their_functions),
		cmocka_unit_test(files_have_the_builds_of_their_mappings),
		cmocka_unit_test(tables_of_what_others_may_call_are_not_whole),
		cmocka_unit_test(a_file_of_another_build_is_another_one),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
