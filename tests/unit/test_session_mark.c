/* The baseline that a session keeps: a copy of some intervals that outlives all that takes the others away. */
#include "../lib/usual_pivots.h"

#include <cyctop/session.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static const uint64_t second_ns = 1000000000;

static struct session *open_script(const char *script)
{
	struct session *s = NULL;
	struct error err;
	if (session_open_synth(script, strlen(script), "test", false, &s, &err) < 0)
		fail_msg("%s", err.text);
	return s;
}

static const struct query usual = {.window = WINDOW_SLIDING,
				   .sliding_ns = INT64_MAX,
				   .pivots = usual_pivots,
				   .pivots_n = USUAL_PIVOTS,
				   .series = true};

/* The samples of a function by its name; 0: it has no row. */
static uint64_t samples(struct session *s, const struct snapshot *snap, const char *name)
{
	const struct catalog *cat = session_catalog(s);
	for (size_t i = 0; i < snap->pivots[BY_SYMBOL].n; i++) {
		const struct row *row = &snap->pivots[BY_SYMBOL].rows[i];
		if (!row->idle && strcmp(cat->syms[row->sym].name, name) == 0)
			return row->sums[0].samples;
	}
	return 0;
}

static bool has_task(struct session *s, const struct snapshot *snap, const char *comm)
{
	const struct catalog *cat = session_catalog(s);
	for (size_t i = 0; i < snap->pivots[BY_PID].n; i++)
		if (strcmp(cat->tasks[snap->pivots[BY_PID].rows[i].task].comm, comm) == 0)
			return true;
	return false;
}

/* Programs of which one ends in the tenth second. */
#define SCRIPT                                                                                                         \
	"cpus 1\ninterval 1s\nevent cycles period=1000\n"                                                              \
	"dso app /usr/bin/app\nsym app:hot 0x1000 0x100\n"                                                             \
	"dso brief /usr/bin/brief\nsym brief:once 0x1000 0x100\n"                                                      \
	"task 10 app maps=app\ntask 20 brief maps=brief\n"                                                             \
	"tick 10\n"                                                                                                    \
	"sample cpu=0 task=10 event=cycles sym=app:hot n=5\n"                                                          \
	"sample cpu=0 task=20 event=cycles sym=brief:once n=3\n"                                                       \
	"tick 1\nexit 20\n"                                                                                            \
	"tick 400\nsample cpu=0 task=10 event=cycles sym=app:hot n=7\n"

static void ticks(struct session *s, int n)
{
	while (n--)
		session_tick(s);
}

static void what_is_marked_outlives_the_history_and_its_processes(void **state)
{
	(void)state;
	struct session *s = open_script(SCRIPT);
	ticks(s, 10);
	assert_null(session_snapshot_marked(s, &usual));
	assert_true(session_mark(s, 4000000000u, 60));
	struct snapshot_interval of[60];
	size_t n = session_intervals(s, true, 0, 60, of);
	uint64_t end_ns = session_now_ns(s);
	assert_int_equal(of[n - 1].end_ns, end_ns);
	assert_true(of[0].start_ns >= 4000000000u);
	ticks(s, 300); /* ids are swept every eight seconds; what is older than two minutes is joined and folded */
	struct query q = usual;
	q.sliding_ns = 100000000000u;
	struct snapshot *now = session_snapshot(s, &q), *marked = session_snapshot_marked(s, &usual);
	assert_true(now->start_ns > end_ns);
	assert_false(has_task(s, now, "brief"));
	assert_true(has_task(s, marked, "brief"));
	assert_int_equal(marked->end_ns, end_ns);
	assert_int_equal(marked->intervals_n, n);
	assert_int_equal(samples(s, marked, "hot"), 5 * n);
	assert_int_equal(samples(s, marked, "once"), 3 * n);
	snapshot_destroy(now);
	snapshot_destroy(marked);
	session_reset(s);
	marked = session_snapshot_marked(s, &usual);
	assert_int_equal(samples(s, marked, "once"), 3 * n);
	snapshot_destroy(marked);
	session_unmark(s);
	assert_null(session_snapshot_marked(s, &usual));
	session_destroy(s);
}

static void only_the_newest_intervals_are_taken(void **state)
{
	(void)state;
	struct session *s = open_script(SCRIPT);
	struct snapshot_interval of[60];
	assert_false(session_mark(s, 0, 60)); /* nothing was measured yet */
	ticks(s, 10);
	assert_true(session_mark(s, 0, 4));
	assert_int_equal(session_intervals(s, true, 0, 60, of), 4);
	uint64_t end_ns = of[3].end_ns;
	assert_false(session_mark(s, end_ns, 60)); /* nothing since: the earlier one stays */
	assert_int_equal(session_intervals(s, true, 0, 60, of), 4);
	ticks(s, 3);
	assert_int_equal(session_intervals(s, false, end_ns, 60, of), 3);
	struct query q = usual;
	q.since_ns = end_ns;
	struct snapshot *now = session_snapshot(s, &q);
	assert_int_equal(now->intervals_n, 3);
	assert_int_equal(now->start_ns, end_ns);
	snapshot_destroy(now);
	session_freeze(s, true);
	ticks(s, 5);
	assert_true(session_mark(s, end_ns, 60)); /* of what is shown */
	assert_int_equal(session_intervals(s, true, 0, 60, of), 3);
	session_destroy(s);
}

/* The history of a busy machine may have so few intervals that 60 of them are all of it. */
static void a_joined_interval_is_no_refresh(void **state)
{
	(void)state;
	struct session *s = open_script(SCRIPT);
	struct snapshot_interval of[60];
	session_keep(s, 1 << 13);
	ticks(s, 300);
	struct snapshot *all = session_snapshot(s, &usual);
	assert_true(all->intervals_n < 60 && all->intervals[0].end_ns - all->intervals[0].start_ns > second_ns);
	assert_true(session_mark(s, 0, 60));
	size_t n = session_intervals(s, true, 0, 60, of);
	assert_true(n >= 8 && n < all->intervals_n);
	for (size_t i = 0; i < n; i++)
		assert_true(of[i].end_ns - of[i].start_ns == second_ns);
	assert_true(of[n - 1].end_ns == session_now_ns(s));
	assert_int_equal(session_intervals(s, false, 0, 60, of), n);
	/* a stretch is taken as it is */
	assert_true(session_mark_stretch(s, session_extent(s), 60));
	assert_int_equal(session_intervals(s, true, 0, 60, of), all->intervals_n);
	snapshot_destroy(all);
	session_destroy(s);
}

#define LINE(cpu) "sample cpu=" #cpu " task=10 event=cycles sym=app:hot n=1\n"
#define FOUR(a, b, c, d) LINE(a) LINE(b) LINE(c) LINE(d)
/* The function runs on each of 16 CPUs. */
#define MANY_CPUS                                                                                                      \
	"cpus 16\ninterval 1s\nevent cycles period=1000\n"                                                             \
	"dso app /usr/bin/app\nsym app:hot 0x1000 0x100\ntask 10 app maps=app\ntick 400\n" FOUR(0, 1, 2, 3)            \
		FOUR(4, 5, 6, 7) FOUR(8, 9, 10, 11) FOUR(12, 13, 14, 15)

/* Of many CPUs there are 60 refreshes for all tables but those that tell apart CPUs and what ran on them. */
static void many_cpus_have_a_whole_baseline(void **state)
{
	(void)state;
	static const struct pivot_query crossed = {.dims = {DIM_SYMBOL, DIM_CPU}, .dims_n = 2};
	struct session *s = open_script(MANY_CPUS);
	struct snapshot_interval of[60];
	session_keep(s, 320000);
	ticks(s, 300);
	assert_true(session_mark(s, 0, 60));
	ticks(s, 90); /* ids are swept, and the history joins what was marked */
	assert_int_equal(session_intervals(s, true, 0, 60, of), 60);
	struct query q = usual;
	struct snapshot *marked = session_snapshot_marked(s, &q);
	q.pivots = &crossed;
	q.pivots_n = 1;
	struct snapshot *by_cpu = session_snapshot_marked(s, &q);
	assert_int_equal(marked->intervals_n, 60);
	assert_int_equal(samples(s, marked, "hot"), 60 * 16);
	assert_int_equal(marked->pivots[BY_CPU].n, 16);
	for (size_t i = 0; i < 16; i++)
		assert_int_equal(marked->pivots[BY_CPU].rows[i].sums[0].samples, 60);
	assert_in_range(by_cpu->intervals_n, 8, 59);
	assert_true(by_cpu->start_ns >= marked->start_ns && by_cpu->end_ns == marked->end_ns);
	assert_int_equal(by_cpu->pivots[0].n, 16);
	assert_int_equal(by_cpu->trust.samples, (by_cpu->end_ns - by_cpu->start_ns) / second_ns * 16);
	snapshot_destroy(marked);
	snapshot_destroy(by_cpu);
	session_destroy(s);
}

/* The screen shows a stretch of the past: that is no part of the question what the baseline has. */
static void a_stretch_on_the_screen_leaves_the_baseline_whole(void **state)
{
	(void)state;
	struct session *s = open_script(SCRIPT);
	ticks(s, 60);
	struct stretch all = session_extent(s);
	assert_true(session_mark_stretch(s, (struct stretch){all.from_ns, all.from_ns + 9 * second_ns}, 60));
	struct query q = usual;
	q.stretch = (struct stretch){all.to_ns - 20 * second_ns, all.to_ns - 10 * second_ns};
	struct snapshot *shown = session_snapshot(s, &q), *marked = session_snapshot_marked(s, &q);
	assert_int_equal(shown->intervals_n, 10);
	assert_int_equal(marked->intervals_n, 9);
	assert_true(marked->start_ns == all.from_ns && marked->end_ns == all.from_ns + 9 * second_ns);
	assert_int_equal(samples(s, marked, "hot"), 9 * 5);
	assert_int_equal(samples(s, marked, "once"), 9 * 3);
	snapshot_destroy(shown);
	snapshot_destroy(marked);
	session_destroy(s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_is_marked_outlives_the_history_and_its_processes),
		cmocka_unit_test(only_the_newest_intervals_are_taken),
		cmocka_unit_test(a_joined_interval_is_no_refresh),
		cmocka_unit_test(many_cpus_have_a_whole_baseline),
		cmocka_unit_test(a_stretch_on_the_screen_leaves_the_baseline_whole),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
