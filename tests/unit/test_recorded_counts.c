/* What a recording says of its counts: READ records, sums of periods, or nothing. */
#include "../lib/file_made.h"
#include "../lib/scratch.h"

#include "../lib/usual_pivots.h"

#include <cyctop/session.h>

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#define SECOND 1000000000ull
#define TIMES (READ_TIME_ENABLED | READ_TIME_RUNNING | READ_ID)

/* Begins a stream with cycles and instructions. */
static void begin(struct made *m, uint64_t sample_type, uint64_t flags)
{
	begin_pipe(m, sample_type);
	m->n = PD_PIPE_HEADER_SIZE;
	m->attr.read_format = TIMES;
	m->attr.flags |= flags;
	assert_int_equal(record_layout_init(&m->layout, &m->attr), 0);
	made_attr(m, 0, FIRST_ID);
	made_attr(m, 1, SECOND_ID);
}

/* What event `id` has counted on CPU 1 until then. */
static void put_reading(struct made *m, uint64_t time_ns, uint64_t id, uint32_t pid, uint64_t value, uint64_t enabled,
			uint64_t running)
{
	const uint64_t values[] = {value, id};
	struct record rec = {.type = RECORD_READ, .id = {.time_ns = time_ns, .id = id, .cpu = 1}};
	rec.id.pid = rec.id.tid = rec.u.read.pid = rec.u.read.tid = pid;
	rec.u.read.read = (struct record_read){
		.nr = 1, .enabled_ns = enabled, .running_ns = running, .values = values, .format = READ_ID};
	made_record(m, &rec);
}

static struct session *open_stream(const struct made *m, uint64_t interval_ns)
{
	char path[SCRATCH_PATH];
	struct session *s = NULL;
	struct error err;
	const struct file_config config = {.path = path, .interval_ns = interval_ns};
	int fd = scratch_file(path);
	assert_true(write(fd, m->bytes, m->n) == (ssize_t)m->n);
	close(fd);
	if (session_open_file(&config, &s, &err) < 0)
		fail_msg("%s", err.text);
	unlink(path);
	return s;
}

static struct snapshot *look(struct session *s, enum window window)
{
	struct query q = {.window = window, .pivots = usual_pivots, .pivots_n = USUAL_PIVOTS};
	return session_snapshot(s, &q);
}

/* The whole recording as one interval. */
static struct snapshot *read_all(struct session *s)
{
	do
		session_tick(s);
	while (!session_finished(s));
	return look(s, WINDOW_TOTAL);
}

static struct ratio ipc(const struct snapshot *snap)
{
	return total_metric(snap, &metrics_builtin.v[0]);
}

static struct ratio row_ipc(const struct snapshot *snap)
{
	assert_string_equal(metrics_builtin.v[0].id, "ipc");
	assert_true(snap->pivots[BY_PID].n >= 1);
	return row_metric(snap, &snap->pivots[BY_PID].rows[0], &metrics_builtin.v[0]);
}

enum { PERIOD = 25000, SAMPLES = 40 };

/* One second with samples on CPU 1, of both events. */
static void put_second(struct made *m, uint64_t from_ns)
{
	for (uint64_t i = 0; i < SAMPLES; i++) {
		made_sample(m, from_ns + i * SECOND / SAMPLES + 1, FIRST_ID, 1, PERIOD);
		made_sample(m, from_ns + i * SECOND / SAMPLES + 2, SECOND_ID, 1, PERIOD);
	}
}

/* Cycles always ran, instructions half of the time: the IPC is 2. */
static void put_readings(struct made *m, uint64_t at_ns, uint64_t seconds, uint32_t pid)
{
	enum { BEFORE = 77 };
	uint64_t enabled = BEFORE + seconds * SECOND;
	put_reading(m, at_ns, FIRST_ID, pid, BEFORE + seconds * 1005000, enabled, enabled);
	put_reading(m, at_ns, SECOND_ID, pid, BEFORE + seconds * 1002000, enabled, BEFORE + seconds * SECOND / 2);
}

static void multiplexing_is_read(void **state)
{
	(void)state;
	struct made m;
	begin(&m, ALL_FIELDS, 0);
	put_readings(&m, SECOND, 0, UINT32_MAX);
	put_second(&m, SECOND);
	put_readings(&m, 2 * SECOND, 1, UINT32_MAX);
	struct session *s = open_stream(&m, 0);
	struct snapshot *snap = read_all(s);
	assert_true(snap->events[0].count == 1005000 && snap->events[1].count == 2 * 1002000);
	assert_true(snap->events[1].running == 0.5 && snap->trust.running == 0.5 && !snap->trust.mux_unknown);
	assert_false(snap->events[0].estimated || snap->events[0].summed);
	assert_true(snap->events[1].weight == 2.0 * SAMPLES * PERIOD);
	/* the only row has the ratio of the counters, not that of the samples, which are a few too few */
	assert_float_equal(row_ipc(snap).value, 2 * 1002000 / 1005000.0, 1e-9);
	assert_true(snap->trust.explained_valid && snap->trust.explained == SAMPLES * PERIOD / 1005000.0);
	assert_int_equal(snap->cpus[0].states[0], COUNT_ABSENT); /* of CPU 0 nothing was read, and there is no sample */
	snapshot_destroy(snap);
	session_destroy(s);
}

/* Of tasks that were picked from samples of everything there are no counts, only times. */
static void times_without_counts_are_read(void **state)
{
	(void)state;
	struct made m;
	begin(&m, ALL_FIELDS, 0);
	for (uint64_t i = 0; i < 3; i++) {
		put_reading(&m, (i + 1) * SECOND, FIRST_ID, UINT32_MAX, 0, i * SECOND, i * SECOND);
		put_reading(&m, (i + 1) * SECOND, SECOND_ID, UINT32_MAX, 0, i * SECOND, i * SECOND / 2);
		if (i < 2)
			put_second(&m, (i + 1) * SECOND);
	}
	struct session *s = open_stream(&m, 0);
	struct snapshot *snap = read_all(s);
	assert_true(snap->events[0].count == 2 * SAMPLES * PERIOD && snap->events[1].count == 4 * SAMPLES * PERIOD);
	assert_true(snap->events[0].summed && snap->events[1].summed && !snap->trust.explained_valid);
	assert_true(snap->events[1].running == 0.5 && !snap->trust.mux_unknown);
	assert_true(row_ipc(snap).value == 2 && isfinite(row_ipc(snap).error));
	snapshot_destroy(snap);
	session_destroy(s);
}

/* Intervals that end between two READ records, and have none. */
static void counts_grow_between_readings(void **state)
{
	(void)state;
	enum { SECONDS = 6, TICKS = 4 };
	struct made m;
	begin(&m, ALL_FIELDS, 0);
	for (uint64_t i = 0; i < SECONDS; i++) {
		put_readings(&m, (i + 1) * SECOND, i, UINT32_MAX);
		put_second(&m, (i + 1) * SECOND);
	}
	put_readings(&m, (SECONDS + 1) * SECOND, SECONDS, UINT32_MAX);
	struct session *s = open_stream(&m, SECOND / TICKS);
	double last = 0;
	for (size_t tick = 0; !session_finished(s); tick++) {
		session_tick(s);
		struct snapshot *snap = look(s, WINDOW_TOTAL);
		assert_true(snap->events[0].count >= last);
		last = snap->events[0].count;
		snapshot_destroy(snap);
		snap = look(s, WINDOW_INTERVAL);
		if (tick > TICKS + 1 && snap->events[1].samples) { /* each interval has its part, and is scaled */
			assert_false(snap->trust.mux_unknown);
			assert_true(snap->events[1].running > 0.49 && snap->events[1].running < 0.51);
			assert_true(snap->events[0].count > 0.15 * 1005000 && snap->events[0].count < 0.35 * 1005000);
		}
		snapshot_destroy(snap);
	}
	assert_true(last == SECONDS * 1005000);
	session_destroy(s);
}

/* Where nothing tells the times, sums of periods are no counts. */
static void sums_of_periods_are_not_exact(void **state)
{
	(void)state;
	for (int with = 0; with < 3; with++) {
		struct made m;
		begin(&m, ALL_FIELDS, with == 2 ? ATTR_INHERIT_STAT : 0);
		if (with) /* of a thread, or of events whose READ records are of threads */
			put_readings(&m, SECOND, 0, with == 2 ? UINT32_MAX : 7);
		put_second(&m, SECOND);
		if (with)
			put_readings(&m, 2 * SECOND, 1, with == 2 ? UINT32_MAX : 7);
		struct session *s = open_stream(&m, 0);
		struct snapshot *snap = read_all(s);
		assert_true(snap->trust.mux_unknown && !snap->trust.explained_valid);
		assert_true(snap->events[0].count == SAMPLES * PERIOD && snap->events[0].summed);
		struct ratio r = ipc(snap);
		assert_true(r.valid && r.value == 1 && r.error > 0.2);
		snapshot_destroy(snap);
		session_destroy(s);
	}
}

/* Events of software never wait for a counter, and pinned ones do not run at all without. */
static void some_events_take_no_turns(void **state)
{
	(void)state;
	for (int pinned = 0; pinned < 2; pinned++) {
		struct made m;
		begin(&m, ALL_FIELDS, pinned ? ATTR_PINNED : 0);
		m.n = PD_PIPE_HEADER_SIZE;
		m.attr.type = pinned ? ABI_TYPE_HARDWARE : ABI_TYPE_SOFTWARE;
		made_attr(&m, 2, FIRST_ID);
		put_second(&m, SECOND);
		struct session *s = open_stream(&m, 0);
		struct snapshot *snap = read_all(s);
		assert_true(!snap->trust.mux_unknown && !snap->trust.explained_valid && snap->events[0].summed);
		snapshot_destroy(snap);
		session_destroy(s);
	}
}

/* In frequency mode a sample without a period stands for an unknown number of events. */
static void without_periods_there_is_no_ratio(void **state)
{
	(void)state;
	struct made m;
	begin(&m, ALL_FIELDS & ~SAMPLE_PERIOD, ATTR_FREQ);
	put_second(&m, SECOND);
	struct session *s = open_stream(&m, 0);
	assert_string_equal(session_info(s)->short_notice, "samples without periods");
	struct snapshot *snap = read_all(s);
	assert_int_equal(snap->events[0].state, COUNT_UNKNOWN);
	assert_false(ipc(snap).valid || row_ipc(snap).valid || snap->trust.explained_valid);
	assert_true(snap->pivots[BY_PID].rows[0].share_valid && snap->pivots[BY_PID].rows[0].share == 1);
	assert_int_equal(snap->pivots[BY_PID].rows[0].sums[0].samples, SAMPLES);
	snapshot_destroy(snap);
	session_destroy(s);
}

/* That of a clock follows from its frequency: perf counts such a sample as 1. */
static void the_period_of_a_clock_is_known(void **state)
{
	(void)state;
	for (int raw = 0; raw < 2; raw++) {
		struct made m;
		begin(&m, ALL_FIELDS & ~SAMPLE_PERIOD, ATTR_FREQ);
		m.n = PD_PIPE_HEADER_SIZE;
		m.attr.type = ABI_TYPE_SOFTWARE;
		made_attr(&m, 0, FIRST_ID);
		made_attr(&m, 2, SECOND_ID);
		put_second(&m, SECOND);
		struct session *s = open_stream(&m, 0);
		if (raw)
			session_raw_weights(s);
		struct snapshot *snap = read_all(s);
		assert_int_equal(snap->events[0].state, COUNT_OK);
		assert_true(snap->events[0].weight == SAMPLES * (raw ? 1.0 : SECOND / 500.0));
		snapshot_destroy(snap);
		session_destroy(s);
	}
}

/* THREAD_MAP says that the counters are those of CPUs; without it, each thread may have its own. */
static void the_target_says_whose_counters_they_are(void **state)
{
	(void)state;
	static const uint64_t all[4] = {1, UINT64_MAX}, some[4] = {1, 7};
	for (int map = 0; map < 3; map++) {
		struct made m;
		begin(&m, ALL_FIELDS, ATTR_FREQ);
		if (map)
			made_own(&m, PD_RECORD_THREAD_MAP, map == 1 ? all : some, sizeof(all));
		put_second(&m, SECOND);
		struct session *s = open_stream(&m, 0);
		assert_int_equal(session_info(s)->counters_of_tasks, map != 1);
		assert_int_equal(session_info(s)->periods, PERIODS_ELAPSED);
		session_destroy(s);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(multiplexing_is_read),
		cmocka_unit_test(times_without_counts_are_read),
		cmocka_unit_test(counts_grow_between_readings),
		cmocka_unit_test(sums_of_periods_are_not_exact),
		cmocka_unit_test(some_events_take_no_turns),
		cmocka_unit_test(without_periods_there_is_no_ratio),
		cmocka_unit_test(the_period_of_a_clock_is_known),
		cmocka_unit_test(the_target_says_whose_counters_they_are),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
