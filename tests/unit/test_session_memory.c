/* Memory accesses: data_src, addresses and latencies of a script as rows, and only where they are asked for. */
#include <cyctop/session.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

/* L1 hit, L1 or L2 TLB hit; RAM hit with a miss of the snoop; HitM in L3, locked; the source is not known */
#define L1 "0x268100142"
#define RAM "0x1a48401042"
#define HITM "0x68a800842"
#define NA "0x5080021"

static struct session *open_script(void)
{
	static const char script[] =
		"cpus 1\ninterval 1s\n"
		"event cycles period=1000\n"
		"dso app /usr/bin/app\n"
		"sym app:hot 0x1000 0x100\nsym app:cold 0x1100 0x100\n"
		"task 10 app maps=app\n"
		"tick\n"
		"sample cpu=0 task=10 event=cycles sym=app:hot n=30 source=" L1 " data=0x7000123 latency=5\n"
		"sample cpu=0 task=10 event=cycles sym=app:hot n=10 source=" RAM " data=0x7000ff8 latency=300\n"
		"sample cpu=0 task=10 event=cycles sym=app:cold n=5 source=" RAM " data=0x7001000 latency=200\n"
		"sample cpu=0 task=10 event=cycles sym=app:cold n=4 source=" HITM " data=0x7001008 latency=100\n"
		"sample cpu=0 task=10 event=cycles sym=app:cold n=3 source=" NA "\n";
	struct session *s = NULL;
	struct error err;
	if (session_open_synth(script, strlen(script), "test", false, &s, &err) < 0)
		fail_msg("%s", err.text);
	return s;
}

/* The rows of a table, "L1 hit 30 5, ": keys, samples and mean latency. */
static void rows_are(struct session *s, const struct pivot_query *by, const char *expected)
{
	const struct query q = {.window = WINDOW_TOTAL, .pivots = by, .pivots_n = 1};
	struct snapshot *snap = session_snapshot(s, &q);
	char text[500] = "";
	for (size_t i = 0; i < snap->pivots[0].n; i++) {
		const struct row *row = &snap->pivots[0].rows[i];
		for (size_t k = 0; k < by->dims_n; k++) {
			struct key_value v = dimension_value(session_names(s), by->dims[k], row->ctx);
			size_t n = strlen(text);
			snprintf(text + n, sizeof(text) - n, "%s ", v.kind == KEY_TEXT ? v.text : "?");
		}
		size_t n = strlen(text);
		snprintf(text + n, sizeof(text) - n, "%llu %g, ", (unsigned long long)row->sums[0].samples,
			 costs_mean(&row->costs).value);
	}
	assert_string_equal(text, expected);
	snapshot_destroy(snap);
}

static void samples_are_told_apart_by_what_is_asked_for(void **state)
{
	(void)state;
	static const struct {
		struct pivot_query by;
		const char *rows;
	} cases[] = {
		{{.dims = {DIM_MEM_LEVEL}, .dims_n = 1, .by_name = true},
		 "L1 hit 30 5, RAM hit 15 266.667, L3 hit 4 100, N/A 3 0, "},
		{{.dims = {DIM_MEM_LEVEL, DIM_SYMBOL}, .dims_n = 2, .by_name = true},
		 "L1 hit hot 30 5, RAM hit hot 10 300, RAM hit cold 5 200, L3 hit cold 4 100, N/A cold 3 0, "},
		{{.dims = {DIM_SNOOP, DIM_LOCKED}, .dims_n = 2, .by_name = true},
		 "None No 30 5, Miss No 15 266.667, HitM Yes 4 100, N/A N/A 3 0, "},
		{{.dims = {DIM_TLB, DIM_MEM_OP}, .dims_n = 2, .by_name = true},
		 "L1 or L2 hit LOAD 30 5, L2 hit LOAD 15 266.667, Walker hit LOAD 4 100, N/A N/A 3 0, "},
		{{.dims = {DIM_DATA_PAGE}, .dims_n = 1, .by_name = true},
		 "0x7000000 40 78.75, 0x7001000 9 155.556, ? 3 0, "},
	};
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct session *s = open_script();
		unsigned parts = pivots_memory(&cases[i].by, 1);
		assert_true(parts && session_info(s)->memory);
		assert_true(session_use_memory(s, parts) && !session_use_memory(s, parts));
		session_tick(s);
		rows_are(s, &cases[i].by, cases[i].rows);
		session_destroy(s);
	}
}

/* Without a table by them, contexts are symbols, as those of other samples are. */
static void nobody_asks_nothing_is_kept(void **state)
{
	(void)state;
	const struct pivot_query by = {.dims = {DIM_SYMBOL}, .dims_n = 1, .by_name = true};
	struct session *s = open_script();
	assert_int_equal(pivots_memory(&by, 1), 0);
	session_tick(s);
	rows_are(s, &by, "hot 40 78.75, cold 12 155.556, ");
	assert_int_equal(session_catalog(s)->contexts_n, 0);
	assert_int_equal(session_catalog(s)->fields_n, 0);
	session_destroy(s);
}

/* A filter, as a zoom makes one, asks as well. */
static void filters_ask_too(void **state)
{
	(void)state;
	struct pivot_query by = {
		.dims = {DIM_SYMBOL}, .dims_n = 1, .by_name = true, .filters = {{.dim = DIM_SNOOP}}, .filters_n = 1};
	struct session *s = open_script();
	const char hitm[] = "HitM";
	assert_int_equal(pivots_memory(&by, 1), 1u << MEMORY_SNOOP);
	session_use_memory(s, pivots_memory(&by, 1));
	session_tick(s);
	for (uint32_t i = 0; i < session_catalog(s)->contexts_n; i++) {
		const char *snoop = catalog_ctx_field(session_catalog(s), CTX_EXTENDED | i, FIELDS_MAX + MEMORY_SNOOP);
		if (snoop && strcmp(snoop, hitm) == 0)
			by.filters[0].key = dimension_key(session_names(s), DIM_SNOOP, CTX_EXTENDED | i);
	}
	rows_are(s, &by, "cold 4 100, ");
	session_destroy(s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(samples_are_told_apart_by_what_is_asked_for),
		cmocka_unit_test(nobody_asks_nothing_is_kept),
		cmocka_unit_test(filters_ask_too),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
