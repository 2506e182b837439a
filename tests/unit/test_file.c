/* Recordings made byte by byte, read as files and as pipes: order across rounds and rings, events,
 * periods, time, and damage. */
#include "../lib/file_made.h"
#include "../lib/memory_bytes.h"

#include <errno.h>
#include <poll.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

/* ---- tests -------------------------------------------------------------------------- */

static void rings_and_rounds_are_put_in_order(void **state)
{
	(void)state;
	struct made m;
	struct seen seen;
	begin_pipe(&m, ALL_FIELDS);
	made_comm(&m, 100, "a"); /* one ring */
	made_sample(&m, 300, FIRST_ID, 0, 10);
	made_sample(&m, 500, FIRST_ID, 0, 10);
	made_comm(&m, 200, "b"); /* the other one */
	made_sample(&m, 400, SECOND_ID, 1, 7);
	made_round(&m);
	made_comm(&m, 450, "c"); /* older than the last sample of the previous round */
	made_sample(&m, 600, FIRST_ID, 0, 10);
	made_round(&m);
	read_made(&m, 0, &seen);
	assert_string_equal(seen.order, "absscss");
	close_made(&seen);
}

static void ids_give_events_and_periods(void **state)
{
	(void)state;
	struct made m;
	struct seen seen;
	begin_pipe(&m, ALL_FIELDS);
	made_sample(&m, 1000, FIRST_ID, 0, 3);
	made_sample(&m, 1001, SECOND_ID, 3, 40);
	made_sample(&m, 1002, SECOND_ID, 0, 50);
	made_sample(&m, 1003, 99, 0, 60);
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
	made_sample(&m, 1000, FIRST_ID, 0, 0);
	made_sample(&m, 1001, FIRST_ID, 0, 0);
	read_made(&m, 0, &seen);
	assert_int_equal(seen.periods[0], 1000);
	close_made(&seen);
}

static void time_advances_by_intervals_and_past_gaps(void **state)
{
	(void)state;
	struct made m;
	struct seen seen;
	begin_pipe(&m, ALL_FIELDS);
	made_sample(&m, 1000, FIRST_ID, 0, 1);
	made_sample(&m, 1099, FIRST_ID, 0, 1);
	made_sample(&m, 1100, FIRST_ID, 0, 1);
	made_sample(&m, 900000000000, FIRST_ID, 0, 1);
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

static void a_file_can_be_rewound_but_not_a_pipe(void **state)
{
	(void)state;
	struct made m;
	struct seen seen;
	begin_pipe(&m, ALL_FIELDS);
	for (uint64_t i = 0; i < 10; i++)
		made_sample(&m, 1000 + i * 100, FIRST_ID, 0, 1);
	open_made(&m, 500, true, &seen);
	tick(&seen);
	assert_int_equal(seen.samples[0], 5);
	assert_int_equal(seen.source->ops->playback->seek(seen.source, 0), 1);
	tick(&seen);
	assert_int_equal(seen.samples[0], 10);
	assert_int_equal(seen.source->ops->playback->seek(seen.source, 900), 0);
	tick(&seen);
	assert_int_equal(seen.samples[0], 15);
	close_made(&seen);
	open_made(&m, 500, false, &seen);
	tick(&seen);
	assert_int_equal(seen.source->ops->playback->seek(seen.source, 0), -ESPIPE);
	close_made(&seen);
}

static void a_file_that_is_cut_off_is_read_to_its_last_whole_record(void **state)
{
	(void)state;
	struct made m;
	struct seen seen;
	begin_pipe(&m, ALL_FIELDS);
	made_sample(&m, 1000, FIRST_ID, 0, 1);
	made_sample(&m, 1001, FIRST_ID, 0, 1);
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

static void a_record_without_size_ends_the_reading(void **state)
{
	(void)state;
	struct made m;
	struct seen seen;
	const struct record_header none = {.type = RECORD_SAMPLE};
	begin_pipe(&m, ALL_FIELDS);
	made_sample(&m, 1000, FIRST_ID, 0, 1);
	made_bytes(&m, &none, sizeof(none));
	made_sample(&m, 1001, FIRST_ID, 0, 1);
	read_made(&m, 0, &seen);
	assert_int_equal(seen.samples[0], 1);
	assert_non_null(strstr(seen.source->ops->info(seen.source)->notice, "has no size"));
	close_made(&seen);
}

/* The file system lost the end of the file: what there is of the last record is followed by zeros, which make its
 * time an earlier one, or its period 0.  `lost`: bytes of it that are zeros. */
static void zeros_from_inside_a_record_on_end_the_reading(void **state)
{
	(void)state;
	static const uint8_t zeros[512];
	const uint64_t hour_ns = 3600000000000;
	size_t size = 0;
	for (size_t lost = 1; lost == 1 || lost < size; lost += 3)
		for (int kind = 0; kind < 4; kind++) {
			bool seekable = kind & 1, sample = kind & 2;
			struct made m;
			struct seen seen;
			struct file_stats stats;
			begin_pipe(&m, ALL_FIELDS);
			for (uint64_t i = 0; i < 5; i++)
				made_sample(&m, hour_ns + i, FIRST_ID, 0, 1);
			size_t before = m.n;
			if (sample)
				made_sample(&m, hour_ns + 5, FIRST_ID, 0, 1);
			else
				made_comm(&m, hour_ns + 5, "z");
			size = m.n - before - sizeof(struct record_header);
			m.n -= lost;
			made_bytes(&m, zeros, lost);
			made_bytes(&m, zeros, sizeof(zeros));
			open_made(&m, 0, seekable, &seen);
			tick(&seen);
			file_stats_get(seen.source, &stats);
			assert_string_equal(seen.order, "sssss");
			assert_true(stats.first_ns == hour_ns && stats.last_ns == hour_ns + 4);
			assert_int_equal(stats.damaged, 1);
			assert_non_null(strstr(seen.source->ops->info(seen.source)->notice, "1 record is damaged"));
			close_made(&seen);
		}
}

/* Zeros in a payload are no sign of damage. */
static void zeros_in_a_payload_harm_no_record(void **state)
{
	(void)state;
	static const uint8_t zeros[256];
	struct made m;
	struct seen seen;
	uint64_t auxtrace[5] = {sizeof(zeros)};
	begin_pipe(&m, ALL_FIELDS);
	made_sample(&m, 1000, FIRST_ID, 0, 1);
	made_own(&m, PD_RECORD_AUXTRACE, auxtrace, sizeof(auxtrace));
	made_bytes(&m, zeros, sizeof(zeros));
	made_sample(&m, 1001, FIRST_ID, 0, 1);
	read_made(&m, 0, &seen);
	assert_string_equal(seen.order, "ss");
	close_made(&seen);
}

static void payloads_outside_records_are_skipped(void **state)
{
	(void)state;
	struct made m;
	struct seen seen;
	begin_pipe(&m, ALL_FIELDS);
	made_sample(&m, 1000, FIRST_ID, 0, 1);
	uint64_t auxtrace[5] = {256};
	made_own(&m, PD_RECORD_AUXTRACE, auxtrace, sizeof(auxtrace));
	static const uint8_t payload[256] = {0xff};
	made_bytes(&m, payload, sizeof(payload));
	made_sample(&m, 1001, FIRST_ID, 0, 1);
	for (int seekable = 0; seekable < 2; seekable++) {
		open_made(&m, 0, seekable, &seen);
		tick(&seen);
		assert_int_equal(seen.samples[0], 2);
		close_made(&seen);
	}
}

static void other_files_are_refused(void **state)
{
	(void)state;
	static const char *const texts[] = {"",
					    "PERFILE2",
					    "perf 4242 [001] 77.123456:  1001001 cpu-clock: ",
					    "\x1f\x8b\x08 and so on, 16 bytes",
					    "\x28\xb5\x2f\xfd and so on, 16 bytes",
					    "\xfd"
					    "7zXZ and so on, 16 bytes",
					    "BZh91AY&SY\x01\x02\x03\x04\x05\x06",
					    "\x7f"
					    "ELF and so on, 16 bytes"};
	static const char *const says[] = {"too short",	  "too short",	  "is text",	     "with gunzip -k",
					   "with unzstd", "with unxz -k", "with bunzip2 -k", "not a perf.data file"};
	for (size_t i = 0; i < ARRAY_LEN(texts); i++) {
		struct file_config config = {.path = "made"};
		struct bytes bytes = bytes_of_memory(texts[i], strlen(texts[i]), true);
		struct source *source;
		struct error err = {0};
		assert_true(file_open_bytes(&config, &bytes, &source, &err) < 0);
		assert_int_equal(strncmp(err.text, "made: ", 6), 0);
		assert_non_null(strstr(err.text, says[i]));
	}
}

/* During playback, a pipe that fills up wakes its reader between ticks, until it has all
 * records of the current playback time. */
static void a_pipe_wakes_its_reader(void **state)
{
	(void)state;
	struct made m;
	struct seen seen = {0};
	char path[32];
	int ends[2];
	begin_pipe(&m, ALL_FIELDS);
	made_sample(&m, 1000, FIRST_ID, 0, 1);
	assert_int_equal(pipe(ends), 0);
	assert_int_equal(write(ends[1], m.bytes, m.n), m.n);
	snprintf(path, sizeof(path), "/proc/self/fd/%d", ends[0]);
	const struct file_config config = {.path = path, .speed = 1};
	struct error err;
	/* opening needs only the first sample, although its round is not complete */
	if (file_open(&config, &seen.source, &err) < 0)
		fail_msg("%s", err.text);
	const struct source_ops *ops = seen.source->ops;
	assert_int_equal(seen.source->ops->playback->seek(seen.source, 1000000), 0);
	assert_true(seen.source->ops->playback->behind(seen.source));
	drain(&seen);
	struct pollfd fd = {.fd = ops->wake_fd(seen.source), .events = POLLIN};
	assert_true(fd.fd >= 0);
	assert_int_equal(poll(&fd, 1, 0), 0);
	m.n = 0;
	for (uint64_t i = 1; i <= 200; i++)
		made_sample(&m, 1000 + i, FIRST_ID, 0, 1);
	made_round(&m);
	made_sample(&m, 900000000000, FIRST_ID, 0, 1);
	made_round(&m);
	assert_int_equal(write(ends[1], m.bytes, m.n), m.n);
	assert_int_equal(poll(&fd, 1, 0), 1);
	drain(&seen); /* drain without a tick */
	assert_int_equal(poll(&fd, 1, 0), 0);
	m.n = 0;
	made_round(&m);
	assert_int_equal(write(ends[1], m.bytes, m.n), m.n);
	assert_int_equal(ops->wake_fd(seen.source), fd.fd);
	seen.source->ops->playback->pause(seen.source, true);
	assert_int_equal(ops->wake_fd(seen.source), -1);
	seen.source->ops->playback->pause(seen.source, false);
	drain(&seen);
	assert_int_equal(seen.samples[0], 201); /* all but the last, whose time is far in the future ... */
	assert_false(seen.source->ops->playback->behind(seen.source));
	assert_int_equal(ops->wake_fd(seen.source), -1); /* ... so reading waits until that time comes */
	assert_int_equal(seen.source->ops->playback->seek(seen.source, 1000000000000), 0);
	uint64_t now_ns = ops->now_ns(seen.source);
	assert_true(now_ns > 1000000000000);
	close(ends[1]);
	assert_int_equal(ops->wake_fd(seen.source), fd.fd);
	drain(&seen);
	assert_true(ops->finished(seen.source));
	assert_true(ops->now_ns(seen.source) >= now_ns); /* time never goes back, although the last record is earlier */
	assert_int_equal(ops->wake_fd(seen.source), -1);
	assert_int_equal(seen.samples[0], 202);
	close_made(&seen);
	close(ends[0]);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(rings_and_rounds_are_put_in_order),
		cmocka_unit_test(ids_give_events_and_periods),
		cmocka_unit_test(the_attr_gives_the_period_that_samples_lack),
		cmocka_unit_test(time_advances_by_intervals_and_past_gaps),
		cmocka_unit_test(a_file_can_be_rewound_but_not_a_pipe),
		cmocka_unit_test(a_pipe_wakes_its_reader),
		cmocka_unit_test(a_file_that_is_cut_off_is_read_to_its_last_whole_record),
		cmocka_unit_test(a_record_without_size_ends_the_reading),
		cmocka_unit_test(zeros_from_inside_a_record_on_end_the_reading),
		cmocka_unit_test(zeros_in_a_payload_harm_no_record),
		cmocka_unit_test(payloads_outside_records_are_skipped),
		cmocka_unit_test(other_files_are_refused),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
