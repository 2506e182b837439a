/* Times off the CPU, of context switches; all numbers are counted by hand. */
#include "session/offcpu.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>

#include <cmocka.h>

enum { EVENT = 3, A = 10, B = 11 };

static void note(struct offcpu *o, uint64_t time_ns, uint32_t tid, enum offcpu_kind kind, uint32_t ctx)
{
	const struct offcpu_switch s = {.time_ns = time_ns,
					.tid = tid,
					.kind = kind,
					.task = tid + 100,
					.ctx = ctx,
					.cpu = (uint16_t)(tid % 2)};
	offcpu_note(o, &s);
}

/* Returns the time that is counted for a context, and takes it. */
static uint64_t taken(struct offcpu *o, uint32_t ctx)
{
	struct model_sample samples[8];
	uint64_t sum = 0;
	for (size_t n; (n = offcpu_take(o, samples, 8)) > 0;)
		for (size_t i = 0; i < n; i++) {
			assert_int_equal(samples[i].event, EVENT);
			assert_int_equal(samples[i].ctx, ctx);
			sum += samples[i].period;
		}
	return sum;
}

static void a_time_ends_with_the_next_switch(void **state)
{
	(void)state;
	struct offcpu o;
	offcpu_init(&o, EVENT, 2);
	note(&o, 500, B, OFFCPU_ENTER, 0); /* of another CPU, whose records come first */
	note(&o, 100, B, OFFCPU_LEAVE, 7);
	note(&o, 90, A, OFFCPU_ENTER, 0); /* when it had left is not known */
	offcpu_apply(&o);
	assert_int_equal(taken(&o, 7), 400);
	assert_int_equal(o.sums[1], 400);
	offcpu_count(&o, 10000);
	assert_int_equal(taken(&o, 7), 0);
	assert_int_equal(offcpu_unknown(&o), 0);
	offcpu_deinit(&o);
}

static void who_is_away_counts_in_each_interval(void **state)
{
	(void)state;
	struct offcpu o;
	offcpu_init(&o, EVENT, 2);
	note(&o, 100, A, OFFCPU_LEAVE, 5);
	offcpu_apply(&o);
	offcpu_count(&o, 1000);
	assert_int_equal(taken(&o, 5), 900);
	offcpu_count(&o, 2000);
	offcpu_count(&o, 2000);
	assert_int_equal(taken(&o, 5), 1000);
	note(&o, 2500, A, OFFCPU_ENTER, 0);
	note(&o, 2500, 0, OFFCPU_LEAVE, 5); /* the idle task does not wait */
	offcpu_apply(&o);
	offcpu_count(&o, 3000);
	assert_int_equal(taken(&o, 5), 500);
	assert_int_equal(o.sums[0], 2400);
	offcpu_deinit(&o);
}

static void what_is_not_known_is_not_counted(void **state)
{
	(void)state;
	struct offcpu o;
	offcpu_init(&o, EVENT, 2);
	note(&o, 100, A, OFFCPU_LEAVE, 5);
	note(&o, 900, A, OFFCPU_LEAVE, 5); /* it came back in between */
	note(&o, 1000, A, OFFCPU_ENTER, 0);
	offcpu_apply(&o);
	assert_int_equal(taken(&o, 5), 100);
	assert_int_equal(offcpu_unknown(&o), 1);
	note(&o, 1100, A, OFFCPU_LEAVE, 5);
	note(&o, 1200, B, OFFCPU_LEAVE, 5);
	note(&o, 1300, 0, OFFCPU_LOST, 0);
	note(&o, 1400, A, OFFCPU_ENTER, 0);
	note(&o, 1500, B, OFFCPU_LEAVE, 5);
	note(&o, 1600, B, OFFCPU_ENTER, 0);
	offcpu_apply(&o);
	assert_int_equal(taken(&o, 5), 100);
	assert_int_equal(offcpu_unknown(&o), 2);
	assert_int_equal(offcpu_unknown(&o), 0);
	offcpu_deinit(&o);
}

static void who_ended_does_not_wait(void **state)
{
	(void)state;
	struct offcpu o;
	offcpu_init(&o, EVENT, 2);
	note(&o, 100, A, OFFCPU_END, 5);
	note(&o, 200, A, OFFCPU_LEAVE, 5); /* on its way out */
	note(&o, 300, A, OFFCPU_ENTER, 0);
	note(&o, 400, A, OFFCPU_LEAVE, 5);
	offcpu_apply(&o);
	offcpu_count(&o, 1000);
	assert_int_equal(taken(&o, 5), 0);
	note(&o, 1500, A, OFFCPU_BEGIN, 0); /* another thread gets its id */
	note(&o, 1600, A, OFFCPU_LEAVE, 6);
	note(&o, 1700, A, OFFCPU_ENTER, 0);
	note(&o, 1800, B, OFFCPU_END, 5);
	offcpu_apply(&o);
	assert_int_equal(taken(&o, 6), 100);
	assert_int_equal(o.threads.n, 1);
	offcpu_count(&o, 20000000000); /* ids of ended threads are forgotten */
	assert_int_equal(o.threads.n, 0);
	offcpu_forget(&o);
	offcpu_deinit(&o);
}

static void very_many_switches_are_left_out(void **state)
{
	(void)state;
	enum { SECOND = 1000000000 };
	struct offcpu o;
	offcpu_init(&o, EVENT, 2);
	o.switches[1] = 20000; /* of a microsecond each: 2 % */
	assert_false(offcpu_rest(&o, SECOND, 1000));
	o.switches[1] += 60000; /* 6 %: one interval of three */
	note(&o, 100, A, OFFCPU_LEAVE, 5);
	assert_true(offcpu_rest(&o, SECOND, 1000));
	note(&o, 200, A, OFFCPU_ENTER, 0);
	offcpu_apply(&o);
	assert_int_equal(taken(&o, 5), 0);
	assert_true(offcpu_rest(&o, SECOND, 1000));
	assert_false(offcpu_rest(&o, SECOND, 1000));
	assert_int_equal(offcpu_unknown(&o), 0);
	o.switches[0] = UINT64_MAX;
	assert_true(offcpu_rest(&o, 1, 1000));
	assert_int_equal(o.pause_intervals, OFFCPU_REST_MOST);
	offcpu_deinit(&o);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_time_ends_with_the_next_switch),
		cmocka_unit_test(who_is_away_counts_in_each_interval),
		cmocka_unit_test(what_is_not_known_is_not_counted),
		cmocka_unit_test(who_ended_does_not_wait),
		cmocka_unit_test(very_many_switches_are_left_out),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
