/* What of a table is left out, and that each format says so; and the time of a refresh. */
#include "../lib/fake_world.h"
#include "../lib/print_batch.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static void assert_rows(const struct fake_world *w, const char *format, const char *filter, const char *expected)
{
	struct batch_config config = {.tables = 1, .filter = filter};
	char *text = print_batch(format, &w->in, &config);
	if (!strstr(text, expected) || strstr(text, "schedule"))
		fail_msg("%s with the filter %s:\n%s", format, filter, text);
	free(text);
}

static void filters_are_said(void **state)
{
	(void)state;
	struct fake_world *w = fake_world_create();
	w->snap.pivots = &w->pivots[BY_SYMBOL];
	w->snap.pivots_n = 1;
	w->in.only = "process 17";
	assert_rows(w, "text", "memc", ", only process 17, only rows with \"memc\", 2026-11-23T09:30:00.250Z, running");
	assert_rows(w, "text", "memc", "Symbols (1 of 1)");
	assert_rows(w, "csv", "memc", "105000000000,2026-11-23T09:30:00.250Z,/usr/lib/x86_64-linux-gnu/libc.so.6");
	w->in.utc_ns = 0; /* a clock that is not known */
	assert_rows(w, "csv", "memc|Cart", "105000000000,,/opt/shop");
#if HAVE_JANSSON
	assert_rows(w, "json", "memc", "\"time\":null,");
	assert_rows(w, "json", "memc", "\"only\":\"process 17\",\"filter\":\"memc\"");
#endif
	fake_world_destroy(w);
}

static void nothing_is_left(void **state)
{
	(void)state;
	struct fake_world *w = fake_world_create();
	w->snap.pivots = &w->pivots[BY_SYMBOL];
	w->snap.pivots_n = 1;
	struct batch_config config = {.tables = 1, .filter = "no such name"};
	char *text = print_batch("csv", &w->in, &config);
	assert_int_equal(strcspn(text, "\n") + 1, strlen(text)); /* the heading alone */
	free(text);
	text = print_batch("text", &w->in, &config);
	assert_non_null(strstr(text, "Symbols (0 of 0)"));
	free(text);
	fake_world_destroy(w);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(filters_are_said),
		cmocka_unit_test(nothing_is_left),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
