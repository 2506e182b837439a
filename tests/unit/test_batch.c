/* Text, CSV and JSON of a hand-made machine: compared with golden files, parsed again, and
 * written under a locale with a decimal comma.  `./dev golden batch` writes the files:
 * review the difference before you commit it. */
#include "../lib/fake_world.h"
#include "../lib/golden.h"
#include "../lib/print_batch.h"
#include "front/batch/batch.h"

#include <locale.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#if HAVE_JANSSON
#include <jansson.h>
#endif

/* Keeps one table of the snapshot. */
static void only(struct fake_world *w, size_t pivot)
{
	w->snap.pivots = &w->pivots[pivot];
	w->snap.pivots_n = 1;
}

static char *print(const char *name, const struct fake_world *w, const struct batch_config *config)
{
	return print_batch(name, &w->in, config);
}

static void assert_batch(const char *file, char *got)
{
	char path[128];
	snprintf(path, sizeof(path), "batch/%s", file);
	assert_golden(path, got);
	free(got);
}

/* ---- goldens ---------------------------------------------------------------------- */

static void text_is_as_it_was(void **state)
{
	(void)state;
	struct fake_world *w = fake_world_create();
	struct batch_config config = {.tables = USUAL_PIVOTS};
	assert_batch("all.txt", print("text", w, &config));
	only(w, BY_SYMBOL);
	config = (struct batch_config){.tables = 1, .top = 2, .sort = "ipc", .show_error = true};
	assert_batch("top2-by-ipc.txt", print("text", w, &config));
	fake_world_never(w, FAKE_MISSES);
	fake_world_by_thread(w);
	only(w, BY_PID);
	config = (struct batch_config){.tables = 1, .sort = "share", .reverse = true};
	assert_batch("threads-reversed.txt", print("text", w, &config));
	fake_world_destroy(w);
}

static void csv_is_as_it_was(void **state)
{
	(void)state;
	struct fake_world *w = fake_world_create();
	struct batch_config config = {.tables = USUAL_PIVOTS};
	assert_batch("symbols.csv", print("csv", w, &config));
	only(w, BY_CPU);
	config.tables = 1;
	assert_batch("cpus.csv", print("csv", w, &config));
	fake_world_by_thread(w);
	only(w, BY_PID);
	config = (struct batch_config){.tables = 1};
	assert_batch("threads.csv", print("csv", w, &config));
	fake_world_clock_only(w);
	assert_batch("threads-clock.csv", print("csv", w, &config));
	fake_world_destroy(w);
}

static void without_a_pmu_text_says_so(void **state)
{
	(void)state;
	struct fake_world *w = fake_world_create();
	struct batch_config config = {.tables = USUAL_PIVOTS, .top = 3};
	fake_world_clock_only(w);
	assert_batch("clock.txt", print("text", w, &config));
	fake_world_destroy(w);
}

/* ---- text ---------------------------------------------------------------------------- */

static void text_obeys_no_name(void **state)
{
	(void)state;
	struct fake_world *w = fake_world_create();
	struct batch_config config = {.tables = USUAL_PIVOTS};
	char *text = print("text", w, &config);
	for (const char *p = text; *p; p++)
		assert_true(*p == '\n' || (unsigned char)*p >= 0x20);
	assert_null(strstr(text, " \n")); /* no blanks at the end of a line */
	free(text);
	fake_world_destroy(w);
}

static void names_become_valid_utf8(void **state)
{
	(void)state;
	static const struct {
		const char *in, *escaped, *line;
		size_t length;
	} cases[] = {
		{"", "", "", 0},
		{"plain", "plain", "plain", 5},
		{"tab\tnl\n", "tab\tnl\n", "tab?nl?", 7},
		{"\x1b[31m", "\x1b[31m", "?[31m", 5},
		{"caf\xc3\xa9", "caf\xc3\xa9", "caf\xc3\xa9", 4},
		{"\xf0\x9f\x98\x80", "\xf0\x9f\x98\x80", "\xf0\x9f\x98\x80", 1},
		/* cut off, a single byte, too long, a surrogate, beyond Unicode */
		{"a\xc3", "a\xef\xbf\xbd", "a\xef\xbf\xbd", 2},
		{"\x80z", "\xef\xbf\xbdz", "\xef\xbf\xbdz", 2},
		{"\xc0\xaf", "\xef\xbf\xbd\xef\xbf\xbd", "\xef\xbf\xbd\xef\xbf\xbd", 2},
		{"\xe0\x80\x80!", "\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd!", "\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd!", 4},
		{"\xed\xa0\x80", "\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd", "\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd", 3},
		{"\xf4\x90\x80\x80", "\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd",
		 "\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd", 4},
		/* C1 control, line separator, right-to-left override */
		{"\xc2\x9b", "?", "?", 1},
		{"\xe2\x80\xa8", "?", "?", 1},
		{"\xe2\x80\xae", "?", "?", 1},
	};
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct strbuf b = {0};
		clean_add(&b, cases[i].in, CLEAN_ESCAPED);
		assert_string_equal(b.data, cases[i].escaped);
		b.n = 0;
		clean_add(&b, cases[i].in, CLEAN_LINE);
		assert_string_equal(b.data, cases[i].line);
		assert_int_equal(clean_length(b.data), cases[i].length);
		strbuf_deinit(&b);
	}
}

/* An apostrophe precedes a text that a spreadsheet would take for a formula. */
static void cells_are_no_formulas(void **state)
{
	(void)state;
	static const char *const cases[][2] = {
		{"=1+1", "'=1+1"},	    {"+x", "'+x"},  {"-[NSObject init]", "'-[NSObject init]"},
		{"@SUM", "'@SUM"},	    {"a=b", "a=b"}, {"", ""},
		{"\x1b]0;x\x07", "?]0;x?"},
	};
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct strbuf b = {0};
		clean_add(&b, cases[i][0], CLEAN_CELL);
		assert_string_equal(b.data, cases[i][1]);
		strbuf_deinit(&b);
	}
}

/* ---- CSV --------------------------------------------------------------------------------- */

/* Parses one field of RFC 4180 at *s into buf; returns the character after it: ',' '\n' or 0. */
static char csv_field(const char **s, char *buf, size_t cap)
{
	size_t n = 0;
	const char *p = *s;
	bool quoted = *p == '"';
	if (quoted)
		p++;
	for (; *p && n + 1 < cap; p++) {
		if (quoted && p[0] == '"' && p[1] == '"')
			p++;
		else if (quoted ? *p == '"' : *p == ',' || *p == '\n')
			break;
		buf[n++] = *p;
	}
	buf[n] = '\0';
	if (quoted) {
		assert_int_equal(*p, '"');
		p++;
	}
	if (*p == ',') {
		*s = p + 1;
		return ',';
	}
	assert_int_equal(*p, '\n');
	*s = p + 1;
	return '\n';
}

static size_t csv_column(const char *text, const char *name)
{
	char buf[256];
	for (size_t i = 0;; i++) {
		char end = csv_field(&text, buf, sizeof(buf));
		if (strcmp(buf, name) == 0)
			return i;
		if (end != ',')
			fail_msg("no column %s", name);
	}
}

static void csv_cell(const char *text, size_t line, const char *column, char *buf, size_t cap)
{
	size_t col = csv_column(text, column);
	char skip[256];
	while (line--)
		while (csv_field(&text, skip, sizeof(skip)) == ',')
			;
	while (col--)
		assert_int_equal(csv_field(&text, skip, sizeof(skip)), ',');
	csv_field(&text, buf, cap);
}

static void csv_has_as_many_fields_in_every_line(void **state)
{
	(void)state;
	struct fake_world *w = fake_world_create();
	for (size_t t = 0; t < USUAL_PIVOTS; t++) {
		only(w, t);
		struct batch_config config = {.tables = 1};
		char buf[256], *text = print("csv", w, &config);
		const char *p = text;
		size_t want = 0, lines = 0;
		while (*p) {
			size_t n = 1;
			while (csv_field(&p, buf, sizeof(buf)) == ',')
				n++;
			if (!lines++)
				want = n;
			assert_int_equal(n, want);
		}
		assert_int_equal(lines, 1 + (t == 0 ? FAKE_SYMS + 1 : t == 1 ? FAKE_TASKS - 1 : FAKE_CPUS));
		free(text);
	}
	fake_world_destroy(w);
}

static void csv_names_read_back(void **state)
{
	(void)state;
	struct fake_world *w = fake_world_create();
	only(w, BY_SYMBOL);
	struct batch_config config = {.tables = 1, .sort = "share"};
	char buf[256], *text = print("csv", w, &config);
	/* rows by share: parse, memcpy, odd, then newline and schedule in either order */
	csv_cell(text, 1, "symbol", buf, sizeof(buf));
	assert_string_equal(buf, "shop::Cart::parse(std::string, int)");
	csv_cell(text, 3, "symbol", buf, sizeof(buf));
	assert_string_equal(buf, "caf\xc3\xa9 \"x\", y");
	csv_cell(text, 1, "cycles.weight", buf, sizeof(buf));
	assert_string_equal(buf, "400000000");
	csv_cell(text, 1, "ipc", buf, sizeof(buf));
	assert_string_equal(buf, "2");
	csv_cell(text, 1, "share", buf, sizeof(buf));
	assert_string_equal(buf, "0.4");
	free(text);

	fake_world_never(w, FAKE_INSTRUCTIONS);
	text = print("csv", w, &config);
	static const char *const absent[] = {"instructions.samples", "instructions.weight", "ipc", "ipc_error"};
	for (size_t i = 0; i < ARRAY_LEN(absent); i++) {
		csv_cell(text, 1, absent[i], buf, sizeof(buf));
		assert_string_equal(buf, "");
	}
	free(text);
	fake_world_destroy(w);
}

/* ---- numbers ------------------------------------------------------------------------------ */

static void numbers_are_integers_where_they_can(void **state)
{
	(void)state;
	assert_int_equal(value_number(3).kind, VALUE_INT);
	assert_int_equal(value_number(0x1p53 - 1).kind, VALUE_INT);
	assert_int_equal(value_number(0x1p53).kind, VALUE_REAL);
	assert_int_equal(value_number(0.5).kind, VALUE_REAL);
	assert_int_equal(value_number(1e300).kind, VALUE_REAL);
	assert_int_equal(value_number(NAN).kind, VALUE_NULL);
	assert_int_equal(value_number(INFINITY).kind, VALUE_NULL);
	assert_int_equal(value_number(-INFINITY).kind, VALUE_NULL);
	assert_true(value_int(UINT64_MAX).i == INT64_MAX);
}

static void decimal_points_in_any_locale(void **state)
{
	(void)state;
	static const char *const names[] = {"de_DE.UTF-8", "de_DE.utf8", "de_DE", "fr_FR.UTF-8", "fr_FR.utf8"};
	const char *found = NULL;
	for (size_t i = 0; i < ARRAY_LEN(names) && !found; i++)
		found = setlocale(LC_NUMERIC, names[i]);
	if (!found) {
		print_message("no locale with a decimal comma is installed\n");
		skip();
	}
	assert_int_equal(localeconv()->decimal_point[0], ',');
	text_is_as_it_was(NULL);
	csv_is_as_it_was(NULL);
#if HAVE_JANSSON
	struct fake_world *w = fake_world_create();
	assert_batch("all.json", print("json", w, &(struct batch_config){.tables = USUAL_PIVOTS}));
	fake_world_destroy(w);
#endif
	setlocale(LC_NUMERIC, "C");
}

/* ---- formats --------------------------------------------------------------------------------- */

static void every_format_says_what_it_is(void **state)
{
	(void)state;
	for (size_t i = 0; i < batch_formats_n; i++) {
		assert_non_null(batch_formats[i].name);
		assert_non_null(batch_formats[i].help);
		if (!batch_formats[i].why)
			assert_int_equal(batch_formats[i].snapshot + (batch_formats[i].refresh != NULL) +
						 (batch_formats[i].chains != NULL),
					 1);
		else
			assert_non_null(strstr(batch_formats[i].why, "install"));
	}
	assert_int_equal(!batch_format_named("json")->why, HAVE_JANSSON);
}

/* ---- JSON ---------------------------------------------------------------------------------------- */

#if HAVE_JANSSON

static void json_is_as_it_was(void **state)
{
	(void)state;
	struct fake_world *w = fake_world_create();
	struct batch_config config = {.tables = USUAL_PIVOTS};
	assert_batch("all.json", print("json", w, &config));
	fake_world_by_thread(w);
	fake_world_never(w, FAKE_MISSES);
	only(w, BY_PID);
	config = (struct batch_config){.tables = 1, .top = 2};
	assert_batch("threads-top2.json", print("json", w, &config));
	fake_world_destroy(w);
}

static json_t *print_json(const struct fake_world *w, const struct batch_config *config)
{
	json_error_t err;
	char *text = print("json", w, config);
	const char *newline = strchr(text, '\n');
	assert_true(newline && newline[1] == '\0'); /* one object, one line */
	json_t *root = json_loads(text, JSON_REJECT_DUPLICATES, &err);
	if (!root)
		fail_msg("%s at %d: %s", err.text, err.position, text);
	free(text);
	return root;
}

static json_t *row_with(const json_t *rows, const char *key, const char *value)
{
	size_t i;
	json_t *row;
	json_array_foreach(rows, i, row)
	{
		const char *have = json_string_value(json_object_get(row, key));
		if (have && strcmp(have, value) == 0)
			return row;
	}
	fail_msg("no row with %s = %s", key, value);
	return NULL;
}

/* The value at a path like "events/cycles/weight". */
static json_t *at(json_t *v, const char *path)
{
	char part[64];
	while (*path) {
		size_t n = strcspn(path, "/");
		snprintf(part, sizeof(part), "%.*s", (int)n, path);
		v = json_object_get(v, part);
		if (!v)
			fail_msg("no %s", part);
		path += n + (path[n] == '/');
	}
	return v;
}

static double number_at(json_t *v, const char *path)
{
	v = at(v, path);
	assert_true(json_is_number(v));
	return json_number_value(v);
}

static void json_reads_back(void **state)
{
	(void)state;
	struct fake_world *w = fake_world_create();
	json_t *root = print_json(w, &(struct batch_config){.tables = USUAL_PIVOTS});
	assert_string_equal(json_string_value(at(root, "schema")), "cyctop/1");
	assert_string_equal(json_string_value(at(root, "host")), "tarn");
	assert_string_equal(json_string_value(at(root, "source")), "synthetic");
	assert_true(json_integer_value(at(root, "start_ns")) == 100000000000);
	assert_true(json_integer_value(at(root, "end_ns")) == 105000000000);
	assert_int_equal(json_array_size(at(root, "symbols")), FAKE_SYMS + 1);
	assert_int_equal(json_array_size(at(root, "tasks")), FAKE_TASKS - 1);
	assert_int_equal(json_array_size(at(root, "cpus")), FAKE_CPUS);

	json_t *event = json_array_get(at(root, "events"), FAKE_MISSES);
	assert_string_equal(json_string_value(at(event, "name")), "cache-misses");
	assert_true(json_integer_value(at(event, "samples")) == 78);
	assert_true(number_at(event, "count") == 78e6);
	assert_true(number_at(event, "running") == 0.25);

	json_t *row = row_with(at(root, "symbols"), "symbol", "memcpy");
	assert_string_equal(json_string_value(at(row, "dso")), "/usr/lib/x86_64-linux-gnu/libc.so.6");
	assert_true(json_integer_value(at(row, "events/cycles/samples")) == 200);
	assert_true(json_is_integer(at(row, "events/cycles/weight")));
	assert_true(number_at(row, "events/cycles/weight") == 200e6);
	assert_true(number_at(row, "metrics/ipc/value") == 3);
	/* all that happened: 1774 instructions, 1500 cycles */
	double error = 3 * sqrt((1 - 600 / 1774.) / 600 + (1 - 200 / 1500.) / 200);
	assert_true(fabs(number_at(row, "metrics/ipc/error") - error) < 1e-12);
	assert_true(json_is_null(at(row, "metrics/branch-miss-ratio")));

	row = row_with(at(root, "tasks"), "comm", "shopd");
	assert_true(json_integer_value(at(row, "pid")) == 4242);
	assert_true(json_is_null(at(row, "tid")));
	assert_true(json_integer_value(at(row, "threads")) == 3);
	assert_string_equal(json_string_value(at(row, "user")), "anna");
	assert_true(number_at(row, "cpu") == 0.7);
	assert_true(number_at(row, "share") == 0.7);
	row = row_with(at(root, "tasks"), "comm", "swapper");
	assert_true(json_is_null(at(row, "share")));
	row = row_with(at(root, "tasks"), "comm", "na\xef\xbf\xbdme");
	assert_true(json_is_null(at(row, "cpu")));
	assert_true(json_is_true(at(row, "exited")));

	row = json_array_get(at(root, "cpus"), 1);
	assert_true(number_at(row, "busy") == 0.25);
	assert_true(number_at(row, "counts/instructions") == 574e6);
	json_decref(root);
	fake_world_destroy(w);
}

static void json_of_counts_without_samples_has_nulls(void **state)
{
	(void)state;
	struct fake_world *w = fake_world_create();
	fake_world_counted(w);
	json_t *root = print_json(w, &(struct batch_config){.tables = USUAL_PIVOTS});
	json_t *event = json_array_get(at(root, "events"), FAKE_MISSES);
	assert_string_equal(json_string_value(at(event, "unit")), "Joules");
	assert_true(number_at(event, "count") == 62.5);
	assert_true(json_is_null(at(event, "samples")) && json_is_null(at(event, "weight")));
	assert_true(json_is_null(at(json_array_get(at(root, "events"), FAKE_CYCLES), "unit")));
	json_t *row =
		json_object_get(at(row_with(at(root, "symbols"), "symbol", "memcpy"), "events"), "power/energy-pkg/");
	assert_true(json_is_null(at(row, "samples")) && json_is_null(at(row, "weight")));
	json_t *cpus = at(root, "cpus");
	assert_true(json_number_value(json_object_get(at(json_array_get(cpus, 0), "counts"), "power/energy-pkg/")) ==
		    62.5);
	assert_true(json_is_null(json_object_get(at(json_array_get(cpus, 1), "counts"), "power/energy-pkg/")));
	json_decref(root);
	fake_world_destroy(w);
}

static void json_names_are_never_refused(void **state)
{
	(void)state;
	struct fake_world *w = fake_world_create();
	w->dsos[FAKE_LIBC].path = NULL;
	strcpy(w->info.host, "h\xff\"\n");
	json_t *root = print_json(w, &(struct batch_config){.tables = USUAL_PIVOTS});
	assert_string_equal(json_string_value(at(root, "host")), "h\xef\xbf\xbd\"\n");
	row_with(at(root, "symbols"), "symbol", "two\nlines\033[2J\xef\xbf\xbd\xef\xbf\xbd(");
	row_with(at(root, "symbols"), "dso", "/tmp/a, \"b\"\n\xef\xbf\xbd.so");
	assert_true(json_is_null(at(row_with(at(root, "symbols"), "symbol", "memcpy"), "dso")));
	json_decref(root);
	fake_world_destroy(w);
}

static void json_says_null_for_what_was_not_counted(void **state)
{
	(void)state;
	struct fake_world *w = fake_world_create();
	fake_world_never(w, FAKE_INSTRUCTIONS);
	w->cpus[0].busy_known = false;
	w->cpus[1].busy = NAN;
	json_t *root = print_json(w, &(struct batch_config){.tables = USUAL_PIVOTS});
	json_t *event = json_array_get(at(root, "events"), FAKE_INSTRUCTIONS);
	assert_true(json_is_null(at(event, "weight")));
	assert_true(json_is_null(at(event, "count")));
	assert_true(number_at(event, "running") == 0);
	json_t *row = row_with(at(root, "symbols"), "symbol", "memcpy");
	assert_true(json_is_null(at(row, "events/instructions/weight")));
	assert_true(json_is_null(at(row, "events/instructions/samples")));
	assert_true(json_is_null(at(row, "metrics/ipc")));
	assert_true(json_is_null(at(row, "metrics/mpki")));
	assert_true(number_at(row, "metrics/cache-miss-ratio/value") == 0.5);
	row = json_array_get(at(root, "cpus"), 0);
	assert_true(json_is_null(at(row, "counts/instructions")));
	assert_true(json_is_null(at(row, "metrics/ipc")));
	assert_true(json_is_null(at(row, "busy")));
	assert_true(json_is_null(at(json_array_get(at(root, "cpus"), 1), "busy")));
	json_decref(root);
	fake_world_destroy(w);
}

static void json_takes_the_top_rows_of_the_wanted_tables(void **state)
{
	(void)state;
	struct fake_world *w = fake_world_create();
	only(w, BY_SYMBOL);
	struct batch_config config = {.tables = 1, .top = 2, .sort = "ipc"};
	json_t *root = print_json(w, &config);
	assert_int_equal(json_array_size(at(root, "symbols")), 2);
	assert_int_equal(json_array_size(at(root, "tasks")), 0);
	assert_int_equal(json_array_size(at(root, "cpus")), 0);
	json_t *first = json_array_get(at(root, "symbols"), 0);
	assert_string_equal(json_string_value(at(first, "symbol")), "memcpy"); /* IPC 3 */
	json_decref(root);

	/* sorting by a column that only tasks have does not change the order of symbols */
	config = (struct batch_config){.tables = USUAL_PIVOTS, .top = 1, .sort = "pid", .reverse = true};
	root = print_json(w, &config);
	first = json_array_get(at(root, "symbols"), 0);
	assert_string_equal(json_string_value(at(first, "symbol")), "shop::Cart::parse(std::string, int)");
	first = json_array_get(at(root, "tasks"), 0);
	assert_string_equal(json_string_value(at(first, "comm")), "shopd"); /* pid 4242 */
	json_decref(root);
	fake_world_destroy(w);
}

static void json_stands_without_rows_and_events(void **state)
{
	(void)state;
	struct fake_world *w = fake_world_create();
	w->snap.pivots[BY_SYMBOL].n = w->snap.pivots[BY_PID].n = w->snap.pivots[BY_CPU].n = 0;
	w->snap.events_n = w->info.events_n = 0;
	w->snap.end_ns = w->snap.start_ns;
	w->snap.cpus_n = 0;
	w->info.host[0] = '\0';
	w->info.scope = SCOPE_PROC;
	json_t *root = print_json(w, &(struct batch_config){.tables = USUAL_PIVOTS});
	assert_true(json_is_null(at(root, "host")));
	assert_int_equal(json_array_size(at(root, "events")), 0);
	assert_string_equal(json_string_value(at(root, "trust/scope")), "proc");
	json_decref(root);
	fake_world_destroy(w);
}

#endif

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(text_is_as_it_was),
		cmocka_unit_test(csv_is_as_it_was),
		cmocka_unit_test(without_a_pmu_text_says_so),
		cmocka_unit_test(text_obeys_no_name),
		cmocka_unit_test(names_become_valid_utf8),
		cmocka_unit_test(cells_are_no_formulas),
		cmocka_unit_test(csv_has_as_many_fields_in_every_line),
		cmocka_unit_test(csv_names_read_back),
		cmocka_unit_test(numbers_are_integers_where_they_can),
		cmocka_unit_test(decimal_points_in_any_locale),
		cmocka_unit_test(every_format_says_what_it_is),
#if HAVE_JANSSON
		cmocka_unit_test(json_is_as_it_was),
		cmocka_unit_test(json_reads_back),
		cmocka_unit_test(json_of_counts_without_samples_has_nulls),
		cmocka_unit_test(json_names_are_never_refused),
		cmocka_unit_test(json_says_null_for_what_was_not_counted),
		cmocka_unit_test(json_takes_the_top_rows_of_the_wanted_tables),
		cmocka_unit_test(json_stands_without_rows_and_events),
#endif
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
