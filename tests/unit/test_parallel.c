/* How many threads run at the same time, by records of context switches; all numbers are counted by hand. */
#include "session/parallel.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>

#include <cmocka.h>

enum { A = 10, B = 11, C = 12, NO_CPU = UINT32_MAX };

static struct record record_of(uint32_t type, uint32_t tid, uint32_t cpu)
{
	bool has = cpu != NO_CPU;
	struct record rec = {.type = type,
			     .id = {.has = has ? SAMPLE_CPU : 0, .pid = A, .tid = tid, .cpu = has ? cpu : 0}};
	if (type == RECORD_EXIT)
		rec.u.task.tid = tid;
	return rec;
}

static void in(struct parallel *p, uint32_t tid, uint32_t cpu)
{
	struct record rec = record_of(RECORD_SWITCH_CPU_WIDE, tid, cpu);
	parallel_record(p, &rec);
}

static void out(struct parallel *p, uint32_t tid, uint32_t cpu)
{
	struct record rec = record_of(RECORD_SWITCH, tid, cpu);
	rec.misc = MISC_SWITCH_OUT | MISC_SWITCH_OUT_PREEMPT;
	parallel_record(p, &rec);
}

static void note(struct parallel *p, uint32_t type, uint32_t tid, uint32_t cpu)
{
	struct record rec = record_of(type, tid, cpu);
	parallel_record(p, &rec);
}

static uint32_t at(struct parallel *p, uint32_t tid, uint32_t cpu)
{
	struct sample_core sample = {.pid = A, .tid = tid, .cpu = cpu != NO_CPU ? cpu : 0};
	return parallel_sample(p, &sample, cpu != NO_CPU);
}

static bool is_even(void *ctx, uint32_t pid, uint32_t tid, uint32_t cpu, uint64_t time_ns)
{
	(void)pid, (void)cpu, (void)time_ns;
	++*(unsigned *)ctx;
	return tid % 2 == 0;
}

static void threads_that_are_not_meant_are_not_counted(void **state)
{
	(void)state;
	unsigned asked = 0;
	struct parallel p;
	parallel_init(&p, 4);
	p.counts = is_even;
	p.ctx = &asked;
	in(&p, A, 0);
	in(&p, B, 1);
	assert_int_equal(at(&p, A, 0), 1);
	(void)at(&p, B, 2); /* a sample that is not counted, on a CPU of which nothing is known */
	assert_int_equal(at(&p, C, 3), 2);
	assert_int_equal(at(&p, A, 0), 2);
	in(&p, C, 1);
	assert_int_equal(at(&p, A, 0), 3);
	unsigned before = asked;
	note(&p, RECORD_COMM, A, 0); /* by which it may have become another's */
	assert_int_equal(at(&p, C, 1), 3);
	assert_int_equal(asked, before);
	assert_int_equal(at(&p, A, 0), 3);
	assert_int_equal(asked, before + 1);
	parallel_deinit(&p);
}

static void switches_are_counted(void **state)
{
	(void)state;
	struct parallel p;
	parallel_init(&p, 4);
	in(&p, A, 0);
	assert_int_equal(at(&p, A, 0), 1);
	in(&p, B, 1);
	in(&p, C, 3);
	assert_int_equal(at(&p, A, 0), 3);
	out(&p, A, 0);
	in(&p, 0, 0); /* the idle task is no thread of the target */
	assert_int_equal(at(&p, B, 1), 2);
	assert_int_equal(at(&p, 0, 0), 0);
	in(&p, A, 1); /* from B to A, without a record of B's end */
	assert_int_equal(at(&p, A, 1), 2);
	out(&p, C, 3);
	out(&p, C, 3); /* twice is once */
	assert_int_equal(at(&p, A, 1), 1);
	note(&p, RECORD_EXIT, A, 1);
	in(&p, B, 2);
	assert_int_equal(at(&p, B, 2), 1);
	note(&p, RECORD_COMM, C, 3); /* says nothing */
	assert_int_equal(at(&p, B, 2), 1);
	in(&p, C, 4); /* a CPU that is not there */
	assert_int_equal(at(&p, B, 2), 1);
	assert_int_equal(at(&p, C, 4), 0);
	parallel_deinit(&p);
}

/* The kernel takes samples of a task a little before the record that it begins, and after the one that it ends. */
static void a_sample_counts_its_own_thread(void **state)
{
	(void)state;
	struct parallel p;
	parallel_init(&p, 2);
	in(&p, A, 0);
	out(&p, B, 1);
	assert_int_equal(at(&p, B, 1), 2);
	assert_int_equal(at(&p, A, 0), 1); /* B is known to have ended */
	parallel_deinit(&p);
}

/* An event of a CPU has a record when the thread, which frees its memory after it exited, leaves the CPU. */
static void threads_of_cpus_run_beyond_their_exit(void **state)
{
	(void)state;
	struct parallel p;
	parallel_init(&p, 2);
	in(&p, A, 0);
	in(&p, B, 1);
	note(&p, RECORD_EXIT, B, 1);
	assert_int_equal(at(&p, A, 0), 2);
	struct record end = record_of(RECORD_SWITCH_CPU_WIDE, UINT32_MAX, 1); /* it has no tid any more */
	end.misc = MISC_SWITCH_OUT;
	parallel_record(&p, &end);
	assert_int_equal(at(&p, A, 0), 1);
	parallel_deinit(&p);
}

static void samples_tell_before_the_first_switch(void **state)
{
	(void)state;
	struct parallel p;
	parallel_init(&p, 3);
	assert_int_equal(at(&p, A, 0), 1);
	assert_int_equal(at(&p, B, 2), 2);
	assert_int_equal(at(&p, A, 0), 2);
	out(&p, B, 2);
	assert_int_equal(at(&p, A, 0), 1);
	in(&p, B, 2);
	note(&p, RECORD_LOST, A, 0); /* who runs now is not known */
	assert_int_equal(at(&p, A, 0), 1);
	assert_int_equal(at(&p, B, 2), 2);
	parallel_forget(&p);
	assert_int_equal(at(&p, B, 2), 1);
	parallel_deinit(&p);
}

/* Recordings of a command may not have the CPU. */
static void threads_are_told_apart_without_cpus(void **state)
{
	(void)state;
	struct parallel p;
	parallel_init(&p, 2);
	assert_int_equal(at(&p, A, NO_CPU), 1);
	assert_int_equal(at(&p, A, NO_CPU), 1);
	in(&p, B, NO_CPU);
	assert_int_equal(at(&p, B, NO_CPU), 2);
	in(&p, C, NO_CPU); /* more than there are CPUs: a record is missing */
	assert_int_equal(at(&p, B, NO_CPU), 2);
	out(&p, A, NO_CPU);
	assert_int_equal(at(&p, B, NO_CPU), 1);
	in(&p, C, NO_CPU);
	assert_int_equal(at(&p, C, NO_CPU), 2);
	note(&p, RECORD_EXIT, B, NO_CPU);
	assert_int_equal(at(&p, C, NO_CPU), 1);
	parallel_deinit(&p);
}

static void nothing_is_known_without_switches(void **state)
{
	(void)state;
	struct parallel p;
	parallel_init(&p, 0);
	in(&p, A, 0);
	note(&p, RECORD_LOST, A, 0);
	assert_int_equal(at(&p, A, 0), 0);
	parallel_deinit(&p);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(switches_are_counted),
		cmocka_unit_test(threads_that_are_not_meant_are_not_counted),
		cmocka_unit_test(a_sample_counts_its_own_thread),
		cmocka_unit_test(threads_of_cpus_run_beyond_their_exit),
		cmocka_unit_test(samples_tell_before_the_first_switch),
		cmocka_unit_test(threads_are_told_apart_without_cpus),
		cmocka_unit_test(nothing_is_known_without_switches),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
