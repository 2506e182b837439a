/* How the numbers of a table are written. */
#include "view/screen.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static void assert_format(const struct metric *m, struct cell cell, unsigned flags, const char *want)
{
	struct column col = {.id = "x", .metric = m};
	char buf[64];
	cell_format(&col, &cell, flags, buf, sizeof(buf));
	assert_string_equal(buf, want);
}

static void assert_mark(struct cell cell, int width, const char *want)
{
	char buf[CELL_MARK_CHARS];
	assert_string_equal(cell_mark(&cell, width, buf), want);
}

/* The address tells functions of one name apart; if there is no room, its end does. */
static void names_have_marks(void **state)
{
	(void)state;
	assert_mark((struct cell){.kind = CELL_TEXT, .s = "f"}, 40, "");
	assert_mark((struct cell){.kind = CELL_TEXT, .s = "f", .deleted = true}, 40, " (deleted)");
	assert_mark((struct cell){.kind = CELL_TEXT, .s = "f", .deleted = true}, 8, " (del)");
	assert_mark((struct cell){.kind = CELL_TEXT, .s = "f", .addr = 0x1149}, 8, " @0x1149");
	assert_mark((struct cell){.kind = CELL_TEXT, .s = "f", .addr = 0xffffffff81234007}, 20, " @0xffffffff81234007");
	assert_mark((struct cell){.kind = CELL_TEXT, .s = "f", .addr = 0xffffffff81234007}, 19, " @…4007");
}

/* Rows of one raw name, and two that are demangled alike: in a table of functions, with raw names, and in a report,
 * whose rows sum all functions of one raw name. */
static void functions_of_one_name_are_told_apart(void **state)
{
	(void)state;
	struct sym_info syms[] = {
		{.name = "helper", .pretty = "helper", .addr = 1, .namesake = true},
		{.name = "_R1", .pretty = "a::b", .addr = 2, .alike = true},
		{.name = "_R2", .pretty = "a::b", .addr = 3, .alike = true, .namesake = true},
		{.name = "loop", .pretty = "loop", .addr = 4, .namesake = true, .by_name = true},
		{.name = "main", .pretty = "main", .addr = 5},
	};
	static const uint64_t want[3][5] = {{1, 2, 3, 0, 0}, {1, 0, 3, 0, 0}, {0, 2, 0, 0, 0}};
	const struct catalog cat = {
		.syms = syms, .syms_n = ARRAY_LEN(syms), .dsos = &(struct dso_info){0}, .dsos_n = 1};
	struct source_info info = {.scope = SCOPE_PROC};
	struct snapshot snap = {.events_n = 0};
	for (size_t k = 0; k < ARRAY_LEN(want); k++) {
		const struct pivot_query query = {.dims = {DIM_SYMBOL}, .dims_n = 1, .by_name = k == 2};
		struct view_input in = {.cat = &cat, .info = &info, .snap = &snap, .raw_names = k == 1};
		struct columns cols;
		view_columns(&in, &query, &cols);
		const struct column *col = view_column_find(&cols, "symbol");
		for (uint32_t i = 0; i < ARRAY_LEN(syms); i++)
			assert_int_equal(col->value(&in, col, &(struct row){.sym = i}).addr, want[k][i]);
	}
}

static void cells_say_what_is_known(void **state)
{
	(void)state;
	const struct metric *ipc = &metrics_builtin.v[0], *miss = &metrics_builtin.v[1];
	struct cell c = {.kind = CELL_RATIO, .r = {1.234, 0.05, true}};
	assert_format(ipc, c, 0, "1.23");
	assert_format(ipc, c, CELL_WITH_ERROR, "1.23±0.05");
	assert_format(ipc, c, CELL_WITH_ERROR | CELL_ASCII, "1.23+-0.05");
	c.r.error = 0.3;
	assert_format(ipc, c, 0, "~1.23");
	assert_format(ipc, c, CELL_WITH_ERROR, "~1.23±0.30");
	c.r.value = 0.1234;
	c.r.error = 0.01;
	assert_format(miss, c, 0, "12.3");
	assert_format(miss, c, CELL_WITH_ERROR, "12.3±1.0");
	c.r.valid = false;
	assert_format(ipc, c, CELL_WITH_ERROR, "-");
	assert_format(ipc, (struct cell){.kind = CELL_RATIO, .r = {NAN, 0, true}}, 0, "-");
	assert_format(ipc, (struct cell){.kind = CELL_RATIO, .r = {INFINITY, 0, true}}, 0, "-");
	assert_format(ipc, (struct cell){.kind = CELL_RATIO, .r = {123456, 0, true}}, 0, "123k");
	assert_format(ipc, (struct cell){.kind = CELL_RATIO, .r = {100.04, 0, true}}, 0, "100.0");
	assert_format(ipc, (struct cell){.kind = CELL_RATIO, .r = {99.994, 0, true}}, 0, "100.0");
	assert_format(NULL, (struct cell){.kind = CELL_ABSENT}, 0, "-");
	assert_format(NULL, (struct cell){.kind = CELL_PERCENT, .v = 0.4123}, 0, "41.2");
	assert_format(NULL, (struct cell){.kind = CELL_PERCENT, .v = 1}, 0, "100.0");
	/* one rule for all numbers: an error above 20 % marks them */
	assert_format(NULL, (struct cell){.kind = CELL_PERCENT, .v = 0.3, .error = 0.061}, 0, "~30.0");
	assert_format(NULL, (struct cell){.kind = CELL_PERCENT, .v = 0.3, .error = 0.059}, 0, "30.0");
	assert_format(NULL, (struct cell){.kind = CELL_PERCENT, .v = 0.3, .error = 0.25}, CELL_WITH_ERROR,
		      "~30.0±25.0");
	assert_format(NULL, (struct cell){.kind = CELL_RATE, .v = 5e6, .error = 2e6}, 0, "~5.00M");
	/* estimates in a column of exact numbers */
	struct cell estimate = {.kind = CELL_PERCENT, .v = 0.123, .error = 0.01, .estimate = true};
	assert_format(NULL, estimate, 0, "≈12.3");
	assert_format(NULL, estimate, CELL_ASCII, "*12.3");
	estimate.error = 0.03;
	assert_format(NULL, estimate, 0, "~12.3");
	assert_format(NULL, (struct cell){.kind = CELL_PERCENT, .v = NAN}, 0, "-");
	assert_format(NULL, (struct cell){.kind = CELL_PERCENT, .v = 15.998}, 0, "1600");
	assert_format(NULL, (struct cell){.kind = CELL_U64, .u = 999999}, 0, "999999");
	assert_format(NULL, (struct cell){.kind = CELL_U64, .u = UINT64_MAX}, 0, "18.4E");
	assert_format(NULL, (struct cell){.kind = CELL_RATE, .v = 12.3e9}, 0, "12.3G");
	assert_format(NULL, (struct cell){.kind = CELL_TEXT, .s = "x"}, 0, "x");
	assert_format(NULL, (struct cell){.kind = CELL_MARK, .s = ""}, 0, "");
}

static void numbers_stay_in_their_columns(void **state)
{
	(void)state;
	for (int e = -40; e < 80; e++) {
		double v = 1.2345678 * pow(2, e);
		char buf[64];
		struct column col = {.id = "x", .metric = &metrics_builtin.v[0]};
		struct cell cell = {.kind = CELL_RATIO, .r = {v, v, true}};
		cell_format(&col, &cell, 0, buf, sizeof(buf));
		assert_in_range(strlen(buf), 1, 6);
		cell_format(&col, &cell, CELL_WITH_ERROR, buf, sizeof(buf));
		assert_in_range(text_width(buf), 1, 12);
		cell = (struct cell){.kind = CELL_PERCENT, .v = v};
		cell_format(&col, &cell, 0, buf, sizeof(buf));
		assert_in_range(strlen(buf), 1, 6);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(names_have_marks),
		cmocka_unit_test(functions_of_one_name_are_told_apart),
		cmocka_unit_test(cells_say_what_is_known),
		cmocka_unit_test(numbers_stay_in_their_columns),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
