/* The simulated CPU of a script: what it counts, how it is sampled, and that its habits are the kernel's. */
#include "test_synth_world.h"

#include "../simulate/simulate.h"

#include "../lib/merge_singly.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#define PROFILE                                                                                                        \
	"profile p\nrow app:hot 3 instructions=0.5 cache-misses=0.01\n"                                                \
	"row app:main 1 instructions=3 cache-misses=0.002\n"
#define EVENTS "event cycles speed=3G\nevent instructions\nevent cache-misses\n"

static bool near(double value, double wanted, double part)
{
	return fabs(value - wanted) <= part * wanted;
}

static double truth(const struct world *w, const char *sym, uint32_t event)
{
	return simulate_truth(w->src, sym, event);
}

static void counts_are_those_of_the_functions(void **state)
{
	(void)state;
	struct world w;
	uint64_t weight = 0, samples = 0;
	world_open(&w, EVENTS APP PROFILE "idle 4\nalways\nsimulate cpu=0 task=100 profiles=p turn=200us\ntick 10\n");
	for (int i = 0; i < 10; i++) {
		world_tick(&w);
		weight += w.weight[0][0];
		samples += w.samples[0][0];
	}
	for (uint32_t e = 0; e < 3; e++) {
		const struct counter *c = world_counter(&w, e, 0);
		assert_true(fabs((double)c->value - truth(&w, "app:hot", e) - truth(&w, "app:main", e)) < 2);
		assert_int_equal(c->enabled_ns, 10 * SECOND);
		assert_int_equal(c->running_ns, 10 * SECOND);
	}
	assert_true(near(truth(&w, "app:hot", 0), 10 * 3e9 * 3 / 8, 0.03));
	assert_true(near(truth(&w, "app:main", 1), 10 * 3e9 * 3 / 8, 0.06));
	/* half of the time is idle, and is neither counted nor busy */
	assert_true(near((double)w.times[0].busy_ns, 5e9, 0.03));
	assert_true(near((double)world_counter(&w, 0, 0)->value, 3 * (double)w.times[0].busy_ns, 1e-6));
	/* samples are all that was counted but for the period that runs */
	assert_in_range(samples, 6000, 8500);
	assert_true(near((double)weight, (double)world_counter(&w, 0, 0)->value, 0.001));
	world_close(&w);
}

static uint64_t first_periods[4];
static size_t first_periods_n;

static void note_period(void *ctx, const struct lane *lane, const uint8_t *bytes, size_t size)
{
	struct world *w = ctx;
	struct record rec;
	(void)lane;
	if (record_decode(w->info->layout, bytes, size, &rec) == 0 && rec.type == RECORD_SAMPLE &&
	    first_periods_n < ARRAY_LEN(first_periods))
		first_periods[first_periods_n++] = rec.u.sample.period;
}

/* The first four periods of a script. */
static void run_first(const char *script)
{
	struct world w;
	struct lane *lanes;
	world_open(&w, script);
	w.src->ops->advance(w.src);
	first_periods_n = 0;
	size_t n = w.src->ops->begin(w.src, &lanes);
	merger_run(w.merger, w.info->layout, lanes, n, w.src->ops->now_ns(w.src), merge_singly,
		   &(struct merge_singly){w.info->layout, note_period, &w}, &w.stats);
	w.src->ops->end(w.src);
	world_close(&w);
}

#define ALONE "profile p\nrow app:hot 1\n"

static void periods_are_adjusted_as_by_the_kernel(void **state)
{
	(void)state;
	/* One event a microsecond, 1000 Hz, and no tick before the end.  The first sample has no time before it.  At
	 * the second one, 1 event in 1 us is 1000 in a period of the frequency; an eighth of the way there is
	 * (1000 - 1 + 7) / 8.  The third one's period began before that. */
	run_first("event cycles freq=1000 speed=1M\ninterval 100ms\nsampling tick=10s\n" APP ALONE
		  "tick\nsimulate cpu=0 task=100 profiles=p turn=1s\n");
	assert_int_equal(first_periods_n, 4);
	assert_int_equal(first_periods[0], 1);
	assert_int_equal(first_periods[1], 1);
	assert_int_equal(first_periods[2], 1);
	assert_int_equal(first_periods[3], 1 + (1000 - 1 + 7) / 8);
	/* The habit of older x86 kernels: a sample has the period that follows it. */
	run_first("event cycles freq=1000 speed=1M\ninterval 100ms\nsampling tick=10s next-period\n" APP ALONE
		  "tick\nsimulate cpu=0 task=100 profiles=p turn=1s\n");
	assert_int_equal(first_periods[1], 1);
	assert_int_equal(first_periods[2], 1 + (1000 - 1 + 7) / 8);
	/* A fixed period stays. */
	run_first("event cycles period=1500 speed=1M\ninterval 100ms\n" APP ALONE
		  "tick\nsimulate cpu=0 task=100 profiles=p turn=1s\n");
	for (size_t i = 0; i < 4; i++)
		assert_int_equal(first_periods[i], 1500);
}

static void groups_share_their_turns(void **state)
{
	(void)state;
	struct world w;
	world_open(&w, "event cycles speed=3G\nevent cache-misses\nevent instructions group=cycles\n"
		       "event branches\nevent branch-misses group=branches\ncounters 3\n" APP PROFILE
		       "always\nsimulate cpu=0 task=100 profiles=p turn=1ms\ntick 12\n");
	for (int i = 0; i < 12; i++)
		world_tick(&w);
	/* The queue is AB|C, BC|A, C|AB, where A is {cycles, instructions}, B is cache-misses, C is {branches,
	 * branch-misses}, and what follows the bar does not fit. */
	uint64_t running[5];
	for (uint32_t e = 0; e < 5; e++) {
		running[e] = world_counter(&w, e, 0)->running_ns;
		assert_int_equal(world_counter(&w, e, 0)->enabled_ns, 12 * SECOND);
	}
	assert_int_equal(running[0], running[2]);
	assert_int_equal(running[3], running[4]);
	for (uint32_t e = 0; e < 5; e++)
		assert_true(near((double)running[e], e == 0 || e == 2 ? 4e9 : 8e9, 0.01));
	/* both parts of a ratio have seen the same time */
	double ipc = (double)world_counter(&w, 2, 0)->value / (double)world_counter(&w, 0, 0)->value;
	double real = (truth(&w, "app:hot", 2) + truth(&w, "app:main", 2)) /
		      (truth(&w, "app:hot", 0) + truth(&w, "app:main", 0));
	assert_true(near(ipc, real, 0.05));
	world_close(&w);
}

static void ordered_turns_have_their_lengths(void **state)
{
	(void)state;
	struct world w;
	world_open(&w, EVENTS APP PROFILE "always\nsimulate cpu=0 task=100 profiles=p turns=cycle turn=8ms\ntick 4\n");
	for (int i = 0; i < 4; i++)
		world_tick(&w);
	assert_true(near((double)w.samples[0][0], EVENT_RATE_DEFAULT,
			 0.03)); /* of the last second: the frequency is reached */
	assert_true(near(truth(&w, "app:hot", 0), 4 * 3e9 * 3 / 4, 1e-9));
	assert_true(near(truth(&w, "app:main", 1), 4 * 3e9 * 3 / 4, 1e-9));
	world_close(&w);
}

static void rows_have_tasks_and_lengths(void **state)
{
	(void)state;
	struct world w;
	world_open(&w, "event cycles period=1000000 speed=1G\n" APP "task 200 other maps=app\nprofile p\n"
		       "row app:hot 1 turn=10us task=200\nrow app:main 1 turn=1ms\n"
		       "always\nsimulate cpu=0 task=100 profiles=p\ntick 20\n");
	for (int i = 0; i < 20; i++)
		world_tick(&w);
	/* half of the time each, whatever their turns */
	assert_true(near(truth(&w, "app:hot", 0), 10e9, 0.05));
	assert_true(w.last[RECORD_SAMPLE].id.pid == 100 || w.last[RECORD_SAMPLE].id.pid == 200);
	world_close(&w);
}

static void too_many_samples_stop_an_event_until_the_tick(void **state)
{
	(void)state;
	struct world w;
	world_open(&w, "event cycles period=10000 speed=1G\nsampling throttle=10\n" APP ALONE
		       "always\nsimulate cpu=0 task=100 profiles=p turn=1s\ntick 2\n");
	world_tick(&w);
	world_tick(&w);
	/* 250 ticks, and 10 samples of 10 us in each; what follows is not counted */
	assert_in_range(w.samples[0][0], 2490, 2510);
	assert_in_range(w.n[RECORD_THROTTLE], 249, 251);
	assert_in_range(w.n[RECORD_UNTHROTTLE], 249, 251);
	assert_true(near((double)world_counter(&w, 0, 0)->value, 2 * 25e6, 0.02));
	assert_int_equal(world_counter(&w, 0, 0)->running_ns, 2 * SECOND);
	world_close(&w);
}

static void a_sample_lands_behind_its_overflow(void **state)
{
	(void)state;
	struct world w;
	/* One overflow each 100 us.  Turns of 100 us: with a skid of 50 us all samples change sides. */
	uint64_t hot[2][2];
	for (int i = 0; i < 2; i++) {
		char script[1024];
		snprintf(script, sizeof(script),
			 "seed 3\nevent cycles period=200000 speed=1G\nsampling %s\n" APP
			 "profile p\nrow app:hot 1\nrow app:main 1\n"
			 "always\nsimulate cpu=0 task=100 profiles=p turns=cycle turn=200us\ntick 1\n",
			 i ? "skid=100us" : "");
		world_open(&w, script);
		world_tick(&w);
		hot[i][0] = hot[i][1] = 0;
		for (size_t k = 0; k < w.ips_n; k++)
			hot[i][w.ips[k] >= 0x402000]++;
		world_close(&w);
	}
	assert_true(hot[0][0] == 0 || hot[0][1] == 0);
	assert_int_equal(hot[0][0], hot[1][1]);
	assert_int_equal(hot[0][1], hot[1][0]);
}

/* As perf_swevent_hrtimer() does: one period for all samples, none of idle time, which is counted nevertheless. */
static void a_clock_is_a_timer(void **state)
{
	(void)state;
	struct world w;
	world_open(&w, "event cpu-clock\ncounters 1\nevent cycles speed=3G\nevent instructions\n" APP
		       "profile p\nrow app:hot 1 instructions=1\nidle 1\n"
		       "always\nsimulate cpu=0 task=100 profiles=p turns=cycle turn=10ms\ntick 3\n");
	for (int i = 0; i < 3; i++)
		world_tick(&w);
	assert_in_range(w.samples[0][0], 395, 414);
	assert_int_equal(w.weight[0][0], w.samples[0][0] * (1000000000 / EVENT_RATE_DEFAULT));
	assert_int_equal(world_counter(&w, 0, 0)->value, 3 * SECOND);
	assert_int_equal(world_counter(&w, 0, 0)->running_ns, 3 * SECOND); /* it needs no counter */
	assert_true(near((double)world_counter(&w, 1, 0)->running_ns, 1.5e9, 0.02));
	world_close(&w);
}

static void seeds_decide(void **state)
{
	(void)state;
	static const char *const seeds[] = {"seed 5\n", "seed 5\n", "seed 6\n"};
	uint64_t value[3];
	double hot[3];
	for (int i = 0; i < 3; i++) {
		struct world w;
		char script[1024];
		snprintf(script, sizeof(script),
			 "%s" EVENTS APP PROFILE
			 "always\nsimulate cpu=0 task=100 profiles=p turns=heavy turn=1ms\ntick 2\n",
			 seeds[i]);
		world_open(&w, script);
		world_tick(&w);
		value[i] = w.weight[1][0];
		hot[i] = truth(&w, "app:hot", 1);
		world_close(&w);
	}
	assert_true(value[0] == value[1] && hot[0] == hot[1]);
	assert_true(hot[0] != hot[2]);
}

static void invalid_statements_are_refused(void **state)
{
	(void)state;
	static const char *const scripts[][2] = {
		{"event cycles\n" APP PROFILE, "no event"},
		{EVENTS APP PROFILE "tick\nsimulate cpu=0 task=100 profiles=p\n", "shorter than 1us"},
		{EVENTS APP PROFILE "tick\nsimulate cpu=0 task=100 profiles=p turns=cycle turn=3us\n",
		 "shorter than 1us"},
		{EVENTS APP PROFILE "tick\nsimulate cpu=0 task=100 profiles=p,p turn=1ms\n", "need phase="},
		{EVENTS APP PROFILE "tick\nsimulate cpu=0 task=100 profiles=q turn=1ms\n", "no profile 'q'"},
		{EVENTS APP PROFILE "tick\nsimulate cpu=0 task=100 profiles=p turn=1ms turns=odd\n", "no turns 'odd'"},
		{EVENTS APP "idle 1\n", "behind its 'profile'"},
		{EVENTS APP PROFILE "idle 1\ntick\nload cpu=0 task=100 profile=p busy=10%\n",
		 "a load has no idle time"},
		{EVENTS "counters 0\n", "one counter or more"},
		{EVENTS "sampling tick=1us\n", "100us or more"},
	};
	for (size_t i = 0; i < ARRAY_LEN(scripts); i++) {
		struct source *src = NULL;
		struct error err = {0};
		assert_true(synth_open(scripts[i][0], strlen(scripts[i][0]), "test", false, &src, &err) < 0);
		if (!strstr(err.text, scripts[i][1]))
			fail_msg("'%s' instead of '%s'", err.text, scripts[i][1]);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(counts_are_those_of_the_functions),
		cmocka_unit_test(periods_are_adjusted_as_by_the_kernel),
		cmocka_unit_test(groups_share_their_turns),
		cmocka_unit_test(ordered_turns_have_their_lengths),
		cmocka_unit_test(rows_have_tasks_and_lengths),
		cmocka_unit_test(too_many_samples_stop_an_event_until_the_tick),
		cmocka_unit_test(a_sample_lands_behind_its_overflow),
		cmocka_unit_test(a_clock_is_a_timer),
		cmocka_unit_test(seeds_decide),
		cmocka_unit_test(invalid_statements_are_refused),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
