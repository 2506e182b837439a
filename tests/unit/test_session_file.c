/* Sessions of recordings: moving in time, and leader sampling. */
#include "session/flight.h"

#include "../lib/scratch.h"
#include "../lib/usual_pivots.h"

#include <cyctop/perfdata.h>
#include <cyctop/session.h>

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

static struct snapshot *look(struct session *s, enum window window)
{
	struct query q = {
		.window = window, .sliding_ns = 5000000000ull, .pivots = usual_pivots, .pivots_n = USUAL_PIVOTS};
	return session_snapshot(s, &q);
}

enum { FIELDS = SAMPLE_IDENTIFIER | SAMPLE_IP | SAMPLE_TID | SAMPLE_TIME | SAMPLE_CPU | SAMPLE_PERIOD };

/* Begins a recording in the pipe format, with one event. */
static FILE *begin_recording(const char *path, struct record_layout *layout)
{
	struct {
		struct record_header header;
		struct perf_attr attr;
		uint64_t id;
	} own = {.header = {.type = PD_RECORD_ATTR, .size = sizeof(own)}, .id = 11};
	own.attr = (struct perf_attr){
		.size = sizeof(own.attr), .sample_period = 500, .sample_type = FIELDS, .flags = ATTR_SAMPLE_ID_ALL};
	const uint64_t header[2] = {PD_MAGIC, PD_PIPE_HEADER_SIZE};
	assert_int_equal(record_layout_init(layout, &own.attr), 0);
	FILE *f = fopen(path, "w");
	assert_non_null(f);
	fwrite(header, sizeof(header), 1, f);
	fwrite(&own, sizeof(own), 1, f);
	return f;
}

/* Writes a recording in which process 7 maps a second file between two samples at each address. */
static void write_changing(const char *path)
{
	struct record_layout layout;
	FILE *f = begin_recording(path, &layout);
	for (int part = 0; part < 2; part++) {
		uint64_t t = 1000000000ull * (uint64_t)(part + 1);
		struct record rec[4] = {
			{.type = RECORD_COMM},
			{.type = RECORD_MMAP, .misc = MISC_USER},
			{.type = RECORD_SAMPLE, .misc = MISC_USER},
			{.type = RECORD_SAMPLE, .misc = MISC_USER},
		};
		rec[0].u.comm.pid = rec[0].u.comm.tid = 7;
		rec[0].u.comm.comm = part ? "second" : "first";
		rec[1].u.mmap.pid = rec[1].u.mmap.tid = 7;
		rec[1].u.mmap.start = part ? 0x3000 : 0x1000;
		rec[1].u.mmap.len = 0x1000;
		rec[1].u.mmap.filename = part ? "/nowhere/second" : "/nowhere/first";
		for (int i = 0; i < 4; i++) {
			uint8_t buf[512];
			rec[i].id = (struct sample_id){.has = FIELDS & ~(SAMPLE_IP | SAMPLE_PERIOD),
						       .pid = 7,
						       .tid = 7,
						       .time_ns = t + (uint64_t)i,
						       .id = 11};
			if (i >= 2)
				rec[i].u.sample.ip = i == 2 ? 0x1000 : 0x3000;
			if (i >= 2)
				rec[i].u.sample.period = 500;
			size_t n = record_encode(&layout, &rec[i], buf, sizeof(buf));
			assert_true(n > 0);
			fwrite(buf, n, 1, f);
		}
	}
	assert_int_equal(fclose(f), 0);
}

static uint64_t samples_in(struct session *s, const struct snapshot *snap, const char *dso, const char *comm)
{
	const struct catalog *cat = session_catalog(s);
	uint64_t n = 0;
	for (size_t i = 0; i < snap->pivots[BY_SYMBOL].n && dso; i++) {
		const struct row *row = &snap->pivots[BY_SYMBOL].rows[i];
		if (strcmp(cat->dsos[cat->syms[row->sym].dso].name, dso) == 0)
			n += row->sums[0].samples;
	}
	for (size_t i = 0; i < snap->pivots[BY_PID].n && comm; i++)
		if (strcmp(cat->tasks[snap->pivots[BY_PID].rows[i].task].comm, comm) == 0)
			n += snap->pivots[BY_PID].rows[i].sums[0].samples;
	return n;
}

static void rewinding_forgets_later_records(void **state)
{
	(void)state;
	char path[SCRATCH_PATH];
	close(scratch_file(path));
	write_changing(path);
	struct session *s = NULL;
	struct error err;
	const struct file_config config = {.path = path, .interval_ns = 10000000000ull};
	if (session_open_file(&config, &s, &err) < 0)
		fail_msg("%s", err.text);
	for (int round = 0; round < 3; round++) {
		session_tick(s);
		struct snapshot *snap = look(s, WINDOW_TOTAL);
		assert_int_equal(samples_in(s, snap, "first", NULL), 2);
		assert_int_equal(samples_in(s, snap, "second", NULL), 1);
		assert_int_equal(samples_in(s, snap, "[unknown]", NULL), 1);
		assert_int_equal(samples_in(s, snap, NULL, "second"), 4); /* one process, with its current name */
		snapshot_destroy(snap);
		assert_int_equal(session_source(s)->ops->playback->seek(session_source(s), 0), 1);
		session_rewound(s);
	}
	session_destroy(s);
	unlink(path);
}

/* Writes one sample every 100 ms for a minute; each second they are of another process. */
static void write_minute(const char *path)
{
	struct record_layout layout;
	FILE *f = begin_recording(path, &layout);
	for (uint64_t i = 0; i < 600; i++) {
		uint8_t buf[512];
		uint32_t pid = 100 + (uint32_t)(i / 10);
		struct record rec = {.type = RECORD_SAMPLE, .misc = MISC_USER};
		rec.id = (struct sample_id){.has = FIELDS & ~(SAMPLE_IP | SAMPLE_PERIOD),
					    .pid = pid,
					    .tid = pid,
					    .time_ns = 1000000000 + i * 100000000,
					    .id = 11};
		rec.u.sample.ip = 0x1000;
		rec.u.sample.period = 500;
		size_t n = record_encode(&layout, &rec, buf, sizeof(buf));
		assert_true(n > 0);
		fwrite(buf, n, 1, f);
	}
	assert_int_equal(fclose(f), 0);
}

/* Checks that the sliding window has the processes of the seconds [from, to). */
static void assert_seconds(struct session *s, uint64_t from, uint64_t to)
{
	struct snapshot *snap = look(s, WINDOW_SLIDING);
	const struct pivot *pids = &snap->pivots[BY_PID];
	if (pids->n != to - from)
		fail_msg("%zu processes in the window [%d, %d)", pids->n, (int)from, (int)to);
	for (size_t i = 0; i < pids->n; i++) {
		uint32_t pid = session_catalog(s)->tasks[pids->rows[i].task].pid;
		assert_in_range(pid, 100 + from, 100 + to - 1);
		assert_int_equal(pids->rows[i].sums[0].samples, 10);
	}
	assert_true(snap->end_ns - snap->start_ns == (to - from) * 1000000000);
	snapshot_destroy(snap);
	snap = look(s, WINDOW_TOTAL);
	assert_int_equal(snap->trust.samples, to * 10);
	snapshot_destroy(snap);
}

/* After a seek, the sliding window shows only the time around the new position and nothing in
 * between; the total contains everything.  The same is true while paused. */
static void a_moment_of_a_recording_is_shown_alone(void **state)
{
	(void)state;
	char path[SCRATCH_PATH];
	close(scratch_file(path));
	write_minute(path);
	for (int paused = 0; paused < 2; paused++) {
		enum { SECOND = 1000000000 };
		struct session *s = NULL;
		struct error err;
		const struct file_config config = {.path = path,
						   .speed = 1e-9}; /* a speed at which practically no time passes */
		if (session_open_file(&config, &s, &err) < 0)
			fail_msg("%s", err.text);
		session_source(s)->ops->playback->pause(session_source(s), paused);
		/* A small seek forward becomes an interval, so that the window may be half an
		 * interval shorter or longer. */
		static const struct {
			uint64_t to, from;
		} moments[] = {{30, 25}, {33, 30}, {50, 45}, {10, 5}, {12, 5}, {2, 0}, {59, 54}, {0, 0}, {20, 15}};
		for (size_t i = 0; i < ARRAY_LEN(moments); i++) {
			assert_int_equal(session_seek(s, moments[i].to * SECOND, (uint64_t)5 * SECOND), 0);
			assert_seconds(s, moments[i].from, moments[i].to);
		}
		assert_int_equal(session_seek(s, UINT64_MAX, UINT64_MAX), 0);
		assert_true(session_finished(s));
		struct snapshot *snap = look(s, WINDOW_TOTAL);
		assert_int_equal(snap->trust.samples, 600);
		snapshot_destroy(snap);
		session_destroy(s);
	}
	unlink(path);
}

/* A recording with leader sampling of two events, in the pipe format. */
struct led {
	FILE *file;
	struct record_layout layout;
	uint64_t time_ns;
};
#define LED_FIELDS (SAMPLE_IDENTIFIER | SAMPLE_IP | SAMPLE_TID | SAMPLE_TIME | SAMPLE_READ)

static void begin_led(struct led *l, const char *path, uint64_t flags)
{
	const uint64_t header[2] = {PD_MAGIC, PD_PIPE_HEADER_SIZE};
	l->file = fopen(path, "w");
	assert_non_null(l->file);
	fwrite(header, sizeof(header), 1, l->file);
	for (uint64_t e = 0; e < 2; e++) {
		struct {
			struct record_header h;
			struct perf_attr attr;
			uint64_t id;
		} own = {
			.h = {.type = PD_RECORD_ATTR, .size = sizeof(own)},
			.attr = {.size = sizeof(own.attr),
				 .config = e,
				 .sample_type = LED_FIELDS,
				 .read_format = READ_GROUP | READ_ID,
				 .flags = ATTR_SAMPLE_ID_ALL | flags},
			.id = 11 + e,
		};
		assert_int_equal(record_layout_init(&l->layout, &own.attr), 0);
		fwrite(&own, sizeof(own), 1, l->file);
	}
}

static void put_led(struct led *l, uint32_t tid, uint64_t first, uint64_t second)
{
	const uint64_t values[] = {first, 11, second, 12};
	struct record rec = {.type = RECORD_SAMPLE, .misc = MISC_USER};
	uint8_t buf[512];
	l->time_ns += 1000;
	rec.id = (struct sample_id){.has = SAMPLE_IDENTIFIER | SAMPLE_TID | SAMPLE_TIME,
				    .pid = 7,
				    .tid = tid,
				    .time_ns = l->time_ns,
				    .id = 11};
	rec.u.sample.ip = 0x1000;
	rec.u.sample.read = (struct record_read){.nr = 2, .values = values, .format = READ_GROUP | READ_ID};
	size_t n = record_encode(&l->layout, &rec, buf, sizeof(buf));
	assert_true(n > 0);
	fwrite(buf, n, 1, l->file);
}

/* The weights of the two events in both threads of the process, and the numbers of samples. */
static void led_sums(const char *path, bool raw, double weight[2], uint64_t samples[2])
{
	struct session *s = NULL;
	struct error err;
	const struct file_config config = {.path = path};
	if (session_open_file(&config, &s, &err) < 0)
		fail_msg("%s", err.text);
	assert_true(session_info(s)->events[0].leader_sampled);
	assert_string_equal(session_info(s)->short_notice, "ratios of surroundings");
	if (raw)
		session_raw_weights(s);
	session_tick(s);
	struct snapshot *snap = look(s, WINDOW_TOTAL);
	assert_int_equal(snap->pivots[BY_PID].n, 1);
	for (int e = 0; e < 2; e++) {
		weight[e] = snap->pivots[BY_PID].rows[0].sums[e].weight;
		samples[e] = snap->pivots[BY_PID].rows[0].sums[e].samples;
	}
	snapshot_destroy(snap);
	session_destroy(s);
}

/* Two threads of a group of inherited events.  From Linux 6.12 on, the values in a sample are
 * those of its thread; before that, and without inheritance, they are those of the event. */
static void a_group_read_is_of_its_thread_where_events_are_inherited(void **state)
{
	(void)state;
	static const struct {
		uint64_t flags;
		bool raw;
		double first, second;
		uint64_t first_n, second_n;
	} rows[] = {
		{ATTR_INHERIT, false, 100 + 50, 20 + 6, 2, 2}, /* first values are a start */
		{ATTR_INHERIT, true, 1100 + 250, 70 + 9, 4, 4},
		{0, false, 200 + 900 + 250, 3 + 67 + 9, 3, 3},
		{0, true, 1000 + 200 + 900 + 250, 50 + 3 + 67 + 9, 4, 4},
	};
	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		char path[SCRATCH_PATH];
		struct led l = {.time_ns = 1000000000};
		double weight[2];
		uint64_t samples[2];
		close(scratch_file(path));
		begin_led(&l, path, rows[i].flags);
		put_led(&l, 7, 1000, 50);
		put_led(&l, 8, 200, 3); /* for a single count, a smaller value means that the event was opened again */
		put_led(&l, 7, 1100, 70);
		put_led(&l, 8, 250, 9);
		assert_int_equal(fclose(l.file), 0);
		led_sums(path, rows[i].raw, weight, samples);
		unlink(path);
		assert_int_equal(weight[0], rows[i].first);
		assert_int_equal(weight[1], rows[i].second);
		assert_int_equal(samples[0], rows[i].first_n);
		assert_int_equal(samples[1], rows[i].second_n);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(rewinding_forgets_later_records),
		cmocka_unit_test(a_moment_of_a_recording_is_shown_alone),
		cmocka_unit_test(a_group_read_is_of_its_thread_where_events_are_inherited),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
