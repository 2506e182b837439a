/* The baseline of the screen: which rows its comparison has. */
#include <cyctop/comparison.h>

#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

/* In the first four seconds both CPUs have samples, afterwards CPU 0 alone. */
static const char script[] = "cpus 2\ninterval 1s\nevent cycles period=1000\ndso app /usr/bin/app\n"
			     "sym app:hot 0x1000 0x100\ntask 10 app maps=app\n"
			     "tick 4\nsample cpu=0 task=10 event=cycles sym=app:hot n=50\n"
			     "sample cpu=1 task=10 event=cycles sym=app:hot n=50\n"
			     "tick 8\nsample cpu=0 task=10 event=cycles sym=app:hot n=50\n";

static void a_cpu_without_samples_since_the_baseline_is_one_row(void **state)
{
	(void)state;
	struct measured m = {.fdr = 0.05, .min_change = 0.01};
	struct error err;
	if (session_open_synth(script, strlen(script), "test", false, &m.session, &err) < 0)
		fail_msg("%s", err.text);
	struct baseline *b = baseline_create(&m);
	struct stretch marked;
	for (int i = 0; i < 4; i++)
		session_tick(m.session);
	assert_true(baseline_mark(b, (struct stretch){0, 0}, &marked));
	for (int i = 0; i < 6; i++)
		session_tick(m.session);

	struct pivot_query pivots[2] = {{.dims = {DIM_CPU}, .dims_n = 1}};
	struct query query = {.window = WINDOW_SLIDING, .sliding_ns = 5000000000, .pivots = pivots, .pivots_n = 1};
	baseline_query(b, false, &query, pivots);
	struct snapshot *snap = session_snapshot(m.session, &query);
	baseline_compare(b, snap, &query, 1, DIFF_UNIT_SHARE);
	const struct comparison *c = baseline_comparison(b);
	assert_non_null(c);
	assert_int_equal(c->tables_n, 1);
	const struct compared *t = &c->tables[0];
	assert_int_equal(t->pivot->n, 2);
	assert_int_equal(t->gone_n, 0);
	for (size_t i = 0; i < t->pivot->n; i++) {
		const struct diff_row *row = t->rows[i];
		assert_non_null(row);
		assert_true(row->at[DIFF_BEFORE] != UINT32_MAX);
		assert_true((row->at[DIFF_AFTER] == UINT32_MAX) == (t->pivot->rows[i].cpu == 1));
	}
	snapshot_destroy(snap);
	baseline_destroy(b);
	session_destroy(m.session);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_cpu_without_samples_since_the_baseline_is_one_row),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
