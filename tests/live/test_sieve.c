/* What is taken out of the rings for a target (sieve.c), with rings made here and this process as the
 * target. */
#include "source/live/live.h"
#include "source/live/sieve.h"

#include "base/alloc.h"
#include "os/clock.h"

#include "../lib/merge_singly.h"

#include <linux/perf_event.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

enum { CPUS = 2, EVENTS = 2, RING = 4096, STRANGER = 0x3ffffff, CHILD = 0x3fffffe };

struct machine {
	struct live live;
	struct live_cpu cpus[CPUS];
	struct perf_event_mmap_page pages[2 * CPUS];
	uint8_t data[2 * CPUS][RING];
	struct lane lanes[2 * CPUS], ahead[CPUS + 1];
	uint64_t now_ns; /* of the next record: the past, in which everything has been written */
	uint32_t self;
};

static void make(struct machine *m)
{
	struct error err;
	struct live *l = &m->live;
	memset(m, 0, sizeof(*m));
	m->self = (uint32_t)getpid();
	l->cpus_n = CPUS;
	l->cpus = m->cpus;
	l->lanes = m->lanes;
	l->ahead = m->ahead;
	l->info.events_n = EVENTS;
	l->info.ring_bytes = l->side_bytes = RING;
	l->info.events[1].spec.role = ROLE_CLOCK;
	l->stat.tick_ns = 10000000;
	for (unsigned i = 0; i < 2 * CPUS; i++) {
		struct ring *r = i % 2 ? &m->cpus[i / 2].sideband : &m->cpus[i / 2].data;
		*r = (struct ring){.map = &m->pages[i], .data = m->data[i], .size = RING};
	}
	struct perf_attr attr = {
		.size = sizeof(attr),
		.sample_type = SAMPLE_IP | SAMPLE_TID | SAMPLE_TIME | SAMPLE_CPU | SAMPLE_PERIOD | SAMPLE_IDENTIFIER,
		.flags = ATTR_SAMPLE_ID_ALL,
	};
	assert_int_equal(record_layout_init(&l->layout, &attr), 0);
	id_map_init(&l->ids);
	for (uint32_t e = 0; e < EVENTS; e++)
		for (uint32_t cpu = 0; cpu < CPUS; cpu++)
			id_map_add(&l->ids, 1 + e * CPUS + cpu, e, cpu);
	l->target = (struct target){.kind = TARGET_PROCESSES, .ids = {m->self}, .ids_n = 1};
	assert_int_equal(who_init(&l->who, &l->target, false, &err), 0);
	assert_int_equal(sieve_open(l, false, &err), 0);
	m->now_ns = clock_ns(CLOCK_MONOTONIC);
}

static void unmake(struct machine *m)
{
	sieve_close(&m->live);
	who_deinit(&m->live.who);
	id_map_deinit(&m->live.ids);
}

static void write_bytes(struct machine *m, unsigned cpu, bool sideband, const void *bytes, size_t n)
{
	unsigned i = 2 * cpu + sideband;
	for (size_t k = 0; k < n; k++)
		m->data[i][m->pages[i].data_head++ % RING] = ((const uint8_t *)bytes)[k];
}

static void put(struct machine *m, unsigned cpu, struct record *rec, uint32_t tid)
{
	uint8_t bytes[512];
	bool sideband = rec->type != RECORD_SAMPLE && rec->type != RECORD_THROTTLE;
	rec->id.time_ns = rec->id.time_ns ? rec->id.time_ns : m->now_ns++;
	rec->id.pid = rec->id.tid = tid;
	rec->id.cpu = cpu;
	size_t n = record_encode(&m->live.layout, rec, bytes, sizeof(bytes));
	assert_true(n);
	write_bytes(m, cpu, sideband, bytes, n);
}

static void put_sample(struct machine *m, unsigned cpu, uint32_t event, uint32_t tid, uint64_t period)
{
	struct record rec = {.type = RECORD_SAMPLE, .id.id = 1 + event * CPUS + cpu};
	rec.u.sample.period = period;
	rec.u.sample.ip = tid;
	put(m, cpu, &rec, tid);
}

static void put_task(struct machine *m, unsigned cpu, uint32_t type, uint32_t tid, uint32_t parent)
{
	struct record rec = {.type = type};
	rec.u.task.pid = rec.u.task.tid = tid;
	rec.u.task.ppid = rec.u.task.ptid = parent;
	put(m, cpu, &rec, type == RECORD_FORK ? parent : tid);
}

static void put_comm(struct machine *m, unsigned cpu, uint32_t tid)
{
	struct record rec = {.type = RECORD_COMM};
	rec.u.comm.pid = rec.u.comm.tid = tid;
	rec.u.comm.comm = "x";
	put(m, cpu, &rec, tid);
}

struct tally {
	size_t samples, sideband, others;
	uint64_t last_side_ns;
	const struct record_layout *layout;
	uint32_t tids[64];
};

static void tally(void *ctx, const struct lane *lane, const uint8_t *bytes, size_t size)
{
	struct tally *t = ctx;
	struct record rec;
	assert_int_equal(record_decode(t->layout, bytes, size, &rec), 0);
	if (lane->sideband) {
		assert_true(rec.id.time_ns >= t->last_side_ns);
		t->last_side_ns = rec.id.time_ns;
		t->sideband++;
	} else if (rec.type == RECORD_SAMPLE) {
		t->tids[t->samples++ % 64] = rec.id.tid;
	} else {
		t->others++;
	}
}

/* Merges what sieve_begin() hands out, up to the horizon. */
static struct tally drain(struct machine *m, uint64_t horizon_ns, uint64_t *malformed_ret)
{
	struct tally t = {.layout = &m->live.layout};
	struct merge_stats stats = {0};
	struct merger *merger = merger_create();
	sieve_begin(&m->live);
	merger_run(merger, &m->live.layout, m->live.lanes, m->live.lanes_n, horizon_ns, merge_singly,
		   &(struct merge_singly){&m->live.layout, tally, &t}, &stats);
	sieve_end(&m->live);
	merger_destroy(merger);
	if (malformed_ret)
		*malformed_ret = stats.malformed;
	else
		assert_true(stats.malformed == 0);
	return t;
}

static void strangers_are_dropped(void **state)
{
	(void)state;
	struct machine m;
	make(&m);
	put_task(&m, 0, RECORD_FORK, CHILD, m.self);
	put_task(&m, 1, RECORD_FORK, STRANGER, 1);
	put_comm(&m, 1, STRANGER);
	put_comm(&m, 0, CHILD);
	put_sample(&m, 0, 0, CHILD, 10);
	put_sample(&m, 0, 0, STRANGER, 10);
	put_sample(&m, 1, 0, 0, 10);
	put_sample(&m, 1, 0, m.self, 10);
	struct record throttle = {.type = RECORD_THROTTLE};
	put(&m, 1, &throttle, 0);
	put_task(&m, 1, RECORD_EXIT, CHILD, m.self);
	put_sample(&m, 1, 0, CHILD, 10);
	put_task(&m, 1, RECORD_FORK, CHILD, STRANGER);
	put_sample(&m, 1, 0, CHILD, 10); /* another task by now */
	struct record kernel = {.type = RECORD_MMAP, .u.mmap = {.pid = UINT32_MAX, .filename = "[module]"}};
	put(&m, 0, &kernel, 1);
	struct tally t = drain(&m, UINT64_MAX, NULL);
	assert_int_equal(t.samples, 3);
	assert_int_equal(t.others, 1);
	assert_int_equal(t.sideband, 4); /* FORK, COMM, EXIT and the module */
	for (size_t i = 0; i < t.samples; i++)
		assert_true(t.tids[i] == CHILD || t.tids[i] == m.self);
	unmake(&m);
}

/* The child's FORK record is on another CPU, and the child's child is made on the first one again. */
static void sideband_is_applied_in_order_of_time(void **state)
{
	(void)state;
	struct machine m;
	make(&m);
	put_task(&m, 1, RECORD_FORK, CHILD, m.self);
	put_task(&m, 0, RECORD_FORK, CHILD - 1, CHILD);
	put_sample(&m, 0, 0, CHILD - 1, 10);
	assert_int_equal(drain(&m, UINT64_MAX, NULL).samples, 1);
	unmake(&m);
}

static void newer_records_wait(void **state)
{
	(void)state;
	struct machine m;
	make(&m);
	put_sample(&m, 0, 0, m.self, 10);
	uint64_t between = m.now_ns;
	put_sample(&m, 0, 0, m.self, 10);
	put_comm(&m, 0, m.self);
	assert_int_equal(drain(&m, between, NULL).samples, 1);
	assert_int_equal(sieve_ahead(&m.live), 1); /* the COMM record is not used yet */
	/* of a time that is not over: it stays in the ring */
	struct record later = {.type = RECORD_COMM, .id.time_ns = clock_ns(CLOCK_MONOTONIC) + 3600 * 1000000000ull};
	later.u.comm.tid = m.self;
	later.u.comm.comm = "later";
	put(&m, 1, &later, m.self);
	struct tally t = drain(&m, between, NULL);
	assert_int_equal(t.samples + t.sideband, 0);
	assert_int_equal(sieve_ahead(&m.live), 2);
	t = drain(&m, UINT64_MAX, NULL);
	assert_true(t.samples == 1 && t.sideband == 1);
	assert_true(m.pages[3].data_tail == 0 && m.pages[1].data_tail == m.pages[1].data_head);
	unmake(&m);
}

static void records_wrap(void **state)
{
	(void)state;
	struct machine m;
	size_t samples = 0, sideband = 0;
	make(&m);
	for (int round = 0; round < 100; round++) {
		for (int i = 0; i < 25; i++) {
			put_sample(&m, 0, 0, i % 3 ? m.self : STRANGER, 10);
			put_comm(&m, 0, i % 2 ? m.self : STRANGER);
		}
		struct tally t = drain(&m, m.now_ns - 5, NULL);
		samples += t.samples;
		sideband += t.sideband;
	}
	struct tally t = drain(&m, UINT64_MAX, NULL);
	assert_int_equal(samples + t.samples, 100 * 16);
	assert_int_equal(sideband + t.sideband, 100 * 12);
	assert_true(m.pages[0].data_head > 10 * RING && m.pages[0].data_tail == m.pages[0].data_head);
	unmake(&m);
}

static void what_cannot_be_read_is_counted_once(void **state)
{
	(void)state;
	struct machine m;
	uint64_t malformed;
	const struct record_header bad = {.type = RECORD_SAMPLE, .size = 12},
				   small = {.type = RECORD_SAMPLE, .size = 8};
	make(&m);
	put_sample(&m, 0, 0, m.self, 10);
	write_bytes(&m, 0, false, &small, sizeof(small));
	put_sample(&m, 0, 0, m.self, 10);
	write_bytes(&m, 0, false, &bad, sizeof(bad));
	write_bytes(&m, 0, false, &bad, sizeof(bad));
	write_bytes(&m, 1, true, &bad, sizeof(bad));
	struct tally t = drain(&m, UINT64_MAX, &malformed);
	assert_int_equal(t.samples, 2);
	assert_int_equal(malformed, 3);
	put_sample(&m, 0, 0, m.self, 10);
	assert_int_equal(drain(&m, UINT64_MAX, NULL).samples, 1);
	unmake(&m);
}

/* Nobody uses what is handed out: the rings fill, and memory does not. */
static void an_idle_consumer_does_not_fill_memory(void **state)
{
	(void)state;
	struct machine m;
	make(&m);
	for (int round = 0; round < 100; round++) {
		while (m.pages[0].data_head + 512 - m.pages[0].data_tail < RING)
			put_sample(&m, 0, 0, m.self, 10);
		sieve_begin(&m.live);
		assert_true(m.live.lanes[0].a_len <= 5 * RING + RING);
		sieve_end(&m.live);
	}
	unmake(&m);
}

static void counts_are_in_proportion_to_the_samples(void **state)
{
	(void)state;
	struct machine m;
	struct counter c[EVENTS * CPUS] = {{0}};
	make(&m);
	for (int i = 0; i < EVENTS * CPUS; i++)
		c[i] = (struct counter){.value = 1000, .enabled_ns = 7, .running_ns = 5, .lost = 10, .opened = true};
	put_sample(&m, 0, 0, m.self, 30); /* before the first reading, which is the base line */
	sieve_estimate(&m.live, c);
	assert_true(c[0].estimated && c[0].value == 0 && c[0].lost == 0);
	c[0].value = 1000;
	c[0].lost = 10;
	c[1].value = 1000;
	c[1].lost = 10;
	put_sample(&m, 0, 0, STRANGER, 10);
	put_sample(&m, 0, 1, m.self, 500); /* the clock */
	put_sample(&m, 0, 1, STRANGER, 300);
	sieve_estimate(&m.live, c);
	assert_true(c[0].estimated && c[0].value == 750 && c[0].lost == 5);
	assert_true(c[0].opened && c[0].enabled_ns == 7 && c[0].running_ns == 5);
	assert_true(c[CPUS].value == 500); /* not a part of its count, which has idle time */
	assert_true(c[1].value == 0 && c[1].estimated);
	/* the next reading: CPU 1 gets its first sample, which decides on all that was counted there */
	for (int i = 0; i < EVENTS * CPUS; i++)
		c[i] = (struct counter){.value = 2000, .lost = 10, .opened = true};
	put_sample(&m, 0, 0, STRANGER, 10);
	put_sample(&m, 1, 0, m.self, 10);
	sieve_estimate(&m.live, c);
	assert_true(c[0].value == 750 && c[0].lost == 5);
	assert_true(c[1].value == 2000 && c[1].lost == 10);
	unmake(&m);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(strangers_are_dropped),
		cmocka_unit_test(sideband_is_applied_in_order_of_time),
		cmocka_unit_test(newer_records_wait),
		cmocka_unit_test(records_wrap),
		cmocka_unit_test(what_cannot_be_read_is_counted_once),
		cmocka_unit_test(an_idle_consumer_does_not_fill_memory),
		cmocka_unit_test(counts_are_in_proportion_to_the_samples),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
