/* What of a table is left out, or not there, and that each format says so; the time of a refresh; names of tables and
 * processes. */
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

static const char *command_of(void *ctx, uint32_t leader)
{
	(void)ctx;
	(void)leader;
	return "shopd --listen 0.0.0.0:8080 --workers 16 --config /etc/shop/orders.conf";
}

/* Processes of one name are told apart by their command lines, which are whole in text, too. */
static void text_has_command_lines(void **state)
{
	(void)state;
	struct fake_world *w = fake_world_create();
	struct batch_config config = {.tables = 1};
	w->snap.pivots = &w->pivots[BY_PID];
	w->snap.pivots_n = 1;
	w->in.command = command_of;
	char *text = print_batch("text", &w->in, &config);
	assert_non_null(strstr(text, "  COMMAND\n"));
	assert_non_null(strstr(text, "  shopd --listen 0.0.0.0:8080 --workers 16 --config /etc/shop/orders.conf\n"));
	free(text);
	fake_world_destroy(w);
}

/* Two panes of one kind are two tables with names of their own; those that differ in their order alone are one. */
static void tables_have_different_names(void **state)
{
	(void)state;
	struct fake_world *w = fake_world_create();
	struct batch_config config = {.tables = USUAL_PIVOTS};
	w->pivots[BY_SYMBOL] = w->pivots[BY_CPU];
	char *text = print_batch("text", &w->in, &config);
	const char *first = strstr(text, "CPUs (2 of 2)");
	assert_non_null(first);
	assert_null(strstr(first + 1, "CPUs"));
	free(text);
	w->pivots[BY_CPU].query.top = DIM_SYMBOL;
	text = print_batch("text", &w->in, &config);
	assert_non_null(strstr(text, "CPUs (2 of 2)"));
	assert_non_null(strstr(text, "CPUs 2 (2 of 2)"));
	free(text);
	fake_world_destroy(w);
}

static void counts_without_samples_are_of_cpus_alone(void **state)
{
	(void)state;
	struct fake_world *w = fake_world_create();
	fake_world_counted(w);
	struct batch_config config = {.tables = USUAL_PIVOTS};
	char *text = print_batch("text", &w->in, &config);
	assert_non_null(strstr(text, "power/energy-pkg/ 12.50 W")); /* 62.5 J in 5 s */
	const char *heading = strstr(text, "energy-p W");
	assert_non_null(heading);
	assert_true(heading > strstr(text, "CPUs (")); /* not of functions or tasks */
	assert_null(strstr(heading + 1, "energy-p W"));
	free(text);
	w->snap.pivots = &w->pivots[BY_CPU];
	w->snap.pivots_n = 1;
	config.tables = 1;
	text = print_batch("csv", &w->in, &config);
	assert_non_null(strstr(text, "power/energy-pkg/.error,power/energy-pkg/.count_Joules,"));
	free(text);
	fake_world_destroy(w);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(counts_without_samples_are_of_cpus_alone),
		cmocka_unit_test(text_has_command_lines),
		cmocka_unit_test(tables_have_different_names),
		cmocka_unit_test(filters_are_said),
		cmocka_unit_test(nothing_is_left),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
