/* The baseline of the screen: which rows its comparison has, and which call chains of a file are the same. */
#include "comparison/chains.h"

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

/* ---- call chains of a file ------------------------------------------------------------------------- */

/* Opens a session with chains, reads the script's samples, and takes a snapshot of the tree of chains. */
static struct session *read_chains(const char *text, struct snapshot **ret)
{
	const struct pivot_query pivot = {.dims = {DIM_CHAIN}, .dims_n = 1, .tree = true};
	const struct query query = {.window = WINDOW_TOTAL, .pivots = &pivot, .pivots_n = 1};
	struct session *s;
	struct error err;
	if (session_open_synth(text, strlen(text), "test", false, &s, &err) < 0 || session_use_chains(s, &err) < 0)
		fail_msg("%s", err.text);
	session_tick(s);
	session_tick(s);
	*ret = session_snapshot(s, &query);
	assert_non_null((*ret)->pivots[0].trees);
	return s;
}

/* Returns the share, among those found for a snapshot, of the chain whose last function is `name`. */
static const struct chain_share *of_function(struct session *s, const struct snapshot *snap,
					     const struct chain_shares *found, const char *name)
{
	const struct pivot *p = &snap->pivots[0];
	for (size_t i = 0; i < p->n; i++)
		if (strcmp(session_catalog(s)->syms[p->rows[i].sym].name, name) == 0)
			return chain_share_find(found, p->rows[i].id);
	fail_msg("there is no row of %s", name);
	return NULL;
}

#define CHAINED "cpus 1\ninterval 1s\nevent cycles period=1000\nevent instructions period=1000\n"
static const char build_1[] =
	CHAINED "dso app /opt/v1/app\ndso z /opt/v1/libz.so.1.2\n"
		"sym app:main 0x1000 0x100\nsym app:parse.isra.0 0x2000 0x100\nsym app:gone 0x3000 0x100\n"
		"sym z:deflate 0x1000 0x100\nsym z:copy 0x2000 0x100\n"
		"task 10 app maps=app,z\ntick\n"
		"sample cpu=0 task=10 event=cycles sym=app:parse.isra.0 n=300 callers=app:main\n"
		"sample cpu=0 task=10 event=cycles sym=z:deflate n=500 callers=app:parse.isra.0,app:main\n"
		"sample cpu=0 task=10 event=instructions sym=z:deflate n=1000 callers=app:parse.isra.0,app:main\n"
		"sample cpu=0 task=10 event=cycles sym=app:gone n=100 callers=app:main\n"
		"sample cpu=0 task=10 event=cycles sym=z:copy n=100 callers=app:main\n";
/* The same program as it was built again: at other places, with parse() in two parts and new(). */
static const char build_2[] =
	CHAINED "dso z /usr/lib/libz.so.1.3\ndso app /opt/v2/app\n"
		"sym z:copy 0x1000 0x100\nsym z:deflate 0x4000 0x100\n"
		"sym app:new 0x1000 0x100\nsym app:main 0x2000 0x100\nsym app:parse 0x3000 0x100\n"
		"sym app:copy 0x5000 0x100\nsym app:gone.part.0 0x6000 0x100\nsym app:gone.cold 0x7000 0x100\n"
		"task 99 app maps=app,z\ntick\n"
		"sample cpu=0 task=99 event=cycles sym=app:parse n=100 callers=app:main\n"
		"sample cpu=0 task=99 event=cycles sym=z:deflate n=100 callers=app:parse,app:main\n"
		"sample cpu=0 task=99 event=cycles sym=app:new n=100 callers=app:main\n"
		"sample cpu=0 task=99 event=cycles sym=app:copy n=100 callers=app:main\n"
		"sample cpu=0 task=99 event=cycles sym=app:gone.part.0 n=100 callers=app:main\n"
		"sample cpu=0 task=99 event=cycles sym=app:gone.cold n=100 callers=app:main\n";

static bool is_rebuilt(const void *ctx, const char *name)
{
	(void)ctx;
	return strcmp(name, "app") == 0;
}

static void chains_of_another_build_are_found_by_name(void **state)
{
	(void)state;
	const struct diff_config config = {.rebuilt = is_rebuilt};
	struct snapshot *snaps[2];
	struct session *before = read_chains(build_1, &snaps[0]), *after = read_chains(build_2, &snaps[1]);
	struct chain_shares all = chain_shares_of(before, snaps[0], &snaps[0]->pivots[0]);
	struct chain_shares found = chain_shares_find(after, &snaps[1]->pivots[0], &all, &config);
	const struct chain_share *c = of_function(after, snaps[1], &found, "parse");
	assert_non_null(c);
	assert_true(c->own.valid && c->whole.valid);
	assert_float_equal(c->own.value, 0.3, 1e-9);
	assert_float_equal(c->whole.value, 0.8, 1e-9);
	assert_true(c->own.error > 0 && c->own.error < 0.05);
	c = of_function(after, snaps[1], &found, "deflate");
	assert_float_equal(c->own.value, 0.5, 1e-9);
	assert_true(c->ipc.valid);
	assert_float_equal(c->ipc.value, 2, 1e-9);
	c = of_function(after, snaps[1], &found, "main");
	assert_float_equal(c->own.value, 0, 1e-9);
	assert_float_equal(c->whole.value, 1, 1e-9);
	assert_null(of_function(after, snaps[1], &found, "new"));
	assert_null(of_function(after, snaps[1], &found, "copy")); /* the other copy() is a library's */
	/* which part of gone() had the samples is unknown */
	assert_false(of_function(after, snaps[1], &found, "gone.part.0")->own.valid);
	assert_false(of_function(after, snaps[1], &found, "gone.cold")->whole.valid);
	chain_shares_deinit(&found);
	chain_shares_deinit(&all);

	/* the other way around, the parts of gone() are one */
	all = chain_shares_of(after, snaps[1], &snaps[1]->pivots[0]);
	found = chain_shares_find(before, &snaps[0]->pivots[0], &all, &config);
	c = of_function(before, snaps[0], &found, "gone");
	assert_true(c->own.valid && !c->ipc.valid);
	assert_float_equal(c->own.value, 2 / 6.0, 1e-9);
	chain_shares_deinit(&found);
	chain_shares_deinit(&all);
	for (int i = 0; i < 2; i++)
		snapshot_destroy(snaps[i]);
	session_destroy(before);
	session_destroy(after);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_cpu_without_samples_since_the_baseline_is_one_row),
		cmocka_unit_test(chains_of_another_build_are_found_by_name),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
