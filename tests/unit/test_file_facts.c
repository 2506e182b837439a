/* Recordings made byte by byte: version 1, scope, end of the recorded time, and rounds that are
 * too large. */
#include "../lib/file_made.h"
#include "../lib/memory_bytes.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* Time stops after the last record, even if the first tick would reach beyond it. */
static void time_ends_with_the_last_record(void **state)
{
	(void)state;
	struct made m;
	struct seen seen;
	begin_pipe(&m, ALL_FIELDS);
	made_sample(&m, 1000, FIRST_ID, 0, 1);
	made_sample(&m, 1100, FIRST_ID, 0, 1);
	open_made(&m, 500, true, &seen);
	seen.source->ops->advance(seen.source);
	(void)seen.source->ops->now_ns(seen.source); /* the end of the recording is not known yet */
	drain(&seen);
	assert_int_equal(seen.source->ops->now_ns(seen.source), 1101);
	tick(&seen);
	assert_int_equal(seen.source->ops->now_ns(seen.source), 1101);
	close_made(&seen);
}

/* A file with one attr entry and one sample, as perf wrote it before Linux 3.4. */
static size_t make_version_1(uint8_t *to, bool big)
{
	struct made_file {
		uint8_t *p;
		size_t n;
	} m = {.p = to};
#define NUM(v, bytes)                                                                                                  \
	for (unsigned i_ = 0; i_ < (bytes); i_++)                                                                      \
	m.p[m.n++] = (uint8_t)((uint64_t)(v) >> 8 * (big ? (bytes)-1 - i_ : i_))
	enum { ATTRS = 104, DATA = ATTRS + 64 + 16, SAMPLE = 40, TYPES = DATA + SAMPLE };
	memcpy(m.p, "PERFFILE", 8);
	m.n = 8;
	const uint64_t header[] = {104, 64 + 16, ATTRS, 64 + 16, DATA, SAMPLE, TYPES, 72, 0, 0, 0, 0};
	for (size_t i = 0; i < ARRAY_LEN(header); i++)
		NUM(header[i], 8);
	NUM(ABI_TYPE_TRACEPOINT, 4);
	NUM(0, 4); /* attr.size did not exist in this version */
	NUM(77, 8);
	NUM(1, 8);
	NUM(SAMPLE_IP | SAMPLE_TID | SAMPLE_TIME | SAMPLE_CPU, 8);
	while (m.n < DATA)
		NUM(0, 8);
	NUM(RECORD_SAMPLE, 4);
	NUM(MISC_USER, 2);
	NUM(SAMPLE, 2);
	NUM(0x1000, 8);
	NUM(7, 4);
	NUM(8, 4);
	NUM(123456789, 8);
	NUM(3, 4);
	NUM(0, 4);
	NUM(77, 8);
	memset(m.p + m.n, 0, 64);
	memcpy(m.p + m.n, "sched:sched_switch", 18);
#undef NUM
	return m.n + 64;
}

static void take_version_1(void *ctx, const struct lane *lane, const uint8_t *bytes, size_t size)
{
	const struct seen *seen = ctx;
	struct sample_core core;
	(void)lane;
	assert_int_equal(record_sample_core(seen->source->ops->info(seen->source)->layout, bytes, size, &core), 0);
	assert_int_equal(core.ip, 0x1000);
	assert_int_equal(core.tid, 8);
	assert_int_equal(core.time_ns, 123456789);
	assert_int_equal(core.cpu, 3);
	((struct seen *)ctx)->samples[0]++;
}

static void version_1_is_read(void **state)
{
	(void)state;
	for (int big = 0; big < 2; big++) {
		uint8_t bytes[512];
		struct file_config config = {.path = "made"};
		struct bytes memory = bytes_of_memory(bytes, make_version_1(bytes, big), true);
		struct seen seen = {0};
		struct error err;
		if (file_open_bytes(&config, &memory, &seen.source, &err) < 0)
			fail_msg("%s", err.text);
		const struct source_ops *ops = seen.source->ops;
		assert_string_equal(ops->info(seen.source)->events[0].spec.name, "sched:sched_switch");
		struct lane *lanes;
		struct merge_stats stats = {0};
		struct merger *merger = merger_create();
		ops->advance(seen.source);
		size_t n = ops->begin(seen.source, &lanes);
		merger_run(merger, ops->info(seen.source)->layout, lanes, n, UINT64_MAX, take_version_1, &seen, &stats);
		ops->end(seen.source);
		merger_destroy(merger);
		assert_int_equal(seen.samples[0], 1);
		close_made(&seen);
	}
}

/* The scope is user space if all events exclude the kernel; perf's dummy event does not matter. */
static void scope_is_that_of_the_events(void **state)
{
	(void)state;
	for (int user = 0; user < 2; user++) {
		struct made m;
		struct seen seen;
		begin_pipe(&m, ALL_FIELDS);
		m.n = PD_PIPE_HEADER_SIZE;
		if (user)
			m.attr.flags |= ATTR_EXCLUDE_KERNEL;
		made_attr(&m, 0, FIRST_ID);
		m.attr.type = ABI_TYPE_SOFTWARE;
		m.attr.flags &= ~(uint64_t)ATTR_EXCLUDE_KERNEL;
		made_attr(&m, 9, SECOND_ID);
		made_sample(&m, 1000, FIRST_ID, 0, 1);
		read_made(&m, 0, &seen);
		assert_int_equal(seen.source->ops->info(seen.source)->scope, user ? SCOPE_SYSTEM_USER : SCOPE_SYSTEM);
		close_made(&seen);
	}
}

/* A round that is larger than the limit is handed out before its end.  If a record then comes
 * too late, a notice says so. */
static void rounds_too_large_to_order_are_noticed(void **state)
{
	(void)state;
	enum { MAP_BYTES = 60000, MAPS = (66 << 20) / MAP_BYTES };
	for (int late = 0; late < 2; late++) {
		struct made m;
		struct file_config config = {.path = "made"};
		struct seen seen = {0};
		struct error err;
		begin_pipe(&m, ALL_FIELDS);
		size_t begin = m.n, n = begin, map;
		uint8_t *all = calloc(1, begin + (size_t)MAPS * MAP_BYTES + 1024);
		assert_non_null(all);
		memcpy(all, m.bytes, begin);
		for (uint64_t i = 0; i < MAPS; i++, n += map) {
			char name[MAP_BYTES - 200];
			memset(name, 'n', sizeof(name));
			name[sizeof(name) - 1] = 0;
			struct record rec = {.type = RECORD_MMAP, .misc = MISC_USER, .id = {.time_ns = 1000 + i}};
			rec.u.mmap.filename = name;
			map = record_encode(&m.layout, &rec, all + n, MAP_BYTES);
			assert_true(map > MAP_BYTES - 400);
		}
		made_sample(&m, late ? 500 : 900000, FIRST_ID, 0, 1);
		memcpy(all + n, m.bytes + begin, m.n - begin);
		n += m.n - begin;
		struct bytes memory = bytes_of_memory(all, n, true);
		if (file_open_bytes(&config, &memory, &seen.source, &err) < 0)
			fail_msg("%s", err.text);
		const struct source_ops *ops = seen.source->ops;
		while (!ops->finished(seen.source)) {
			struct lane *lanes;
			ops->advance(seen.source);
			do {
				size_t lanes_n = ops->begin(seen.source, &lanes);
				for (size_t i = 0; i < lanes_n; i++)
					lanes[i].used = lanes[i].a_len;
				ops->end(seen.source);
			} while (ops->more(seen.source));
		}
		ops->maintain(seen.source);
		assert_int_equal(strstr(ops->info(seen.source)->notice, "64 MiB") != NULL, late);
		close_made(&seen);
		free(all);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(time_ends_with_the_last_record),
		cmocka_unit_test(version_1_is_read),
		cmocka_unit_test(scope_is_that_of_the_events),
		cmocka_unit_test(rounds_too_large_to_order_are_noticed),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
