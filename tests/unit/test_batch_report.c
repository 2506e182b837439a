/* A report in each format, compared with golden files.  `./dev golden batch_report` writes new ones:
 * review the difference before you commit it. */
#include "../lib/fake_world.h"
#include "../lib/golden.h"
#include "../lib/random_sum.h"
#include "../lib/print_batch.h"

#include <cyctop/front.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { ROWS = 5 };

/* The fake machine, and a report of its samples by other keys. */
struct fixture {
	struct fake_world *w;
	struct pivot report;
	struct row rows[ROWS];
	struct sum sums[ROWS][FAKE_EVENTS];
};

static const struct {
	uint32_t task, sym, cpu;
	unsigned n[FAKE_EVENTS];
} fake_rows[ROWS] = {
	{FAKE_IDLE, FAKE_SCHEDULE, 0, {500, 10, 1, 1}},		  {FAKE_SHOPD, FAKE_PARSE, 1, {400, 800, 40, 1}},
	{FAKE_SHOPD_WORKER, FAKE_MEMCPY, 0, {200, 600, 100, 50}}, {FAKE_BAD_UTF8, FAKE_NEWLINE, 1, {100, 0, 20, 20}},
	{FAKE_QUOTED, FAKE_UNRESOLVED, 0, {0, 10, 1, 1}},
};

static void fixture_init(struct fixture *f, const char *keys)
{
	struct error err;
	*f = (struct fixture){.w = fake_world_create(), .report = {.query.by_name = true, .rows = f->rows, .n = ROWS}};
	assert_int_equal(pivot_dims_parse(keys, NULL, &f->report.query, &err), 0);
	for (size_t i = 0; i < ROWS; i++) {
		for (size_t e = 0; e < FAKE_EVENTS; e++) {
			f->sums[i][e] = random_sum(fake_rows[i].n[e], 1e6);
		}
		f->rows[i] = (struct row){.task = fake_rows[i].task,
					  .ctx = fake_rows[i].sym,
					  .sym = fake_rows[i].sym,
					  .cpu = fake_rows[i].cpu,
					  .top = CATALOG_NONE,
					  .share = fake_rows[i].n[0] / 1500.,
					  .share_error = 0.01,
					  .share_valid = true,
					  .sums = f->sums[i]};
	}
	f->w->snap.pivots = &f->report;
	f->w->snap.pivots_n = 1;
}

static void fixture_deinit(struct fixture *f)
{
	fake_world_destroy(f->w);
}

static char *print(const struct fixture *f, const char *name, const struct batch_config *config)
{
	return print_batch(name, &f->w->in, config);
}

static void assert_report(const struct fixture *f, const char *format, const struct batch_config *config,
			  const char *file)
{
	char path[128], *got = print(f, format, config);
	snprintf(path, sizeof(path), "batch/%s", file);
	assert_golden(path, got);
	free(got);
}

static void text_has_the_keys_in_their_order(void **state)
{
	(void)state;
	struct fixture f;
	struct batch_config config = {.tables = 1};
	fixture_init(&f, "comm,dso,symbol");
	assert_report(&f, "text", &config, "report.txt");
	fixture_deinit(&f);
	fixture_init(&f, "symbol,cpu,tid,pid,comm,dso");
	config = (struct batch_config){.tables = 1, .top = 3, .sort = "samples", .reverse = true, .show_error = true};
	assert_report(&f, "text", &config, "report-all-keys-reversed.txt");
	fixture_deinit(&f);
}

static void csv_has_the_keys_for_columns(void **state)
{
	(void)state;
	struct fixture f;
	struct batch_config config = {.tables = 1};
	fixture_init(&f, "pid,comm,dso,symbol,tid,cpu");
	assert_report(&f, "csv", &config, "report.csv");
	fixture_deinit(&f);
	fixture_init(&f, "cpu");
	fake_world_clock_only(f.w);
	config.sort = "no-such-column"; /* an unknown column: the report keeps its order */
	config.reverse = true;
	assert_report(&f, "csv", &config, "report-clock.csv");
	fixture_deinit(&f);
}

static void json_has_rows_in_place_of_tables(void **state)
{
	(void)state;
#if HAVE_JANSSON
	struct fixture f;
	struct batch_config config = {.tables = 1, .top = 4};
	fixture_init(&f, "comm,dso,symbol");
	assert_report(&f, "json", &config, "report.json");
	fixture_deinit(&f);
#else
	skip();
#endif
}

static void what_has_no_name_is_absent(void **state)
{
	(void)state;
	struct fixture f;
	fixture_init(&f, "comm,pid,dso,symbol");
	f.rows[0].task = f.rows[0].ctx = f.rows[0].sym = CATALOG_NONE;
	char *text = print(&f, "csv", &(struct batch_config){.tables = 1, .top = 1});
	assert_non_null(strstr(
		text, "\n100000000000,105000000000,2026-11-23T09:30:00.250Z,,,,,0.333333333333333,0.01,,,,,500,"));
	free(text);
	text = print(&f, "text", &(struct batch_config){.tables = 1, .top = 2});
	assert_non_null(strstr(text, "  COMM "));
	assert_non_null(strstr(text, "  PID"));
	assert_non_null(strstr(text, "[unknown]     -  -      [unknown]\n"));
	free(text);
	/* of this row alone, these keys have no value */
	text = print(&f, "text", &(struct batch_config){.tables = 1, .top = 1});
	assert_non_null(strstr(text, "  COMM       SYMBOL\n"));
	assert_non_null(strstr(text, "[unknown]  [unknown]\n"));
	free(text);
	fixture_deinit(&f);
}

static void a_report_is_filtered(void **state)
{
	(void)state;
	struct fixture f;
	fixture_init(&f, "comm,symbol");
	static const char *const orders[] = {NULL, "share", "comm"};
	for (size_t i = 0; i < ARRAY_LEN(orders); i++) {
		struct batch_config config = {.tables = 1, .sort = orders[i], .filter = "memcpy"};
		char *text = print(&f, "csv", &config), *line = strchr(text, '\n');
		assert_true(line && line[1]);
		while (line[1]) {
			char *end = strchr(line + 1, '\n');
			*end = '\0';
			if (!strstr(line + 1, "memcpy"))
				fail_msg("%s", line + 1);
			line = end;
		}
		free(text);
	}
	fixture_deinit(&f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(text_has_the_keys_in_their_order),
		cmocka_unit_test(csv_has_the_keys_for_columns),
		cmocka_unit_test(json_has_rows_in_place_of_tables),
		cmocka_unit_test(what_has_no_name_is_absent),
		cmocka_unit_test(a_report_is_filtered),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
