/* The weight of samples in frequency mode: a period that crosses from one phase of a program into
 * the next one counts for both. */
#include "base/strbuf.h"
#include "session/crossing.h"

#include "../lib/usual_pivots.h"

#include <cyctop/session.h>

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#define WORLD                                                                                                          \
	"interval 3s\nring 4Mi\n"                                                                                      \
	"event cycles freq=999\nevent instructions freq=999\nevent page-faults period=10\n"                            \
	"dso app /usr/bin/app\nsym app:fast 0x1000 0x100\nsym app:slow 0x1100 0x100\n"                                 \
	"task 10 app maps=app\ntask 10:11 app maps=app\n"

static struct session *open_script(const char *script, bool raw)
{
	struct session *s = NULL;
	struct error err;
	if (session_open_synth(script, strlen(script), "test", false, &s, &err) < 0)
		fail_msg("%s", err.text);
	if (raw)
		session_raw_weights(s);
	return s;
}

static struct sum sum_of(struct session *s, const struct snapshot *snap, const char *name, size_t event)
{
	for (size_t i = 0; i < snap->pivots[BY_SYMBOL].n; i++) {
		const struct row *row = &snap->pivots[BY_SYMBOL].rows[i];
		if (strcmp(session_catalog(s)->syms[row->sym].name, name) == 0)
			return row->sums[event];
	}
	return (struct sum){0};
}

/* The weights that the script's samples give to both functions, checked against `fast` and `slow`. */
static void assert_weights(const char *script, bool raw, size_t event, double fast, double slow)
{
	struct session *s = open_script(script, raw);
	session_tick(s);
	struct query q = {.window = WINDOW_TOTAL, .pivots = usual_pivots, .pivots_n = USUAL_PIVOTS};
	struct snapshot *snap = session_snapshot(s, &q);
	struct sum f = sum_of(s, snap, "fast", event), w = sum_of(s, snap, "slow", event);
	if (f.weight != fast || w.weight != slow)
		fail_msg("fast %.0f, slow %.0f instead of %.0f, %.0f:\n%s", f.weight, w.weight, fast, slow, script);
	snapshot_destroy(snap);
	session_destroy(s);
}

#define SAMPLE(event, sym, at, period)                                                                                 \
	"sample cpu=0 task=10 event=" event " sym=app:" sym " at=" at " period=" period "\n"

static void half_of_a_period_goes_to_the_row_before(void **state)
{
	(void)state;
	static const char both[] = SAMPLE("cycles", "fast", "1ms", "101") SAMPLE("cycles", "slow", "2ms", "201")
		SAMPLE("cycles", "slow", "3ms", "301") SAMPLE("cycles", "fast", "4ms", "401");
	char elapsed[2048], ahead[2048], apart[2048];
	snprintf(elapsed, sizeof(elapsed), WORLD "periods elapsed\ntick\n%s", both);
	snprintf(ahead, sizeof(ahead), WORLD "periods ahead\ntick\n%s", both);
	snprintf(apart, sizeof(apart), WORLD "tick\n%s", both);
	assert_weights(elapsed, false, 0, 101 + 100 + 201, 101 + 150 + 151 + 200);
	assert_weights(ahead, false, 0, 51 + 150 + 401, 50 + 101 + 100 + 151);
	assert_weights(apart, false, 0, 101 + 401, 201 + 301);
	assert_weights(elapsed, true, 0, 101 + 401, 201 + 301);
	assert_weights(ahead, true, 0, 101 + 401, 201 + 301);
}

/* A software event's sample contains the period that begins at it, which never ends after the last sample. */
static void periods_of_software_events_begin(void **state)
{
	(void)state;
	static const char script[] = WORLD "event context-switches freq=999\nperiods elapsed\ntick\n" SAMPLE(
		"context-switches", "fast", "1ms", "4") SAMPLE("context-switches", "slow", "2ms", "50")
		SAMPLE("context-switches", "fast", "3ms", "764271");
	assert_weights(script, false, 3, 1 + 2 + 25, 2 + 25);
	assert_weights(script, true, 3, 4 + 764271, 50);
}

/* A fixed period crosses as well, but all halves are equal. */
static void fixed_periods_stay(void **state)
{
	(void)state;
	assert_weights(WORLD "periods elapsed\ntick\n" SAMPLE("page-faults", "fast", "1ms", "10")
			       SAMPLE("page-faults", "slow", "2ms", "10") SAMPLE("page-faults", "slow", "3ms", "10"),
		       false, 2, 10, 20);
}

/* Each event on each CPU has a counter of its own. */
static void other_counters_are_not_between(void **state)
{
	(void)state;
	assert_weights(
		"cpus 2\n" WORLD "periods elapsed\ntick\n" SAMPLE("cycles", "fast", "1ms", "100") SAMPLE(
			"instructions", "slow", "2ms",
			"1000") "sample cpu=1 task=10 event=cycles sym=app:slow at=3ms period=10000\n" SAMPLE("cycles",
													      "fast",
													      "4ms",
													      "200"),
		false, 0, 300, 10000);
}

/* In scopes of tasks each thread has its counter, so that the other thread's period is its own. */
static void other_threads_have_other_counters(void **state)
{
	(void)state;
#define THREADS                                                                                                        \
	"periods elapsed\ntick\n" SAMPLE(                                                                              \
		"cycles", "fast", "1ms",                                                                               \
		"100") "sample cpu=0 task=10:11 event=cycles sym=app:slow at=2ms period=1000\n"                        \
		       "sample cpu=0 task=10:11 event=cycles sym=app:fast at=3ms period=2000\n"
	assert_weights(WORLD "scope tasks\n" THREADS, false, 0, 100 + 1000, 1000 + 1000);
	assert_weights(WORLD THREADS, false, 0, 100 + 500 + 1000, 500 + 1000);
}

/* The sums of an interval are those of its periods, whatever waits at its ends. */
static void totals_of_intervals_stay(void **state)
{
	(void)state;
	for (int ahead = 0; ahead < 2; ahead++) {
		struct strbuf b = {0};
		strbuf_addf(&b, WORLD "periods %s\n", ahead ? "ahead" : "elapsed");
		uint64_t x = 1, sums[8] = {0};
		for (size_t tick = 0; tick < ARRAY_LEN(sums); tick++) {
			strbuf_add(&b, "tick\n");
			for (unsigned i = 0; i < tick * tick; i++) {
				x = x * 6364136223846793005ull + 1442695040888963407ull;
				uint64_t period = x >> 44;
				sums[tick] += period;
				strbuf_addf(&b, "sample cpu=0 task=10 event=cycles sym=app:%s at=%ums period=%llu\n",
					    x >> 40 & 1 ? "fast" : "slow", i, (unsigned long long)period);
			}
		}
		struct session *s = open_script(b.data, false);
		for (size_t tick = 0; tick < ARRAY_LEN(sums); tick++) {
			session_tick(s);
			struct query q = {.window = WINDOW_INTERVAL, .pivots = usual_pivots, .pivots_n = USUAL_PIVOTS};
			struct snapshot *snap = session_snapshot(s, &q);
			assert_true(snap->events[0].weight == (double)sums[tick]);
			assert_int_equal(snap->events[0].samples, tick * tick);
			snapshot_destroy(snap);
		}
		session_destroy(s);
		strbuf_deinit(&b);
	}
}

/* ---- what it is good for --------------------------------------------------------------------- */

struct event_state {
	double per_ns[2]; /* [phase] */
	double left, period, last;
};

/* A program that runs `fast` and `slow` in turns of 30 ms, for 2.4 s: 1 cycle/ns, and an IPC of 3 and of
 * 0.3.  The kernel takes a sample when a period is over, and then sets the next one after the rate of
 * the last period. */
static void write_program(struct strbuf *b, bool ahead)
{
	static const char *const names[] = {"cycles", "instructions"};
	struct event_state ev[] = {{.per_ns = {1, 1}}, {.per_ns = {3, 0.3}}};
	strbuf_addf(b, WORLD "periods %s\ntick\n", ahead ? "ahead" : "elapsed");
	for (size_t e = 0; e < ARRAY_LEN(ev); e++) {
		double t = 0, target_ns = 1e9 / 999;
		ev[e].period = ev[e].left = ev[e].per_ns[0] * target_ns * 0.7;
		while (t < 2.4e9) {
			int phase = (int)(t / 30e6) % 2;
			double end = 30e6 * (floor(t / 30e6) + 1), needs = ev[e].left / ev[e].per_ns[phase];
			if (t + needs >= end) {
				ev[e].left -= (end - t) * ev[e].per_ns[phase];
				t = end;
				continue;
			}
			t += needs;
			double elapsed = ev[e].period, rate = elapsed / (t - ev[e].last);
			ev[e].last = t;
			ev[e].period = ev[e].left = 0.5 * elapsed + 0.5 * rate * target_ns;
			strbuf_addf(b, "sample cpu=0 task=10 event=%s sym=app:%s at=%.0fns period=%.0f\n", names[e],
				    phase ? "slow" : "fast", t, ahead ? ev[e].period : elapsed);
		}
	}
}

/* The IPC of both functions over the true one. */
static void measure(bool ahead, bool raw, double ret[2])
{
	static const char *const syms[] = {"fast", "slow"};
	static const double truth[] = {3, 0.3};
	struct strbuf b = {0};
	write_program(&b, ahead);
	struct session *s = open_script(b.data, raw);
	session_tick(s);
	struct query q = {.window = WINDOW_TOTAL, .pivots = usual_pivots, .pivots_n = USUAL_PIVOTS};
	struct snapshot *snap = session_snapshot(s, &q);
	for (int i = 0; i < 2; i++)
		ret[i] = sum_of(s, snap, syms[i], 1).weight / sum_of(s, snap, syms[i], 0).weight / truth[i];
	print_message("periods %s, %s weights: IPC of fast %+.1f %%, of slow %+.1f %%\n", ahead ? "ahead" : "elapsed",
		      raw ? "raw" : "corrected", 100 * ret[0] - 100, 100 * ret[1] - 100);
	snapshot_destroy(snap);
	session_destroy(s);
	strbuf_deinit(&b);
}

static void phases_keep_their_ipc(void **state)
{
	(void)state;
	for (int ahead = 0; ahead < 2; ahead++) {
		double raw[2], corrected[2];
		measure(ahead, true, raw);
		measure(ahead, false, corrected);
		assert_true(fabs(raw[1] - 1) > 0.05);
		for (int i = 0; i < 2; i++)
			assert_true(fabs(corrected[i] - 1) < 0.015);
	}
}

/* Of the samples of one function, those far apart have something between them: each end of a run is uncertain. */
static void runs_end_where_time_is_missing(void **state)
{
	(void)state;
#define CLOCK(at) SAMPLE("cpu-clock", "fast", at, "1000000")
#define CLOCK_WORLD(scope)                                                                                             \
	"interval 100ms\nscope " scope "\nperiods elapsed\nevent cpu-clock freq=1000\ndso app /usr/bin/app\n"          \
	"sym app:fast 0x1000 0x100\ntask 10 app maps=app\ntick\n"
	static const struct {
		const char *script;
		double edges, far;
	} cases[] = {
		{CLOCK_WORLD("system") CLOCK("1ms") CLOCK("2ms") CLOCK("3ms") CLOCK("4ms"), 1, 4},
		/* two ends more; a sample and the one after next are on both sides of them twice */
		{CLOCK_WORLD("system") CLOCK("1ms") CLOCK("2ms") CLOCK("9ms") CLOCK("10ms") CLOCK("11ms"), 3, 8},
		/* each thread has a timer of its own, which stands still with it */
		{CLOCK_WORLD("tasks") CLOCK("1ms") CLOCK("2ms") CLOCK("9ms") CLOCK("10ms") CLOCK("11ms"), 1, 4},
	};
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct session *s = open_script(cases[i].script, false);
		session_tick(s);
		struct query q = {.window = WINDOW_TOTAL, .pivots = usual_pivots, .pivots_n = USUAL_PIVOTS};
		struct snapshot *snap = session_snapshot(s, &q);
		struct sum sum = sum_of(s, snap, "fast", 0);
		if (fabs((double)sum.edges / 1e12 - cases[i].edges) > 1e-6 ||
		    fabs((double)sum.far / 1e12 - cases[i].far) > 1e-6)
			fail_msg("%zu: edges %g, far %g", i, (double)sum.edges / 1e12, (double)sum.far / 1e12);
		snapshot_destroy(snap);
		session_destroy(s);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(half_of_a_period_goes_to_the_row_before),
		cmocka_unit_test(periods_of_software_events_begin),
		cmocka_unit_test(fixed_periods_stay),
		cmocka_unit_test(other_counters_are_not_between),
		cmocka_unit_test(other_threads_have_other_counters),
		cmocka_unit_test(totals_of_intervals_stay),
		cmocka_unit_test(phases_keep_their_ipc),
		cmocka_unit_test(runs_end_where_time_is_missing),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
