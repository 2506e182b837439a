/* Files of counted calls: what they hold, and what cannot be, with its place. */
#include <cyctop/front.h>

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define HEAD "{\"schema\":\"cyctop-calls/1\",\"self_ns\":59,\"bucket_ns\":0.5,\"events\":[\"a\"],\"notes\":[\"n\"],"
#define NUMBERS                                                                                                        \
	"\"calls\":7,\"left\":1,\"outermost\":6,\"self_ns\":50,\"total_ns\":57.5,\"call_ns\":8,\"events\":{\"a\":"     \
	"{\"self\":1,\"total\":2,\"histogram\":[[0,4],[1,2],[8,1]]}},\"histogram\":[[0,2],[1,3],[512,2]]}"
#define MAIN "{\"id\":5,\"dso\":\"x\",\"symbol\":\"main\"," NUMBERS
#define WORK "{\"id\":0,\"dso\":\"y\",\"symbol\":\"work\"," NUMBERS
#define ARC(caller, callee) "{\"caller_id\":" caller ",\"callee_id\":" callee ",\"calls\":3,\"ns\":4.5}"

static void what_was_written_is_read(void **state)
{
	static const char file[] = HEAD "\"new\":[1, {\"b\" : 2}],\n \"functions\" : [" MAIN " , " WORK
					"],\"callers\":[" ARC("null", "5") "," ARC("5", "0") "," ARC("9", "0") "]}\n";
	struct calls_table t;
	struct error err;
	(void)state;
	assert_true(calls_is(file, sizeof(file) - 1));
	assert_int_equal(calls_read("f", file, sizeof(file) - 1, &t, &err), 0);
	assert_true(t.n == 2 && t.events_n == 1 && t.pairs_n == 2 && t.notes.n == 1);
	assert_true(t.self_ns == 59 && t.bucket_ns == 0.5);
	assert_string_equal(t.notes.text[0], "n");
	assert_string_equal(t.events[0], "a");
	const struct calls_line *l = &t.lines[1];
	assert_string_equal(l->dso, "y");
	assert_string_equal(l->symbol, "work");
	assert_true(l->id == 1 && l->calls == 7 && l->left == 1 && l->outermost == 6);
	assert_true(l->self_ns == 50 && l->total_ns == 57.5 && l->call_ns == 8 && l->self[0] == 1 && l->total[0] == 2);
	assert_true(l->buckets[0] == 2 && l->buckets[1] == 3 && l->buckets[10] == 2);
	assert_true(l->event_buckets[0] == 4 && l->event_buckets[1] == 2 && l->event_buckets[4] == 1);
	assert_true(!t.pairs[0].caller && t.pairs[0].callee == &t.lines[0]);
	assert_true(t.pairs[1].caller == &t.lines[0] && t.pairs[1].callee == l && t.pairs[1].ns == 4.5);
	calls_table_deinit(&t);
}

static void what_cannot_be_is_told(void **state)
{
	static const struct {
		const char *text, *error;
	} rows[] = {
		{"", "begins like something else"},
		{"{\"schema\":\"cyctop/1\"}", "begins like something else"},
		{"{\"schema\":\"cyctop-calls/2\"}", "a later cyctop wrote it"},
		{"{\"schema\":\"cyctop-calls/1\"", "no end"},
		{"{\"schema\":\"cyctop-calls/1\"} x", "something follows it"},
		{HEAD "\"functions\":{}}", "no array"},
		{HEAD "\"functions\":[" MAIN, "an array has no end"},
		{HEAD "\"functions\":[" MAIN "," MAIN "]}", "two functions have the id 5"},
		{HEAD "\"functions\":[{\"id\":99999999,\"dso\":\"x\",\"symbol\":\"s\"," NUMBERS "]}", "not below"},
		{HEAD "\"functions\":[{\"id\":0,\"dso\":1,\"symbol\":\"s\"," NUMBERS "]}", "Expected string"},
		{HEAD "\"functions\":[{\"id\":-1,\"dso\":\"x\",\"symbol\":\"s\"," NUMBERS "]}", "id is less than 0"},
		{HEAD "\"callers\":[{\"caller_id\":1}]}", "a caller: "},
		{HEAD "\"functions\":[" MAIN "],\"callers\":[" ARC("5", "5") "],\"functions\":[" WORK "]}",
		 "functions after callers"},
		{HEAD "\"functions\":[" MAIN "],\"callers\":[{\"caller_id\":5,\"callee_id\":5,\"calls\":1,\"ns\":-1}]}",
		 "time that cannot be"},
		{HEAD "\"events\":[\"b\"]}", "events is not"},
		{"{\"schema\":\"cyctop-calls/1\",\"bucket_ns\":0}", "bucket_ns"},
		{"{\"schema\":\"cyctop-calls/1\",\"notes\":[1]}", "notes is not"},
		{"{\"schema\":\"cyctop-calls/1\",\"events\":[\"b\"],\"functions\":[" MAIN "]}", "no counts of b"},
		{"{\"schema\":\"cyctop-calls/1\",\"bucket_ns\":1e-30,\"events\":[\"a\"],\"functions\":[" MAIN "]}",
		 "a bucket of 1"},
		{"{\"schema\":\"cyctop-calls/"
		 "1\",\"bucket_ns\":1,\"events\":[\"a\"],\"functions\":[{\"id\":0,\"dso\":\"x\","
		 "\"symbol\":\"s\",\"calls\":7,\"left\":1,\"outermost\":6,\"self_ns\":50,\"total_ns\":57.5,\"call_ns\":"
		 "8,"
		 "\"events\":{\"a\":{\"self\":1,\"total\":2,\"histogram\":[[1e18,1]]}},\"histogram\":[]}]}",
		 "a bucket of 1e+18"},
	};
	struct calls_table t;
	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		struct error err = {.text = ""};
		assert_int_equal(calls_read("f", rows[i].text, strlen(rows[i].text), &t, &err), -EINVAL);
		if (!strstr(err.text, rows[i].error))
			fail_msg("row %zu: %s", i, err.text);
	}
}

/* Each file that is cut short is damaged, wherever that is. */
static void a_part_is_no_file(void **state)
{
	static const char file[] = HEAD "\"functions\":[" MAIN "," WORK "],\"callers\":[" ARC("5", "0") "]}";
	struct calls_table t;
	struct error err;
	(void)state;
	for (size_t n = 0; n < sizeof(file) - 1; n++) {
		char *part = malloc(n + 1); /* of that size, for the address sanitizer */
		assert_non_null(part);
		memcpy(part, file, n);
		assert_int_equal(calls_read("f", part, n, &t, &err), -EINVAL);
		free(part);
	}
}

static void what_is_too_large_is_refused(void **state)
{
	enum { LONG = 2 << 20 };
	static const char begin[] = HEAD "\"functions\":[{\"id\":0,\"dso\":\"";
	struct calls_table t;
	struct error err;
	char *file = malloc(LONG);
	(void)state;
	assert_non_null(file);
	memset(file, 'x', LONG);
	memcpy(file, begin, sizeof(begin) - 1);
	assert_int_equal(calls_read("f", file, LONG, &t, &err), -EINVAL);
	assert_non_null(strstr(err.text, "more than 1 MiB"));
	assert_int_equal(calls_read("f", file, (size_t)CALLS_KEPT_BYTES + 1, &t, &err), -EFBIG);
	free(file);
}

static char *print(const struct calls_table *t, size_t line, void (*write)(FILE *out, const struct calls_output *o))
{
	const struct calls_line *lines[3];
	char *text = NULL;
	size_t n = 0;
	for (size_t i = 0; i < t->n; i++)
		lines[i] = &t->lines[i];
	const struct calls_output o = {.lines = lines + line,
				       .n = line ? 1 : t->n,
				       .chosen = line > 0,
				       .self_ns = t->self_ns,
				       .pairs = t->pairs,
				       .pairs_n = t->pairs_n,
				       .events = t->events,
				       .events_n = t->events_n,
				       .bucket_ns = t->bucket_ns,
				       .min_percent = 1};
	FILE *out = open_memstream(&text, &n);
	assert_non_null(out);
	write(out, &o);
	assert_int_equal(fclose(out), 0);
	return text;
}

/* Function main calls a and b; a calls itself and b; b calls a: each pair is in the tree once, and it has an end. */
static void tables_for_people(void **state)
{
	static const double faults[] = {4};
	static const uint64_t fault_buckets[CALLS_BUCKETS] = {2, 4};
	struct calls_line lines[] = {
		{.id = 0,
		 .dso = "x",
		 .symbol = "main",
		 .calls = 1,
		 .outermost = 1,
		 .self_ns = 100000,
		 .total_ns = 1000000,
		 .call_ns = 1000000},
		{.id = 1,
		 .dso = "x",
		 .symbol = "a",
		 .calls = 6,
		 .outermost = 2,
		 .self_ns = 600000,
		 .total_ns = 800000,
		 .call_ns = 300000,
		 .buckets = {0, 1, 0, 5},
		 .self = faults,
		 .total = faults,
		 .event_buckets = fault_buckets},
		{.id = 2,
		 .dso = "y",
		 .symbol = "b \"q\"",
		 .calls = 3,
		 .outermost = 3,
		 .self_ns = 300000,
		 .total_ns = 400000,
		 .call_ns = 400e3 / 3},
	};
	struct calls_pair pairs[] = {
		{NULL, &lines[0], 1, 1000000},	   {&lines[0], &lines[1], 2, 800000}, {&lines[0], &lines[2], 1, 100000},
		{&lines[1], &lines[1], 3, 900000}, {&lines[1], &lines[2], 2, 300000}, {&lines[2], &lines[1], 1, 100000},
		{&lines[2], &lines[0], 7, 1000},
	};
	const struct calls_table t = {.lines = lines,
				      .n = 3,
				      .pairs = pairs,
				      .pairs_n = 7,
				      .events = {"faults"},
				      .events_n = 1,
				      .self_ns = 1000000,
				      .bucket_ns = 0.5};
	static const struct {
		size_t line; /* 0: all */
		void (*write)(FILE *out, const struct calls_output *o);
		const char *text;
	} rows[] = {
		{0, calls_tree,
		 "TOTAL%  CALLER%  TOTAL ms  CALLS    ns/CALL  DSO  FUNCTION\n"
		 " 100.0              1.000      1  1000000.0  x    main\n"
		 "  80.0     80.0     0.800      2   400000.0  x      a\n"
		 "                               3   300000.0  x        a (recursive)\n"
		 "  30.0     25.0     0.300      2   150000.0  y        b \"q\"\n"
		 "  10.0     24.8     0.100      1   100000.0  x          a (above)\n"
		 "  10.0     10.0     0.100      1   100000.0  y      b \"q\" (above)\n"
		 "(1 smaller left out: --min)\n"},
		{1, calls_tree,
		 "TOTAL%  CALLER%  TOTAL ms  CALLS   ns/CALL  DSO  FUNCTION\n"
		 "  80.0              0.800      6  300000.0  x    a\n"
		 "                               3  300000.0  x      a (recursive)\n"
		 "  30.0     25.0     0.300      2  150000.0  y      b \"q\"\n"
		 "  10.0     24.8     0.100      1  100000.0  x        a (above)\n"
		 "(1 smaller left out: --min)\n"},
		{1, calls_callers,
		 "           TIME ms  TIME%  CALLS   ns/CALL  DSO  FUNCTION\n"
		 "recursive                      3  300000.0  x    a\n"
		 "called by    0.800   88.9      2  400000.0  x    main\n"
		 "called by    0.100   11.1      1  100000.0  y    b \"q\"\n"
		 "in all       0.800  100.0      6  300000.0  x    a\n"
		 "itself       0.600   75.0\n"
		 "calls        0.300   25.0      2  150000.0  y    b \"q\"\n"},
		{1, calls_histogram,
		 "a (x): 6 calls by their time, with what they called, less what counting took\n"
		 "   FROM    BELOW  CALLS  CALLS%\n"
		 "1.00 ns  2.00 ns      1   16.67  ##########\n"
		 "2.00 ns  4.00 ns      0    0.00\n"
		 "4.00 ns  8.00 ns      5   83.33  ##################################################\n"
		 "\n"
		 "a (x): 6 calls by their faults, with what they called, less what counting took\n"
		 "FROM  BELOW  CALLS  CALLS%\n"
		 "   0      1      2   33.33  #########################\n"
		 "   1      2      4   66.67  ##################################################\n"},
		{0, calls_dot,
		 "digraph calls {\n"
		 "\tnode [shape=box, style=filled, fontname=\"sans-serif\"];\n"
		 "\tedge [fontname=\"sans-serif\", fontsize=10];\n"
		 "\tf0 [label=\"main\\n100.0% (own 10.0%)\\n1 calls\", fillcolor=\"0.000 1.000 1.000\"];\n"
		 "\tf1 [label=\"a\\n80.0% (own 60.0%)\\n6 calls\", fillcolor=\"0.000 0.800 1.000\"];\n"
		 "\tf2 [label=\"b \\\"q\\\"\\n40.0% (own 30.0%)\\n3 calls\", fillcolor=\"0.000 0.400 1.000\"];\n"
		 "\tf0 -> f1 [label=\"80.0%\\n2\", weight=81, penwidth=4.20];\n"
		 "\tf0 -> f2 [label=\"10.0%\\n1\", weight=11, penwidth=1.40];\n"
		 "\tf1 -> f1 [label=\"3\", weight=1, penwidth=1.00];\n"
		 "\tf1 -> f2 [label=\"25.0%\\n2\", weight=26, penwidth=1.80];\n"
		 "\tf2 -> f1 [label=\"24.8%\\n1\", weight=25, penwidth=1.40];\n"
		 "\tf2 -> f0 [label=\"0.2%\\n7\", weight=1, penwidth=1.00];\n"
		 "}\n"},
	};
	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		char *text = print(&t, rows[i].line, rows[i].write);
		assert_string_equal(text, rows[i].text);
		free(text);
	}
}

/* Functions whose calls have not returned, as those of a program that runs: their times are not known. */
static void what_has_not_returned_has_no_time(void **state)
{
	struct calls_line lines[] = {{.id = 0, .dso = "x", .symbol = "main"},
				     {.id = 1,
				      .dso = "x",
				      .symbol = "a",
				      .calls = 2,
				      .outermost = 2,
				      .self_ns = 1000000,
				      .total_ns = 1000000,
				      .call_ns = 500000}};
	struct calls_pair pairs[] = {{&lines[0], &lines[1], 2, 1000000}};
	const struct calls_table t = {.lines = lines, .n = 2, .pairs = pairs, .pairs_n = 1, .self_ns = 1000000};
	static const char *const texts[] = {"TOTAL%  CALLER%  TOTAL ms  CALLS   ns/CALL  DSO  FUNCTION\n"
					    "     -                  -      0         -  x    main\n"
					    " 100.0        -     1.000      2  500000.0  x      a\n",
					    "        TIME ms  TIME%  CALLS   ns/CALL  DSO  FUNCTION\n"
					    "in all        -      -      0         -  x    main\n"
					    "itself        -      -\n"
					    "calls     1.000      -      2  500000.0  x    a\n"};
	(void)state;
	char *tree = print(&t, 0, calls_tree), *callers = print(&t, 0, calls_callers);
	assert_string_equal(tree, texts[0]);
	assert_memory_equal(callers, texts[1], strlen(texts[1]));
	free(tree);
	free(callers);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_was_written_is_read),
		cmocka_unit_test(what_cannot_be_is_told),
		cmocka_unit_test(a_part_is_no_file),
		cmocka_unit_test(what_is_too_large_is_refused),
	};
	const struct CMUnitTest always[] = {cmocka_unit_test(tables_for_people),
					    cmocka_unit_test(what_has_not_returned_has_no_time)};
	int failed = cmocka_run_group_tests(always, NULL, NULL);
	if (failed)
		return failed;
	return batch_format_find("json")->why ? 77 : cmocka_run_group_tests(tests, NULL, NULL);
}
