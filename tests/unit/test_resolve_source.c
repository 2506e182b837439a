/* Where in the source a function begins: asked of the loader's thread, for one symbol at a time. */
#include "test_resolve_world.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

enum { PATIENCE_MS = 20000 };

static char *place(void *ctx, const struct dso_key *key, const struct dso_image *known, uint64_t start)
{
	struct world *w = ctx;
	(void)known;
	atomic_fetch_add(&w->places, 1);
	while (strcmp(key->path, "/slow") == 0 && !atomic_load(&w->go))
		usleep(1000);
	return start == 0x1000 ? strdup("/src/f.go:12") : start == 0x2000 ? strdup("/src/g.go:7") : NULL;
}

static struct resolver *make_with_places(struct world *w, bool background)
{
	struct symbolizer chain[] = {{.name = "none", .load = world_load, .ctx = w},
				     {.name = "world", .load = world_load, .ctx = w, .place = place}};
	struct resolver_config config = {
		.chain = chain, .chain_n = ARRAY_LEN(chain), .proc = proc_none, .background = background};
	struct resolver *r;
	assert_int_equal(resolver_create(&config, &r, NULL), 0);
	return r;
}

static uint32_t symbol(struct resolver *r, uint64_t ip)
{
	uint32_t task = resolver_task(r, 10, 10, 0), sym = resolver_symbol(r, task, MISC_USER, ip, 0);
	assert_true(resolver_settle(r, PATIENCE_MS));
	return resolver_catalog(r)->syms[sym].resolved;
}

static void a_place_is_asked_for_once(void **state)
{
	(void)state;
	struct world w = {0};
	struct resolver *r = make_with_places(&w, false);
	apply_mmap(r, 10, 0x400000, 0x10000, 0, "/f");
	uint32_t first = symbol(r, 0x401234), second = symbol(r, 0x402234), third = symbol(r, 0x403234);
	assert_int_equal(w.places, 0); /* nothing is looked up before it is asked for */
	for (int i = 0; i < 3; i++)
		assert_string_equal(resolver_place(r, first), "/src/f.go:12");
	assert_int_equal(w.places, 1);
	assert_string_equal(resolver_place(r, second), "/src/g.go:7");
	for (int i = 0; i < 3; i++)
		assert_null(resolver_place(r, third));
	assert_int_equal(w.places, 3);
	assert_null(resolver_place(r, CATALOG_NONE));
	uint32_t unknown = symbol(r, 0x900000);
	assert_null(resolver_place(r, unknown)); /* no function of a file */
	assert_int_equal(w.places, 3);
	assert_true(resolver_destroy(r));
}

static const char *await_place(struct resolver *r, uint32_t sym)
{
	const char *text;
	while (!(text = resolver_place(r, sym)))
		resolver_collect(r);
	return text;
}

/* A user who passes many rows leaves no queue of questions behind, and sees no other function's answer. */
static void one_question_at_a_time(void **state)
{
	(void)state;
	struct world w = {.go = true};
	struct resolver *r = make_with_places(&w, true);
	apply_mmap(r, 10, 0x400000, 0x10000, 0, "/slow");
	uint32_t first = symbol(r, 0x401234), second = symbol(r, 0x402234);
	w.go = false;
	for (int i = 0; i < 10; i++) {
		assert_null(resolver_place(r, first));
		assert_null(resolver_place(r, second));
	}
	w.go = true;
	assert_string_equal(await_place(r, second), "/src/g.go:7");
	assert_int_equal(w.places, 2);
	assert_string_equal(await_place(r, first), "/src/f.go:12");
	assert_true(resolver_destroy(r));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_place_is_asked_for_once),
		cmocka_unit_test(one_question_at_a_time),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
