/* Recordings made here, byte by byte, read as files and as pipes: order across rounds and
 * rings, events, periods, time, and what is damaged. */
#include "source/file/file.h"

#include <errno.h>
#include <poll.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

enum { FIRST_ID = 11, SECOND_ID = 22, DATA_MAX = 65536 };

struct made {
	uint8_t bytes[DATA_MAX];
	size_t n;
	struct record_layout layout;
	struct perf_attr attr;
};

static void put(struct made *m, const void *data, size_t n)
{
	assert_true(m->n + n <= DATA_MAX);
	if (n)
		memcpy(m->bytes + m->n, data, n);
	m->n += n;
}

static void put_own(struct made *m, uint32_t type, const void *data, size_t n)
{
	struct record_header h = {.type = type, .size = (uint16_t)(sizeof(h) + n)};
	put(m, &h, sizeof(h));
	put(m, data, n);
}

static void put_round(struct made *m)
{
	put_own(m, PD_RECORD_FINISHED_ROUND, NULL, 0);
}

static void put_record(struct made *m, const struct record *rec)
{
	uint8_t buf[512];
	size_t n = record_encode(&m->layout, rec, buf, sizeof(buf));
	assert_true(n > 0);
	put(m, buf, n);
}

static void put_sample(struct made *m, uint64_t time_ns, uint64_t id, uint32_t cpu, uint64_t period)
{
	struct record rec = {.type = RECORD_SAMPLE, .misc = MISC_USER};
	rec.id.has = SAMPLE_TID | SAMPLE_TIME | SAMPLE_CPU | SAMPLE_IDENTIFIER;
	rec.id.pid = rec.id.tid = 7;
	rec.id.time_ns = time_ns;
	rec.id.id = id;
	rec.id.cpu = cpu;
	rec.u.sample.ip = 0x1000;
	rec.u.sample.period = period;
	put_record(m, &rec);
}

static void put_comm(struct made *m, uint64_t time_ns, const char *comm)
{
	struct record rec = {.type = RECORD_COMM};
	rec.id.has = SAMPLE_TID | SAMPLE_TIME | SAMPLE_CPU | SAMPLE_IDENTIFIER;
	rec.id.time_ns = time_ns;
	rec.id.id = FIRST_ID;
	rec.u.comm.pid = rec.u.comm.tid = 7;
	rec.u.comm.comm = comm;
	put_record(m, &rec);
}

static void put_attr(struct made *m, uint64_t config, uint64_t id)
{
	uint8_t payload[sizeof(struct perf_attr) + 8];
	struct perf_attr attr = m->attr;
	attr.config = config;
	memcpy(payload, &attr, sizeof(attr));
	memcpy(payload + sizeof(attr), &id, sizeof(id));
	put_own(m, PD_RECORD_ATTR, payload, sizeof(payload));
}

/* A pipe's beginning: cycles and instructions. */
static void begin_pipe(struct made *m, uint64_t sample_type)
{
	*m = (struct made){0};
	m->attr = (struct perf_attr){
		.size = sizeof(m->attr),
		.sample_period = 500,
		.sample_type = sample_type,
		.flags = ATTR_SAMPLE_ID_ALL,
	};
	assert_int_equal(record_layout_init(&m->layout, &m->attr), 0);
	const uint64_t header[2] = {PD_MAGIC, PD_PIPE_HEADER_SIZE};
	put(m, header, sizeof(header));
	put_attr(m, 0, FIRST_ID);
	put_attr(m, 1, SECOND_ID);
}

#define ALL_FIELDS (SAMPLE_IDENTIFIER | SAMPLE_IP | SAMPLE_TID | SAMPLE_TIME | SAMPLE_CPU | SAMPLE_PERIOD)

/* ---- reading ------------------------------------------------------------------------ */

struct seen {
	struct source *source;
	char order[256]; /* a letter a record: of a comm its own, s for a sample */
	uint64_t samples[2], periods[2], unknown, ticks;
};

static void take(void *ctx, const struct lane *lane, const uint8_t *bytes, size_t size)
{
	struct seen *seen = ctx;
	const struct source_ops *ops = seen->source->ops;
	struct record rec;
	uint32_t event, cpu;
	(void)lane;
	assert_int_equal(record_decode(ops->info(seen->source)->layout, bytes, size, &rec), 0);
	size_t n = strlen(seen->order);
	assert_true(n + 1 < sizeof(seen->order));
	seen->order[n] = rec.type == RECORD_COMM ? rec.u.comm.comm[0] : 's';
	if (rec.type != RECORD_SAMPLE)
		return;
	if (!ops->identify(seen->source, rec.id.id, &event, &cpu)) {
		seen->unknown++;
		return;
	}
	assert_true(event < 2);
	seen->samples[event]++;
	bool own = ops->info(seen->source)->layout->period != LAYOUT_ABSENT;
	seen->periods[event] += own ? rec.u.sample.period : ops->period(seen->source, rec.id.id);
}

static void drain(struct seen *seen)
{
	const struct source_ops *ops = seen->source->ops;
	struct merger *merger = merger_create();
	struct merge_stats stats = {0};
	do {
		struct lane *lanes;
		size_t n = ops->begin(seen->source, &lanes);
		merger_run(merger, ops->info(seen->source)->layout, lanes, n, ops->horizon(seen->source), merge_singly,
			   &(struct merge_singly){ops->info(seen->source)->layout, take, seen}, &stats);
		ops->end(seen->source);
	} while (ops->more(seen->source));
	merger_destroy(merger);
}

static void tick(struct seen *seen)
{
	seen->source->ops->advance(seen->source);
	drain(seen);
	seen->source->ops->maintain(seen->source);
	seen->ticks++;
}

static void open_made(const struct made *m, uint64_t interval_ns, bool seekable, struct seen *seen)
{
	struct file_config config = {.path = "made", .interval_ns = interval_ns};
	struct bytes bytes = bytes_of_memory(m->bytes, m->n, seekable);
	struct error err;
	*seen = (struct seen){0};
	if (file_open_bytes(&config, &bytes, &seen->source, &err) < 0)
		fail_msg("%s", err.text);
}

static void read_made(const struct made *m, uint64_t interval_ns, struct seen *seen)
{
	open_made(m, interval_ns, false, seen);
	while (!seen->source->ops->finished(seen->source))
		tick(seen);
}

static void close_made(struct seen *seen)
{
	seen->source->ops->close(seen->source);
}

/* ---- tests -------------------------------------------------------------------------- */

static void rings_and_rounds_are_put_in_order(void **state)
{
	(void)state;
	struct made m;
	struct seen seen;
	begin_pipe(&m, ALL_FIELDS);
	put_comm(&m, 100, "a"); /* one ring */
	put_sample(&m, 300, FIRST_ID, 0, 10);
	put_sample(&m, 500, FIRST_ID, 0, 10);
	put_comm(&m, 200, "b"); /* the other one */
	put_sample(&m, 400, SECOND_ID, 1, 7);
	put_round(&m);
	put_comm(&m, 450, "c"); /* older than what the round before had */
	put_sample(&m, 600, FIRST_ID, 0, 10);
	put_round(&m);
	read_made(&m, 0, &seen);
	assert_string_equal(seen.order, "absscss");
	close_made(&seen);
}

static void events_and_periods_are_told_by_id(void **state)
{
	(void)state;
	struct made m;
	struct seen seen;
	begin_pipe(&m, ALL_FIELDS);
	put_sample(&m, 1000, FIRST_ID, 0, 3);
	put_sample(&m, 1001, SECOND_ID, 3, 40);
	put_sample(&m, 1002, SECOND_ID, 0, 50);
	put_sample(&m, 1003, 99, 0, 60);
	read_made(&m, 0, &seen);
	assert_int_equal(seen.samples[0], 1);
	assert_int_equal(seen.samples[1], 2);
	assert_int_equal(seen.periods[0], 3);
	assert_int_equal(seen.periods[1], 90);
	assert_int_equal(seen.unknown, 1);
	const struct source_info *info = seen.source->ops->info(seen.source);
	assert_int_equal(info->events_n, 2);
	assert_int_equal(info->events[0].spec.role, ROLE_CYCLES);
	assert_int_equal(info->events[1].spec.role, ROLE_INSTRUCTIONS);
	assert_int_equal(info->cpus_n, 4);
	assert_non_null(strstr(info->notice, "1 sample has an id that no event has"));
	close_made(&seen);
}

static void the_attr_gives_the_period_that_samples_lack(void **state)
{
	(void)state;
	struct made m;
	struct seen seen;
	begin_pipe(&m, ALL_FIELDS & ~(uint64_t)SAMPLE_PERIOD);
	put_sample(&m, 1000, FIRST_ID, 0, 0);
	put_sample(&m, 1001, FIRST_ID, 0, 0);
	read_made(&m, 0, &seen);
	assert_int_equal(seen.periods[0], 1000);
	close_made(&seen);
}

static void time_moves_by_intervals_and_over_gaps(void **state)
{
	(void)state;
	struct made m;
	struct seen seen;
	begin_pipe(&m, ALL_FIELDS);
	put_sample(&m, 1000, FIRST_ID, 0, 1);
	put_sample(&m, 1099, FIRST_ID, 0, 1);
	put_sample(&m, 1100, FIRST_ID, 0, 1);
	put_sample(&m, 900000000000, FIRST_ID, 0, 1);
	open_made(&m, 100, false, &seen);
	assert_int_equal(seen.source->ops->now_ns(seen.source), 1000);
	tick(&seen);
	assert_int_equal(seen.samples[0], 2);
	assert_int_equal(seen.source->ops->now_ns(seen.source), 1100);
	tick(&seen);
	assert_int_equal(seen.samples[0], 3);
	tick(&seen);
	assert_int_equal(seen.samples[0], 4);
	assert_true(seen.source->ops->finished(seen.source));
	close_made(&seen);
}

static void a_recording_can_be_wound_back_but_no_pipe(void **state)
{
	(void)state;
	struct made m;
	struct seen seen;
	begin_pipe(&m, ALL_FIELDS);
	for (uint64_t i = 0; i < 10; i++)
		put_sample(&m, 1000 + i * 100, FIRST_ID, 0, 1);
	open_made(&m, 500, true, &seen);
	tick(&seen);
	assert_int_equal(seen.samples[0], 5);
	assert_int_equal(file_seek(seen.source, 0), 1);
	tick(&seen);
	assert_int_equal(seen.samples[0], 10);
	assert_int_equal(file_seek(seen.source, 900), 0);
	tick(&seen);
	assert_int_equal(seen.samples[0], 15);
	close_made(&seen);
	open_made(&m, 500, false, &seen);
	tick(&seen);
	assert_int_equal(file_seek(seen.source, 0), -ESPIPE);
	close_made(&seen);
}

static void what_is_cut_off_is_read_to_its_last_whole_record(void **state)
{
	(void)state;
	struct made m;
	struct seen seen;
	begin_pipe(&m, ALL_FIELDS);
	put_sample(&m, 1000, FIRST_ID, 0, 1);
	put_sample(&m, 1001, FIRST_ID, 0, 1);
	m.n -= 8;
	read_made(&m, 0, &seen);
	struct file_stats stats;
	file_stats_get(seen.source, &stats);
	assert_int_equal(seen.samples[0], 1);
	assert_true(stats.truncated);
	assert_int_equal(stats.samples, 1);
	assert_non_null(strstr(seen.source->ops->info(seen.source)->notice, "in the middle of a record"));
	close_made(&seen);
}

static void a_record_without_size_ends_it(void **state)
{
	(void)state;
	struct made m;
	struct seen seen;
	const struct record_header none = {.type = RECORD_SAMPLE};
	begin_pipe(&m, ALL_FIELDS);
	put_sample(&m, 1000, FIRST_ID, 0, 1);
	put(&m, &none, sizeof(none));
	put_sample(&m, 1001, FIRST_ID, 0, 1);
	read_made(&m, 0, &seen);
	assert_int_equal(seen.samples[0], 1);
	assert_non_null(strstr(seen.source->ops->info(seen.source)->notice, "has no size"));
	close_made(&seen);
}

static void payloads_outside_records_are_gone_over(void **state)
{
	(void)state;
	struct made m;
	struct seen seen;
	begin_pipe(&m, ALL_FIELDS);
	put_sample(&m, 1000, FIRST_ID, 0, 1);
	uint64_t auxtrace[5] = {256};
	put_own(&m, PD_RECORD_AUXTRACE, auxtrace, sizeof(auxtrace));
	static const uint8_t payload[256] = {0xff};
	put(&m, payload, sizeof(payload));
	put_sample(&m, 1001, FIRST_ID, 0, 1);
	for (int seekable = 0; seekable < 2; seekable++) {
		open_made(&m, 0, seekable, &seen);
		tick(&seen);
		assert_int_equal(seen.samples[0], 2);
		close_made(&seen);
	}
}

static void what_is_no_recording_is_refused(void **state)
{
	(void)state;
	static const char *const texts[] = {"", "PERFILE2", "something else, long enough to be looked at"};
	for (size_t i = 0; i < ARRAY_LEN(texts); i++) {
		struct file_config config = {.path = "made"};
		struct bytes bytes = bytes_of_memory(texts[i], strlen(texts[i]), true);
		struct source *source;
		struct error err = {0};
		assert_true(file_open_bytes(&config, &bytes, &source, &err) < 0);
		assert_int_equal(strncmp(err.text, "made: ", 6), 0);
	}
}

/* A pipe that fills while it is played: it is drained between the ticks, as long as its time
 * has come and no longer. */
static void a_pipe_wakes_who_plays_it(void **state)
{
	(void)state;
	struct made m;
	struct seen seen = {0};
	char path[32];
	int ends[2];
	begin_pipe(&m, ALL_FIELDS);
	put_sample(&m, 1000, FIRST_ID, 0, 1);
	assert_int_equal(pipe(ends), 0);
	assert_int_equal(write(ends[1], m.bytes, m.n), m.n);
	snprintf(path, sizeof(path), "/proc/self/fd/%d", ends[0]);
	const struct file_config config = {.path = path, .speed = 1};
	struct error err;
	if (file_open(&config, &seen.source, &err) < 0) /* with a sample and no round: it does not wait for more */
		fail_msg("%s", err.text);
	const struct source_ops *ops = seen.source->ops;
	assert_int_equal(file_seek(seen.source, 1000000), 0);
	assert_true(file_behind(seen.source));
	drain(&seen);
	struct pollfd fd = {.fd = ops->wake_fd(seen.source), .events = POLLIN};
	assert_true(fd.fd >= 0);
	assert_int_equal(poll(&fd, 1, 0), 0);
	m.n = 0;
	for (uint64_t i = 1; i <= 200; i++)
		put_sample(&m, 1000 + i, FIRST_ID, 0, 1);
	put_round(&m);
	put_sample(&m, 900000000000, FIRST_ID, 0, 1);
	put_round(&m);
	assert_int_equal(write(ends[1], m.bytes, m.n), m.n);
	assert_int_equal(poll(&fd, 1, 0), 1);
	drain(&seen); /* no tick */
	assert_int_equal(poll(&fd, 1, 0), 0);
	m.n = 0;
	put_round(&m);
	assert_int_equal(write(ends[1], m.bytes, m.n), m.n);
	assert_int_equal(ops->wake_fd(seen.source), fd.fd);
	file_pause(seen.source, true);
	assert_int_equal(ops->wake_fd(seen.source), -1);
	file_pause(seen.source, false);
	drain(&seen);
	assert_int_equal(seen.samples[0], 201); /* the last one's time is far away ... */
	assert_false(file_behind(seen.source));
	assert_int_equal(ops->wake_fd(seen.source), -1); /* ... and until then nothing more is wanted */
	assert_int_equal(file_seek(seen.source, 1000000000000), 0);
	uint64_t now_ns = ops->now_ns(seen.source);
	assert_true(now_ns > 1000000000000);
	close(ends[1]);
	assert_int_equal(ops->wake_fd(seen.source), fd.fd);
	drain(&seen);
	assert_true(ops->finished(seen.source));
	assert_true(ops->now_ns(seen.source) >= now_ns); /* though the last record was earlier */
	assert_int_equal(ops->wake_fd(seen.source), -1);
	assert_int_equal(seen.samples[0], 202);
	close_made(&seen);
	close(ends[0]);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(rings_and_rounds_are_put_in_order),
		cmocka_unit_test(events_and_periods_are_told_by_id),
		cmocka_unit_test(the_attr_gives_the_period_that_samples_lack),
		cmocka_unit_test(time_moves_by_intervals_and_over_gaps),
		cmocka_unit_test(a_recording_can_be_wound_back_but_no_pipe),
		cmocka_unit_test(a_pipe_wakes_who_plays_it),
		cmocka_unit_test(what_is_cut_off_is_read_to_its_last_whole_record),
		cmocka_unit_test(a_record_without_size_ends_it),
		cmocka_unit_test(payloads_outside_records_are_gone_over),
		cmocka_unit_test(what_is_no_recording_is_refused),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
