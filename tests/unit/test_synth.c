/* Checks that lanes and counters contain what the statements of a script ask for. */
#include "test_synth_world.h"

#include "../lib/merge_singly.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static void samples_and_counters_agree(void **state)
{
	(void)state;
	struct world w;
	world_open(&w, "cpus 2\n"
		       "event cycles period=1000\n"
		       "event instructions freq=999\n" APP "tick\n"
		       "sample cpu=0 task=100 event=cycles sym=app:hot n=60\n"
		       "sample cpu=0-1 task=100 event=cycles sym=app:main n=40 period=7\n"
		       "sample cpu=* task=100 event=instructions sym=kernel:schedule n=3 period=5\n"
		       "tick 2\n"
		       "sample cpu=1 task=100 event=cycles sym=app:hot\n");
	assert_int_equal(w.src->ops->now_ns(w.src), 1000 * SECOND);
	w.src->ops->read_counters(w.src, w.counters, w.times);
	assert_int_equal(world_counter(&w, 0, 0)->value, 0);
	assert_true(world_counter(&w, 1, 1)->opened);
	assert_false(w.times[0].known);

	assert_int_equal(world_tick(&w), 1001 * SECOND);
	assert_int_equal(w.samples[0][0], 100);
	assert_int_equal(w.samples[0][1], 40);
	assert_int_equal(w.samples[1][0], 3);
	assert_int_equal(w.weight[0][0], 60 * 1000 + 40 * 7);
	assert_int_equal(w.weight[1][1], 15);
	for (uint32_t cpu = 0; cpu < 2; cpu++) {
		for (uint32_t e = 0; e < 2; e++) {
			assert_int_equal(world_counter(&w, e, cpu)->value, w.weight[e][cpu]);
			assert_int_equal(world_counter(&w, e, cpu)->enabled_ns, SECOND);
			assert_int_equal(world_counter(&w, e, cpu)->running_ns, SECOND);
			assert_int_equal(world_counter(&w, e, cpu)->lost, 0);
		}
	}
	assert_true(w.oldest >= 1000 * SECOND && w.newest < 1001 * SECOND);
	assert_int_equal(w.last[RECORD_SAMPLE].id.pid, 100);

	uint64_t before = world_counter(&w, 0, 1)->value;
	assert_int_equal(world_tick(&w), 1002 * SECOND);
	assert_int_equal(w.samples[0][1], 1);
	assert_int_equal(world_counter(&w, 0, 1)->value, before + 1000);
	assert_int_equal(world_counter(&w, 0, 1)->enabled_ns, 2 * SECOND);
	assert_false(w.src->ops->finished(w.src));
	world_tick(&w);
	assert_int_equal(w.samples[0][1], 1);
	assert_true(w.src->ops->finished(w.src));
	/* After the last tick, time advances but there are no records. */
	assert_int_equal(world_tick(&w), 1004 * SECOND);
	assert_int_equal(w.stats.records, 2 + 146 + 2); /* comm, mmap2 */
	assert_int_equal(world_counter(&w, 0, 1)->value, before + 2000);
	assert_int_equal(w.stats.malformed, 0);
	world_close(&w);
}

static void addresses_follow_the_mappings(void **state)
{
	(void)state;
	struct world w;
	world_open(&w, "event cycles period=1\n" APP "task 200 other\nmap 200 app addr=0x7000000\n"
		       "tick\nsample cpu=0 task=100 event=cycles sym=app:hot off=8\n"
		       "tick\nsample cpu=0 task=200 event=cycles sym=app:hot\n"
		       "tick\nsample cpu=0 task=0 event=cycles sym=kernel:schedule\n"
		       "tick\nsample cpu=0 task=1 event=cycles ip=0xdead mode=hypervisor\n"
		       "tick\nfork 200 child=300\nsample cpu=0 task=300 event=cycles sym=app:main\n"
		       "tick\nexec 300 new maps=app\nsample cpu=0 task=300 event=cycles sym=app:main\n"
		       "tick\nsample cpu=0 task=100 event=cycles sym=app:hot n=4 spread\n"
		       "tick\nsample cpu=0 task=100 event=cycles sym=app:hot n=3 at=5us\n");
	world_tick(&w);
	assert_int_equal(w.ips[0], 0x400000 + 0x2008);
	assert_int_equal(w.last[RECORD_SAMPLE].misc, MISC_USER);
	assert_string_equal(w.text[RECORD_MMAP2], "/usr/bin/app");
	assert_int_equal(w.last[RECORD_MMAP2].u.mmap.len, 0x3000);
	assert_int_equal(w.last[RECORD_MMAP2].u.mmap.start, 0x7000000);
	world_tick(&w);
	assert_int_equal(w.ips[0], 0x7000000 + 0x2000);
	world_tick(&w);
	assert_true(w.ips[0] == 0xffffffff81000000);
	assert_int_equal(w.last[RECORD_SAMPLE].misc, MISC_KERNEL);
	world_tick(&w);
	assert_int_equal(w.ips[0], 0xdead);
	assert_int_equal(w.last[RECORD_SAMPLE].misc, MISC_HYPERVISOR);
	world_tick(&w);
	assert_int_equal(w.ips[0], 0x7000000 + 0x1000);
	world_tick(&w);
	assert_int_equal(w.ips[0], 0x400000 + 0x1000);
	assert_int_equal(w.last[RECORD_COMM].misc, MISC_COMM_EXEC);
	world_tick(&w);
	for (uint64_t i = 0; i < 4; i++)
		assert_int_equal(w.ips[i], 0x402000 + i * 16);
	world_tick(&w);
	assert_int_equal(w.ips_n, 3);
	assert_int_equal(w.oldest, 1007 * SECOND + 5000);
	assert_int_equal(w.newest, 1007 * SECOND + 5002);
	world_close(&w);
}

static void multiplexing_is_in_the_counters(void **state)
{
	(void)state;
	struct world w;
	world_open(&w,
		   "cpus 3\ninterval 100ms\noffline 2\n"
		   "event cycles period=10\n"
		   "event a period=10 mux=25%\nevent b period=10 mux=50%\nevent c period=10 mux=0%\n"
		   "event d period=10 unavailable=\"no such thing (ENOENT)\"\nevent e period=10 cpus=1\n" APP "tick 2\n"
		   "sample cpu=* task=100 event=a sym=app:hot n=5\n"
		   "sample cpu=* task=100 event=d sym=app:hot n=5\n"
		   "sample cpu=* task=100 event=e sym=app:hot n=5\n"
		   "count cpu=0 event=b value=1234\n"
		   "count cpu=0 event=cycles enabled=80ms running=20ms\n");
	world_tick(&w);
	world_tick(&w);
	static const uint64_t running[] = {100000000, 25000000, 50000000, 0};
	for (uint32_t e = 0; e < 4; e++) {
		assert_int_equal(world_counter(&w, e, 1)->enabled_ns, 200000000);
		assert_int_equal(world_counter(&w, e, 1)->running_ns, 2 * running[e]);
		assert_true(world_counter(&w, e, 1)->opened);
		assert_false(world_counter(&w, e, 2)->opened);
		assert_int_equal(world_counter(&w, e, 2)->enabled_ns, 0);
	}
	assert_int_equal(world_counter(&w, 0, 0)->enabled_ns, 160000000);
	assert_int_equal(world_counter(&w, 0, 0)->running_ns, 40000000);
	assert_int_equal(world_counter(&w, 2, 0)->value, 2468);
	assert_int_equal(world_counter(&w, 1, 1)->value, 100);
	assert_int_equal(w.samples[1][0], 5);
	assert_int_equal(w.samples[1][2], 0);
	assert_false(w.info->events[4].available);
	assert_string_equal(w.info->events[4].why, "no such thing (ENOENT)");
	assert_false(world_counter(&w, 4, 0)->opened);
	assert_int_equal(w.samples[4][0], 0);
	assert_false(world_counter(&w, 5, 0)->opened);
	assert_int_equal(w.samples[5][0], 0);
	assert_int_equal(w.samples[5][1], 5);
	assert_false(w.times[2].online);
	assert_true(w.times[1].online);
	world_close(&w);
}

static void ids_identify_event_and_cpu(void **state)
{
	(void)state;
	struct world w;
	uint32_t event, cpu;
	world_open(&w, "cpus 7\nevent cycles\nevent instructions cpus=2-3\n" APP
		       "tick\nsample cpu=* task=100 event=cycles sym=app:hot period=1\n"
		       "sample cpu=* task=100 event=instructions sym=app:hot period=1\n");
	world_tick(&w); /* world_note() checks the event and CPU of each sample */
	for (uint32_t c = 0; c < 7; c++) {
		assert_int_equal(w.samples[0][c], 1);
		assert_int_equal(w.samples[1][c], c == 2 || c == 3);
	}
	assert_false(w.src->ops->identify(w.src, 0, &event, &cpu));
	assert_false(w.src->ops->identify(w.src, UINT64_MAX, &event, &cpu));
	assert_false(w.src->ops->identify(w.src, w.last[RECORD_COMM].id.id, &event, &cpu));
	world_close(&w);
}

static void sideband_statements_make_records(void **state)
{
	(void)state;
	struct world w;
	world_open(&w,
		   "cpus 2\nevent cycles period=1\n" APP "task 100:101 \"a thread of it\" cpu=1\n"
		   "tick\n"
		   "tick\nfork 100 child=200 at=10%\nexec 200 sh maps=app at=20%\ncomm 200 \"a very long command\" "
		   "at=30%\n"
		   "exit 200\nmap 100 app addr=0x9000000 at=40% cpu=1\nksymbol bpf_prog 0xffffffffc0000000 64 at=1ms\n"
		   "tick\nfork 100 child=100:102\nexit 100:102 at=50%\n");
	world_tick(&w);
	assert_int_equal(w.n[RECORD_COMM], 2);
	assert_int_equal(w.n[RECORD_FORK], 1);
	assert_int_equal(w.n[RECORD_MMAP2], 1);
	assert_int_equal(w.last[RECORD_FORK].u.task.pid, 100);
	assert_int_equal(w.last[RECORD_FORK].u.task.tid, 101);
	assert_int_equal(w.last[RECORD_FORK].id.cpu, 1);
	assert_string_equal(w.text[RECORD_COMM], "a thread of it");
	assert_int_equal(w.newest, 1000 * SECOND);

	world_tick(&w);
	assert_int_equal(w.n[RECORD_COMM], 2);
	assert_int_equal(w.n[RECORD_MMAP2], 2);
	assert_int_equal(w.last[RECORD_FORK].u.task.pid, 200);
	assert_int_equal(w.last[RECORD_FORK].u.task.ppid, 100);
	assert_int_equal(w.last[RECORD_FORK].id.time_ns, 1001 * SECOND + SECOND / 10);
	assert_string_equal(w.text[RECORD_COMM], "a very long com");
	assert_int_equal(w.last[RECORD_COMM].id.time_ns, 1001 * SECOND + SECOND / 10 * 3);
	assert_int_equal(w.last[RECORD_EXIT].id.time_ns, 1002 * SECOND - 1);
	assert_int_equal(w.last[RECORD_MMAP2].u.mmap.start, 0x9000000);
	assert_int_equal(w.last[RECORD_MMAP2].id.cpu, 1);
	assert_int_equal(w.last[RECORD_KSYMBOL].u.ksymbol.len, 64);
	assert_string_equal(w.text[RECORD_KSYMBOL], "bpf_prog");

	world_tick(&w);
	assert_int_equal(w.last[RECORD_FORK].u.task.ptid, 100);
	assert_int_equal(w.last[RECORD_EXIT].u.task.pid, 100);
	assert_int_equal(w.last[RECORD_EXIT].u.task.tid, 102);
	world_close(&w);
}

static void losses_throttling_and_garbage(void **state)
{
	(void)state;
	struct world w;
	world_open(&w, "cpus 2\nevent cycles period=1\nevent instructions period=1\n" APP
		       "tick\nlost cpu=1 event=instructions n=50 at=10%\nlost cpu=1 event=instructions n=7 silent\n"
		       "lost-samples cpu=0 event=cycles n=9\nthrottle cpu=0 event=cycles at=1ms\n"
		       "unthrottle cpu=0 event=cycles at=2ms\n"
		       "tick\nsample cpu=0 task=100 event=cycles sym=app:hot at=1ms\n"
		       "raw cpu=0 0000000000000000 at=2ms\nsample cpu=0 task=100 event=cycles sym=app:hot at=3ms\n"
		       "tick\nsample cpu=0 task=100 event=cycles sym=app:hot\n");
	world_tick(&w);
	assert_int_equal(w.n[RECORD_LOST], 1);
	assert_int_equal(w.last[RECORD_LOST].u.lost.lost, 50);
	uint32_t event, cpu;
	assert_true(w.src->ops->identify(w.src, w.last[RECORD_LOST].u.lost.id, &event, &cpu));
	assert_int_equal(event, 1);
	assert_int_equal(cpu, 1);
	assert_int_equal(world_counter(&w, 1, 1)->lost, 57);
	assert_int_equal(w.last[RECORD_LOST_SAMPLES].u.lost_samples.lost, 9);
	assert_int_equal(world_counter(&w, 0, 0)->lost, 0);
	assert_int_equal(w.n[RECORD_THROTTLE], 1);
	assert_int_equal(w.n[RECORD_UNTHROTTLE], 1);
	assert_int_equal(w.last[RECORD_THROTTLE].u.throttle.time_ns, 1000 * SECOND + 1000000);

	world_tick(&w);
	assert_int_equal(w.samples[0][0], 1); /* the rest of the ring after the invalid bytes is dropped */
	assert_int_equal(w.stats.malformed, 1);
	assert_int_equal(world_counter(&w, 0, 0)->value, 2);
	world_tick(&w);
	assert_int_equal(w.samples[0][0], 1); /* the ring can be read again */
	assert_int_equal(w.stats.malformed, 1);
	world_close(&w);
}

static void a_ring_wraps_and_overflows(void **state)
{
	(void)state;
	struct world w;
	/* 56 bytes a sample: a ring of 4096 bytes has room for 73; with 30 per tick they wrap */
	world_open(&w, "ring 4096\nevent cycles period=1\n" APP
		       "tick 200\nsample cpu=0 task=100 event=cycles sym=app:hot n=30\n"
		       "tick\nsample cpu=0 task=100 event=cycles sym=app:hot n=100\n"
		       "tick\nsample cpu=0 task=100 event=cycles sym=app:hot n=1\n");
	for (unsigned i = 0; i < 200; i++) {
		world_tick(&w);
		assert_int_equal(w.samples[0][0], 30);
	}
	assert_int_equal(w.n[RECORD_LOST], 0);
	world_tick(&w);
	assert_int_equal(w.samples[0][0], 73);
	assert_int_equal(world_counter(&w, 0, 0)->value, 200 * 30 + 100);
	assert_int_equal(world_counter(&w, 0, 0)->lost, 27);
	assert_int_equal(w.n[RECORD_LOST], 0); /* it will be written before the next record that fits */
	world_tick(&w);
	assert_int_equal(w.n[RECORD_LOST], 1);
	assert_int_equal(w.last[RECORD_LOST].u.lost.lost, 27);
	assert_int_equal(w.stats.malformed, 0);
	world_close(&w);
}

static void unread_bytes_stay_in_the_ring(void **state)
{
	(void)state;
	struct world w;
	struct lane *lanes;
	world_open(&w, "event cycles period=1\n" APP "tick\nsample cpu=0 task=100 event=cycles sym=app:hot n=3\n");
	w.src->ops->advance(w.src);
	size_t n = w.src->ops->begin(w.src, &lanes);
	merger_run(w.merger, w.info->layout, lanes, n, 1000 * SECOND + SECOND / 2, merge_singly,
		   &(struct merge_singly){w.info->layout, world_note, &w}, &w.stats);
	w.src->ops->end(w.src);
	assert_int_equal(w.samples[0][0], 1); /* the one at 1/4; those at 1/2 and 3/4 are still in the ring */
	assert_false(w.src->ops->finished(w.src));
	world_tick(&w);
	assert_int_equal(w.samples[0][0], 2);
	assert_true(w.src->ops->finished(w.src));
	world_close(&w);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(samples_and_counters_agree),	    cmocka_unit_test(addresses_follow_the_mappings),
		cmocka_unit_test(multiplexing_is_in_the_counters),  cmocka_unit_test(ids_identify_event_and_cpu),
		cmocka_unit_test(sideband_statements_make_records), cmocka_unit_test(losses_throttling_and_garbage),
		cmocka_unit_test(a_ring_wraps_and_overflows),	    cmocka_unit_test(unread_bytes_stay_in_the_ring),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
