/* Numbers that are held against the truth, which is in the script. */
#include "../lib/usual_pivots.h"

#include <cyctop/session.h>

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define CODE                                                                                                           \
	"dso app /usr/bin/app\nsym app:hot 0x1000 0x100\nsym app:cold 0x1100 0x100\n"                                  \
	"task 10 app maps=app\ntask 11 child maps=app\n"

/* A session that ran a script for some ticks, and what it shows of all of them. */
struct run {
	struct session *s;
	struct snapshot *snap;
};

static struct run run(const char *script, int ticks)
{
	struct run r = {0};
	struct error err;
	if (session_open_synth(script, strlen(script), "test", false, &r.s, &err) < 0)
		fail_msg("%s", err.text);
	for (int i = 0; i < ticks; i++)
		session_tick(r.s);
	struct query q = {.window = WINDOW_TOTAL, .pivots = usual_pivots, .pivots_n = USUAL_PIVOTS};
	r.snap = session_snapshot(r.s, &q);
	return r;
}

static void end(struct run *r)
{
	snapshot_destroy(r->snap);
	session_destroy(r->s);
}

static const struct row *symbol(const struct run *r, const char *name)
{
	const struct catalog *cat = session_catalog(r->s);
	for (size_t i = 0; i < r->snap->pivots[BY_SYMBOL].n; i++) {
		const struct row *row = &r->snap->pivots[BY_SYMBOL].rows[i];
		if (!row->idle && strcmp(cat->syms[row->sym].name, name) == 0)
			return row;
	}
	fail_msg("no row for %s", name);
	return NULL;
}

static const struct metric *metric(const char *id)
{
	for (size_t i = 0; i < metrics_builtin.n; i++)
		if (strcmp(metrics_builtin.v[i].id, id) == 0)
			return &metrics_builtin.v[i];
	fail_msg("no metric %s", id);
	return NULL;
}

static struct ratio row_ipc(const struct run *r, const char *name)
{
	return row_metric(r->snap, symbol(r, name), metric("ipc"));
}

static void assert_near(double value, double expected)
{
	if (!(fabs(value - expected) <= 1e-5 * fabs(expected))) /* variances are floats */
		fail_msg("%.12g, not %.12g", value, expected);
}

/* ---- events without a counter for a while ----------------------------------------------------- */

/* Two instructions a cycle; in every other second instructions have no counter. */
#define ON                                                                                                             \
	"sample cpu=0 task=10 event=cycles sym=app:hot n=600\nsample cpu=0 task=10 event=cycles sym=app:cold n=400\n"  \
	"sample cpu=0 task=10 event=instructions sym=app:hot n=1200\n"                                                 \
	"sample cpu=0 task=10 event=instructions sym=app:cold n=800\n"
#define OFF                                                                                                            \
	"sample cpu=0 task=10 event=cycles sym=app:hot n=600\nsample cpu=0 task=10 event=cycles sym=app:cold n=400\n"  \
	"count cpu=0 event=instructions value=0 enabled=1s running=0\n"

static void an_interval_without_a_counter_is_not_empty(void **state)
{
	(void)state;
	struct run r = run("event cycles period=1000\nevent instructions period=1000\n" CODE "tick\n" ON "tick\n" OFF
			   "tick\n" ON "tick\n" OFF "tick\n" OFF,
			   5);
	struct ratio total = total_metric(r.snap, metric("ipc")), hot = row_ipc(&r, "hot");
	struct ratio cpu = cpu_metric(r.snap, 0, metric("ipc"));
	assert_true(total.valid && hot.valid && cpu.valid);
	assert_near(total.value, 2);
	assert_near(cpu.value, 2);
	assert_near(hot.value, 2);
	assert_near(r.snap->events[1].count, 10e6);
	assert_near(r.snap->events[1].weight, 10e6);
	assert_near(r.snap->events[1].running, 0.4);
	assert_near(symbol(&r, "hot")->sums[1].weight, 6e6);
	assert_true(cpu_count_error(r.snap, 0, 0) == 0);
	assert_near(cpu_count_error(r.snap, 0, 1), 10e6 * sqrt(0.6 / 4000));
	/* 4000 samples stand for 10000 of which 6000 were not taken; cycles were counted all the time */
	assert_near(total.error, 2 * sqrt(0.6 / 4000));
	assert_near(hot.error, 2 * sqrt((1 - 0.6 * 0.4) / 2400 + 0.4 / 3000));
	end(&r);
}

/* ---- CPUs without an event --------------------------------------------------------------------- */

/* CPU 1 does not count instructions; on CPU 0 there are two a cycle. */
static void a_ratio_is_of_the_cpus_that_have_both_parts(void **state)
{
	(void)state;
	struct run r = run(
		"cpus 2\nevent cycles period=1000\nevent instructions period=1000 cpus=0\n"
		"event cache-misses period=10\n" CODE "tick\n"
		"sample cpu=0 task=10 event=cycles sym=app:hot n=300\nsample cpu=1 task=10 event=cycles sym=app:hot "
		"n=300\nsample cpu=0 task=10 event=instructions sym=app:hot n=600\n"
		"sample cpu=0 task=10 event=cycles sym=app:cold n=100\nsample cpu=1 task=10 event=cycles "
		"sym=app:cold n=700\nsample cpu=0 task=10 event=instructions sym=app:cold n=50\n"
		"sample cpu=0-1 task=10 event=cache-misses sym=app:cold n=50\n",
		1);
	assert_near(row_ipc(&r, "hot").value, 2);
	assert_near(row_ipc(&r, "cold").value, 0.5);
	assert_near(row_metric(r.snap, symbol(&r, "cold"), metric("mpki")).value, 1000 * 500 / 50000.);
	assert_near(total_metric(r.snap, metric("ipc")).value, 650 / 400.);
	assert_near(cpu_metric(r.snap, 0, metric("ipc")).value, 650 / 400.);
	assert_false(cpu_metric(r.snap, 1, metric("ipc")).valid);
	/* the other numbers are of all CPUs */
	assert_near(symbol(&r, "hot")->sums[0].weight, 600e3);
	assert_near(symbol(&r, "hot")->share, 600 / 1400.);
	/* of CPU 0 hot has 300 of 400 cycles and 600 of 650 instructions */
	assert_near(row_ipc(&r, "hot").error, 2 * sqrt(0.25 / 300 + 50 / 650. / 600));
	const struct metric_parts *p = &r.snap->sums.parts[metric("ipc") - metrics_builtin.v];
	assert_int_equal(p->cpus, 1);
	assert_int_equal(p->cpus_of, 2);
	end(&r);
}

/* Without such CPUs rows have no sums but those of the events. */
static void rows_have_further_sums_only_where_cpus_differ(void **state)
{
	(void)state;
	struct run r = run("cpus 2\nevent cycles period=1000\nevent instructions period=1000\n" CODE
			   "tick\nsample cpu=0-1 task=10 event=cycles sym=app:hot n=3\n",
			   1);
	assert_int_equal(r.snap->sums.n, 2);
	end(&r);
}

/* ---- parts that do not match -------------------------------------------------------------------- */

#define SAMPLES(cycles, instructions)                                                                                  \
	CODE "tick\nsample cpu=0 task=10 event=" cycles " sym=app:hot n=100\n"                                         \
	     "sample cpu=0 task=10 event=" instructions " sym=app:hot n=200\n"

static void parts_must_leave_out_the_same(void **state)
{
	(void)state;
	struct run r = run(
		"event cycles period=1000\nevent instructions:u period=1000\n" SAMPLES("cycles", "instructions:u"), 1);
	assert_false(row_ipc(&r, "hot").valid);
	assert_false(total_metric(r.snap, metric("ipc")).valid);
	assert_false(cpu_metric(r.snap, 0, metric("ipc")).valid);
	end(&r);
	r = run("event cycles:u period=1000\nevent instructions:u period=1000\n" SAMPLES("cycles:u", "instructions:u"),
		1);
	assert_near(row_ipc(&r, "hot").value, 2);
	end(&r);
	/* of several events of one role the one that matches */
	r = run("event cycles period=1000\nevent cycles:u period=1000\nevent instructions:u period=1000\n" SAMPLES(
			"cycles:u", "instructions:u") "sample cpu=0 task=10 event=cycles sym=app:hot n=150\n",
		1);
	assert_near(row_ipc(&r, "hot").value, 2);
	assert_near(total_metric(r.snap, metric("ipc")).value, 2);
	end(&r);
}

/* ---- what samples do not explain ---------------------------------------------------------------- */

static void the_worst_event_is_found(void **state)
{
	(void)state;
	struct run r = run("event cycles period=1000\nevent instructions period=1000\n" SAMPLES(
				   "cycles", "instructions") "count cpu=0 event=cycles value=101k\n"
							     "count cpu=0 event=instructions value=333k\n",
			   1);
	assert_true(r.snap->trust.explained_valid && r.snap->trust.explained > 0.98);
	assert_int_equal(r.snap->trust.unexplained, 1);
	assert_near(r.snap->events[1].explained.value, 200 / 333.);
	end(&r);
	/* what chance may explain is not held against an event */
	r = run("event cycles period=1000\nevent instructions period=1000\n" SAMPLES(
			"cycles", "instructions") "sample "
						  "cpu=0 task=10 event=cycles sym=app:hot n=1\ncount cpu=0 "
						  "event=cycles value=110k\n",
		1);
	assert_int_equal(r.snap->trust.unexplained, EVENTS_MAX);
	end(&r);
}

/* Children that run for 0.5 ms each end before they are sampled: the counter alone has seen them. */
static void children_without_samples_are_missed(void **state)
{
	(void)state;
	static const char many[] = "sample cpu=0 task=11 event=cpu-clock sym=app:hot n=23 period=1M\n";
	char script[1024];
	for (int some = 0; some <= 1; some++) {
		snprintf(script, sizeof(script),
			 "scope tasks\nevent cpu-clock freq=999\n" CODE
			 "tick\n%scount cpu=0 event=cpu-clock value=780M enabled=780ms running=780ms\n",
			 some ? many : "");
		struct run r = run(script, 1);
		assert_int_equal(r.snap->trust.unexplained, 0);
		assert_true(r.snap->events[0].explained.valid && r.snap->trust.explained_valid);
		assert_near(r.snap->events[0].explained.value + 1, 1 + some * 23 / 780.);
		end(&r);
	}
	/* a hardware event: by its frequency; too little time tells nothing */
	static const char *const times[] = {"780ms", "20ms"};
	for (int i = 0; i < 2; i++) {
		snprintf(script, sizeof(script),
			 "scope tasks\nevent cycles freq=999\n" CODE
			 "tick\ncount cpu=0 event=cycles value=60M enabled=%s running=%s\n",
			 times[i], times[i]);
		struct run r = run(script, 1);
		assert_true(r.snap->events[0].explained.valid == (i == 0));
		assert_true(r.snap->events[0].explained.value == 0);
		end(&r);
	}
}

/* ---- throttled events ---------------------------------------------------------------------------- */

static double throttled_in(struct session *s, size_t event)
{
	struct query q = {.window = WINDOW_INTERVAL, .pivots = usual_pivots, .pivots_n = USUAL_PIVOTS};
	session_tick(s);
	struct snapshot *snap = session_snapshot(s, &q);
	double part = snap->events[event].throttled;
	assert_true(snap->trust.throttled == (part > 0 ? event : EVENTS_MAX));
	snapshot_destroy(snap);
	return part;
}

static void throttled_time_is_missing_time(void **state)
{
	(void)state;
	static const char script[] =
		"cpus 2\nevent cycles period=1000\nevent instructions period=1000\n" CODE
		"tick\nthrottle cpu=0 event=instructions at=20%\nunthrottle cpu=0 event=instructions at=50%\n"
		"tick\nunthrottle cpu=1 event=instructions at=10%\nthrottle cpu=1 event=instructions at=90%\n"
		"tick\nthrottle cpu=0 event=instructions at=0\nunthrottle cpu=0 event=instructions at=20%\n"
		"tick\nsample cpu=1 task=10 event=instructions sym=app:hot n=4\n"
		"tick\n";
	struct session *s = NULL;
	struct error err;
	if (session_open_synth(script, strlen(script), "test", false, &s, &err) < 0)
		fail_msg("%s", err.text);
	assert_near(throttled_in(s, 1), 0.3 / 2);
	assert_near(throttled_in(s, 1), 0.1 / 2); /* to the end of the interval */
	assert_near(throttled_in(s, 1), 1.2 / 2); /* CPU 1 all the time */
	/* it counts again, so the UNTHROTTLE record was lost */
	assert_true(throttled_in(s, 1) == 0);
	assert_true(throttled_in(s, 1) == 0);
	struct query q = {.window = WINDOW_TOTAL, .pivots = usual_pivots, .pivots_n = USUAL_PIVOTS};
	struct snapshot *snap = session_snapshot(s, &q);
	assert_near(snap->events[1].throttled, 1.6 / 10);
	/* what is left is not scaled up */
	assert_near(snap->events[1].weight, 4000);
	snapshot_destroy(snap);
	session_destroy(s);
}

/* ---- errors of what happened ---------------------------------------------------------------------- */

static bool share_supported(const struct row *row)
{
	return ratio_supported((struct ratio){.value = row->share, .error = row->share_error, .valid = true});
}

/* One sample of 30 % is one sample, whatever it stands for. */
static void one_sample_supports_no_share(void **state)
{
	(void)state;
	struct run r = run("event cycles period=1000\n" CODE
			   "tick\nsample cpu=0 task=10 event=cycles sym=app:hot n=1 period=3000\n"
			   "sample cpu=0 task=10 event=cycles sym=app:cold n=700 period=10\n",
			   1);
	assert_near(symbol(&r, "hot")->share, 0.3);
	assert_near(symbol(&r, "hot")->share_error, 0.3 * sqrt(0.7));
	assert_false(share_supported(symbol(&r, "hot")));
	assert_true(share_supported(symbol(&r, "cold")));
	assert_near(row_weight_error(r.snap, symbol(&r, "hot"), 0), 3000 * sqrt(0.7));
	end(&r);
	/* a row that has everything has missed what is rarer than a sample */
	r = run("event cycles period=1000\n" CODE "tick\nsample cpu=0 task=10 event=cycles sym=app:hot n=4\n", 1);
	assert_true(symbol(&r, "hot")->share == 1);
	assert_near(symbol(&r, "hot")->share_error, 0.25);
	end(&r);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(an_interval_without_a_counter_is_not_empty),
		cmocka_unit_test(a_ratio_is_of_the_cpus_that_have_both_parts),
		cmocka_unit_test(rows_have_further_sums_only_where_cpus_differ),
		cmocka_unit_test(parts_must_leave_out_the_same),
		cmocka_unit_test(the_worst_event_is_found),
		cmocka_unit_test(children_without_samples_are_missed),
		cmocka_unit_test(throttled_time_is_missing_time),
		cmocka_unit_test(one_sample_supports_no_share),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
