/* Loads, random numbers, and the end of a script. */
#include "test_synth_world.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static void loads_add_up(void **state)
{
	(void)state;
	struct world w;
	world_open(&w,
		   "cpus 2\nevent cycles freq=1000 speed=2G\nevent instructions freq=1000 mux=25%\n"
		   "event cache-misses period=1000 mux=50%\nevent never freq=1000 mux=0%\n" APP
		   "profile p\nrow app:hot 3 instructions=2 cache-misses=0.01 never=1\nrow app:main 1 instructions=2\n"
		   "always\nload cpu=0 task=100 profile=p busy=40%\nload cpu=1 task=0 profile=p busy=10%\n"
		   "tick 100\n");
	uint64_t samples[4] = {0}, weight[4] = {0};
	for (unsigned i = 0; i < 100; i++) {
		world_tick(&w);
		for (unsigned e = 0; e < 4; e++) {
			samples[e] += w.samples[e][0];
			weight[e] += w.weight[e][0];
		}
	}
	/* 40 % of a second at 2 GHz, 100 times; 1000 Hz of 400 ms. */
	assert_int_equal(samples[0], 100 * 400);
	assert_int_equal(weight[0], 100 * 800000000ull);
	/* Two instructions a cycle, a quarter of the time. */
	assert_int_equal(samples[1], 100 * 100);
	assert_int_equal(weight[1], 100 * 400000000ull);
	/* 6 M misses a second, half of the time, one sample in 1000. */
	assert_int_equal(samples[2], 100 * 3000);
	assert_int_equal(weight[2], 100 * 3000000ull);
	assert_int_equal(samples[3], 0);
	for (uint32_t e = 0; e < 4; e++)
		assert_int_equal(world_counter(&w, e, 0)->value, weight[e]);
	assert_int_equal(world_counter(&w, 1, 0)->running_ns, 25 * SECOND);
	assert_int_equal(world_counter(&w, 3, 0)->running_ns, 0);
	assert_int_equal(world_counter(&w, 3, 0)->enabled_ns, 100 * SECOND);
	assert_true(w.times[0].known);
	assert_int_equal(w.times[0].busy_ns, 40 * SECOND);
	assert_int_equal(w.times[0].idle_ns, 60 * SECOND);
	assert_int_equal(w.times[1].busy_ns, 0); /* idle samples are not busy time */
	world_close(&w);
}

static void busy_statements_set_cpu_times(void **state)
{
	(void)state;
	struct world w;
	world_open(&w, "cpus 2\nevent cycles\ntick\nbusy cpu=0 30%\ntick\nbusy cpu=* 100%\n");
	world_tick(&w);
	assert_int_equal(w.times[0].busy_ns, 3 * SECOND / 10);
	assert_int_equal(w.times[1].busy_ns, 0);
	world_tick(&w);
	assert_int_equal(w.times[0].busy_ns, 13 * SECOND / 10);
	assert_int_equal(w.times[0].idle_ns, 7 * SECOND / 10);
	assert_int_equal(w.times[1].idle_ns, SECOND);
	world_close(&w);
}

static void equal_seeds_give_equal_samples(void **state)
{
	(void)state;
	static const char *const seeds[] = {"seed 5\n", "seed 5\n", "seed 6\n"};
	uint64_t weight[3], sum[3] = {0};
	for (unsigned i = 0; i < 3; i++) {
		struct world w;
		char script[1024];
		snprintf(script, sizeof(script),
			 "%sjitter 20%%\nevent cycles\n" APP "profile p\nrow app:hot 1\n"
			 "always\nload cpu=0 task=100 profile=p busy=50%% wave=50%%:8\ntick 9\n",
			 seeds[i]);
		world_open(&w, script);
		for (unsigned k = 0; k < 9; k++) {
			world_tick(&w);
			for (size_t s = 0; s < w.ips_n; s++)
				sum[i] = sum[i] * 31 + w.ips[s];
		}
		weight[i] = world_counter(&w, 0, 0)->value;
		world_close(&w);
	}
	assert_int_equal(weight[0], weight[1]);
	assert_true(sum[0] == sum[1]);
	assert_int_not_equal(weight[0], weight[2]);
	assert_true(sum[0] != sum[2]);
}

/* ---- the end of a script -------------------------------------------------------------------- */

static void repeating_never_ends(void **state)
{
	(void)state;
	struct world w;
	world_open(&w, "event cycles period=1\n" APP "tick\nsample cpu=0 task=100 event=cycles sym=app:hot n=2\n"
		       "tick 2\nsample cpu=0 task=100 event=cycles sym=app:hot n=3\nrepeat\n");
	for (unsigned i = 0; i < 30; i++) {
		world_tick(&w);
		assert_int_equal(w.samples[0][0], i % 3 ? 3 : 2);
		assert_true(w.oldest >= (1000 + i) * SECOND);
		assert_int_equal(w.n[RECORD_MMAP2], i == 0);
		assert_false(w.src->ops->finished(w.src));
	}
	assert_int_equal(world_counter(&w, 0, 0)->value, 80);
	world_close(&w);
}

static void replaying_hands_out_the_same_bytes(void **state)
{
	(void)state;
	for (unsigned frozen = 0; frozen < 2; frozen++) {
		struct world w;
		char script[1024];
		snprintf(script, sizeof(script),
			 "cpus 2\nring 4096\nevent cycles period=1\n" APP
			 "tick 3\nsample cpu=0 task=100 event=cycles sym=app:hot n=30\n"
			 "tick\nsample cpu=* task=100 event=cycles sym=app:main n=20\nlost cpu=0 event=cycles "
			 "n=2\nreplay %s\n",
			 frozen ? "frozen" : "");
		world_open(&w, script);
		for (unsigned i = 0; i < 3; i++)
			world_tick(&w);
		for (uint64_t i = 3; i < 50; i++) {
			world_tick(&w);
			assert_int_equal(w.samples[0][0], 20);
			assert_int_equal(w.samples[0][1], 20);
			assert_int_equal(w.n[RECORD_LOST], 1);
			assert_int_equal(world_counter(&w, 0, 0)->value, 90 + (i - 2) * 20);
			assert_int_equal(world_counter(&w, 0, 0)->lost, (i - 2) * 2);
			uint64_t start = (1000 + (frozen ? 3 : i)) * SECOND;
			assert_int_equal(w.oldest, start);
			assert_true(w.newest > start && w.newest < start + SECOND);
			assert_int_equal(w.ips[0], 0x401000);
		}
		assert_int_equal(w.stats.malformed, 0);
		world_close(&w);
	}
}

static void symbols_can_be_listed(void **state)
{
	(void)state;
	struct world w;
	uint64_t addr, size;
	const char *name;
	world_open(&w, "event cycles\ndso a /a\ndso empty /empty\n" APP
		       "sym a:x 1 2\nsym app:more 0x3000 16\nsym a:y 3 4\ntick\n");
	assert_true(synth_symbol(w.src, "/usr/bin/app", 2, &addr, &size, &name));
	assert_string_equal(name, "more");
	assert_int_equal(addr, 0x3000);
	assert_int_equal(size, 16);
	assert_false(synth_symbol(w.src, "/usr/bin/app", 3, &addr, &size, &name));
	assert_true(synth_symbol(w.src, "/a", 1, &addr, &size, &name));
	assert_string_equal(name, "y");
	assert_false(synth_symbol(w.src, "/empty", 0, &addr, &size, &name));
	assert_false(synth_symbol(w.src, "/nothing", 0, &addr, &size, &name));
	assert_true(synth_symbol(w.src, "[kernel]", 0, &addr, &size, &name));
	assert_string_equal(name, "schedule");
	world_close(&w);
}

static void real_time_waits_for_the_clock(void **state)
{
	(void)state;
	static const char script[] = "interval 3600s\nevent cycles period=1\n" APP
				     "tick\nsample cpu=0 task=100 event=cycles sym=app:hot n=2\n";
	struct source *src;
	struct lane *lanes;
	assert_int_equal(synth_open(script, strlen(script), "test", true, &src, NULL), 0);
	src->ops->advance(src);
	assert_int_equal(src->ops->now_ns(src), 1000 * SECOND);
	assert_int_equal(src->ops->begin(src, &lanes), 2);
	assert_int_equal(lanes[1].a_len + lanes[1].b_len, 0);
	src->ops->end(src);
	assert_false(src->ops->finished(src));
	assert_int_equal(src->ops->wake_fd(src), -1);
	src->ops->close(src);
}

/* Runs the script of --demo twice: no record is lost or malformed, and the periods of the
 * samples add up to the counters. */
static void the_demo_is_consistent(void **state)
{
	(void)state;
	struct world w;
	uint64_t sum[EVENTS_MAX] = {0}, records = 0;
	world_open(&w, synth_demo_script);
	for (unsigned i = 0; i < 340; i++) {
		world_tick(&w);
		for (uint32_t e = 0; e < w.info->events_n; e++)
			for (uint32_t cpu = 0; cpu < w.info->cpus_n; cpu++)
				sum[e] += w.weight[e][cpu];
		records += w.n[RECORD_SAMPLE];
	}
	for (uint32_t e = 0; e < w.info->events_n; e++) {
		uint64_t counted = 0;
		for (uint32_t cpu = 0; cpu < w.info->cpus_n; cpu++)
			counted += world_counter(&w, e, cpu)->value;
		assert_true(sum[e] > 0 && sum[e] == counted);
	}
	assert_true(records > 100000);
	assert_int_equal(w.stats.malformed, 0);
	for (uint32_t cpu = 0; cpu < w.info->cpus_n; cpu++)
		assert_true(w.times[cpu].busy_ns > 0 && w.times[cpu].idle_ns > 0);
	assert_false(w.src->ops->finished(w.src));
	world_close(&w);
}

/* A sample has the cgroup of its statement or of its task's declaration; in a script without
 * cgroups, samples lack the field. */
static void samples_are_in_cgroups(void **state)
{
	(void)state;
	struct world w;
	world_open(&w, "event cycles period=1000\n" APP "cgroup 7 /web\ntask 200 job cgroup=7\n"
		       "profile p\nrow app:hot 1\n"
		       "tick\nsample cpu=0 task=200 event=cycles sym=app:hot\n"
		       "tick\nsample cpu=0 task=200 event=cycles sym=app:hot cgroup=8\ncgroup 8 /db\n"
		       "tick\nsample cpu=0 task=100 event=cycles sym=app:hot\n"
		       "tick\nload cpu=0 task=200 profile=p busy=1%\n");
	assert_true(w.info->cgroups);
	static const uint64_t expected[] = {7, 8, 0, 7};
	for (size_t i = 0; i < ARRAY_LEN(expected); i++) {
		world_tick(&w);
		assert_true(w.n[RECORD_SAMPLE] > 0);
		assert_int_equal(w.last[RECORD_SAMPLE].u.sample.cgroup, expected[i]);
		if (w.n[RECORD_CGROUP])
			assert_string_equal(w.text[RECORD_CGROUP], i ? "/db" : "/web");
		assert_int_equal(w.n[RECORD_CGROUP], i < 2);
	}
	world_close(&w);
	world_open(&w, "event cycles period=1000\n" APP "tick\n");
	assert_false(w.info->cgroups);
	assert_int_equal(w.info->layout->cgroup, LAYOUT_ABSENT);
	world_close(&w);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(loads_add_up),
		cmocka_unit_test(busy_statements_set_cpu_times),
		cmocka_unit_test(equal_seeds_give_equal_samples),
		cmocka_unit_test(repeating_never_ends),
		cmocka_unit_test(replaying_hands_out_the_same_bytes),
		cmocka_unit_test(symbols_can_be_listed),
		cmocka_unit_test(real_time_waits_for_the_clock),
		cmocka_unit_test(samples_are_in_cgroups),
		cmocka_unit_test(the_demo_is_consistent),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
